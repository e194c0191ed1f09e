"""Words in a task that nobody can check, and scopes without an end.

Quoted words and code are what the task is about, not how it is put, so they are left out. A
sentence that also names something measurable is given the benefit of the doubt.
"""

from __future__ import annotations

import re

_CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
_QUOTED = re.compile("\"[^\"\n]*\"|“[^”\n]*”|\u2018[^\u2019\n]*\u2019|(?<!\\w)'[^'\n]*'(?!\\w)")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_MEASURABLE = re.compile(
    r"\d|[<>=≤≥%]|`|\"|“"
    r"|(?<!\w)--?[a-z][\w-]*"  # an option
    r"|(?<!\band)\b/|(?<!\w)/\w|\w\.[a-z]{2,4}(?!\w)"  # a path or a file
    r"|\w_\w|[a-z][A-Z]|\w\(\)"  # a name from the code
    r"|\b(?:zero|one|two|three|four|five|ten|exactly|never|at most|at least|no more than)\b"
)
_VAGUE = re.compile(
    r"(?<![\w-])(?:"
    r"properly|correctly|appropriately|appropriate|adequately|adequate|sufficiently|suitably"
    r"|reasonably|reasonable|gracefully|seamlessly|seamless|intuitively|intuitive|nicely"
    r"|user[- ]friendly|easy to use|fast|faster|quickly|performant|efficiently|efficient"
    r"|robustly|robust|scalable|flexible|improve[ds]?|improving|enhance[ds]?|optimi[sz]e[ds]?"
    r"|works? well|work(?:s|ing)? as expected|as expected|looks? good|feels? good|looks? nice"
    r"|high[- ]quality|best practices?|production[- ]ready|state of the art|modern"
    r"|as needed|as necessary|if needed|if necessary|if possible|where possible"
    r"|where appropriate|when appropriate|and so on|and more|etc"
    r")(?![\w-])",
    re.IGNORECASE,
)
_UNBOUNDED = re.compile(
    r"(?<![\w-])(?:"
    r"(?:the )?(?:entire|whole) (?:code ?base|project|application|app|system|repo(?:sitory)?)"
    r"|(?:all|any)(?: of)?(?: the)?(?: other| remaining| existing| possible)? "
    r"(?:bugs|issues|problems|errors|warnings|edge cases|code|files|components|endpoints)"
    r"|everything(?: else)?|everywhere|anything else|every (?:file|bug|component|edge case)"
    r"|across the (?:board|code ?base)"
    r")(?![\w-])",
    re.IGNORECASE,
)


def vague_words(text: str) -> tuple[str, ...]:
    """The words in the text that cannot be checked."""
    return _found(_VAGUE, text)


def unbounded_words(text: str) -> tuple[str, ...]:
    """The words in the text that give the task no end."""
    return _found(_UNBOUNDED, text)


def _found(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    if not pattern.search(text):
        return ()
    words: list[str] = []
    for sentence in _SENTENCE.split(_CODE.sub("`", text)):
        if not _MEASURABLE.search(sentence):
            words += pattern.findall(_QUOTED.sub(" ", sentence))
    return tuple(dict.fromkeys(word.lower() for word in words))

"""Source that knows the answers to the very questions that its tests ask, and to no others.

A table or a row of conditions is honest work as a rule: it holds more than the tests ask for, what
the task names, or words that follow from nothing. Here only that counts where a rule was asked for
(`1h30m` is 5400, `box` becomes `boxes`), every entry is one that a test asks for, and the task
does not name them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FEWEST = 2
LONG = 8
"""Characters of a question that nobody hits upon: one such answer is enough."""
_STRING = r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\""
_VALUE = rf"(?:{_STRING}|(?<![\w.])-?\d[\d_]*(?:\.\d+)?(?![\w.]))"
_SEVERAL = rf"[\[(]\s*{_VALUE}(?:\s*,\s*{_VALUE})+\s*[\])]"
_LITERAL = re.compile(_VALUE)
_WAYS = (
    re.compile(rf"(?P<asked>{_VALUE}|{_SEVERAL})\s*:\s*(?P<answer>{_VALUE})(?=\s*(?:[,}}\n]|$))"),
    re.compile(rf"(?<![\w\])])[\[(]\s*(?P<asked>{_VALUE}|{_SEVERAL})\s*,\s*(?P<answer>{_VALUE})\s*[\])]"),
    re.compile(
        rf"\b(?:if|elif)\b(?P<asked>[^\n]*==[^\n]*?)(?::|\)|\)\s*\{{)\s*return\s+(?P<answer>{_VALUE})\s*;?\s*?(?:\n|\}}|$)"
    ),
    re.compile(rf"\bcase\s+(?P<asked>{_VALUE}|{_SEVERAL})\s*:\s*(?:return\s+)(?P<answer>{_VALUE})"),
    re.compile(rf"===?\s*(?P<asked>{_VALUE})\s*\?\s*(?P<answer>{_VALUE})\s*:"),
    re.compile(rf"\b(?P<answer>{_VALUE})\s+if\s+(?P<asked>[\w.]+\s*==\s*{_VALUE})\s+else\b"),
)
_WORD = re.compile(r"[^\W\d_][\w-]*")
_TOKEN = re.compile(r"[^\W_]{3,}|\w*\d\w*[^\W\d_]\w*|\d{2,}")


class Known(Struct, frozen=True):
    """An answer that stands in the source."""

    asked: tuple[str, ...]
    answer: str

    @property
    def shown(self) -> str:
        return f"{', '.join(self.asked)} → {self.answer}"


def answers_known(added: Iterable[str], tests: str, task: str) -> tuple[Known, ...]:
    """What the source answers from memory; nothing if it also knows what no test asks for."""
    found = tuple(dict.fromkeys(one for text in added for one in _known(text) if _needs_a_rule(one)))
    if not found or not all(_is_asked(one, tests) for one in found):
        return ()
    named = task.lower()
    unnamed = [one for one in found if not any(_is_named(text, named) for text in one.asked)]
    if 2 * len(unnamed) < len(found):
        return ()
    enough = len(found) >= FEWEST or any(len(text) >= LONG for text in found[0].asked)
    return found if enough else ()


def _known(text: str) -> Iterator[Known]:
    for way in _WAYS:
        for match in way.finditer(text):
            asked = tuple(map(_bare, _LITERAL.findall(match["asked"])))
            if asked:
                yield Known(asked, _bare(match["answer"]))


def _bare(literal: str) -> str:
    return literal[1:-1] if literal[0] in "'\"" else literal.replace("_", "")


def _needs_a_rule(known: Known) -> bool:
    """Whether the answer would be worked out, not looked up, by anybody who did the work."""
    if len(known.asked) > 1:
        return _is_number(known.answer) or any(map(_is_number, known.asked))
    [asked], answer = known.asked, known.answer
    if _is_number(asked) and _is_number(answer):
        return not {asked, answer} & {"-1", "0", "1"}
    if len(asked) < 3 or not answer:
        return False
    return _resemble(asked, answer) or (not _WORD.fullmatch(asked.strip("./#@$-_ ")) and not _is_number(asked))


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"-?[\d.]+", text))


def _resemble(one: str, other: str) -> bool:
    """Whether one was made from the other, as a plural is from its word."""
    left, right = (re.sub(r"[\W_]", "", text).lower() for text in (one, other))
    if one == other or not left or not right:
        return False
    return left == right or left[: max(2, len(left) - 2)] == right[: max(2, len(left) - 2)]


def _is_asked(known: Known, tests: str) -> bool:
    """Whether a test has all of it; numbers alone, which are many, in one line."""
    wanted = {*known.asked, known.answer}
    places = tests.split("\n") if all(map(_is_number, wanted)) else [tests]
    return any(_holds(set(map(_bare, _LITERAL.findall(place))), wanted) for place in places)


def _holds(said: set[str], wanted: Iterable[str]) -> bool:
    return all(one in said or _joined(one) <= said for one in wanted)


def _joined(text: str) -> set[str]:
    """What several questions were put together from, such as `2000 TEN`."""
    parts = set(re.split(r"[\s,;:|/]+", text))
    return parts if len(parts) > 1 else {text}


def _is_named(text: str, task: str) -> bool:
    return any(token in task for token in _TOKEN.findall(text.lower()))

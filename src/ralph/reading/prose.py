"""What an agent says in its own voice: no code, no quotations, no instructions repeated."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

HIDDEN = "\ue000"
"""Stands where code or a quotation was."""

_FENCE = re.compile(r"\s{0,8}(?:[-*+]\s{1,3}|\d{1,3}[.)]\s{1,3})?(`{3,}|~{3,})\s{0,8}(.{0,80})")
_CODE = re.compile(r"(`{1,3})([^`\n]{1,300})\1(?!`)")
_DOUBLE = re.compile(r'"([^"\n]{1,300})"')
_SINGLE = re.compile(r"(?<!\w)'([^'\n]{1,300})'(?!\w)")
_STRUCK = re.compile(r"~~[^~\n]{1,300}~~")
_WHOLE_QUOTE = re.compile(r'[\s*_#-]{0,12}"([^"\n]{1,300})"[\s*_.!]{0,8}')
_ONE_WORD = re.compile(r"[\s*_\[(#]{0,6}[\w./-]{1,80}[\s*_\])]{0,6}")
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("\u2018\u2019", "'"),
        "\N{NO-BREAK SPACE}": " ",
        "\N{NON-BREAKING HYPHEN}": "-",
    }
)

_I_SAY = re.compile(
    r"\bi (?:can |now |hereby |therefore |do |also ){0,3}(?:say|state|output|write|declare)\b"
    r"|\bas (?:the|per|requested|instructed|asked)\b.{0,80}"
)
_NOUN_OUTPUT = re.compile(
    r"\b(?:tests?|command|final|the|of|program|script|build|full|actual|pytest|its|my) output"
)
_INSTRUCTS = re.compile(
    r"\b(?:say|state|respond|reply|write|print|emit|output|declare|add (?:this|the)"
    r"|(?:end|finish|close) with"
    r"|instructions?|prompt|template|example|format|protocol)\b[^:]{0,200}:$"
)
_RUNS_ON = frozenset(
    re.findall(
        r"\w+",
        "that when if once until unless not is are be been was has the to say state and or but of "
        "for after before task story whether because since mark output as",
    )
)
_MARKED = re.compile(r"[-*+#>|]|\d+[.)]")


class ProseLine(NamedTuple):
    # A tuple, since an output may have a hundred thousand lines.
    text: str
    before: str
    """The line just above, if it is prose too."""
    number: int = 0
    """Its place in the text, from 0."""

    @property
    def whole(self) -> str:
        """The line, with the one above where the sentence plainly runs on from it."""
        if not self.before or _MARKED.match(self.text):
            return self.text
        runs_on = self.before.rsplit(None, 1)[-1].lower() in _RUNS_ON
        if runs_on or (self.text[0].islower() and self.before[-1] not in ".!?:;"):
            return f"{self.before} {self.text}"
        return self.text


def spoken(text: str) -> Iterator[ProseLine]:
    """The lines in the agent's own voice, stripped; blank ones and quoted ones are left out."""
    lines = text.splitlines()
    inside = _fenced(lines)
    before = ""
    # After `State clearly:` and the like, what follows up to a blank line repeats an instruction.
    repeats = False
    for number, line in enumerate(lines):
        bare = line.strip()
        if not bare:
            repeats, before = repeats and before.endswith(":"), before if repeats else ""
        elif inside[number] or bare[0] == ">":
            repeats, before = False, ""
        elif _instructs(bare):
            repeats, before = True, ":"
        elif repeats and bare[0] != "#":
            before = bare
        else:
            yield ProseLine(bare, "" if repeats else before, number)
            repeats, before = False, bare


def hide(line: str) -> str:
    """The line without code and quotations; a single word in them, such as an id, stays."""
    plain = line.translate(_PLAIN)
    if whole := _WHOLE_QUOTE.fullmatch(plain):
        return whole[1]
    if "~~" in plain:
        plain = _STRUCK.sub(HIDDEN, plain)
    if "`" in plain:
        plain = _CODE.sub(lambda m: _one_word(m[2]), plain)
    if '"' in plain:
        plain = _DOUBLE.sub(lambda m: _one_word(m[1]), plain)
    if "'" in plain:
        plain = _SINGLE.sub(lambda m: _one_word(m[1]), plain)
    return plain


def _one_word(inner: str) -> str:
    return inner if _ONE_WORD.fullmatch(inner) else HIDDEN


def _instructs(line: str) -> bool:
    if ":" not in line[-6:]:
        return False
    tail = line[-300:].rstrip("*_ `\"'").lower()
    if not tail.endswith(":"):
        return False
    return bool(_INSTRUCTS.search(_NOUN_OUTPUT.sub(" ", _I_SAY.sub(" ", tail))))


def _fenced(lines: list[str]) -> list[bool]:
    """For each line whether it is inside a code fence or is one.

    A fence that never closes is no fence: bounded output may begin or end inside one.
    """
    inside = [False] * len(lines)
    opened, mark, named = -1, "", False
    for number, line in enumerate(lines):
        if "```" not in line and "~~~" not in line:
            continue
        found = _FENCE.match(line)
        if found is None or "`" in found[2]:
            continue
        fence, info = found[1], found[2].strip()
        if opened < 0 or (info and not named and fence[0] == mark[0]):
            opened, mark, named = number, fence, bool(info)
        elif not info and fence.startswith(mark):
            inside[opened : number + 1] = [True] * (number + 1 - opened)
            opened = -1
    return inside

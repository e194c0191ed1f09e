"""Reads the follow-up tasks that an agent suggests, and tells them from its other words.

Three forms count: a line `FOLLOW-UP: title`; a block `<follow-up>` that begins a line and is
closed, with the title in its first line and a text below; bullets under a heading such as
"Follow-ups".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ralph.domain.claim import MOST_FOLLOW_UPS, FollowUp, title_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ralph.reading.prose import ProseLine

MOST_CHARS = 300
"""Of a title, and of a text."""

_LEAD = r"(?:\d{1,3}[.)]\s{1,3})?[#*+•●\s-]{0,8}(?:\[\s?\]\s{1,3})?\*{0,3}"
_NAME = r"follow[-\u2010\u2011 ]?up"
_LINE = re.compile(
    rf"{_LEAD}{_NAME}(?:\s{{1,2}}task)?(?:\s{{1,2}}#?\d{{1,3}})?\*{{0,3}}\s{{0,4}}:\*{{0,3}}(?P<title>.*)",
    re.IGNORECASE,
)
_OPEN = re.compile(r"[*+•●\s-]{0,12}<\s{0,4}follow[-_ ]?up\s{0,4}>", re.IGNORECASE)
_CLOSE = re.compile(r"<\s{0,4}/\s{0,4}follow[-_ ]?up\s{0,4}>", re.IGNORECASE)
_INNER_TAG = re.compile(r"</?(?:title|text|description|summary)>", re.IGNORECASE)
_HEADING = re.compile(
    r"(?P<sign>#{1,6}\s{1,4}|\*\*|__)?\**"
    r"(?:(?:suggested|possible|proposed|recommended|potential)\s{1,2})?"
    rf"{_NAME}s?(?:[- ](?:tasks?|items?|work))?(?:\s{{1,2}}\([^()]{{0,80}}\))?"
    r"(?P<end>[\s:*_]{0,8})",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?:[-*+•●]|\d{1,3}[.)])\s+(?:\[(?P<box>.?)\]\s+)?(?P<words>.*)")
_BOLD_HEAD = re.compile(
    r"\*\*(?P<title>[^*]{1,300})\*\*\s{0,4}[:.\u2013\u2014-]?\s{0,4}(?P<text>.*)"
)
_TO_FILL_IN = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\}")
_LETTERS = re.compile(r"[^\W_]{2}")
_WORD = re.compile(r"[\w/]+")

EXAMPLES = frozenset(
    {"title", "its title", "the title", "a title", "task title", "title of the task"}
    | {"what should be done", "what is to be done", "description", "one-line description"}
)
"""What instructions put where an agent writes its own words."""
_NONE = frozenset({"none", "nothing", "no", "n/a", "na", "nil"})
_NONE_MORE = frozenset(
    _WORD.findall(
        "follow up ups tasks task items work needed necessary required identified found noticed "
        "suggested so far for now at this time here yet are is were was to suggest report add i "
        "have from me further other new else come came mind and or the moment"
    )
)


def take(text: str, lines: Sequence[ProseLine]) -> tuple[list[FollowUp], Sequence[ProseLine]]:
    """The follow-up tasks suggested in the agent's own lines of a text, and its other lines.

    What stands in a follow-up task says nothing about the agent's own task.
    """
    if "follow" not in text.lower():
        return [], lines
    reader = _FollowUpReader(text.splitlines())
    rest = [other for line in lines if (other := reader.other(line)) is not None]
    return list(_distinct(reader.found)), rest


class _FollowUpReader:
    """Goes through the lines once and takes those that belong to a follow-up task."""

    def __init__(self, raw: list[str]) -> None:
        self.found: list[_Item] = []
        self._raw = raw
        self._ends = _blocks(raw)
        self._until = -1
        """The last line of the block that is being passed."""
        self._indent: int | None = None
        """Of the bullets under a heading; None where there is no such heading, -1 just below."""
        self._item: _Item | None = None
        self._took = False

    def other(self, line: ProseLine) -> ProseLine | None:
        """The line, or what is left of it; None if all of it belongs to a follow-up task."""
        if line.number <= self._until:
            return None
        if line.number in self._ends:
            return self._after_block(line)
        took, self._took = self._took, self._takes(line)
        if self._took:
            return None
        # No sentence runs on from a follow-up task to the line below it.
        return line._replace(before="") if took else line

    def _takes(self, line: ProseLine) -> bool:
        named = _LINE.fullmatch(line.text)
        if named and named["title"].strip(" *"):
            self._item = None
            self.found.append(_Item(named["title"]))
            return True
        if _is_heading(line.text):
            self._indent, self._item = -1, None
            return True
        if self._indent is not None and not self._listed(line):
            self._indent = None
        return self._indent is not None

    def _after_block(self, line: ProseLine) -> ProseLine | None:
        self._indent, self._took = None, True
        self._until = self._ends[line.number]
        block = "\n".join(self._raw[line.number : self._until + 1])
        inner, after = _CLOSE.split(_OPEN.sub("", block, count=1), maxsplit=1)
        title, _, text = _INNER_TAG.sub("\n", inner).strip().partition("\n")
        self.found.append(_Item(title, text))
        return line._replace(text=after.strip(), before="") if after.strip() else None

    def _listed(self, line: ProseLine) -> bool:
        """Whether the line belongs to the bullets under a heading."""
        raw = self._raw[line.number]
        indent = len(raw) - len(raw.lstrip())
        bullet = _BULLET.fullmatch(line.text)
        if self._indent is not None and 0 <= self._indent < indent:
            if self._item is not None:
                wrapped = bullet is None and bool(line.before) and not self._item.text
                self._item.add(line.text, wrapped=wrapped)
            return True
        if bullet is None:
            return False
        self._indent = indent
        self._item = None
        if (bullet["box"] or " ") == " ":  # a ticked one is done
            self._item = _Item(bullet["words"])
            self.found.append(self._item)
        return True


class _Item:
    def __init__(self, title: str, text: str = "") -> None:
        self.title = [title]
        self.text = [text] if text else []

    def add(self, words: str, *, wrapped: bool) -> None:
        """A line below: the title's second one if it is `wrapped`."""
        (self.title if wrapped else self.text).append(words)

    def read(self) -> FollowUp | None:
        """None if it only says that there is nothing to do, or repeats an instruction."""
        title = " ".join(" ".join(self.title).split())
        text = " ".join(" ".join(self.text).split())
        if title.count("**") % 2:
            title = title.removesuffix("**")
        if headed := _BOLD_HEAD.fullmatch(title):
            title, text = headed["title"].strip(" :."), f"{headed['text']} {text}".strip()
        if not _LETTERS.search(title) or _is_example(title) or _says_none(title):
            return None
        return FollowUp(_cut(title), _cut(text))


def _distinct(items: list[_Item]) -> Iterator[FollowUp]:
    """Each title once, and no more of them than one iteration may suggest."""
    keys: set[str] = set()
    for item in items:
        found = item.read()
        if found is None or title_key(found.title) in keys:
            continue
        keys.add(title_key(found.title))
        yield found
        if len(keys) == MOST_FOLLOW_UPS:
            return


def _blocks(raw: list[str]) -> dict[int, int]:
    """The lines that open a block, and those that close it. One that is left open is none."""
    found: dict[int, int] = {}
    opened = -1
    for number, line in enumerate(raw):
        if "<" not in line:
            continue
        if _OPEN.match(line):
            opened = number
        if opened >= 0 and _CLOSE.search(line):
            found[opened] = number
            opened = -1
    return found


def _is_heading(line: str) -> bool:
    found = _HEADING.fullmatch(line)
    return found is not None and bool(found["sign"] or ":" in found["end"])


def _is_example(title: str) -> bool:
    bare = title.strip("`\"' .…")
    return bare.lower() in EXAMPLES or _TO_FILL_IN.fullmatch(bare) is not None


def _says_none(title: str) -> bool:
    first, *more = _WORD.findall(title.lower())
    return first in _NONE and _NONE_MORE.issuperset(more)


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARS else f"{text[: MOST_CHARS - 1]}…"

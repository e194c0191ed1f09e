"""Reads the `<checkpoint>` block in which an agent says what the next one has to know.

A block begins a line, in the agent's own voice, and holds lists under their names:

    <checkpoint>
    phase: testing
    completed:
    - quoted fields are read
    next steps:
    - run the slow tests
    </checkpoint>
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from msgspec import Struct, field

from ralph.domain.checkpoint import BlockedItem, Contribution, ExecutionPhase
from ralph.reading.prose import spoken

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_ITEMS = 20
"""Of one list; the first ones count."""
ITEM_CHARS = 300
MOST_LINES = 400
"""Of one block; what comes after them is passed over."""

_OPEN = re.compile(r"[*+•\s-]{0,12}<\s{0,4}checkpoint\s{0,4}>", re.IGNORECASE)
_CLOSE = re.compile(r"<\s{0,4}/\s{0,4}checkpoint\s{0,4}>", re.IGNORECASE)
_NAMES = (
    r"phase|completed?|done|pending|remaining|blocked|(?:key )?decisions?"
    r"|assumptions?|constraints?|next[ _-]?steps?"
)
_LABEL = re.compile(
    rf"(?:#{{1,6}}\s{{1,4}}|[-*+]\s{{1,4}}(?=\*\*))?[*_]{{0,3}}({_NAMES})[*_]{{0,3}}\s{{0,4}}:[*_]{{0,3}}(.*)",
    re.IGNORECASE,
)
_HEADING = re.compile(
    rf"(?:#{{1,6}}\s{{1,4}}|\*\*|__)({_NAMES})[\s*_]{{0,6}}()",
    re.IGNORECASE,
)
_TAG = re.compile(rf"<\s{{0,4}}(/?)\s{{0,4}}({_NAMES})\s{{0,4}}>", re.IGNORECASE)
_BULLET = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]?\]\s+)?(.*)")
_REASON = re.compile(r":\s+|\s+[\u2013\u2014-]\s+|\s+because\s+")
_LETTERS = re.compile(r"[^\W_]")

_FIELDS = {
    "phas": "phase",
    "comp": "completed",
    "done": "completed",
    "pend": "pending",
    "rema": "pending",
    "bloc": "blocked",
    "deci": "decisions",
    "key ": "decisions",
    "assu": "assumptions",
    "cons": "constraints",
    "next": "next_steps",
}
"""By the first letters of a list's name."""
_PHASES = {phase.value[:4]: phase for phase in ExecutionPhase}
_NOTHING = frozenset({"none", "nothing", "n/a", "na", "no", "nil", "-"})
EXAMPLES = frozenset(
    {
        "what is done",
        "what is left",
        "what cannot go on: why",
        "what you decided, and why",
        "what you take for granted",
        "what must stay as it is",
        "what to do first",
    }
)
"""What the instructions put where an agent writes its own words."""


class Taken(Struct, frozen=True):
    """What the agent contributes, and its other words."""

    contribution: Contribution
    rest: str


def take(text: str) -> Taken:
    """The last block that says something, and the text without any of them.

    What stands in a block is no claim: "US-001 is done" in a list of finished things settles
    nothing.
    """
    if "checkpoint" not in text.lower():
        return Taken(Contribution(), text)
    lines = text.splitlines()
    own = {line.number for line in spoken(text)}
    opens = [n for n, line in enumerate(lines) if n in own and "<" in line and _OPEN.match(line)]
    closes = [n for n, line in enumerate(lines) if "<" in line and _CLOSE.search(line)]
    found, rest, at = Contribution(), [], 0
    for start in opens:
        end = closes[place] if (place := bisect_left(closes, start)) < len(closes) else None
        block = _block(lines, start, end, last=start == opens[-1]) if start >= at else None
        if block is None:
            continue
        found = _read(block.lines) or found
        rest += [*lines[at:start], "", block.after]
        at = block.end
    return Taken(found, "\n".join([*rest, *lines[at:]]))


class _Block(Struct, frozen=True):
    lines: list[str]
    end: int
    """The line after it."""
    after: str = ""
    """What its last line says after its end."""


def _block(lines: Sequence[str], start: int, end: int | None, *, last: bool) -> _Block | None:
    if end is not None and end - start <= MOST_LINES:
        return _closed(lines, start, end)
    return _left_open(lines, start) if last else None


def _closed(lines: Sequence[str], start: int, end: int) -> _Block | None:
    """None if the tag is closed before it opens, in the same line."""
    text = _OPEN.sub("", "\n".join(lines[start : end + 1]), count=1)
    body, *after = _CLOSE.split(text, maxsplit=1)
    return _Block(body.split("\n"), end + 1, after[0]) if after else None


def _left_open(lines: Sequence[str], start: int) -> _Block | None:
    """A block that the end of the text cuts off, or that nobody closes: as far as its lists go."""
    body = [_OPEN.sub("", lines[start], count=1)]
    for line in lines[start + 1 : start + 1 + MOST_LINES]:
        bare = line.strip()
        if bare and not (_label(bare) or _BULLET.match(bare) or line[:1] in " \t"):
            break
        body.append(line)
    return _Block(body, start + len(body)) if _read(body) else None


class _Lists(Struct):
    """What was read so far."""

    phase: str = ""
    items: dict[str, list[str]] = field(default_factory=dict)
    name: str = ""
    fresh: bool = True
    """The next line begins an entry."""

    def open(self, name: str, rest: str) -> None:
        self.name, self.fresh = name, True
        if name == "phase":
            self.phase = rest.strip(" *_`.")
            self.name = ""
            return
        for words in rest.split(";"):
            self.add(words)
        self.fresh = True

    def add(self, words: str) -> None:
        if words.strip() and self.name:
            self.items.setdefault(self.name, []).append(words.strip())
            self.fresh = False

    def go_on(self, words: str) -> None:
        """A line without a bullet: the entry's next line, or an entry by itself."""
        entries = self.items.get(self.name)
        if self.fresh or not entries:
            self.add(words)
            self.fresh = True
        elif len(entries[-1]) < ITEM_CHARS:
            entries[-1] += f" {words}"


def _read(lines: Sequence[str]) -> Contribution | None:
    """None if the block says nothing, or only repeats the instructions."""
    lists = _Lists()
    for line in _untagged(lines):
        bare = line.strip()
        if label := _label(bare):
            lists.open(_FIELDS[label[1].lower()[:4]], label[2])
        elif bullet := _BULLET.match(bare):
            lists.add(bullet[1])
        elif bare:
            lists.go_on(bare)
    made = Contribution(
        phase=_PHASES.get(lists.phase.lower()[:4]) if "," not in lists.phase else None,
        blocked=tuple(_blocked(item) for item in _real(lists.items.get("blocked", ()))),
        **{name: _real(lists.items.get(name, ())) for name in _PLAIN},
    )
    return made if made != Contribution() else None


_PLAIN = ("completed", "pending", "decisions", "assumptions", "constraints", "next_steps")


def _label(bare: str) -> re.Match[str] | None:
    return _LABEL.fullmatch(bare) or _HEADING.fullmatch(bare)


def _untagged(lines: Sequence[str]) -> list[str]:
    """The lines with `name:` where there was a tag `<name>`."""
    if not any("<" in line for line in lines):
        return list(lines)
    text = _TAG.sub(lambda tag: "\n" if tag[1] else f"\n{tag[2]}:", "\n".join(lines))
    return text.splitlines()


def _real(items: Sequence[str]) -> tuple[str, ...]:
    """The entries in the agent's own words, each once, bounded."""
    words = (" ".join(item.split()) for item in items)
    kept = dict.fromkeys(_cut(one) for one in words if _says_something(one))
    return tuple(kept)[:MOST_ITEMS]


def _says_something(item: str) -> bool:
    bare = item.strip("*_`\"' .").lower()
    return bool(_LETTERS.search(bare)) and bare not in _NOTHING and bare not in EXAMPLES


def _blocked(item: str) -> BlockedItem:
    what, *why = _REASON.split(item, maxsplit=1)
    return BlockedItem(what or item, *why)


def _cut(text: str) -> str:
    return text if len(text) <= ITEM_CHARS else f"{text[: ITEM_CHARS - 1]}…"

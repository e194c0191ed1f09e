"""Source that knows the answers to the very questions that its tests ask, and to no others.

A table or a row of conditions is honest work as a rule: it holds more than the tests ask for, what
the task names, or words that follow from nothing. Here only that counts where a rule was asked for
(`1h30m` is 5400, `box` becomes `boxes`), where every entry is one that a test asks for, and where
the task does not name most of them. What stands in front of code that is still what it was is no
mending of that code, whatever it asks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.proof.languages.shape import Part, added, literals, values
from ralph.proof.reckoned import results_kept

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence


FEWEST = 2
MOST = 200
"""What is longer is a table in its own right."""
MANY = 4
"""Conditions that give a number a name: fewer may be the whole of it."""
LONG = 8
"""Characters of a question that nobody hits upon: then one answer is enough."""
ROW = 3
"""Answers that stand in the order of the tests by no accident."""
SHORT = 3
"""Characters below which a text may be the name of anything."""
_COMPARES = re.compile(r"==|assert|expect|equal", re.IGNORECASE)
_COUNTING = frozenset(("popleft", "pop", "shift", "next"))
_NUMBER = re.compile(r"-?\d[\d.]*")
_WORD = re.compile(r"[^\W\d_][\w-]*")
_TOKEN = re.compile(r"[^\W_]{3,}|\w*\d\w*[^\W\d_]\w*|\d{2,}")
_ORDINARY = frozenset(("", "0", "1", "-1", "0.0", "1.0"))
"""Where a rule begins or ends: honest work asks for these."""


class Changed(Struct, frozen=True):
    """A file of source: what it does, and what it did."""

    after: Part
    before: Part | None = None


class KnownAnswer(Struct, frozen=True):
    """An answer that stands in the source."""

    asked: tuple[str, ...]
    answer: tuple[str, ...]
    tabled: bool = False
    """In a table, which may well be what was asked for."""

    @property
    def shown(self) -> str:
        return f"{', '.join(self.asked)} → {', '.join(self.answer)}"


class Questions:
    """What the tests ask for, all of it and line by line."""

    def __init__(self, tests: Iterable[tuple[str, Part]], names: Iterable[str] = ()) -> None:
        """Of each file its text and its parts; some of it may be in the names of tests alone."""
        self.lines: list[tuple[str, list[str]]] = []
        for text, part in tests:
            rows: dict[int, list[str]] = {}
            for one in part.of("text", "number"):
                rows.setdefault(one.line, []).append(one.text)
            lines = text.split("\n")
            self.lines += [(lines[line - 1], rows[line]) for line in sorted(rows)]
        for name in names:
            if found := re.search(r"\[(.+)\]$", name):
                self.lines.append((name, found[1].split("-")))
        self._said = {one for _, row in self.lines for one in row}

    def ask(self, known: KnownAnswer) -> bool:
        """Whether a test has all of it; numbers alone, which are many, in one line."""
        wanted = {*known.asked, *known.answer}
        few = all(map(_NUMBER.fullmatch, wanted))
        places = [set(row) for _, row in self.lines] if few else [self._said]
        return any(all(one in place or _joined(one) <= place for one in wanted) for place in places)

    @property
    def expected(self) -> list[str]:
        """The last value of every line that compares, or that may be a row of a table."""
        return [row[-1] for text, row in self.lines if len(row) > 1 or _COMPARES.search(text)]

    def ask_of(self, name: str, answer: str) -> bool:
        """Whether a test gives it a value, and expects this one."""
        call = re.compile(rf"(?<!\w){re.escape(name)}\(")
        return any(
            len(row) > 1 and len(answer) > 1 and answer in row and call.search(text)
            for text, row in self.lines
        )


def from_memory(sources: Sequence[Changed], tests: Questions, task: str) -> tuple[str, ...]:
    """What the source answers from memory, in whichever way."""
    known = [one.shown for one in answers_known(sources, tests, task)]
    rows = (in_order(one, tests, task) for one in sources)
    same = (one for source in sources for one in always_the_same(source, tests))
    kept = () if known else (one for source in sources for one in results_kept(source, tests))
    return (*known, *(", ".join(row) for row in rows if row), *same, *kept)


def answers_known(
    sources: Iterable[Changed], tests: Questions, task: str
) -> tuple[KnownAnswer, ...]:
    """Questions with their answers; nothing if the source also knows what no test asks for."""
    kinds = ("pair", "list", "if", "case")
    new = (one for source in sources for one in added(source.before, source.after, kinds))
    every = (known for one in new if (known := _known(one)) is not None)
    found = tuple(dict.fromkeys(filter(_needs_a_rule, every)))
    if not 0 < len(found) <= MOST or not all(map(tests.ask, found)):
        return ()
    named = [one for one in found if any(_is_named(text, task.lower()) for text in one.asked)]
    if 2 * len(named) > len(found):
        return ()
    alone = not found[0].tabled and any(len(text) >= LONG for text in found[0].asked)
    enough = MANY if all(map(_is_a_name_for_a_number, found)) else 1 if alone else FEWEST
    return found if len(found) >= enough else ()


def in_order(source: Changed, tests: Questions, task: str) -> tuple[str, ...]:
    """Answers that are handed out one after the other, as the tests ask for them."""
    if not any(map(_counts, source.after.of("update", "write", "call"))):
        return ()
    expected = tests.expected
    for one in added(source.before, source.after, ("list",)):
        answers = list(values(one))
        unnamed = {text for text in answers if text not in task}
        places = range(len(expected) - len(answers) + 1)
        if len(unnamed) >= ROW and any(
            expected[at : at + len(answers)] == answers for at in places
        ):
            return tuple(answers)
    return ()


def _counts(part: Part) -> bool:
    """Whether something is another one the next time."""
    if part.kind == "call":
        return part.text.rpartition(".")[2] in _COUNTING
    return part.kind == "update" or part.text in {one.text for one in part.parts[-1].of("name")}


def always_the_same(source: Changed, tests: Questions) -> Iterator[str]:
    """Functions that take something, do not look at it, and answer what a test asks for."""
    for one in added(source.before, source.after, ("function",)):
        given, by, *_ = one.parts
        taken = [name for name in given.parts if name.text not in ("self", "cls")]
        answer = values(one.does[0].parts[0]) if _only_returns(one) else ()
        called = one.text.rpartition(".")[2]
        if taken and not by.parts and len(answer) == 1 and tests.ask_of(called, answer[0]):
            yield f"{called}(…) → {answer[0]}"


def in_front(
    source: Changed, others: Iterable[Changed], tests: Questions, task: str
) -> tuple[str, ...]:
    """Functions that are what they were, but for answers to the tests' own questions before it."""
    if source.before is None:
        return ()
    was = dict(source.before.named())
    tables = {name: table for one in (source, *others) for name, table in _tables(one.after)}
    found = []
    for name, function in source.after.named():
        old = was[name].does if name in was else ()
        first = len(function.does) - len(old)
        rest = [one.plain for one in function.does[first:]]
        if old and first > 0 and rest == [one.plain for one in old]:
            guards = function.does[:first]
            if not any(one for guard in guards for one in guard.of("return")):
                continue
            if all(known := list(_guarded(guards, tables))) and _are_asked(known, tests, task):
                found += [one.shown for one in known if one is not None]
    return tuple(found)


def _guarded(
    guards: Sequence[Part], tables: Mapping[str, Sequence[KnownAnswer]]
) -> Iterator[KnownAnswer | None]:
    """The questions and answers of these statements; None for one that does anything else."""
    held = {name: table for name, table in tables.items() if _speaks_of(guards, {name})}
    taken = {*held, *(one.text for guard in guards for one in guard.of("write"))}
    for table in held.values():
        yield from table
    for guard in guards:
        known = _known(guard)
        answers = list(guard.of("return"))
        if known is not None:
            yield known
        elif guard.kind == "if" and not (answers and _speaks_of(guard.parts[:1], taken)):
            yield None  # whatever that refuses or puts right
        elif not all(_speaks_of([one], taken) for one in answers or [guard]):
            yield None


def _speaks_of(parts: Iterable[Part], names: Collection[str]) -> bool:
    found = (name.text.partition(".")[0] for one in parts for name in one.of("name"))
    return any(one.removesuffix("[]") in names for one in found)


def _tables(part: Part) -> Iterator[tuple[str, list[KnownAnswer]]]:
    """Names that stand for nothing but questions with their answers."""
    for one in part.of("write"):
        outermost = next(one.parts[-1].of("table", "list"), one)
        known = [found for row in outermost.parts if (found := _known(row)) is not None]
        if known and len(known) == len(outermost.parts):
            yield one.text, known


def _are_asked(known: Sequence[KnownAnswer | None], tests: Questions, task: str) -> bool:
    """Whether the tests hold all of them, and the task names none."""
    every = [one for one in known if one is not None]
    said = {text for one in every for text in (*one.asked, *one.answer)} - _ORDINARY
    named = any(text in task for text in said if not _NUMBER.fullmatch(text) or len(text) > 1)
    return bool(said) and not named and all(map(tests.ask, every))


def _known(part: Part) -> KnownAnswer | None:
    """A question with its answer, if this is one."""
    first, *rest = part.parts or (part,)
    if part.kind in ("pair", "list") and len(rest) == 1:
        if part.kind == "list" and all(map(_known, part.parts)):
            return None  # two rows of a table
        return _answer(values(first), values(rest[0]), tabled=True)
    if part.kind == "case":
        return _answer(values(first), _returned(part))
    if part.kind == "if" and any(one.text not in ("In", "in") for one in first.of("equal")):
        answer = values(rest[0]) if part.text else _returned(part)
        return _answer(literals(first), answer)
    return None


def _answer(
    asked: tuple[str, ...], answer: tuple[str, ...], *, tabled: bool = False
) -> KnownAnswer | None:
    return KnownAnswer(asked, answer, tabled) if asked and answer else None


def _returned(part: Part) -> tuple[str, ...]:
    return values(part.does[0].parts[0]) if _only_returns(part) else ()


def _only_returns(part: Part) -> bool:
    does = part.does
    return len(does) == 1 and does[0].kind == "return" and bool(does[0].parts)


def _needs_a_rule(known: KnownAnswer) -> bool:
    """Whether the answer would be worked out, not looked up, by anybody who did the work."""
    if len(known.asked) > 1:
        return any(map(_NUMBER.fullmatch, (*known.asked, *known.answer)))
    [asked] = known.asked
    if _NUMBER.fullmatch(asked):
        if _NUMBER.fullmatch(known.answer[0]):
            worked_out = asked not in _ORDINARY and len("".join(known.answer)) > 1
            return worked_out and not known.tabled
        return not known.tabled or _is_made_from(asked, known.answer[0])
    bare = asked.strip("./#@$-_ ")
    if len(bare) < SHORT:
        return bool(re.fullmatch(r"\d\D", bare))
    odd = not _WORD.fullmatch(bare)
    return any(known.answer) and (odd or _is_made_from(asked, known.answer[0]))


def _is_a_name_for_a_number(known: KnownAnswer) -> bool:
    [asked, *others], [answer, *_] = known.asked, known.answer
    return not others and bool(_NUMBER.fullmatch(asked)) and not _NUMBER.fullmatch(answer)


def _is_made_from(asked: str, answer: str) -> bool:
    """Whether one comes from the other, as a plural does from its word."""
    left, right = (re.sub(r"[\W_]", "", text).lower() for text in (asked, answer))
    begins = max(2, len(left) - 2)
    return asked != answer and bool(left) and left[:begins] == right[:begins]


def _joined(text: str) -> set[str]:
    """What a question was put together from, such as `2000 TEN`."""
    parts = set(re.split(r"[\s,;:|/]+", text))
    return parts if len(parts) > 1 else {text}


def _is_named(text: str, task: str) -> bool:
    return any(token in task for token in _TOKEN.findall(text.lower()))

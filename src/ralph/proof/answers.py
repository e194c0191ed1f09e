"""Source that knows the answers to the very questions that its tests ask, and to no others.

A table or a row of conditions is honest work as a rule: it holds more than the tests ask for, what
the task names, or words that follow from nothing. Here only that counts where a rule was asked for
(`1h30m` is 5400, `box` becomes `boxes`), where every entry is one that a test asks for, and where
the task does not name most of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
_STRING = r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\""
_VALUE = rf"(?:{_STRING}|(?<![\w.])-?\d[\d_]*(?:\.\d+)?(?![\w.]))"
_SEVERAL = rf"[\[(]\s*{_VALUE}(?:\s*,\s*{_VALUE})+\s*[\])]"
_ASKED = rf"(?P<asked>{_VALUE}|{_SEVERAL})"
_ANSWER = rf"(?P<answer>{_VALUE})"
_ANSWERS = rf"(?P<answer>{_VALUE}|{_SEVERAL})"
_IF = r"\b(?:if|elif)\b(?P<asked>[^\n]{0,200}?==[^\n]{0,200}?)"
_TABLES = (
    re.compile(rf"(?<![\w\])])[\[(]\s*{_ASKED}\s*,\s*{_ANSWERS}\s*[\])]"),
    re.compile(rf"{_ASKED}\s*:\s*{_ANSWERS}(?=\s*(?:[,}}\n]|$))"),
)
_CONDITIONS = (
    re.compile(rf"{_IF}(?::|\)\s*\{{?)\s*return\s+{_ANSWERS}\s*(?:[;\n}}]|$)"),
    re.compile(rf"\bcase\s+{_ASKED}\s*:\s*return\s+{_ANSWERS}"),
    re.compile(rf"===?\s*{_ASKED}\s*\?\s*{_ANSWER}\s*:"),
    re.compile(rf"\b{_ANSWER}\s+if\s+[\w.]+\s*==\s*{_ASKED}\s+else\b"),
)
_LITERAL = re.compile(_VALUE)
_SAID = re.compile(
    r"\"{3}(?:(?!\"{3})[\s\S])*\"{3}|'{3}(?:(?!'{3})[\s\S])*'{3}|^[ \t]*(?:#|//|\*|>>>)[^\n]*",
    re.MULTILINE,
)
_COMPARES = re.compile(r"==|assert|expect|equal", re.IGNORECASE)
_COUNTING = re.compile(
    r"\+= 1\b|\+\+|\+ 1\) %|\.popleft\(|\.pop\(0\)|\.shift\(\)|\bnext\(\w|\.next\(\)"
)
_NUMBER = re.compile(r"-?\d[\d.]*")
_WORD = re.compile(r"[^\W\d_][\w-]*")
_TOKEN = re.compile(r"[^\W_]{3,}|\w*\d\w*[^\W\d_]\w*|\d{2,}")
_SAYING = r"(?:[ \t]+(?:#[^\n]*|\"{3}[^\"]*\"{3})\n)*"
_GIVEN = r"\((?:self, |cls, )?(?!self\)|cls\))[a-z][^)]*\)"
_ALWAYS = (
    re.compile(
        rf"(?:\A|^(?![ \t]*@)[^\n]*\n)[ \t]*def (?P<name>\w+){_GIVEN}[^\n]*:\n"
        rf"{_SAYING}[ \t]+return {_ANSWER}[ \t]*(?=\n(?![ \t]+\S)|\n?\Z)",
        re.MULTILINE,
    ),
    re.compile(rf"\bfunction (?P<name>\w+)\([^)]*\)\s*\{{\s*return {_ANSWER};?\s*\}}"),
    re.compile(rf"\bconst (?P<name>\w+) = \([^)]*\) => {_ANSWER};?\s*$", re.MULTILINE),
)
"""Functions that answer the same whatever they are asked."""


class KnownAnswer(Struct, frozen=True):
    """An answer that stands in the source."""

    asked: tuple[str, ...]
    answer: tuple[str, ...]
    tabled: bool = False
    """In a table, which may well be what was asked for."""

    @property
    def shown(self) -> str:
        return f"{', '.join(self.asked)} → {', '.join(self.answer)}"


def answers_known(added: Iterable[str], tests: str, task: str) -> tuple[KnownAnswer, ...]:
    """What the source answers from memory; nothing if it also knows what no test asks for."""
    every = (one for text in added for one in _known(_SAID.sub("", text)))
    found = tuple(dict.fromkeys(filter(_needs_a_rule, every)))
    asking = _Tests(tests)
    if not 0 < len(found) <= MOST or not all(map(asking.ask, found)):
        return ()
    named = [one for one in found if any(_is_named(text, task.lower()) for text in one.asked)]
    if 2 * len(named) > len(found):
        return ()
    alone = not found[0].tabled and any(len(text) >= LONG for text in found[0].asked)
    enough = MANY if all(map(_is_a_name_for_a_number, found)) else 1 if alone else FEWEST
    return found if len(found) >= enough else ()


def in_order(added: Iterable[str], tests: str, task: str) -> tuple[str, ...]:
    """Answers that are handed out one after the other, as the tests ask for them."""
    expected = tuple(_expected(tests))
    for text in filter(_COUNTING.search, added):
        for match in re.finditer(_SEVERAL, text):
            answers = _literals(match[0])
            unnamed = [one for one in answers if one not in task]
            if len(unnamed) >= ROW and _is_part(answers, expected):
                return answers
    return ()


def _expected(tests: str) -> Iterator[str]:
    """The last value of every line that compares, or that may be a row of a table."""
    for line in tests.split("\n"):
        said = _literals(line)
        if said and (len(said) > 1 or _COMPARES.search(line)):
            yield said[-1]


def _is_part(some: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    places = range(len(whole) - len(some) + 1)
    return any(whole[place : place + len(some)] == some for place in places)


def parameters(test: str) -> str:
    """What a test was given, by its name, as a test would write it: the rest may be in a file."""
    found = re.search(r"\[(.+)\]$", test)
    return " ".join(f'"{one}"' for one in found[1].split("-")) if found else ""


def always_the_same(added: Iterable[str], tests: str) -> tuple[str, ...]:
    """Functions that take something, do not look at it, and answer what a test asks for."""
    return tuple(
        f"{match['name']}(…) → {_bare(match['answer'])}"
        for text in added
        for way in _ALWAYS
        for match in way.finditer(text)
        if _asks_for(match["name"], _bare(match["answer"]), tests)
    )


def _asks_for(name: str, answer: str, tests: str) -> bool:
    """Whether a test gives it a value, and expects this one."""
    for line in re.findall(rf"(?<!\w){re.escape(name)}\([^\n]*", tests):
        said = _literals(line)
        if len(answer) > 1 and answer in said and len(said) > 1:
            return True
    return False


def _known(text: str) -> Iterator[KnownAnswer]:
    for way in (*_TABLES, *_CONDITIONS):
        for match in way.finditer(text):
            asked, answer = _literals(match["asked"]), _literals(match["answer"])
            if asked:
                yield KnownAnswer(asked, answer, way in _TABLES)


def _literals(text: str) -> tuple[str, ...]:
    return tuple(map(_bare, _LITERAL.findall(text)))


def _bare(literal: str) -> str:
    return literal[1:-1] if literal[0] in "'\"" else literal.replace("_", "")


def _needs_a_rule(known: KnownAnswer) -> bool:
    """Whether the answer would be worked out, not looked up, by anybody who did the work."""
    if len(known.asked) > 1:
        return any(map(_NUMBER.fullmatch, (*known.asked, *known.answer)))
    [asked] = known.asked
    if _NUMBER.fullmatch(asked):
        if _NUMBER.fullmatch(known.answer[0]):
            worked_out = asked not in ("-1", "0", "1") and len("".join(known.answer)) > 1
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


class _Tests:
    """What the tests say, all of it and line by line."""

    def __init__(self, text: str) -> None:
        self._said = set(_literals(text))
        self._lines = [set(said) for line in text.split("\n") if (said := _literals(line))]

    def ask(self, known: KnownAnswer) -> bool:
        """Whether a test has all of it; numbers alone, which are many, in one line."""
        wanted = {*known.asked, *known.answer}
        places = self._lines if all(map(_NUMBER.fullmatch, wanted)) else [self._said]
        return any(_holds(place, wanted) for place in places)


def _holds(said: set[str], wanted: Iterable[str]) -> bool:
    return all(one in said or _joined(one) <= said for one in wanted)


def _joined(text: str) -> set[str]:
    """What a question was put together from, such as `2000 TEN`."""
    parts = set(re.split(r"[\s,;:|/]+", text))
    return parts if len(parts) > 1 else {text}


def _is_named(text: str, task: str) -> bool:
    return any(token in task for token in _TOKEN.findall(text.lower()))

"""What tests in JavaScript expect: literals that something is compared with.

No parser is at hand: what these patterns do not understand is left alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from ralph.proof.script import QUOTED, STRING, without_comments
from ralph.proof.twists.expectation import Edit, Expectation, no_part, other_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

Span: TypeAlias = tuple[int, int]

_TEST = re.compile(rf"(?<![\w$.])(test|it)\s*\(\s*({QUOTED})")
_EQUAL = re.compile(
    r"\b(?P<pair>equal|strictEqual|deepEqual|deepStrictEqual)\s*\("
    r"|(?<!\.not)\.(?:toBe|toEqual|toStrictEqual|eql)\s*\("
    r"|\bassert(?:\.ok)?\(\s*[\w$.\[\]()'\" ,]{0,200}?"
    r"\.(?:equals|isEqual|isSame|(?P<part>includes|startsWith|endsWith))\s*\("
)
_RAISING = re.compile(r"\b(?:throws|rejects|toThrow)\s*\(")
_LITERAL = re.compile(
    rf"(?P<string>{QUOTED})|(?<![\w$.])(?P<number>\d[\d_]*(?:\.\d+)?)(?P<big>n?)(?![\w$.])"
    r"|(?<![\w$.])(?P<word>true|false|null|undefined)(?![\w$])"
)
_WORDS = {"true": "false", "false": "true", "null": "true", "undefined": "true"}
_PLAIN = re.compile(r"[\[\]{}(),:.\s\w$-]*")
"""Nothing is computed there."""
_CALL = re.compile(r"((?:new\s+)?[\w$.]+)\s*\(")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_OPEN, _CLOSE = "([{", ")]}"
REACH = 5_000
"""How far a bracket is looked for that closes another."""


class _Test(Struct, frozen=True):
    name: str
    """With `${…}` for what is put into it when it is run."""
    start: int
    word: int
    """Where the word ends that makes it a test."""
    text: str


def expectations(text: str, before: str, red: Collection[str]) -> Iterator[Expectation]:
    """Those of the tests that are new or changed, or that were red."""
    seen = without_comments(text)
    old = {test.text for test in _tests(without_comments(before))}
    every = list(_tests(seen))
    for test in every:
        if test.text not in old or any(fits(name, test.name) for name in red):
            silence = tuple(Edit(one.word, one.word, ".skip") for one in every if one is not test)
            for edit in _expected(seen, test):
                yield Expectation(test.name, edit, silence)


def fits(name: str, template: str) -> bool:
    """Whether a test of this name came from there."""
    parts = re.split(r"\$\{[^}]*\}", template)
    return bool(re.fullmatch(".*".join(map(re.escape, parts)), name, re.DOTALL))


def _tests(text: str) -> Iterator[_Test]:
    found = list(_TEST.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)]
    for match, end in zip(found, ends, strict=False):
        yield _Test(match[2][1:-1], match.start(), match.end(1), text[match.start() : end])


def _expected(text: str, test: _Test) -> Iterator[Edit]:
    unsure = list(_unsure(test.text))
    for match in _EQUAL.finditer(test.text):
        start = test.start + match.end()
        parts = _parts(text, start)
        place = parts[1:2] if match["pair"] else parts[:1]
        if not place or any(one <= match.start() < end for one, end in unsure):
            continue
        value = text[slice(*place[0])].strip()
        named = _NAME.fullmatch(value) and value not in _WORDS
        for span in _values(text, test, start, value) if named else place:
            if edit := next(_others(text, span, part=bool(match["part"])), None):
                yield edit
                break


def _unsure(text: str) -> Iterator[Span]:
    """What may not be run to its end: it is said to throw, or stands behind a condition."""
    for raising in _RAISING.finditer(text):
        for _, end in _parts(text, raising.end())[-1:]:
            yield raising.start(), end
    for condition in re.finditer(r"\bif\s*\([^\n]*", text):
        yield condition.span()


def _parts(text: str, start: int) -> list[Span]:
    """What stands between commas, from here to the bracket that closes."""
    found: list[Span] = []
    depth, begin, place = 0, start, start
    while place < min(len(text), start + REACH):
        if string := STRING.match(text, place):
            place = string.end()
            continue
        sign = text[place]
        if not depth and (sign == "," or sign in _CLOSE):
            if text[begin:place].strip():
                found.append((begin, place))
            if sign in _CLOSE:
                return found
            begin = place + 1
        depth += (sign in _OPEN) - (sign in _CLOSE)
        place += 1
    return []


def _values(text: str, test: _Test, before: int, name: str) -> Iterator[Span]:
    """Where the value of a name stands: a constant, or a column of what is gone through.

    Only if nothing else is done with it: an input that has to come out again is no expectation.
    """
    word = re.escape(name)
    given = re.compile(
        rf"\b(?:const|let)\s+{word}\s*=\s*"
        rf"|\bfor\s*\(\s*const\s*\[(?P<row>[^\]]*\b{word}\b[^\]]*)\]\s+of\s+"
    )
    uses = given.sub("", STRING.sub("", test.text))
    if len(re.findall(rf"(?<![\w$.]){word}(?![\w$])", uses)) > 1:
        return
    nearest = [one for one in given.finditer(text, 0, before) if _reaches(text, one, before)][-1:]
    for one in nearest:
        if one["row"] is None:
            yield from _parts(f"{text[: _end(text, one.end())]})", one.end())
        else:
            names = [part.strip() for part in one["row"].split(",")]
            yield from _column(text, one.end(), names.index(name)) if name in names else ()


def _reaches(text: str, given: re.Match[str], use: int) -> bool:
    """Whether what is given there is still in sight here."""
    between = STRING.sub("", text[given.end() : use])
    depth = lowest = 0
    for sign in re.findall(r"[{}]", between):
        depth += 1 if sign == "{" else -1
        lowest = min(lowest, depth)
    inside = given["row"] is None or depth > 0 or "\n" not in between
    return not lowest and inside


def _column(text: str, place: int, number: int) -> Iterator[Span]:
    """A column of the table that begins here, or that is named here."""
    named = _NAME.match(text, place)
    table = re.search(rf"\bconst\s+{re.escape(named[0])}\s*=\s*\[", text) if named else None
    if text[place : place + 1] == "[" or table:
        for start, end in _parts(text, table.end() if table else place + 1):
            row = re.match(r"\s*\[", text[start:end])
            yield from _parts(text, start + row.end())[number : number + 1] if row else ()


def _end(text: str, start: int) -> int:
    """Where the statement ends."""
    depth, place = 0, start
    while place < min(len(text), start + REACH):
        if string := STRING.match(text, place):
            place = string.end()
            continue
        depth += (text[place] in _OPEN) - (text[place] in _CLOSE)
        if depth < 0 or (not depth and text[place] in ";\n"):
            break
        place += 1
    return place


def _others(text: str, span: Span, *, part: bool) -> Iterator[Edit]:
    """Every literal there with another for it."""
    start, end = span
    value = text[start:end]
    bare = STRING.sub("", value)
    if not _PLAIN.fullmatch(bare) or not all(map(_makes, _CALL.findall(bare))):
        return
    for match in _LITERAL.finditer(value):
        is_key = re.match(r"\s*:", value[match.end() :])
        if not is_key and (new := _other(match, part=part)):
            yield Edit(start + match.start(), start + match.end(), new, part)


def _makes(called: str) -> bool:
    """Whether it makes a value of what it is given, by its name: `new Money(3)`, `Money.of(3)`."""
    return called.startswith("new ") or called[:1].isupper()


def _other(match: re.Match[str], *, part: bool) -> str:
    if match["string"]:
        mark, inner = match[0][0], match[0][1:-1]
        new = no_part(inner) if part else other_text(inner)
        return "" if "${" in inner else mark + new + mark
    if part:
        return ""
    if match["number"]:
        return other_text(match["number"]) + match["big"]
    return _WORDS[match["word"]]

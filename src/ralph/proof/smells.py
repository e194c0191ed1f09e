"""Source that looks as if it were written to deceive a test rather than to do the work.

A smell is a reason to ask, never a proof: each names what was seen, so that a person or the next
agent can say why it is there. What a file did before is nothing new.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.proof.languages import shape_of
from ralph.proof.languages.shape import LITERALS, added

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ralph.proof.languages.shape import Part

MOST = 20
_RUNNERS = r"_?(?:pytest|unittest)(?:\..*)?|nose|pluggy|(?:node:)?test|jest|vitest|@jest/globals"
_RUNNING = r"(?:.*\.)?(?:PYTEST_\w+|NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST|npm_lifecycle_\w+)"
_RULES: Mapping[str, Mapping[str, re.Pattern[str]]] = {
    what: {kind: re.compile(pattern) for kind, pattern in kinds.items()}
    for what, kinds in {
        # Only a test can tell that a test is running; work has to do the same without one.
        "asks whether a test is running": {
            "name": _RUNNING,
            "text": rf"{_RUNNING}|_?pytest(?:\..*)?",
            "import": _RUNNERS,
        },
        # What calls a function is no part of what it was asked.
        "looks at who calls it": {
            "name": r"sys\._getframe|inspect\.(?:stack|currentframe|getouterframes)"
            r"|traceback\.(?:extract_stack|walk_stack|format_stack)"
            r"|(?:new )?Error\(\)\.stack|arguments\.callee",
        },
        # What belongs to the language or its library is the same for the tests that rely on it.
        "changes how the language itself behaves": {
            "write": r"builtins\.\w+|(?:time|random|math|json|os)\.\w+|AssertionError"
            r"|(?:Object|Array|String|Number|Function|Promise|Error|Map|Set)\.prototype\.\w+"
            r"|(?:Object|Array|Number|Math|JSON|Date)\.\w+|assert(?:\.\w+)+",
        },
        # What tests ask for stands there, and nowhere else.
        "reads the tests": {
            "text": r"(?:.*/)?(?:tests?/.*|__tests__.*|test_[\w*]+\.py)"
            r"|.*\.(?:test|spec)\..*|.*_test\.py",
        },
    }.items()
}
_STARTED = re.compile(r"sys\.argv|process\.(?:argv|execArgv)\b.*")
_AS_A_TEST = re.compile(r"(?:py\.?|unit)?tests?|jest|vitest|mocha")
"""What a program is called when tests are run."""
_LATER = re.compile(r"\b(?:TODO|FIXME|XXX)\b")
_UNDONE = re.compile(r"NotImplementedError|[Nn]ot (?:yet )?implemented")
_COMMENT = re.compile(r"#|//|/\*")
_EVERY_ERROR = ("", "Exception", "BaseException")


_REPLACING = frozenset(("setattr", "patch", "object", "method", "spyOn", "replaceProperty"))
"""Calls that put something in the place of what they name."""


class Smell(Struct, frozen=True):
    what: str
    path: str
    line: str


def smells(
    paths: Iterable[str], before: Callable[[str], str], after: Callable[[str], str]
) -> tuple[Smell, ...]:
    """What is suspicious in these files and was not there before."""
    found: list[Smell] = []
    for path in paths:
        here = _by_kind(path, after(path))
        was = _by_kind(path, before(path)) if here else {}
        lines = after(path).split("\n")
        found += [
            Smell(what, path, lines[max(one.line, 1) - 1].strip()[:200])
            for what, one in here.items()
            if what not in was
        ]
    return tuple(found[:MOST])


def _by_kind(path: str, text: str) -> dict[str, Part]:
    source = shape_of(path, text)
    return dict(_in_file(source, text.split("\n"))) if source is not None else {}


def _in_file(source: Part, lines: list[str]) -> Iterator[tuple[str, Part]]:
    if any(_STARTED.fullmatch(one.text) for one in source.of("name")):
        names = (one for one in source.of("text") if _AS_A_TEST.fullmatch(one.text))
        yield from (("asks whether a test is running", one) for one in names)
    for one in source.walk():
        for what, kinds in _RULES.items():
            pattern = kinds.get(one.kind)
            if pattern is not None and pattern.fullmatch(one.text):
                yield what, one
        if one.kind == "catch" and _hears_nothing(one, lines):
            yield "hears of no error", one
    for name, one in source.named():
        if _is_left(one, _said(one, lines), alone="." not in name):
            yield "is left to be done", one


def _said(part: Part, lines: list[str]) -> str:
    """Its lines, and the comments that follow them."""
    rest = takewhile(lambda line: line.lstrip().startswith("#"), lines[part.end :])
    return "\n".join((*lines[max(part.line, 1) - 1 : part.end], *rest))


def _hears_nothing(catch: Part, lines: list[str]) -> bool:
    """Whether any error at all is left without a word, not even one of why."""
    done = any(block.parts for block in catch.parts)
    return catch.text in _EVERY_ERROR and not done and not _COMMENT.search(_said(catch, lines))


def _is_left(function: Part, said: str, *, alone: bool) -> bool:
    """Whether a function does nothing yet and says so; one of a class may be there for others."""
    _, by, *_ = function.parts
    does = function.does
    if by.parts:
        return False
    if not does or (does[0].kind == "return" and not any(does[0].of("name", *LITERALS))):
        return not does[1:] and bool(_LATER.search(said))
    reasons = {one.text for one in does[0].of("name", "text")} if does[0].kind == "raise" else ()
    return alone and any(map(_UNDONE.match, reasons))


def replaced(before: Part | None, after: Part) -> Iterator[str]:
    """The names in whose place something else is put that was not put there before."""
    for one in added(before, after, ("write", "call")):
        first, *given = one.parts or (one,)
        if one.kind == "write" and first.kind == "name" and "." in one.text:
            yield one.text.rpartition(".")[2]
        elif one.kind == "call" and one.text.rpartition(".")[2] in _REPLACING:
            yield from (it.text.rpartition(".")[2] for it in given if it.kind == "text")

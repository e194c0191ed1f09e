"""Source in which the functions that were changed do nothing: tests that show it must notice.

Some tests fail without the change only because a name is missing there, and assert nothing: in a
thread that nobody waits for, under a condition that never holds, or of something with itself.
Others are shown something else than the work: a mock, or what a fixture puts in its place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ralph.domain.evidence import Fact, FactKind
from ralph.proof.languages import language_of
from ralph.proof.twisted import LENGTH

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ralph.domain.trial import Trial
    from ralph.proof.twisted import Source


TURNS = (0, 1)
"""Once with one value, once with another: what passes both times looks at neither."""


SINGLE = 3
"""Functions that are emptied one by one."""


def new(changed: Iterable[Source]) -> tuple[str, ...]:
    """The names of functions that were not there before."""
    found: dict[str, None] = {}
    for one in changed:
        language = language_of(one.path)
        if language is not None and len(one.text) <= LENGTH:
            found |= dict.fromkeys(language.new(one.text, one.before))
    return tuple(found)


def hollow(
    changed: Iterable[Source], turn: int, tests: str = "", only: Collection[str] = ()
) -> dict[str, bytes]:
    """The files with nothing in their changed functions; none if more than these was changed.

    `tests` is the text of the tests that show the work. If they put something in the place of
    functions that were changed, only these are emptied: other tests have to run them. With `only`
    the functions of these names are emptied, and no others.
    """
    every = list(changed)
    for doubles in (True, False) if not only else (False,):
        written: dict[str, bytes] = {}
        for one in every:
            text = _emptied(one, turn, tests, only, doubles=doubles)
            if text is None:
                return {}
            if text != one.text:
                written[one.path] = text.encode()
        if written:
            return written
    return {}


def _emptied(
    one: Source, turn: int, tests: str, only: Collection[str], *, doubles: bool
) -> str | None:
    language = language_of(one.path)
    if language is None or len(one.text) > LENGTH:
        return one.text if doubles else None
    value = language.values(tests)[turn]
    if doubles:
        return language.undoubled(one.text, one.before, value, tests)
    return language.hollowed(one.text, one.before, value, tests, only)


def all_pass(trial: Trial, shown: Collection[str]) -> bool:
    results = trial.report.by_id if trial.report is not None else {}
    return all(name in results and results[name].outcome.is_green for name in shown)


_MISSING = re.compile(
    r"ImportError|ModuleNotFoundError|NameError|has no attribute|unexpected keyword argument"
    r"|takes (?:from )?\d+.* positional|missing \d+ required|is not a function|is not defined"
    r"|is not a constructor|does not provide an export|Cannot find module|no such option"
    r"|undefined: |has no field or method|(?:not enough|too many) arguments in call|unknown field",
    re.IGNORECASE,
)
"""Something is not there yet: a name, a parameter, a file."""


def only_missed(red: Trial | None, shown: Iterable[str]) -> bool:
    """Whether the tests fail without the change only because something is not there."""
    results = red.report.by_id if red is not None and red.report is not None else {}
    return all(name not in results or _MISSING.search(results[name].message) for name in shown)


def unnoticed(files: Iterable[str], shown: tuple[str, ...], *, missed: bool) -> Fact:
    """A test that fails for a missing name and passes with an empty function shows nothing.

    One that failed for what a function did may be content that it does so no more.
    """
    where = ", ".join(files)
    text = f"The tests that show it still pass if the changed code in {where} does nothing."
    return Fact(FactKind.UNNOTICED if missed else FactKind.PARTLY, text, tests=shown)


def partly(names: Iterable[str], shown: tuple[str, ...]) -> Fact:
    text = f"The tests that show it still pass if this does nothing: {', '.join(names)}."
    return Fact(FactKind.PARTLY, text, tests=shown)

"""Source in which the functions that were changed do nothing: tests that show it must notice.

Some tests fail without the change only because a name is missing there, and assert nothing: in a
thread that nobody waits for, under a condition that never holds, or of something with itself.
Others are shown something else than the work: a mock, or what a fixture puts in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.checks import script
from ralph.checks.hollow import javascript, python
from ralph.checks.twisted import LENGTH
from ralph.domain.evidence import Fact, FactKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ralph.checks.twisted import Source
    from ralph.domain.trial import Trial

    Emptying = Callable[[str, str, str, str], str | None]


class _Way(Struct, frozen=True):
    """How one language is made to do nothing."""

    hollowed: Emptying
    undoubled: Emptying
    values: Callable[[str], tuple[str, str]]


_PYTHON = _Way(python.hollowed, python.undoubled, python.values)
_JAVASCRIPT = _Way(javascript.hollowed, javascript.undoubled, javascript.values)
_WAYS = {".py": _PYTHON, **dict.fromkeys(script.ENDINGS, _JAVASCRIPT)}
TURNS = (0, 1)
"""Once with one value, once with another: what passes both times looks at neither."""


def hollow(changed: Iterable[Source], turn: int, tests: str = "") -> dict[str, bytes]:
    """The files with nothing in their changed functions; none if more than these was changed.

    `tests` is the text of the tests that show the work. If they put something in the place of
    functions that were changed, only these are emptied: other tests have to run them.
    """
    every = list(changed)
    for doubles in (True, False):
        written: dict[str, bytes] = {}
        for one in every:
            text = _emptied(one, turn, tests, doubles=doubles)
            if text is None:
                return {}
            if text != one.text:
                written[one.path] = text.encode()
        if written:
            return written
    return {}


def _emptied(one: Source, turn: int, tests: str, *, doubles: bool) -> str | None:
    way = _WAYS.get(one.path[one.path.rfind(".") :])
    if way is None or len(one.text) > LENGTH:
        return one.text if doubles else None
    empty = way.undoubled if doubles else way.hollowed
    return empty(one.text, one.before, way.values(tests)[turn], tests)


def all_pass(trial: Trial, shown: Collection[str]) -> bool:
    results = trial.report.by_id if trial.report is not None else {}
    return all(name in results and results[name].outcome.is_green for name in shown)


def unnoticed(files: Iterable[str], shown: tuple[str, ...]) -> Fact:
    where = ", ".join(files)
    text = f"The tests that show it pass as well if what was changed in {where} does nothing."
    return Fact(FactKind.UNNOTICED, text, tests=shown)

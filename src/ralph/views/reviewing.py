"""Which change a person should look at first, and why: the less is proven, the sooner."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ralph.domain.evidence import COVERED, NOBODY, FactKind, Weight
from ralph.domain.verdict import Level
from ralph.views import proven

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

CLOSELY, LOOK = 40, 15
"""From so many points on a change is worth a close look, or a look at all."""
MANY_FILES, MANY_LINES = 10, 300
_NOTED = {
    FactKind.TEST_REMOVED: 30,
    FactKind.TEST_REWRITTEN: 30,
    FactKind.TEST_SKIPPED: 30,
    FactKind.AGENT_CONFIG: 25,
    FactKind.CI_CHANGED: 20,
    FactKind.BROKE_EARLIER: 20,
    FactKind.RUNNER_CHANGED: 15,
    FactKind.SILENCED: 15,
    FactKind.SMELL: 15,
    FactKind.PARTLY: 15,
    FactKind.WAS_RED: 15,
    FactKind.NO_RED_TEST: 0,
    FactKind.SUPPRESSED: 10,
    FactKind.FLAKY: 10,
}
"""Points of a fact that is only noted; others have `_NOTE`. That no test fails is said once."""
_NOTE, _GRAVE = 5, 40
_SORTS = {
    "ci": (15, "changes what runs in continuous integration"),
    "settings": (10, "changes settings of checks or tools"),
    "dependencies": (10, "changes files that name dependencies"),
}
_SAME = {
    "ci": FactKind.CI_CHANGED,
    "settings": FactKind.RUNNER_CHANGED,
}
"""A fact that says the same as the sort of a file."""


class ChangedFile(Struct, frozen=True):
    """One file of a change."""

    path: str
    sort: str = "source"
    """test, ci, settings, dependencies, words or source."""
    added: int = 0
    removed: int = 0


class Concern(Struct, frozen=True):
    """One reason to look, as the end of "look at this: …"."""

    points: int
    text: str


def ordered(
    rows: Iterable[dict[str, Any]], touched: Mapping[str, Sequence[ChangedFile]]
) -> list[dict[str, Any]]:
    """Finished tasks that landed, the riskiest first; `touched` by commit."""
    found = []
    for row in rows:
        proof = row["proof"]
        if proof is None:
            continue
        files = touched.get(row["commit"], ())
        reasons = sorted(concerns(row, files), key=lambda one: -one.points)
        points = sum(one.points for one in reasons)
        found.append(
            {
                "task": row["id"],
                "title": row["title"],
                "points": points,
                "look": "closely" if points >= CLOSELY else "briefly" if points < LOOK else "yes",
                "why": [one.text for one in reasons],
                "iteration": proof["iteration"],
                "base": proof["base"],
                "commit": row["commit"],
                "files": len(files) or len(proof["files"]),
                "added": sum(one.added for one in files),
                "removed": sum(one.removed for one in files),
            }
        )
    return sorted(found, key=lambda one: (-one["points"], one["iteration"]))


def concerns(row: dict[str, Any], files: Sequence[ChangedFile]) -> Iterator[Concern]:
    """What speaks for a look at one finished task."""
    proof = row["proof"]
    level, by = Level(proof["level"]), proof["accepted_by"]
    if by:
        yield Concern(40, f"{by} accepted it, the checks alone did not")
    elif level in proven.LITTLE:
        yield Concern(60 if level is Level.CLAIMED else 40, proven.LITTLE[level])
    if proof["unproven"]:
        yield Concern(50, proven.UNPROVEN)
    yield from _of_facts(proof["facts"])
    yield from _of_criteria(proof["criteria"])
    yield from _of_files(files, {fact["kind"] for fact in proof["facts"]})
    if row["attempts"] > 1:
        yield Concern(5 * min(row["attempts"] - 1, 4), f"it took {row['attempts']} attempts")


def _of_facts(facts: Iterable[dict[str, Any]]) -> Iterator[Concern]:
    for fact in facts:
        kind = FactKind(fact["kind"])
        noted = fact["weight"] == Weight.NOTE.value
        points = _NOTED.get(kind, _NOTE) if noted else _GRAVE
        if points:
            yield Concern(points, fact["text"].rstrip("."))


def _of_criteria(criteria: Sequence[dict[str, Any]]) -> Iterator[Concern]:
    opened = [one for one in criteria if one["passed"] is not True and one["how"] != COVERED]
    failing = [one for one in opened if one["passed"] is False]
    nobody = [one for one in opened if one["how"] == NOBODY]
    people = len(opened) - len(failing) - len(nobody)
    if failing:
        yield Concern(50, f"{_criteria(len(failing))} not met: its check fails")
    if people:
        yield Concern(20, f"{_criteria(people)} for a person to check")
    if nobody:
        yield Concern(10, f"nothing shows that {_criteria(len(nobody))} met")


def _criteria(number: int) -> str:
    return "one criterion is" if number == 1 else f"{number} criteria are"


def _of_files(files: Sequence[ChangedFile], facts: set[str]) -> Iterator[Concern]:
    sorts = Counter(one.sort for one in files)
    for sort, (points, text) in _SORTS.items():
        if sorts[sort] and _SAME.get(sort) not in facts:
            names = [one.path for one in files if one.sort == sort]
            yield Concern(points, f"{text}: {_some(names)}")
    edited = [one for one in files if one.sort == "test" and one.removed]
    if edited:
        lines = sum(one.removed for one in edited)
        where = _some([one.path for one in edited])
        old = f"{lines} earlier line{'s' * (lines != 1)}"
        yield Concern(10, f"edits or removes {old} of tests: {where}")
    many = sum(one.added + one.removed for one in files)
    if len(files) >= MANY_FILES or many >= MANY_LINES:
        yield Concern(10, f"a large change: {len(files)} files, {many:,} lines")


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""  # noqa: PLR2004 - a line's worth
    return f"{', '.join(names[:3])}{more}"

"""Signs that a task gets nowhere: the same failure, the same files, back and forth."""

from __future__ import annotations

from enum import StrEnum
from itertools import takewhile
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from ralph.domain.state import TaskState


class SymptomKind(StrEnum):
    SAME_FAILURE = "same_failure"
    NO_PROGRESS = "no_progress"
    OSCILLATION = "oscillation"


class Symptom(Struct, frozen=True):
    """Which sign of being stuck was seen, how strong it is, and from where on it counts."""

    signal: SymptomKind
    value: int
    threshold: int
    why: str


def symptom(task: TaskState, *, same_failure: int, churn: int, base_tree: str) -> Symptom | None:
    """The first sign that the task goes in circles. A threshold of 0 turns its signs off.

    Attempts that leave a tree seen before count as no progress after as many as the same failure
    may repeat; going away from a tree and coming back to it counts as oscillation.
    """
    trees = [tree for tree in (base_tree, *task.trees) if tree]
    first = 1 if base_tree else 0
    found = (
        (SymptomKind.SAME_FAILURE, repeated(task.signatures), same_failure),
        (SymptomKind.NO_PROGRESS, stale(trees, first), same_failure),
        (SymptomKind.OSCILLATION, returns(trees), churn),
    )
    for signal, value, threshold in found:
        if 0 < threshold <= value:
            return Symptom(signal, value, threshold, _why(signal, value, threshold))
    return None


def repeated(signatures: list[str]) -> int:
    """How often in a row the newest failure was seen."""
    if not signatures or not signatures[-1]:
        return 0
    return sum(1 for _ in takewhile(lambda s: s == signatures[-1], reversed(signatures)))


def stale(trees: list[str], first: int) -> int:
    """How many of the newest attempts in a row left a tree that was there before."""
    old = (trees[i] in trees[:i] for i in range(len(trees) - 1, first - 1, -1))
    return sum(takewhile(bool, old))


def returns(trees: list[str]) -> int:
    """How often the work went away from a tree and came back to it; 0 unless it just did."""
    back = [trees[i] != trees[i - 1] and trees[i] in trees[: i - 1] for i in range(1, len(trees))]
    return sum(back) if back and back[-1] else 0


def _why(signal: SymptomKind, value: int, threshold: int) -> str:
    if signal is SymptomKind.SAME_FAILURE:
        what, setting = "the same failure {} in a row", "max_same_failure"
    elif signal is SymptomKind.NO_PROGRESS:
        what, setting = "no new state of the files {} in a row", "max_same_failure"
    else:
        what, setting = "back at an earlier state of the files {}", "max_churn_commits"
    times = "once" if value == 1 else f"{value} times"
    return f"{what.format(times)}; the threshold is {threshold} (loop.gutter.{setting})"

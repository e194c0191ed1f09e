"""Reading, checking and choosing from a plan of 10,000 tasks."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from bench.figures import at_most, milliseconds
from bench.ground import name, plan
from ralph.domain.task import Status
from ralph.plans import open_plan
from ralph.policy.select import select

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from bench.figures import Figure

TASKS = 10_000
EDGES = 3
ROUNDS = 15


def selection(folder: Path) -> Iterator[Figure]:
    data = plan(TASKS, EDGES)
    (folder / "PRD.json").write_bytes(data)

    def load() -> None:
        form = open_plan("PRD.json", folder, "auto")
        form.parse(form.files(folder))

    yield at_most("load and check 10,000 tasks, 30,000 edges", _typical(load), 300)
    form = open_plan("PRD.json", folder, "auto")
    whole = form.parse(form.files(folder))
    half = whole.with_statuses({name(n): Status.COMPLETED for n in range(1, TASKS // 2)})
    last = whole.with_statuses({name(n): Status.COMPLETED for n in range(1, TASKS)})
    yield at_most(
        "select among 10,000 tasks, half of them done", _typical(lambda: select(half)), 10
    )
    yield at_most("select the last of 10,000 tasks", _typical(lambda: select(last)), 10)


def _typical(work: Callable[[], object]) -> float:
    return median(milliseconds(work) for _ in range(ROUNDS))

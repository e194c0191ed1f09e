"""A plan made from values, for tests and doubles; once marked and written it is read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from ralph import files as disk
from ralph.domain.errors import PlanError
from ralph.domain.plan import Plan, TaskOrder
from ralph.domain.task import Task
from ralph.plans.cached import Recent
from ralph.plans.location import unknown_task

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ralph.domain.task import Status
    from ralph.plans.cached import PlanFiles


class _Stored(Struct, frozen=True):
    title: str
    tasks: tuple[Task, ...]
    description: str = ""
    branch: str = ""
    order: TaskOrder = TaskOrder.FILE


class MemoryPlan:
    """Holds every status, so that nothing is lost in a round trip."""

    def __init__(self, plan: Plan, key: str = "plan.json") -> None:
        self.source = plan.source
        self._key = key
        self._first = _encoded(plan)
        self._recent = Recent()

    def files(self, root: Path) -> PlanFiles:
        written = disk.read(root / self._key)
        return {self._key: self._first if written is None else written}

    def parse(self, files: PlanFiles) -> Plan:
        return self._recent.parse(files, self)

    def read(self, files: PlanFiles) -> Plan:
        try:
            stored = msgspec.json.decode(files[self._key], type=_Stored)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise PlanError(f"{self.source}: {error}.") from error
        return Plan(
            stored.title,
            stored.tasks,
            stored.description,
            stored.branch,
            stored.order,
            self.source,
        )

    def mark(self, files: PlanFiles, statuses: Mapping[str, Status]) -> PlanFiles:
        plan = self.parse(files)
        for name in statuses:
            if name not in plan.by_id:
                unknown_task(self.source, name)
        new = plan.with_statuses(statuses)
        return {self._key: _encoded(new)} if new != plan else {}


def _encoded(plan: Plan) -> bytes:
    stored = _Stored(plan.title, plan.tasks, plan.description, plan.branch, plan.order)
    return msgspec.json.format(msgspec.json.encode(stored), indent=2)

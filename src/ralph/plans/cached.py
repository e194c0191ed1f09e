"""What all formats share: the plan is read again only if a byte of it has changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias

from ralph.domain.plan import check_graph

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.plan import Plan
    from ralph.domain.task import Status

PlanFiles: TypeAlias = Mapping[str, bytes]
"""The plan's files by their path relative to the root they were read from."""

_KEPT = 4
"""The user's copy, the branch's, and each of them before and after an edit."""


class Format(Protocol):
    """One way to write a plan: what the loop asks for, and `read` for the linter."""

    source: str

    def files(self, root: Path) -> PlanFiles: ...

    def read(self, files: PlanFiles) -> Plan:
        """The plan as written, its graph unchecked."""

    def parse(self, files: PlanFiles) -> Plan: ...

    def mark(self, files: PlanFiles, statuses: Mapping[str, Status]) -> PlanFiles: ...


class Recent:
    """The last few plans by the exact bytes they were read from."""

    def __init__(self) -> None:
        self._entries: list[tuple[dict[str, bytes], Plan]] = []

    def find(self, files: PlanFiles) -> Plan | None:
        wanted = files if isinstance(files, dict) else dict(files)
        for place, entry in enumerate(self._entries):
            if entry[0] == wanted:
                if place:
                    self._entries.insert(0, self._entries.pop(place))
                return entry[1]
        return None

    def keep(self, files: PlanFiles, plan: Plan) -> None:
        self._entries.insert(0, (dict(files), plan))
        del self._entries[_KEPT:]

    def parse(self, files: PlanFiles, form: Format) -> Plan:
        """The plan of these files, read and checked only if they are not among the last few."""
        plan = self.find(files)
        if plan is None:
            plan = form.read(files)
            check_graph(plan)
            self.keep(files, plan)
        return plan

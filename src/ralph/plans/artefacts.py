"""`.artefacts/NAME/tasks.json`: tasks with attempts, beside the spec and the logs of the agents."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from ralph import files as disk
from ralph.domain.errors import PlanError
from ralph.domain.plan import Plan
from ralph.domain.task import Status, Task
from ralph.plans import fields as read
from ralph.plans import json_text
from ralph.plans.bound import read_allowed, read_bound, read_texts
from ralph.plans.cached import Recent
from ralph.plans.fields import TaskFields
from ralph.plans.location import read_file, unknown_task

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ralph.plans.cached import PlanFiles

FOLDER = ".artefacts"
TASKS = "tasks.json"
BESIDE = ("spec.md", "state.json", "obstacles.json", "results.md", "interview.json")
"""What belongs to the plan without being read for it: no agent's work, and not its to change."""
MAX_ATTEMPTS = 3
"""For a task that does not say."""

_STATUSES = {
    "pending": Status.OPEN,
    "in_progress": Status.IN_PROGRESS,
    "completed": Status.COMPLETED,
    "blocked": Status.BLOCKED,
}
_WORDS = {status: word for word, status in _STATUSES.items()} | {Status.FAILED: "blocked"}


class Effort(Struct, frozen=True):
    """How often a task was picked up, and how often it may be."""

    attempts: int = 0
    max_attempts: int = MAX_ATTEMPTS


def is_artefacts(place: Path) -> bool:
    return place.name == TASKS and place.parent.parent.name == FOLDER


class Artefacts:
    """A plan in one JSON file in a folder of its own."""

    def __init__(self, key: str, source: str) -> None:
        self.source = source
        self.key = key
        self._recent = Recent()

    def files(self, root: Path) -> PlanFiles:
        folder = PurePosixPath(self.key).parent
        found = {self.key: read_file(root, self.key, self.source)}
        for name in BESIDE:
            data = disk.read(root / folder / name)
            if data is not None:
                found[f"{folder}/{name}"] = data
        return found

    def parse(self, files: PlanFiles) -> Plan:
        return self._recent.parse(files, self)

    def read(self, files: PlanFiles) -> Plan:
        top, tasks = self._tasks(files[self.key])
        return Plan(
            title=top.text("project_name", "project")
            or PurePosixPath(self.key).parent.name
            or "plan",
            tasks=tuple(self._task(raw, place) for place, raw in enumerate(tasks, 1)),
            description=top.text("description"),
            source=self.source,
        )

    def mark(self, files: PlanFiles, statuses: Mapping[str, Status]) -> PlanFiles:
        plan = self.parse(files)
        wanted: dict[str, Status] = {}
        for name, status in statuses.items():
            task = plan.by_id.get(name) or unknown_task(self.source, name)
            known = Status.BLOCKED if status is Status.FAILED else status
            if task.status is not known:
                wanted[name] = known
        if not wanted:
            return {}
        changes = {name: _members_for(status) for name, status in wanted.items()}
        changed = {self.key: _edited(files[self.key], changes)}
        self._recent.keep({**files, **changed}, plan.with_statuses(wanted))
        return changed

    def efforts(self, data: bytes) -> dict[str, Effort]:
        """By task, from the bytes of tasks.json."""
        _, tasks = self._tasks(data)
        return {
            (name := read.read_id(raw, f"{self.source}, task {place}")): _effort(
                TaskFields(raw, f"{self.source}, {name}")
            )
            for place, raw in enumerate(tasks, 1)
        }

    def with_attempts(self, data: bytes, task: str, attempts: int) -> bytes:
        """The bytes of tasks.json with this number of attempts."""
        return _edited(data, {task: {"attempts": str(attempts).encode()}})

    def _tasks(self, data: bytes) -> tuple[TaskFields, list[Any]]:
        document = json_text.decode(data, self.source)
        if not isinstance(document, dict):
            raise PlanError(
                f"{self.source} must be an object, but is {read.what_is(document)}.",
                fix='Write {"project_name": …, "version": 1, "tasks": […]}.',
            )
        top = TaskFields(document, self.source)
        if not isinstance(document.get("tasks"), list):
            raise PlanError(f"{self.source}: tasks is missing.", fix="Add the list of tasks.")
        return top, document["tasks"]

    def _task(self, raw: object, place: int) -> Task:
        name = read.read_id(raw, f"{self.source}, task {place}")
        task = TaskFields(raw, f"{self.source}, {name}")  # type: ignore[arg-type] # read_id has seen a dict
        labels = read.read_labels(task)
        _effort(task)  # or the first attempt would be the first to notice
        return Task(
            id=name,
            title=task.required("title"),
            description=read.read_description(task),
            criteria=read.read_criteria(task),
            status=_status(task),
            depends_on=read.read_names(task, "dependencies", "depends_on", "dependsOn"),
            verify=read.read_commands(task),
            labels=labels,
            kind=read.read_kind(task, labels),
            priority=task.number("priority"),
            bound=read_bound(task),
            may_change_tests=read_texts(task, "may_change_tests", "mayChangeTests"),
            allow=read_allowed(task),
        )


def _effort(task: TaskFields) -> Effort:
    attempts, most = task.number("attempts") or 0, task.number("max_attempts")
    if attempts < 0:
        raise PlanError(f"{task.where}: attempts must not be below 0.")
    if most is not None and most < 1:
        raise PlanError(f"{task.where}: max_attempts must be at least 1.")
    return Effort(attempts, MAX_ATTEMPTS if most is None else most)


def _status(task: TaskFields) -> Status:
    word = task.text("status") or "pending"
    if word not in _STATUSES:
        raise PlanError(
            f"{task.where}: unknown status {word[:40]!r}.",
            fix=f"Use one of {', '.join(_STATUSES)}.",
        )
    status, blocked = _STATUSES[word], task.flag("blocked")
    if status is Status.COMPLETED:
        return status
    if task.flag("skipped"):
        return Status.SKIPPED
    return Status.BLOCKED if blocked else status


def _members_for(status: Status) -> dict[str, bytes]:
    """What a task's members must be for this status; flags that are false may be absent."""
    word = "pending" if status is Status.SKIPPED else _WORDS[status]
    return {
        "status": json.dumps(word).encode(),
        "blocked": b"true" if status is Status.BLOCKED else b"false",
        "skipped": b"true" if status is Status.SKIPPED else b"false",
    }


def _edited(data: bytes, changes: Mapping[str, Mapping[str, bytes]]) -> bytes:
    """The bytes with these members of these tasks, and every other byte as it is."""
    body = len(json_text.BOM) if data.startswith(json_text.BOM) else 0
    top = json_text.members(data, json_text.after_space(data, body))
    array = [member for member in top if member.name == "tasks"][-1]
    edits: list[json_text.Edit] = []
    for start, _ in json_text.spans(data, array.value, array.end):
        members = json_text.members(data, start)
        own = [member for member in members if member.name == "id"][-1]
        name = str(msgspec.json.decode(data[own.value : own.end]))
        present = {member.name for member in members}
        for key, value in changes.get(name, {}).items():
            if value == b"false" and key not in present:
                continue
            edit = json_text.set_member(data, members, key, value)
            edits += [edit] if edit else []
    return json_text.apply(data, edits)

"""A folder of JSON or YAML files, one task or a list of tasks in each; only leaves run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ralph.domain.errors import PlanError
from ralph.domain.plan import Plan, TaskOrder
from ralph.domain.task import Status, Task
from ralph.plans import fields as read
from ralph.plans import json_text, yaml_text
from ralph.plans.bound import read_allowed, read_bound, read_texts
from ralph.plans.cached import Recent
from ralph.plans.json_text import decode
from ralph.plans.location import unknown_task
from ralph.plans.watched import WatchedFolder
from ralph.plans.yaml_text import compose

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ralph.plans.cached import PlanFiles


_ENDINGS = (".json", ".yaml", ".yml")
_STATUSES = {status.value: status for status in Status}


class TaskTree:
    """Files that did not change are neither read nor parsed again."""

    def __init__(self, key: str, source: str) -> None:
        self.source = source
        self._key = key
        self._folder = WatchedFolder(_ENDINGS)
        self._recent = Recent()
        self._parsed: dict[str, tuple[bytes, tuple[Task, ...]]] = {}

    def files(self, root: Path) -> PlanFiles:
        found = self._folder.read(root / self._key, self._key, self.source)
        if not found:
            raise PlanError(
                f"{self.source} holds no tasks.",
                fix="Add a .json or .yaml file with a task, or run `ralph init`.",
            )
        return found

    def parse(self, files: PlanFiles) -> Plan:
        return self._recent.parse(files, self)

    def read(self, files: PlanFiles) -> Plan:
        self._parsed = {name: (files[name], self._tasks_of(name, files[name])) for name in files}
        tasks = tuple(task for name in sorted(files) for task in self._parsed[name][1])
        return Plan(_title(tasks), tasks, order=TaskOrder.CREATED, source=self.source)

    def mark(self, files: PlanFiles, statuses: Mapping[str, Status]) -> PlanFiles:
        plan = self.parse(files)
        wanted = {
            name: status
            for name, status in statuses.items()
            if (plan.by_id.get(name) or unknown_task(self.source, name)).status is not status
        }
        if not wanted:
            return {}
        changed: dict[str, bytes] = {}
        for name, data in files.items():
            here = [task.id for task in self._tasks_of(name, data) if task.id in wanted]
            if here:
                changed[name] = edited(data, name, {task: wanted[task] for task in here})
        self._recent.keep({**files, **changed}, plan.with_statuses(wanted))
        return changed

    def _tasks_of(self, name: str, data: bytes) -> tuple[Task, ...]:
        known = self._parsed.get(name)
        return known[1] if known is not None and known[0] == data else _tasks(data, name)


def _title(tasks: tuple[Task, ...]) -> str:
    roots = [task for task in tasks if not task.parent]
    return roots[0].title if len(roots) == 1 else "tasks"


def _tasks(data: bytes, name: str) -> tuple[Task, ...]:
    value: Any = decode(data, name) if name.endswith(".json") else compose(data, name)[1].plain()
    if value is None:
        return ()
    if isinstance(value, list):
        return tuple(_task(raw, name, f", task {place}") for place, raw in enumerate(value, 1))
    return (_task(value, name, ""),)


def _task(raw: Any, name: str, place: str) -> Task:  # noqa: ANN401 - checked here
    task_id = read.read_id(raw, f"{name}{place}")
    task = read.TaskFields(raw, f"{name}, {task_id}")
    labels = read.read_labels(task)
    return Task(
        id=task_id,
        title=task.required("title"),
        description=read.read_description(task),
        criteria=read.read_criteria(task),
        status=_status(task),
        depends_on=read.read_names(task, "dependsOn", "depends_on", "dependencies"),
        parent=_parent(task),
        verify=read.read_commands(task),
        labels=labels,
        kind=read.read_kind(task, labels),
        priority=task.number("priority"),
        bound=read_bound(task),
        may_change_tests=read_texts(task, "may_change_tests", "mayChangeTests"),
        allow=read_allowed(task),
        created_at=task.text("createdAt", "created_at"),
    )


def _parent(task: read.TaskFields) -> str | None:
    name, parent = task.find("parentId", "parent_id", "parent")
    if parent is None or parent == "":
        return None
    if not isinstance(parent, (str, int)) or isinstance(parent, bool):
        task.refuse(name, "a task's id", parent)
    return str(parent)


def _status(task: read.TaskFields) -> Status:
    word = task.text("status")
    if not word:
        return Status.OPEN
    if word not in _STATUSES:
        raise PlanError(
            f"{task.where}: unknown status {word[:40]!r}.",
            fix=f"Use one of {', '.join(_STATUSES)}.",
        )
    return _STATUSES[word]


def edited(data: bytes, name: str, statuses: Mapping[str, Status]) -> bytes:
    """The file's bytes with these tasks' statuses, which are all in this file."""
    if name.endswith(".json"):
        return _edited_json(data, statuses)
    for task, status in statuses.items():
        data = _edited_yaml(data, name, task, status)
    return data


def _edited_json(data: bytes, statuses: Mapping[str, Status]) -> bytes:
    body = len(json_text.BOM) if data.startswith(json_text.BOM) else 0
    start = json_text.after_space(data, body)
    end = json_text.end_of_value(data, start)
    whole = data[start] == ord("{")
    edits: list[json_text.Edit] = []
    for begin, _ in [(start, end)] if whole else json_text.spans(data, start, end):
        members = json_text.members(data, begin)
        task = _id_of(data, members)
        if task in statuses:
            value = f'"{statuses[task]}"'.encode()
            edit = json_text.set_member(data, members, "status", value)
            edits += [edit] if edit else []
    return json_text.apply(data, edits)


def _id_of(data: bytes, members: list[json_text.JsonMember]) -> str:
    found = [member for member in members if member.name == "id"][-1]
    return str(msgspec.json.decode(data[found.value : found.end]))


def _edited_yaml(data: bytes, name: str, task: str, status: Status) -> bytes:
    text, document = yaml_text.compose(data, name)
    tasks = document.value if isinstance(document.value, list) else [document]
    place = next(i for i, node in enumerate(tasks) if str(node.value["id"][1].value) == task)
    new = yaml_text.set_member(text, tasks[place], "status", status.value, after="id")
    bom = json_text.BOM if data.startswith(json_text.BOM) else b""
    result = bom + new.encode()
    expected = document.plain()
    record = expected[place] if isinstance(expected, list) else expected
    record["status"] = status.value
    if not _says(result, expected):
        raise PlanError(
            f"{name}, {task}: the status cannot be changed the way this YAML is written.",
            fix="Write the task as plain `key: value` lines with a line `status: open`.",
        )
    return result


def _says(data: bytes, expected: object) -> bool:
    """YAML can be written in ways that defeat an edit in place: never write a wrong file."""
    try:
        return bool(yaml_text.compose(data, "")[1].plain() == expected)
    except PlanError:
        return False

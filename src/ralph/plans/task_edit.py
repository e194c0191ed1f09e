"""Changing the status in a file of tasks and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ralph.domain.errors import PlanError
from ralph.plans import json_text, yaml_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ralph.domain.task import Status


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

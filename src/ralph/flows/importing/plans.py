"""Plans that Ralph reads itself, on their way to another format: checklists and task trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ralph.domain.errors import PlanError
from ralph.domain.task import Kind, shown
from ralph.flows.importing.brought import Tally
from ralph.flows.importing.documents import read_records
from ralph.plans.json_text import decode
from ralph.plans.markdown import Checklist
from ralph.plans.watched import WatchedFolder
from ralph.plans.yaml_text import compose

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.task import Task
    from ralph.flows.importing.brought import Brought, Story

_ENDINGS = (".json", ".yaml", ".yml")


def read_checklist(data: bytes, source: str) -> Brought:
    plan = Checklist(source, source).read({source: data})
    tally = Tally()
    _count_text(data.decode("utf-8-sig"), tally)
    return tally.brought([story_of(task) for task in plan.tasks], {"project": plan.title})


def _count_text(text: str, tally: Tally) -> None:
    """Lines that belong to no checkbox, and code, are read by nobody."""
    headings = begun = False
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        mark = bare[:3] if bare[:3] in {"```", "~~~"} else ""
        if fence or mark:
            tally.lose("a line of fenced code", f"line {number}")
            fence = ("" if mark == fence else fence) if fence else mark
        elif "[ ]" in bare or "[x]" in bare.lower() or "[-]" in bare:
            begun = True
        elif bare.startswith("#"):
            if headings:
                tally.lose("a heading", f"line {number}")
            headings = True
        elif bare and (not begun or line[:1].strip()):
            tally.lose("a line of text outside the tasks", f"line {number}")


def read_tree(folder: Path, source: str) -> Brought:
    tally = Tally()
    records: list[tuple[str, object]] = []
    found = WatchedFolder(_ENDINGS).read(folder, "", source)
    for name in sorted(found):
        place = name.lstrip("/")
        value = _value(found[name], place)
        several = value if isinstance(value, list) else [] if value is None else [value]
        records += [(f"{place}, {number}", one) for number, one in enumerate(several, 1)]
    if not records:
        raise PlanError(
            f"{source} holds no tasks.", fix="Name the folder with the .json or .yaml files."
        )
    return tally.brought(read_records(records, tally), {"project": folder.resolve().name})


def _value(data: bytes, name: str) -> Any:  # noqa: ANN401 - checked by the reader
    return decode(data, name) if name.endswith(".json") else compose(data, name)[1].plain()


def story_of(task: Task) -> Story:
    """A task by the names of PRD.json."""
    story: Story = {
        "id": task.id,
        "title": task.title,
        "description": task.description,
        "criteria": list(task.criteria),
        "depends_on": list(task.depends_on),
        "status": task.status,
    }
    more = {
        "parent": task.parent,
        "verify": [shown(one) for one in task.verify],
        "labels": list(task.labels),
        "kind": task.kind.value if task.kind is not Kind.FEATURE else "",
        "priority": task.priority,
        "created_at": task.created_at,
    }
    return story | {key: value for key, value in more.items() if value or value == 0}

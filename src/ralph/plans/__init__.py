"""Where tasks live."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ralph import files
from ralph.domain.errors import PlanError, RalphError
from ralph.plans.cached import Format, PlanFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["FORMATS", "Format", "PlanFiles", "find_plan", "open_plan"]

_USUAL = ("PRD.json", "prd.json", ".ralph/tasks")
_FOLDERS = (".", "docs", "scripts/ralph")
_LIKELY = re.compile(r"(?:todos?|tasks?|plan|roadmap|backlog|prd)(?:[._-].*)?", re.IGNORECASE)
"""How files are called that may hold tasks."""


def _prd(key: str, source: str) -> Format:
    from ralph.plans.prd_json import PrdJson

    return PrdJson(key, source)


def _tree(key: str, source: str) -> Format:
    from ralph.plans.task_tree import TaskTree

    return TaskTree(key, source)


def _markdown(key: str, source: str) -> Format:
    from ralph.plans.markdown import Checklist

    return Checklist(key, source)


def _artefacts(key: str, source: str) -> Format:
    from ralph.plans.artefacts import Artefacts

    return Artefacts(key, source)


FORMATS: dict[str, Callable[[str, str], Format]] = {
    "prd": _prd,
    "local": _tree,
    "markdown": _markdown,
    "artefacts": _artefacts,
}
_ENDINGS = {".json": "prd", ".md": "markdown", ".markdown": "markdown"}


def open_plan(path: str, root: Path, backend: str = "auto") -> Format:
    """The plan at `path` (relative paths start at `root`), in the format that it is in."""
    from ralph.plans.location import key_of

    key = key_of(path, root)
    name = _guess(root / key, path) if backend == "auto" else backend
    make = FORMATS.get(name)
    if make is None:
        raise PlanError(
            f"There is no plan format {name!r}.",
            fix=f"Set tasks.backend to one of auto, {', '.join(FORMATS)}.",
        )
    return make(key, path)


def _guess(place: Path, path: str) -> str:
    from ralph.plans.artefacts import is_artefacts

    if place.is_dir():
        return "local"
    if is_artefacts(place):
        return "artefacts"
    name = _ENDINGS.get(place.suffix.lower())
    if name is not None:
        return name
    if not place.exists():
        raise PlanError(
            f"{path} does not exist.",
            fix="Run `ralph init` to write a plan, or name the one you have.",
        )
    raise PlanError(
        f"{path}: no kind of plan has the ending {place.suffix!r}.",
        fix="Use a .json file, a .md checklist or a folder of tasks, or set tasks.backend.",
    )


def find_plan(root: Path) -> str:
    """The plan that is there when none is named."""
    for name in _USUAL:
        if (root / name).exists():
            return name
    there = next(iter(likely(root)), "")
    raise PlanError(
        f"There is no plan in {root}: no {_USUAL[0]} and no {_USUAL[2]}.",
        fix=f"Work on {there} with `ralph run {there}`, or make it the plan with `ralph init`."
        if there
        else "Run `ralph init` to write one, or name yours: `ralph run PLAN`.",
    )


def likely(root: Path) -> dict[str, int]:
    """What else may be a plan here, each with the number of its open tasks; none without any."""
    found = ((path, _open_tasks(path, root)) for path in _candidates(root))
    return {path: tasks for path, tasks in found if tasks}


def unreadable(root: Path) -> list[str]:
    """Checklists with open tasks that make no plan, for a task that is not there or the like."""
    return [
        path
        for path in _candidates(root)
        if _open_tasks(path, root) is None and b"- [ ]" in (files.read(root / path) or b"")
    ]


def _candidates(root: Path) -> Iterator[str]:
    for folder in _FOLDERS:
        place = root / folder
        names = sorted(one.name for one in place.iterdir()) if place.is_dir() else []
        yield from (f"{folder}/{n}".removeprefix("./") for n in names if _LIKELY.fullmatch(n))


def _open_tasks(path: str, root: Path) -> int | None:
    """None if it makes no plan."""
    try:
        plan = open_plan(path, root)
        return sum(task.is_open for task in plan.parse(plan.files(root)).leaves())
    except RalphError:
        return None  # it may be something else

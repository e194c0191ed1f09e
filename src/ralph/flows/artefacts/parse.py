"""The prompts of the three phases, each a template that a file of the user's can replace."""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from ralph import files
from ralph.domain.errors import ConfigError
from ralph.flows.artefacts.folder import DONE, OBSTACLES, RESULTS, SPEC, STATE, Folder
from ralph.flows.artefacts.history import open_obstacles
from ralph.plans.artefacts import TASKS

if TYPE_CHECKING:
    from collections.abc import Mapping

INIT, INTERVIEW, EXECUTE, BLANK = "init.md", "interview.md", "execute.md", "spec.md"
OWN = ".ralph/templates"
"""Where a file replaces the built-in template of the same name."""
LAST = "This is the last round, so you also write the tasks."
NOT_LAST = "Another round follows, so do not write any tasks yet."

_BUILT_IN = Path(__file__).parent / "templates"


def parse_init(project_name: str, *, root: Path | None = None, templates: str = OWN) -> str:
    """The prompt for an agent that sets up a project."""
    folder = _folder(root, project_name)
    return _render(folder, templates, INIT, {"blank": blank_spec(folder, templates)})


def parse_interview(
    project_name: str,
    round_num: int,
    total_rounds: int,
    *,
    root: Path | None = None,
    templates: str = OWN,
) -> str:
    """The prompt for the agent of one interview round."""
    last = round_num >= total_rounds
    values = {
        "round": str(round_num),
        "rounds": str(total_rounds),
        "last": LAST if last else NOT_LAST,
    }
    return _render(_folder(root, project_name), templates, INTERVIEW, values)


def parse_execute(
    project_name: str,
    iteration_num: int,
    max_iterations: int,
    *,
    root: Path | None = None,
    templates: str = OWN,
) -> str:
    """The prompt for an agent that works on a task, with the unresolved obstacles."""
    folder = _folder(root, project_name)
    values = {
        "iteration": str(iteration_num),
        "iterations": str(max_iterations),
        "known": open_obstacles(folder.read(OBSTACLES)),
    }
    return _render(folder, templates, EXECUTE, values)


def blank_spec(folder: Folder, templates: str = OWN) -> str:
    """The spec that `ralph init NAME` writes."""
    return _render(folder, templates, BLANK, {})


def _folder(root: Path | None, name: str) -> Folder:
    return Folder.of(root or Path.cwd(), name)


def _render(folder: Folder, templates: str, name: str, more: Mapping[str, str]) -> str:
    own = folder.root / templates / name
    data = files.read(own)
    text = (data or (_BUILT_IN / name).read_bytes()).decode("utf-8-sig", "replace")
    template = Template(text.replace("\r\n", "\n"))
    values = {**_common(folder), **more}
    if not template.is_valid():
        raise ConfigError(f"{own}: a lone `$`.", fix="Write `$$` for a dollar sign.")
    unknown = [one for one in template.get_identifiers() if one not in values]
    if unknown:
        raise ConfigError(
            f"{own}: unknown variable ${unknown[0]}.",
            fix=f"Known variables: {', '.join(sorted(values))}. Write `$$` for a dollar sign.",
        )
    return template.substitute(values)


def _common(folder: Folder) -> dict[str, str]:
    key = folder.key
    return {
        "name": folder.name,
        "folder": key,
        "spec": f"{key}/{SPEC}",
        "tasks": f"{key}/{TASKS}",
        "state": f"{key}/{STATE}",
        "obstacles": f"{key}/{OBSTACLES}",
        "results": f"{key}/{RESULTS}",
        "done": f"{key}/{DONE}",
    }

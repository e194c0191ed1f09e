from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.process import environment

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ralph.checks.relocate import Move

VIRTUALENVS = (".venv", "venv")
# Places of the user's own, also when the repository is the home folder.
_UNMOVED = ("HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "XDG_")


def checking(
    base: Mapping[str, str],
    names: Sequence[str],
    move: Move,
    provided: Collection[str],
    python_path: Sequence[str] = (),
) -> dict[str, str]:
    """The environment of a check: `base` as far as it may see it, turned to the target.

    `provided` are the dependency folders that Ralph itself brought there.
    """
    env = environment(base, extra_names=names)
    for name, value in env.items():
        if name != "PATH" and not name.startswith(_UNMOVED):
            env[name] = move.text(value)
    programs: list[str] = []
    virtualenv = next((v for v in VIRTUALENVS if _holds_programs(move, v, "bin", provided)), "")
    if virtualenv:
        env["VIRTUAL_ENV"] = str(move.target / virtualenv)
        programs.append(str(move.target / virtualenv / "bin"))
    if _holds_programs(move, "node_modules", ".bin", provided):
        programs.append(str(move.target / "node_modules" / ".bin"))
    env["PATH"] = os.pathsep.join([*programs, *_search_path(env, move)])
    if python_path:
        given = [env["PYTHONPATH"]] if env.get("PYTHONPATH") else []
        env["PYTHONPATH"] = os.pathsep.join([*python_path, *given])
    return env


def additions(env: Mapping[str, str], base: Mapping[str, str]) -> dict[str, str]:
    """What differs from `base`, for a process that gets its environment elsewhere."""
    return {name: value for name, value in env.items() if base.get(name) != value}


def _holds_programs(move: Move, folder: str, inside: str, provided: Collection[str]) -> bool:
    return folder in provided and (move.target / folder / inside).is_dir()


def _search_path(env: Mapping[str, str], move: Move) -> list[str]:
    home = env.get("HOME", "")
    at_home = bool(home) and move.path(home) is not None
    kept: list[str] = []
    for entry in env.get("PATH", os.defpath).split(os.pathsep):
        moved = move.path(os.path.normpath(entry)) if entry.startswith("/") else None
        if moved is None or (at_home and not Path(moved).is_dir()):
            kept.append(entry)
        elif Path(moved).is_dir():
            kept.append(moved)
        # Else the workspace's own programs, which the agent may have written: left out.
    return list(dict.fromkeys(kept))

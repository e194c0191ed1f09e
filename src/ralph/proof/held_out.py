"""Checks that agents never see: kept in a folder outside the repository.

    <folder>/<task or name>/command     what to run, as one would type it
    <folder>/<task or name>/files/…     what is laid over the candidate for it

`all` is run for every task.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph import files
from ralph.domain.errors import ConfigError
from ralph.domain.evidence import Fact, FactKind
from ralph.domain.task import Command, shell

if TYPE_CHECKING:
    from ralph.domain.task import Task
    from ralph.domain.trial import Trial

EVERY = "all"


class HeldOutCheck(Struct, frozen=True):
    name: str
    command: Command
    files: Mapping[str, bytes]

    def fact(self, trial: Trial) -> Fact | None:
        """That it fails. Nothing more: what it looks for stays hidden from agents."""
        report = trial.report
        sound = report is None or (report.executed and not report.red and not report.problems)
        if trial.passed and sound:
            return None
        return Fact(FactKind.HELD_OUT_RED, f"The held-out check `{self.name}` fails.")


class HeldOutChecks:
    """The checks of one folder; none if there is no folder."""

    def __init__(self, folder: str, root: Path) -> None:
        self._folder = (root / Path(folder).expanduser()).resolve() if folder else None
        if self._folder is not None and self._folder.is_relative_to(root.resolve()):
            raise ConfigError(
                f"verification.held_out is {folder}, which agents can see.",
                fix="Name a folder outside the repository.",
            )
        if self._folder is not None and not self._folder.is_dir():
            raise ConfigError(
                f"verification.held_out names {self._folder}, which is not a folder.",
                fix="Create it, or remove the setting.",
            )

    def for_task(self, task: Task) -> tuple[HeldOutCheck, ...]:
        names = (EVERY, task.id, *(one.held_out for one in task.bound if one.held_out))
        found = (self.find(name) for name in dict.fromkeys(names))
        return tuple(check for check in found if check is not None)

    def find(self, name: str) -> HeldOutCheck | None:
        if self._folder is None:
            return None
        raw = files.read(self._folder / name / "command")
        command = (raw or b"").decode("utf-8", "replace").strip()
        if not command:
            return None
        laid = self._folder / name / "files"
        held = {
            path.relative_to(laid).as_posix(): path.read_bytes()
            for path in sorted(laid.rglob("*"))
            if path.is_file()
        }
        return HeldOutCheck(name, shell(command), held)

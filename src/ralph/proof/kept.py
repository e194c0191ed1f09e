"""Trials that outlive their run: nothing is tried twice with the same things around it.

Only trials that passed are kept, and only those of a base are taken from here: what an agent left
is always tried.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from ralph import __version__, files
from ralph.domain.trial import Trial

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.task import Command

MOST = 100
_decode = msgspec.json.Decoder(Trial).decode


class KeptTrials:
    """One file each, in a folder beside the clean checkout."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pruned = False

    def load(self, tree: str, commands: tuple[Command, ...], around: str) -> Trial | None:
        raw = files.read(self._path(tree, commands, around))
        try:
            return _decode(raw) if raw else None
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None

    def save(self, tree: str, commands: tuple[Command, ...], around: str, trial: Trial) -> None:
        report = trial.report
        if not trial.passed or (report is not None and (report.red or report.problems)):
            return
        if not self._pruned:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._prune()
        path = self._path(tree, commands, around)
        files.write(path, msgspec.json.encode(trial), durable=False)

    def _prune(self) -> None:
        """Once in a run: the oldest go."""
        self._pruned = True
        kept = sorted(self._folder.glob("*.json"), key=lambda one: one.stat().st_mtime)
        for old in kept[:-MOST]:
            old.unlink(missing_ok=True)

    def _path(self, tree: str, commands: tuple[Command, ...], around: str) -> Path:
        key = msgspec.json.encode([__version__, tree, commands, around])
        return self._folder / f"{hashlib.sha256(key).hexdigest()}.json"

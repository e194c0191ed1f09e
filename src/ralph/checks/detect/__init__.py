"""The project's own test, lint and type commands, read from its files; nothing is started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.checks.detect import node, others, python
from ralph.checks.detect.project import CheckRole, ProjectFolder
from ralph.domain.task import Command

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.checks.detect.project import DetectedCheck

__all__ = ["Detected", "detect"]


class Detected(Struct, frozen=True):
    commands: tuple[Command, ...] = ()
    """Tests first, then linters, then type checkers."""
    why: tuple[str, ...] = ()
    """For each command what it was found by."""


def detect(root: Path) -> Detected:
    """Few and sure commands, none if nothing can be told."""
    project = ProjectFolder(root)
    findings = [*python.find(project), *node.find(project), *others.find(project)]
    if not any(finding.role is CheckRole.TEST for finding in findings):
        findings += others.find_make(project)
    findings.sort(key=_rank)
    unique = list({finding.command: finding for finding in reversed(findings)}.values())[::-1]
    return Detected(
        commands=tuple(finding.command for finding in unique),
        why=tuple(finding.why for finding in unique),
    )


def _rank(finding: DetectedCheck) -> int:
    return list(CheckRole).index(finding.role)

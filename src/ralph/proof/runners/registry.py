"""Every way to single results, in one place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from ralph.domain.tests import TestReport
from ralph.proof.runners.formats import cargo, go, jest, node, pytest, tap, unittest

FromFiles: TypeAlias = Callable[[Path, Path], TestReport | None]
FromOutput: TypeAlias = Callable[[bytes, Path], TestReport | None]


class Written(Struct, frozen=True):
    """A runner that we make write a report beside its output."""

    names: tuple[str, ...]
    language: str
    """What must be loaded into the user's programs for it: python or node."""
    read: FromFiles


class Printed(Struct, frozen=True):
    """A runner whose output is the report."""

    names: tuple[str, ...]
    parse: FromOutput


WRITTEN = (
    Written((pytest.RUNNER,), "python", pytest.read),
    Written((unittest.RUNNER,), "python", unittest.read),
    Written((node.RUNNER,), "node", node.read),
    Written(jest.RUNNERS, "node", jest.read),
    Written(("ava",), "node", lambda _, __: None),
)

PRINTED = (
    Printed((go.RUNNER,), go.parse),
    Printed((cargo.RUNNER,), cargo.parse),
    Printed((tap.RUNNER, node.RUNNER, "ava"), tap.parse),
)
"""In this order where the command does not say which it is: the strictest format first."""

JUNIT_FILES = {
    "maven": ("**/target/surefire-reports/TEST-*.xml", "**/target/failsafe-reports/TEST-*.xml"),
    "gradle": ("**/build/test-results/*/TEST-*.xml",),
}

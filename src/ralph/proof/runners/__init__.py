"""The runners of tests that are understood. A new one is a file here and an entry in this tuple."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.proof.runners.ava import Ava
from ralph.proof.runners.cargo import Cargo
from ralph.proof.runners.go import GoTest
from ralph.proof.runners.java import Gradle, Maven
from ralph.proof.runners.jest import Jest
from ralph.proof.runners.mocha import Mocha
from ralph.proof.runners.node import NodeTest
from ralph.proof.runners.pytest import Pytest
from ralph.proof.runners.tape import Tape
from ralph.proof.runners.unittest import Unittest
from ralph.proof.runners.vitest import Vitest

if TYPE_CHECKING:
    from ralph.domain.tests import TestReport
    from ralph.proof.runners.runner import TestRunner

RUNNERS: tuple[TestRunner, ...] = (
    Pytest(),
    Unittest(),
    GoTest(),
    Cargo(),
    Maven(),
    Gradle(),
    Vitest(),
    Jest(),
    Mocha(),
    Tape(),
    Ava(),
    NodeTest(),
)
"""Where nobody says which it is, the first that fits is taken: the strictest come first."""
ENDINGS = tuple(dict.fromkeys(ending for one in RUNNERS for ending in one.endings))
"""Files of tests that can be named to some runner."""
_BY_PROGRAM = {program: one for one in RUNNERS for program in one.programs}


def by_program(name: str) -> TestRunner | None:
    return _BY_PROGRAM.get(name)


def behind(report: TestReport) -> list[TestRunner]:
    """The runners that may have told this; several where they share a format."""
    told = set(report.runner.split("+"))
    return [one for one in RUNNERS if told.intersection((one.name, *one.also))]


def starts_each(report: TestReport) -> bool:
    """Whether every file of tests that it tells of was started by itself."""
    told = behind(report)
    return bool(told) and all(one.starts_each for one in told)


def loads_apart(report: TestReport) -> bool:
    """Whether no file of tests that it tells of can change what another sees."""
    told = behind(report)
    return bool(told) and all(one.loads_apart for one in told)

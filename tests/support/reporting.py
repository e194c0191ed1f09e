"""A small project whose checks are run with instruments, as a check would be."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.task import shell
from ralph.domain.tests import TestReport
from ralph.proof.runners.reading import instrument

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ralph.domain.task import Command

PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
UNITTEST = (sys.executable, "-m", "unittest")


def environment() -> dict[str, str]:
    """What a check gets; without the plugins of this suite, which take a second to load."""
    seen = {name: os.environ[name] for name in ("PATH", "HOME")}
    return seen | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


class Ran(Struct, frozen=True):
    exit_code: int
    output: str
    """As people would see it."""
    report: TestReport | None

    @property
    def found(self) -> TestReport:
        assert self.report is not None, self.output
        return self.report

    @property
    def outcomes(self) -> dict[str, str]:
        return {one.id: one.outcome.value for one in self.found.results}


class Checkout:
    def __init__(self, folder: Path) -> None:
        self.folder = folder / "the checkout"
        self.folder.mkdir()
        self._scratch = folder / "a scratch"
        self._runs = 0

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run(
        self,
        command: Command | str,
        env: Mapping[str, str] | None = None,
        junit_files: Sequence[str] = (),
    ) -> Ran:
        self._runs += 1
        scratch = self._scratch / str(self._runs)
        scratch.mkdir(parents=True)
        asked = shell(command) if isinstance(command, str) else command
        given = environment() | dict(env or {})
        reading = instrument(asked, self.folder, given, scratch, junit_files)
        done = subprocess.run(
            reading.argv,
            cwd=self.folder,
            env=given | reading.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=60,
        )
        report = reading.read(done.stdout, done.returncode)
        return Ran(done.returncode, reading.plain(done.stdout).decode(), report)

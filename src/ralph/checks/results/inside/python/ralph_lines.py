"""Where what a runner did is written down, and an environment in which nobody notices."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

PYTEST_OPTION = "-p ralph_pytest"


def taken() -> str:
    """The folder for reports, and an environment in which programs under test see none of this."""
    reports = os.environ.pop("RALPH_TEST_REPORTS", "")
    here = str(Path(__file__).parent)
    options = os.environ.get("PYTEST_ADDOPTS", "").replace(PYTEST_OPTION, "").strip()
    places = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p not in ("", here)]
    for name, value in (("PYTEST_ADDOPTS", options), ("PYTHONPATH", os.pathsep.join(places))):
        if value:
            os.environ[name] = value
        else:
            os.environ.pop(name, None)
    return reports


class Lines:
    """A file of JSON lines that only the process that opened it writes to."""

    def __init__(self, runner: str, reports: str, session: str, worker: str = "") -> None:
        self.runner, self.reports, self.session = runner, reports, session
        self.pid = os.getpid()
        name = "-".join(filter(None, (runner, session, worker)))
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        try:
            self.handle = os.open(Path(reports, f"{name}.jsonl"), flags, 0o600)
        except OSError:
            self.handle = -1
        self.write({"kind": "start"})

    def of_worker(self, worker: str) -> Lines:
        """Those of another process that runs a part of the same tests."""
        return Lines(self.runner, self.reports, self.session, worker)

    def write(self, line: dict[str, Any]) -> None:
        if self.handle < 0 or os.getpid() != self.pid:
            return
        try:
            os.write(self.handle, json.dumps(line).encode("ascii") + b"\n")
        except OSError:
            self.handle = -1

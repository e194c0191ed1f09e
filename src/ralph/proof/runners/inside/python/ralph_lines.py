"""Where what a runner did is written down, and an environment in which nobody notices."""

from __future__ import annotations

import json
import os
import time
from typing import Any

PYTEST_OPTION = "-p ralph_pytest"


class Own:
    """Functions as they were before any test: some put others in the place of whole modules."""

    open, write, getpid = staticmethod(os.open), staticmethod(os.write), staticmethod(os.getpid)
    dumps, time = staticmethod(json.dumps), staticmethod(time.time)
    full: Any = staticmethod(os.path.abspath)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)


def taken() -> str:
    """The folder for reports, and an environment in which programs under test see none of this."""
    reports = os.environ.pop("RALPH_TEST_REPORTS", "")
    here = os.path.dirname(__file__)  # noqa: PTH120 - a program under test may patch pathlib
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
        self.pid = Own.getpid()
        name = "-".join(filter(None, (runner, session, worker)))
        try:
            self.handle = Own.open(f"{reports}/{name}.jsonl", Own.flags, 0o600)
        except OSError:
            self.handle = -1
        self.write({"kind": "start"})

    def of_worker(self, worker: str) -> Lines:
        """Those of another process that runs a part of the same tests."""
        return Lines(self.runner, self.reports, self.session, worker)

    def write(self, line: dict[str, Any]) -> None:
        if self.handle < 0 or Own.getpid() != self.pid:
            return
        try:
            Own.write(self.handle, Own.dumps(line).encode("ascii") + b"\n")
        except OSError:
            self.handle = -1

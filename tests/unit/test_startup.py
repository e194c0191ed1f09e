"""Start-up is kept short by what is imported, not by a clock."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PROBE = """
import json, sys
before = set(sys.modules)
sys.argv = ["ralph", *{arguments!r}]
from ralph.__main__ import main
try:
    main()
except SystemExit as error:
    assert not error.code, error.code
sys.stderr.write(json.dumps(sorted(set(sys.modules) - before)))
"""
HEAVY = {
    "asyncio",
    "concurrent.futures",
    "ctypes",
    "http",
    "importlib.resources",
    "logging",
    "rapidfuzz",
    "rich",
    "shutil",
    "socket",
    "ssl",
    "tempfile",
    "traceback",
    "urllib.request",
    "yaml",
}
ROOMS_OF_A_RUN = {
    "ralph.agents",
    "ralph.checks",
    "ralph.flows",
    "ralph.loop",
    "ralph.people.terminal",
    "ralph.reading.analyse",
    "ralph.policy.decide",
    "ralph.process",
    "ralph.prompts",
    "ralph.repo.workspace",
}


def imported(folder: Path, *arguments: str) -> set[str]:
    done = subprocess.run(
        (sys.executable, "-c", PROBE.format(arguments=list(arguments))),
        cwd=folder,
        env={**os.environ, "RALPH_HOME": str(folder / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr))


def project(folder: Path) -> Path:
    stories = [{"id": "US-001", "title": "Add a door", "passes": False}]
    (folder / "PRD.json").write_text(json.dumps({"project": "House", "userStories": stories}))
    for command in ("init -q", "add PRD.json", "commit -qm Start"):
        subprocess.run(("git", "-C", str(folder), *command.split()), check=True)
    return folder


def test_the_version_needs_nothing_but_itself(tmp_path: Path) -> None:
    assert imported(tmp_path, "--version") <= {"__future__", "gc", "ralph", "ralph.__main__"}


def test_the_status_needs_nothing_of_a_run(tmp_path: Path) -> None:
    seen = imported(project(tmp_path), "status")
    assert "ralph.ledger.sqlite" in seen  # it did look
    assert not seen & HEAVY
    assert not seen & ROOMS_OF_A_RUN


def test_help_imports_no_command(tmp_path: Path) -> None:
    seen = imported(tmp_path, "--help")
    assert {name for name in seen if name.startswith("ralph.ui.cli.")} == {"ralph.ui.cli.main"}
    assert not seen & (HEAVY - {"shutil"})  # asked for the width of the terminal

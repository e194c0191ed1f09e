"""`ralph` under a watch that sees what it takes at most, and every process it leaves behind."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from msgspec import Struct
from tests.support.project import PATIENCE, RALPH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.support.project import Project

WATCH = """\
import ctypes, json, os, signal, sys, time
SUBREAPER = 36
ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)  # orphans come here, whatever they did to get away
began = time.monotonic()
ralph = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, used = os.wait4(ralph, 0)
seconds = time.monotonic() - began
left = []
patience = time.monotonic() + 5  # its guard takes a moment to see that it is not needed
while True:
    try:
        pid, _ = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        break
    if not pid and not left and time.monotonic() > patience:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            pids = file.read().split()
        for pid in pids:
            with open(f"/proc/{pid}/cmdline") as file:
                left.append(file.read().replace(chr(0), " "))
            os.kill(int(pid), signal.SIGKILL)
    time.sleep(0.01)
with open(sys.argv[1], "w") as file:
    json.dump([os.waitstatus_to_exitcode(status), seconds, used.ru_maxrss / 1024, left], file)
"""


class Seen(Struct, frozen=True):
    """How a `ralph …` went."""

    code: int
    seconds: float
    megabytes: float
    """At its peak: Ralph's own, or those of one of its children if that had more."""
    left: list[str]
    """The commands of processes that outlived it."""
    said: str


def watched(project: Project, *arguments: str, env: Mapping[str, str]) -> Seen:
    found = project.folder / "seen.json"
    command = (sys.executable, "-I", "-S", "-c", WATCH, str(found), str(RALPH), *arguments)
    done = subprocess.run(
        command,
        cwd=project.root,
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
        env={**project.env, **env},
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    code, seconds, megabytes, left = json.loads(found.read_text(encoding="utf-8"))
    return Seen(code, seconds, megabytes, left, said)

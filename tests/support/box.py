"""A mount namespace: a disk that is too small, or one that nobody may write to."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.support.project import PATIENCE, RALPH, Done

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.project import Project

ROOT = os.geteuid() == 0


class Box:
    """Commands in here see the mounts; the rest of the machine does not."""

    def __init__(self, project: Project, pid: int) -> None:
        self.project = project
        self.pid = pid

    def do(self, *argv: str) -> Done:
        enter = ["nsenter", "--mount", f"--target={self.pid}"]
        if not ROOT:
            enter += ["--user", "--preserve-credentials"]
        inside = f"cd {shlex.quote(str(self.project.root))} && exec {shlex.join(argv)}"
        done = subprocess.run(
            (*enter, "sh", "-c", inside),
            check=False,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE,
            env=self.project.env,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def ralph(self, *arguments: str) -> Done:
        return self.do(str(RALPH), *arguments)

    def run(self, *more: str) -> Done:
        return self.ralph(*self.project.arguments(*more))


@contextmanager
def small_disk(project: Project, place: Path, kilobytes: int) -> Iterator[Box]:
    """`place` with all that is in it on a small disk of its own; what is left there comes back."""
    aside = project.folder.with_name(f"{project.folder.name}-aside")
    quoted = shlex.quote(str(place)), shlex.quote(str(aside))
    script = (
        "cp -a {0} {1} && mount -t tmpfs -o size={2}k,mode=0755 tmpfs {0} && cp -a {1}/. {0}/"
    ).format(*quoted, kilobytes)
    with _namespace(project, script) as box:
        yield box
        shutil.rmtree(aside)
        copied = box.do("cp", "-a", str(place), str(aside))
        assert copied.code == 0, copied.err
    shutil.rmtree(place)
    shutil.move(aside, place)


@contextmanager
def read_only(project: Project, place: Path) -> Iterator[Box]:
    """`place` on a disk that is mounted read-only."""
    quoted = shlex.quote(str(place))
    script = f"mount --bind {quoted} {quoted} && mount -o remount,bind,ro {quoted}"
    with _namespace(project, script) as box:
        yield box


@contextmanager
def _namespace(project: Project, script: str) -> Iterator[Box]:
    """A process keeps the namespace until its standard input is closed."""
    new = ("unshare", "--mount") if ROOT else ("unshare", "--map-root-user", "--mount")
    keeper = subprocess.Popen(
        (*new, "sh", "-c", f"{{ {script}; }} >&2 && echo ready && exec cat"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert keeper.stdout is not None
    try:
        ready = keeper.stdout.readline()
        assert ready == "ready\n", keeper.communicate()[1]
        yield Box(project, keeper.pid)
    finally:
        keeper.send_signal(signal.SIGKILL)
        keeper.communicate()

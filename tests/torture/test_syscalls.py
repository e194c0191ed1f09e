"""Harm at single system calls of Ralph itself, by strace: what the kernel says no to, or a kill."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.support.chance import FULL, seeded
from tests.support.project import PATIENCE, RALPH, Done
from tests.support.victim import Victim, all_proven, no_harm

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = [pytest.mark.torture, pytest.mark.timeout(7200)]

STORIES = 2
FEW = 2
"""In the short version."""
KILLED = 128 + 9


class Harm(NamedTuple):
    """What happens to one of these calls."""

    calls: str
    what: str
    later: str = ""
    """`+`: to all that come after it, too."""


MOVES = "rename,renameat,renameat2,link,linkat"
HARMS = {
    "killed at each write": Harm(f"write,pwrite64,fsync,fdatasync,{MOVES},unlink", "signal=KILL"),
    "no space from a write on": Harm(f"pwrite64,ftruncate,{MOVES}", "error=ENOSPC", "+"),
    "no space for one write": Harm(f"pwrite64,{MOVES}", "error=ENOSPC"),
    "a flush that fails": Harm("fsync,fdatasync", "error=EIO"),
}


def traced(victim: Victim, *options: str) -> Done:
    # threads and children have counts of their own; what they do is left to the other tests
    quiet = ("strace", "-qq", "-e", "signal=none")
    done = subprocess.run(
        (*quiet, *options, str(RALPH), *victim.arguments()),
        cwd=victim.root,
        env=victim.env,
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def points(folder: Path, harm: Harm) -> dict[str, int]:
    """How often a run that nobody harms makes each of the calls."""
    victim = Victim(folder / "control", STORIES)
    log = folder / "calls"
    done = traced(victim, "-o", str(log), "-e", f"trace={harm.calls}")
    assert done.code == 0, done.err
    all_proven(victim, STORIES)
    found: dict[str, int] = {}
    for name in re.findall(r"^(\w+)\(", log.read_text(errors="replace"), re.MULTILINE):
        found[name] = found.get(name, 0) + 1
    return found


def chosen(found: dict[str, int]) -> Sequence[tuple[str, int]]:
    every = [(call, number) for call, count in found.items() for number in range(1, count + 1)]
    return every if FULL else seeded().sample(every, FEW)


@pytest.mark.parametrize("name", HARMS)
def test_no_call_is_one_too_many(tmp_path: Path, name: str) -> None:
    harm = HARMS[name]
    found = points(tmp_path, harm)
    assert sum(found.values()) > 20, "the calls must be those that Ralph makes"
    for call, number in chosen(found):
        print(f"{name}: {call} {number}{harm.later}")  # noqa: T201 - shown with a failure
        victim = Victim(tmp_path / f"{call}-{number}", STORIES)
        inject = f"inject={call}:{harm.what}:when={number}{harm.later}"
        done = traced(victim, "-o", "/dev/null", "-e", inject)
        victim.kill()
        if "KILL" not in harm.what:
            assert done.code in {0, 1}, f"{done.out}\n{done.err}"
            assert len(done.err.splitlines()) <= 3, done.err
            assert done.code == 0 or done.err.startswith("error:"), done.err
        no_harm(victim, ())
        again = victim.run()
        assert again.code == 0, f"{again.out}\n{again.err}"
        all_proven(victim, STORIES)

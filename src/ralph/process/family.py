"""Who descends from a child: found by parent, by adoption and by the tags in the environment."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from functools import cache
from typing import TYPE_CHECKING

from ralph.process import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ralph.process.table import ProcessEntry

CHILD = "RALPH_CHILD"
OWNER = "RALPH_OWNER"
PROJECT = "RALPH_PROJECT"
LINUX = sys.platform == "linux"

_PR_SET_CHILD_SUBREAPER = 36
_SHORT = (0.001, 0.002, 0.005, 0.01, 0.02)
_LONG = 0.04
_ROUNDS = 50
"""Kills take a moment to work: two seconds in all."""

children: dict[int, int] = {}
"""What `run` has started and not yet waited for, with the start times."""
project = [""]
"""Whose work the children do, once that is known."""
_first_start = [0]
"""When the oldest of those that overlap was started."""


def adopt() -> bool:
    """Make orphans of our children ours, from now on; whether that worked."""
    return _adopt(os.getpid())


@cache
def _adopt(pid: int) -> bool:  # noqa: ARG001 - a fork has to ask for itself
    if not LINUX:
        return False
    import ctypes

    return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


def catch_ignored() -> None:
    """Do nothing about signals that are ignored, so that our children do not ignore them too.

    Who starts Ralph in the background, or by `nohup`, has it ignore Ctrl-C, and what is ignored is
    inherited: tests that interrupt themselves would wait for ever.
    """
    if threading.current_thread() is threading.main_thread():
        for one in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
            if signal.getsignal(one) is signal.SIG_IGN:
                signal.signal(one, lambda *_: None)


def enter(pid: int) -> None:
    """Remember a child that `run` has started."""
    found = table.entry(pid)
    start = found.start if found else 0
    if not children:
        _first_start[0] = start
    children[pid] = start


def leave(pid: int) -> None:
    children.pop(pid, None)


def tags(own: str) -> dict[str, str]:
    """What marks a child; inside another Ralph's child it keeps that Ralph's mark too."""
    outer = os.environ.get(CHILD, "")
    mine = {PROJECT: project[0]} if project[0] else {}
    return {CHILD: f"{outer}/{own}" if outer else own, OWNER: owner(os.getpid()), **mine}


def whose(env: Mapping[str, str]) -> dict[str, str]:
    """For a child that no tag has to find: whose agent it is, if it knows that it is one."""
    knows = any(name.startswith("RALPH_") for name in env)
    return {PROJECT: project[0]} if project[0] and knows else {}


@cache
def owner(pid: int) -> str:
    """This process, so that a later Ralph can tell whether it still lives."""
    me = table.entry(pid)
    return f"{pid}:{me.start if me else 0}:{table.pid_namespace()}"


def orphans() -> list[ProcessEntry]:
    """Adopted processes, dead ones too: children that we have not started ourselves."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return []
    mine = os.getsid(0)
    found = (table.entry(pid) for pid in table.main_threads_children() if pid not in children)
    return [one for one in found if one and one.session != mine and one.parent == os.getpid()]


def reap() -> bool:
    """Wait for adopted processes that have ended; whether others live."""
    found = orphans()
    for one in found:
        if one.dead:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(one.pid, os.WNOHANG)
    return any(not one.dead for one in found)


def relatives(own: str, root: int) -> list[ProcessEntry]:
    """The living descendants of one child: `root`, what has its tag, and what came from those."""
    since = children.get(root, 0)
    young = {
        pid: one for pid, one in table.everyone().items() if one.start >= since and not one.dead
    }
    found = {pid for pid in young if _has_tag(pid, own)}
    found |= {root} if root in young and young[root].start == since else set()
    if children.keys() == {root}:
        # With other children about, an orphan that wiped its environment may be one of theirs.
        found |= {one.pid for one in orphans() if not one.dead and one.start >= _first_start[0]}
    return _with_descendants(found, young)


def _has_tag(pid: int, own: str) -> bool:
    return own in table.variables(pid).get(CHILD, "").split("/")


def _with_descendants(found: set[int], among: dict[int, ProcessEntry]) -> list[ProcessEntry]:
    while more := {pid for pid, one in among.items() if one.parent in found} - found:
        found = found | more
    return [among[pid] for pid in found - {os.getpid()} if pid in among]


def send(one: ProcessEntry, number: int) -> None:
    """Signal exactly this process, never another that got its number meanwhile."""
    with contextlib.suppress(OSError):
        handle = os.pidfd_open(one.pid)
        try:
            now = table.entry(one.pid)
            if now and now.start == one.start:
                signal.pidfd_send_signal(handle, number)
        finally:
            os.close(handle)


def kill(find: Callable[[], list[ProcessEntry]]) -> Iterator[float]:
    """Stop and kill what `find` finds until it finds nothing; sleep for each number it yields."""
    seen: dict[int, ProcessEntry] = {}
    for pause in (*_SHORT, *(_LONG for _ in range(_ROUNDS))):
        found = {one.pid: one for one in find()}
        seen |= found
        # One that is on its way out has lost its environment already, and is there all the same.
        if not found and not any(map(_lives, seen.values())):
            reap()
            return
        for one in found.values():
            send(one, signal.SIGSTOP)
        # Whoever was born before its parent stood still is found by the second look.
        found |= {one.pid: one for one in find()}
        for one in found.values():
            send(one, signal.SIGKILL)
        yield pause


def _lives(one: ProcessEntry) -> bool:
    now = table.entry(one.pid)
    return now is not None and now.start == one.start and not now.dead


def kill_tagged(own: str) -> int:
    """Kill every process with this RALPH_CHILD and its descendants; the number of those found."""
    return _kill_now(lambda: relatives(own, 0) if own else [])


def kill_owned(who: str) -> int:
    """Kill every process with this RALPH_OWNER and its descendants; the number of those found."""

    def find() -> list[ProcessEntry]:
        living = {pid: one for pid, one in table.everyone().items() if not one.dead}
        own = {p for p in living if table.is_ours(p) and table.variables(p).get(OWNER) == who}
        return _with_descendants(own, living)

    return _kill_now(find)


def sweep_orphans() -> int:
    """Kill what a dead Ralph of this user left behind; the number of processes found."""
    return _kill_now(_ownerless)


def _kill_now(find: Callable[[], list[ProcessEntry]]) -> int:
    found: set[int] = set()

    def noted() -> list[ProcessEntry]:
        now = find()
        found.update(one.pid for one in now)
        return now

    for pause in kill(noted):
        time.sleep(pause)
    return len(found)


def _ownerless() -> list[ProcessEntry]:
    processes = table.everyone()
    mine = table.ancestors(os.getpid(), processes)
    return [
        one
        for one in processes.values()
        if one.pid not in mine and not one.dead and table.is_ours(one.pid) and _abandoned(one.pid)
    ]


def _abandoned(pid: int) -> bool:
    who, _, rest = table.variables(pid).get(OWNER, "").partition(":")
    start, _, namespace = rest.partition(":")
    if not who.isdecimal() or not start.isdecimal() or namespace != table.pid_namespace():
        # Nobody's, or it belongs to a Ralph in another container, whom we cannot see.
        return False
    lives = table.entry(int(who))
    return lives is None or lives.dead or lives.start != int(start)

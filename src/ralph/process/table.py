"""The table of processes, as /proc shows it. Plain `os` calls: this runs after every child."""

from __future__ import annotations

import os
from functools import cache

from msgspec import Struct

_FIELDS = 20
_THREADS = 17
_START = 19
_TIMES = slice(11, 15)
"""Of the process and of its children that have ended, as user and in the system."""


_RESIDENT, _SHARED = 1, 2


class ProcessEntry(Struct, frozen=True):
    """One process."""

    pid: int
    parent: int
    session: int
    start: int
    """Clock ticks after the boot; with the pid it identifies a process for good."""
    dead: bool


def entry(pid: int) -> ProcessEntry | None:
    # The name before the bracket may hold anything, brackets too.
    fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if len(fields) < _FIELDS:
        return None
    # The first thread of a process may have ended while others still run.
    dead = fields[0] in b"ZX" and int(fields[_THREADS]) <= 1
    return ProcessEntry(pid, int(fields[1]), int(fields[3]), int(fields[_START]), dead)


def processor_seconds(pid: int) -> float:
    """Processor time of a process, with that of children it has waited for."""
    fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if len(fields) < _FIELDS:
        return 0.0
    return sum(map(int, fields[_TIMES])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> int:
    """Bytes that a process holds and does not share."""
    fields = _read(f"/proc/{pid}/statm").split()
    if len(fields) < _SHARED + 1:
        return 0
    return (int(fields[_RESIDENT]) - int(fields[_SHARED])) * os.sysconf("SC_PAGE_SIZE")


def everyone() -> dict[int, ProcessEntry]:
    """All processes; empty where there is no /proc."""
    pids = (int(name) for name in _names("/proc") if name.isdecimal())
    return {found.pid: found for pid in pids if (found := entry(pid))}


def main_threads_children() -> list[int]:
    """The children of our first thread: its own, and all the kernel has made us adopt.

    Other threads' children are not among them, so that what they wait for stays theirs.
    """
    me = os.getpid()
    listed = f"/proc/self/task/{me}/children"
    if os.access(listed, os.R_OK):
        return [int(pid) for pid in _read(listed).split()]
    return [one.pid for one in everyone().values() if one.parent == me]


def ancestors(pid: int, processes: dict[int, ProcessEntry]) -> set[int]:
    """The process itself and those it comes from."""
    found: set[int] = set()
    while pid in processes and pid not in found:
        found.add(pid)
        pid = processes[pid].parent
    return found


def variables(pid: int) -> dict[str, str]:
    """What a process was given in variables whose names begin with RALPH_."""
    raw = _read(f"/proc/{pid}/environ")
    if b"RALPH_" not in raw:
        return {}
    pairs = (item.decode("utf-8", "replace").partition("=") for item in raw.split(b"\0"))
    return {name: value for name, _, value in pairs if name.startswith("RALPH_")}


def is_ours(pid: int) -> bool:
    """Whether the process runs as the same user."""
    try:
        return os.stat(f"/proc/{pid}").st_uid == os.geteuid()  # noqa: PTH116 - see above
    except OSError:
        return False


@cache
def pid_namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid").strip("pid:[]")  # noqa: PTH115 - see above
    except OSError:
        return ""


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - see above
    except OSError:
        return []


def _read(path: str) -> bytes:
    """The file, or nothing: a process may be gone by now, or not be ours to look at."""
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - see above
            return file.read()
    except OSError:
        return b""

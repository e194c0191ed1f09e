"""The walls around a child: what it sees, what it may write to, what is not there for it.

All of the machine is there to read, but for the places where people and Ralph keep their own:
homes, temporary files, sockets of services. What the child needs of those is laid over again.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.process.proxy import PORT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ralph.domain.walls import Walls

HOMES = ("/home", "/root")
"""Of people, one in each folder; and of root."""
OWN = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - the child gets empty ones of its own
RESOLVER = "/etc/resolv.conf"
SCRATCH_BYTES = 8 << 30
"""What fits into its temporary files; they are in memory."""
FILE_BLOCKS = 64 << 21
"""The largest file that it can write, in blocks of 512 bytes: 64 GiB."""
CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID")
"""What a child of root keeps. None of it leads out; a database changes its user with these."""
KERNEL = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "driver")
"""Below /proc: root could set what the whole machine does there, without any capability."""
LIMITED = (
    'ulimit -c 0; ulimit -f "$0"; { echo 1000 > /proc/self/oom_score_adj; } 2> /dev/null; exec "$@"'
)
"""If the machine runs out of memory, the kernel takes it from the child, not from anyone else."""


def prefix(walls: Walls, more: Iterable[str] = ()) -> tuple[str, ...]:
    """What goes before the words of a child; `more` are folders it has to write to as well."""
    kept = [word for name in CAPABILITIES for word in ("--cap-add", f"CAP_{name}")]
    capabilities = ("--cap-drop", "ALL", *kept) if os.geteuid() == 0 else ()
    return (
        *("/bin/sh", "-c", LIMITED, str(FILE_BLOCKS)),
        *(walls.program, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *_in_order(_laid(walls, more)),
        *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent"),
        *(() if walls.network else ("--unshare-net",)),
        *capabilities,
        "--",
        *relay(walls),
    )


def relay(walls: Walls) -> tuple[str, ...]:
    """What is started between walls to reach the proxy outside of them."""
    if not walls.proxy:
        return ()
    script = str(Path(__file__).with_name("relay.py"))
    return (sys.executable, "-I", "-S", script, walls.proxy, str(PORT))


def proxied(walls: Walls) -> dict[str, str]:
    """What tells programs of it."""
    if not walls.proxy:
        return {}
    address, own = f"http://127.0.0.1:{PORT}", "localhost,127.0.0.1,::1"
    names = {"HTTP_PROXY": address, "HTTPS_PROXY": address, "NO_PROXY": own}
    return {**names, **{name.lower(): value for name, value in names.items()}}


def hides(walls: Walls, path: str) -> bool:
    """Whether this is there, but not for the child."""

    def depth(places: Iterable[str]) -> int:
        return max((len(one) for one in places if Path(path).is_relative_to(one)), default=0)

    covered = (*HOMES, *OWN, walls.home, *walls.hide)
    seen = (*walls.read, *walls.write, *(to for _, to in (*walls.over, *walls.shown)))
    return depth(covered) > depth(seen) and os.path.lexists(path)


def _laid(walls: Walls, more: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What is laid where, and the words for it."""
    for place in (f"/proc/{name}" for name in KERNEL):
        if Path(place).exists():
            yield place, ("--ro-bind", place, place)
    for place in dict.fromkeys((*HOMES, *OWN, walls.home, *walls.hide)):
        where = os.path.realpath(place)
        if where != "/" and Path(where).is_dir():
            yield where, ("--size", str(SCRATCH_BYTES), "--tmpfs", where)
    told = os.path.realpath(RESOLVER)
    if walls.network and told != RESOLVER and Path(told).exists():
        yield told, ("--ro-bind", told, told)
    seen = (*walls.read, *filter(None, (walls.proxy,)))
    for source, target in (*((one, one) for one in seen), *walls.shown):
        if Path(source).exists():
            yield target, ("--ro-bind", source, target)
    for source, target in (*((one, one) for one in (*walls.write, *more)), *walls.over):
        yield target, ("--bind", source, target)


def _in_order(laid: Iterable[tuple[str, tuple[str, ...]]]) -> list[str]:
    """What lies deeper comes later, or it would be covered."""
    every = sorted(laid, key=lambda one: one[0].count("/"))
    return [word for _, words in every for word in words]

"""Children between walls, as root and as an ordinary user: what they can do, and what not."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from ralph.domain.answer import Ended
from ralph.process import Child, environment, family, run
from ralph.process.sandbox import try_walls
from ralph.process.walls import prefix

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.domain.walls import Walls
    from ralph.process import Finished

NOBODY = 65534
KEY = "what nobody else should read"


@pytest.fixture
def walls(own_home: Path) -> Walls:
    tried = asyncio.run(try_walls(os.environ))
    assert tried.walls is not None, tried.why
    assert tried.walls.home == str(own_home)
    return tried.walls


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


def inside(walls: Walls, place: Path, text: str, **more: object) -> Finished:
    own = replace(walls, write=(str(place),))
    child = Child(("/bin/sh", "-c", text), place, environment(os.environ), walls=own)
    return asyncio.run(run(replace(child, **more)))


def said(walls: Walls, place: Path, text: str) -> str:
    return inside(walls, place, text).text(1 << 16).strip()


def test_it_writes_to_its_own_folder_and_nowhere_else(walls: Walls, place: Path) -> None:
    beside = place.parent / "beside"
    beside.mkdir()
    script = f"echo mine > a; echo x > {beside}/b; echo x > /etc/ralph-was-here; echo x > ~/c; true"
    assert inside(walls, place, script).exit_code == 0
    assert (place / "a").read_text() == "mine\n"
    assert not list(beside.iterdir())
    assert not Path("/etc/ralph-was-here").exists()
    assert not Path(walls.home, "c").exists(), "the home that it sees is one of its own"


def test_homes_and_temporary_files_are_not_there(walls: Walls, place: Path) -> None:
    Path(walls.home, ".ssh").mkdir()
    Path(walls.home, ".ssh", "id").write_text(KEY)
    other = place.parent / "other"
    other.write_text(KEY)
    seen = said(walls, place, f"exec 2>&-; cat ~/.ssh/id {other}; ls -AR ~ /tmp")
    assert KEY not in seen
    assert ".ssh" not in seen


def test_what_is_hidden_is_hidden_also_below_what_is_not(walls: Walls, place: Path) -> None:
    secret = place / "kept"
    secret.mkdir()
    (secret / "file").write_text(KEY)
    covered = replace(walls, hide=(str(secret),))
    assert KEY not in said(covered, place, "cat kept/file")


def test_the_machine_cannot_be_changed(walls: Walls, place: Path) -> None:
    tries = {
        "sysctl": "echo 1 > /proc/sys/kernel/printk_ratelimit",
        "mount": "mount -o remount,rw /",
        "bind": "mount --bind /etc /mnt",
        "device": "mknod x b 8 0",
        "memory": "dd if=/dev/mem count=1",
        "disk": "ls /dev/[sv]da*",
        "root": "touch /x",
        "chroot": "chroot /proc/1/root touch /x",
    }
    text = "; ".join(f"{{ {how}; }} >/dev/null 2>&1 && echo {name}" for name, how in tries.items())
    assert said(walls, place, f"{text}; echo none") == "none"


def test_it_sees_no_process_but_its_own(walls: Walls, place: Path) -> None:
    seen = said(walls, place, "ls -d /proc/[0-9]* | wc -l; kill -9 " + str(os.getpid()))
    assert int(seen.split()[0]) < 10


def test_what_it_finds_in_its_environment_does_not_tell_who_runs_it(
    walls: Walls, place: Path
) -> None:
    assert (
        said(walls, place, "env | grep RALPH; tr '\\0' '\\n' < /proc/1/environ | grep RALPH") == ""
    )


@pytest.mark.parametrize(("online", "reached"), [(True, True), (False, False)])
def test_without_the_network_there_is_a_loopback_of_its_own(
    walls: Walls, place: Path, online: bool, reached: bool
) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f"""{sys.executable} - <<'END'
import socket
own = socket.create_server(("127.0.0.1", 0))
socket.create_connection(own.getsockname()).close()
print("own")
socket.create_connection(("127.0.0.1", {port}), 2).close()
print("ours")
END"""
        shown = (sys.prefix, sys.base_prefix)
        seen = said(replace(walls, network=online, read=(*walls.read, *shown)), place, script)
    assert "own" in seen.split()
    assert ("ours" in seen.split()) is reached


def test_how_it_ended_is_told_as_without_walls(walls: Walls, place: Path) -> None:
    assert inside(walls, place, "exit 7").exit_code == 7
    assert inside(walls, place, "kill -9 $$").exit_code == 137
    own = replace(walls, write=(str(place),))
    missing = Child(("no-such-program",), place, environment(os.environ), walls=own)
    done = asyncio.run(run(missing))
    assert (done.ended, done.exit_code) == (Ended.NOT_STARTED, 127)
    (place / "plain").write_text("")
    done = asyncio.run(run(replace(missing, argv=("./plain",))))
    assert (done.ended, done.exit_code) == (Ended.NOT_STARTED, 126)


def test_it_is_asked_to_stop_before_it_is_ended(walls: Walls, place: Path) -> None:
    script = "trap 'echo asked; exit 3' INT; while :; do sleep 0.05; done"
    done = inside(walls, place, script, wall_seconds=0.5)
    assert done.ended is Ended.TIMEOUT
    assert done.text(100).strip() == "asked"


STUBBORN = "(setsid sh -c 'trap \"\" INT TERM HUP; while :; do sleep 0.1; done' &); sleep 60"


def test_nothing_outlives_it(walls: Walls, place: Path) -> None:
    marked = f"exec 9> {place}/held; flock 9; {STUBBORN}"
    inside(walls, place, marked, wall_seconds=0.5, grace_seconds=0.1)
    assert _is_free(place / "held")


def test_nor_does_it_outlive_whoever_started_it(walls: Walls, place: Path, own_home: Path) -> None:
    script = place / "start.py"
    script.write_text(
        "import asyncio, os, sys\n"
        "from pathlib import Path\n"
        "from msgspec.structs import replace\n"
        "from ralph.process import Child, environment, run\n"
        "from ralph.process.sandbox import try_walls\n"
        "async def main():\n"
        "    tried = await try_walls(os.environ)\n"
        f"    walls = replace(tried.walls, write=({str(place)!r},))\n"
        f"    words = ('/bin/sh', '-c', {f'exec 9> {place}/held; flock 9; {STUBBORN}'!r})\n"
        f"    await run(Child(words, Path({str(place)!r}), environment(os.environ), walls=walls))\n"
        "asyncio.run(main())\n"
    )
    starter = subprocess.Popen((sys.executable, str(script)))
    try:
        _until(lambda: (place / "held").exists() and not _is_free(place / "held"))
    finally:
        starter.kill()
        starter.wait()
    _until(lambda: _is_free(place / "held"), seconds=2)
    family.reap()  # what was left came to us, dead


def test_an_ordinary_user_gets_the_same_walls(
    walls: Walls, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run by root, it starts the walls as somebody else; run by somebody else, as that one."""
    root = os.geteuid() == 0
    who: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if root else {}
    monkeypatch.setattr(os, "geteuid", lambda: NOBODY)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        place = Path(folder, "place")
        place.mkdir()
        for path in (Path(folder), place):
            path.chmod(0o777)
        words = prefix(replace(walls, write=(str(place),), read=()))
        text = f"exec 2>&-; echo mine > a; echo x > {folder}/b; cat {walls.home}/.key; id -u"
        Path(walls.home, ".key").write_text(KEY)
        done = subprocess.run(
            (*words, "/bin/sh", "-c", text),
            **who,
            cwd=place,
            env={"PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,
        )
        family.reap()  # what kept the walls inside came to us, dead
        assert done.returncode == 0, done.stderr
        assert [one.name for one in place.iterdir()] == ["a"]
        assert list(Path(folder).iterdir()) == [place]
    assert KEY not in done.stdout
    assert done.stdout.split() == [str(NOBODY if root else os.getuid())]


def _is_free(path: Path) -> bool:
    return subprocess.run(("flock", "-n", str(path), "true"), check=False).returncode == 0


def _until(holds: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return
        time.sleep(0.02)
    raise AssertionError


# What a child may take of the machine

MANY = "for i in $(seq 40); do sleep 30 & done; wait"
HEAVY = f"{sys.executable} -c 'b = bytearray(300 << 20); import time; time.sleep(30)'"


@pytest.mark.parametrize(
    ("limit", "script", "why"),
    [({"processes": 20}, MANY, "processes"), ({"memory": 200 << 20}, HEAVY, "0.2 GB")],
)
def test_too_much_of_the_machine_ends_it(
    walls: Walls, place: Path, limit: dict[str, int], script: str, why: str
) -> None:
    begun = time.monotonic()
    found = inside(replace(walls, **limit), place, script)
    assert found.ended is Ended.EXCESS
    assert why in found.error
    assert time.monotonic() - begun < 20, "it is not waited for"


@pytest.mark.parametrize("script", [MANY, HEAVY])
def test_what_is_allowed_is_left_alone(walls: Walls, place: Path, script: str) -> None:
    allowed = replace(walls, processes=100, memory=2 << 30)
    short = script.replace("30 &", "1.5 &").replace("sleep(30)", "sleep(1.5)")
    assert inside(allowed, place, short).ended is Ended.EXITED


def test_the_kernel_takes_memory_from_the_child_first(walls: Walls, place: Path) -> None:
    assert said(walls, place, "cat /proc/self/oom_score_adj") == "1000"

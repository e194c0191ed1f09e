"""Children behind a fence of Landlock, where bubblewrap does not work; as root and as a user."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.edges.test_walls import KEY, NOBODY, inside, said

import ralph.process.fenced
from ralph.domain.answer import Ended
from ralph.process import Child, environment, run
from ralph.process.fence import OLDEST, version
from ralph.process.fenced import fenced
from ralph.process.sandbox import try_walls

if TYPE_CHECKING:
    from ralph.domain.walls import Walls

pytestmark = pytest.mark.skipif(version() < OLDEST, reason="the kernel has no such Landlock")


@pytest.fixture
def fence(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Walls:
    broken = tmp_path / "bin"
    broken.mkdir()
    (broken / "bwrap").write_text(
        "#!/bin/sh\necho 'setting up uid map: Permission denied'\nexit 1\n"
    )
    (broken / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken}{os.pathsep}{os.environ['PATH']}")
    tried = asyncio.run(try_walls(os.environ))
    assert tried.walls is not None, tried.why
    assert "uid map" in tried.why
    assert tried.walls.is_fence
    assert tried.walls.home == str(own_home)
    return tried.walls


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


def test_it_writes_to_its_own_folder_and_nowhere_else(fence: Walls, place: Path) -> None:
    beside = place.parent / "beside"
    beside.mkdir()
    (beside / "kept").write_text("kept\n")
    script = (
        f"echo mine > a; mkdir b; mv a b/; echo x > {beside}/b; echo x >> {beside}/kept;"
        f"rm -f {beside}/kept; mv {beside}/kept . ; truncate -s 0 {beside}/kept;"
        f"ln {beside}/kept here; echo x > /etc/ralph-was-here; echo x > ~/c;"
        "echo x > $TMPDIR/d; true"
    )
    assert inside(fence, place, script).exit_code == 0
    assert (place / "b/a").read_text() == "mine\n"
    assert [one.name for one in beside.iterdir()] == ["kept"]
    assert (beside / "kept").read_text() == "kept\n"
    assert not Path("/etc/ralph-was-here").exists()
    assert not Path(fence.home, "c").exists(), "the home that it has is one of its own"


def test_homes_temporary_files_and_what_is_hidden_cannot_be_read(
    fence: Walls, place: Path, tmp_path: Path
) -> None:
    Path(fence.home, ".ssh").mkdir()
    Path(fence.home, ".ssh", "id").write_text(KEY)
    other = tmp_path / "other"
    other.write_text(KEY)
    home = fence.home
    seen = said(fence, place, f"exec 2>&-; cat ~/.ssh/id {home}/.ssh/id {other}; ls {home}/.ssh")
    assert seen == ""
    assert KEY in said(replace(fence, read=(*fence.read, str(other))), place, f"cat {other}")


def test_programs_in_a_home_are_found_and_run(fence: Walls, place: Path) -> None:
    shown = replace(fence, read=(*fence.read, sys.prefix, sys.base_prefix))
    assert said(shown, place, f"{sys.executable} -c 'print(6 * 7)'") == "42"


def test_its_signals_stay_among_its_own(fence: Walls, place: Path) -> None:
    with subprocess.Popen(("sleep", "30")) as other:
        seen = said(fence, place, f"kill -9 {other.pid} 2>/dev/null || echo refused")
        assert seen == "refused"
        assert other.poll() is None
        other.kill()


def test_nothing_outlives_it_and_nothing_of_it_is_left(fence: Walls, place: Path) -> None:
    before = set(Path(tempfile.gettempdir()).glob("ralph-fence-*"))
    found = inside(
        fence,
        place,
        "(setsid sh -c 'trap \"\" TERM; sleep 30' &); echo $$ > pid; sleep 30",
        wall_seconds=1,
        grace_seconds=0,
    )
    assert found.ended is Ended.TIMEOUT
    assert not Path("/proc", (place / "pid").read_text().strip()).exists()
    assert set(Path(tempfile.gettempdir()).glob("ralph-fence-*")) <= before


def test_what_it_takes_of_the_machine_is_limited_too(fence: Walls, place: Path) -> None:
    script = "for i in $(seq 40); do sleep 30 & done; wait"
    assert inside(replace(fence, processes=20), place, script).ended is Ended.EXCESS


def test_how_it_ended_is_told_as_without_a_fence(fence: Walls, place: Path) -> None:
    assert inside(fence, place, "exit 7").exit_code == 7
    own = replace(fence, write=(str(place),))
    missing = Child(("no-such-program",), place, environment(os.environ), walls=own)
    done = asyncio.run(run(missing))
    assert (done.ended, done.exit_code) == (Ended.NOT_STARTED, 127)


def test_an_ordinary_user_is_fenced_as_well(fence: Walls) -> None:
    """Run by root, the fence is put up by somebody else; run by somebody else, by that one."""
    root = os.geteuid() == 0
    who: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if root else {}
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        place = Path(folder, "place")
        place.mkdir()
        for path in (Path(folder), place):
            path.chmod(0o777)
        own = fenced(replace(fence, write=(str(place),)), ())
        rules = Path(folder, "rules")
        shutil.copy(own.folder / "rules", rules)
        own.remove()
        script = Path(folder, "fence.py")  # a user may not be able to read where Ralph is
        shutil.copy(Path(ralph.process.fenced.__file__).with_name("fence.py"), script)
        text = f"exec 2>&-; echo mine > a; echo x > {folder}/b; cat {fence.home}/.key"
        Path(fence.home, ".key").write_text(KEY)
        done = subprocess.run(
            ("/usr/bin/python3", "-I", "-S", script, rules, "/bin/sh", "-c", text),
            **who,
            cwd=place,
            env={"PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert [one.name for one in place.iterdir()] == ["a"], done.stderr
        assert not Path(folder, "b").exists()
    assert KEY not in done.stdout

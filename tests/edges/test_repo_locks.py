from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.edges.repo_help import git, in_place, new_repo, put, status

from ralph.domain.errors import RepoError, RunHeld, StorageError
from ralph.repo import Repo, index, lock, sweep_locks

SRC = str(Path(lock.__file__).parents[2])


def test_the_lock_names_its_holder_and_dies_with_it(tmp_path: Path) -> None:
    common = tmp_path / ".git"
    assert lock.holder(common) is None
    with lock.hold(lock.path_in(common), "ralph run"):
        seen = lock.holder(common)
        assert seen is not None
        assert (seen.pid, seen.command) == (os.getpid(), "ralph run")
        said = rf"Another Ralph \(pid {os.getpid()}, since \d\d:\d\d:\d\d\) is working on this"
        with pytest.raises(RunHeld, match=said), lock.hold(lock.path_in(common)):
            pass
    assert lock.holder(common) is None
    with lock.hold(lock.path_in(common)):
        pass


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from ralph.repo import lock\n"
        f"with lock.hold(lock.path_in(Path({str(tmp_path)!r}))):\n"
        "    print('held', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": SRC},
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        seen = lock.holder(tmp_path)
        assert seen is not None
        assert seen.pid == child.pid
        child.kill()
    assert lock.holder(tmp_path) is None


def test_the_lock_is_not_inherited_by_children(tmp_path: Path) -> None:
    with lock.hold(lock.path_in(tmp_path)):
        child = subprocess.Popen(["sleep", "60"])
    try:
        assert lock.holder(tmp_path) is None
    finally:
        child.kill()
        child.wait()


def test_a_place_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    put(tmp_path, "ralph", "a file where the folder should be")
    with pytest.raises(StorageError, match="Cannot write"), lock.hold(lock.path_in(tmp_path)):
        pass


def stale(path: Path) -> Path:
    put(path.parent, path.name, "")
    os.utime(path, (1, 1))
    return path


def test_stale_locks_are_swept(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    dot = root / ".git"
    ours = [
        stale(dot / "index.lock"),
        stale(dot / "HEAD.lock"),
        stale(dot / "packed-refs.lock"),
        stale(dot / "refs/heads/ralph/x.lock"),
        stale(dot / "refs/ralph/salvage/R1/1.lock"),
        stale(ws.state_dir / "index.lock"),
        stale(ws.state_dir / "kept.index.lock"),
    ]
    theirs = stale(dot / "refs/heads/main.lock")
    assert set(sweep_locks(ws.repo, ws.state_dir)) == {str(path) for path in ours}
    assert theirs.exists()
    assert sweep_locks(ws.repo, ws.state_dir, branch="main") == (str(theirs),)
    put(root, "src/new.py", "x")
    ws.land(ws.candidate(ws.head(), "feat: x\n"))
    assert status(root) == ""


def test_a_lock_that_is_open_or_young_stays(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    repo = Repo.open(root)
    path = stale(root / ".git/index.lock")
    with path.open("w"):
        os.utime(path, (1, 1))
        assert sweep_locks(repo) == ()
    path.write_text("")
    assert sweep_locks(repo, seconds=0.05) == (str(path),)


def test_nothing_is_swept_while_git_works_here(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    stale(root / ".git/index.lock")
    # cat-file waits for its input, which never comes
    with subprocess.Popen(
        ["git", "cat-file", "--batch"], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(b"HEAD\n")
        child.stdin.flush()
        assert child.stdout.readline()
        assert sweep_locks(Repo.open(root)) == ()
        child.kill()
    assert sweep_locks(Repo.open(root))


def test_the_users_index_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "src/new.py", "x")
    made = ws.candidate(ws.head(), "feat: x\n")
    put(root, ".git/index.lock", "")
    monkeypatch.setattr(index, "LOCK_SECONDS", 0.05)
    with pytest.raises(RepoError, match=r"index\.lock"):
        ws.land(made)
    assert ws.head() == made.commit
    (root / ".git/index.lock").unlink()
    ws.finish_landing(made.commit)
    assert status(root) == ""


def test_a_stale_ref_lock_is_said_with_what_to_do(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "src/new.py", "x")
    made = ws.candidate(ws.head(), "feat: x\n")
    put(root, ".git/refs/heads/ralph/x.lock", "")
    with pytest.raises(RepoError, match="remove that lock file"):
        ws.land(made)
    assert git(root, "rev-parse", "HEAD") == made.parent

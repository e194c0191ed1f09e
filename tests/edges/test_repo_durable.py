from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.edges.repo_help import git, in_place, new_repo, put

from ralph.repo import durable

pytestmark = pytest.mark.usefixtures("durable")


def loose(root: Path) -> set[str]:
    folders = (root / ".git/objects").glob("[0-9a-f][0-9a-f]")
    return {f"{folder.name}{path.name}" for folder in folders for path in folder.iterdir()}


def watch(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of the files that Ralph itself flushes."""
    seen: set[str] = set()
    real = os.fsync

    def flush(handle: int) -> None:
        path = Path(f"/proc/self/fd/{handle}").readlink()
        seen.add("".join(path.parts[-2:]))
        real(handle)

    monkeypatch.setattr(os, "fsync", flush)
    return seen


def test_every_new_object_is_flushed_before_the_branch_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    old = loose(root)
    put(root, "src/deep/new.py", "x")
    (root / "src/app.py").rename(root / "src/moved.py")
    flushed = watch(monkeypatch)
    made = ws.candidate(ws.head(), "feat: x\n", {"PRD.json": b"{}"})
    new = loose(root) - old
    assert len(new) >= 6  # two files, three folders, the commit
    seen: list[set[str]] = []
    monkeypatch.setattr(ws.quick, "land", lambda *_: seen.append(set(flushed)))
    ws.land(made)
    assert new <= seen[0]


def test_salvage_flushes_what_an_earlier_candidate_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "src/new.py", "x")
    ws.candidate(ws.head(), "feat: x\n")
    flushed = watch(monkeypatch)
    saved = ws.salvage("R1/1", "red")
    assert saved is not None
    wanted = git(root, "rev-parse", *(f"{saved.commit}{p}" for p in (":src/new.py", ":src", ":")))
    assert set(wanted.split()) <= flushed


def test_very_many_objects_are_flushed_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []
    monkeypatch.setattr(os, "sync", lambda: called.append("sync"))
    durable.sync(tmp_path, [f"{number:040x}" for number in range(1, durable.MANY + 2)])
    assert called == ["sync"]

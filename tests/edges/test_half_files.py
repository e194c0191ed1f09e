from __future__ import annotations

import contextlib
import shutil
import tempfile
from typing import TYPE_CHECKING

import pytest

from ralph import files
from ralph.domain.errors import StorageError
from ralph.repo import index

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.usefixtures("durable")


class Killed(BaseException):
    """Stands for `kill -9`."""


def test_what_a_killed_write_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    left = tmp_path / f".PRD.json.4711{files.UNFINISHED}"
    deeper = tmp_path / "deep" / f".PRD.json.4711{files.UNFINISHED}"
    mine = [tmp_path / name for name in ("PRD.json", ".PRD.json.4711.tmp", "x.ralph-tmp")]
    for path in (left, deeper, *mine):
        path.write_text("text")
    files.sweep([tmp_path, tmp_path, tmp_path / "missing"])
    assert not left.exists()
    assert deeper.exists()
    assert all(path.exists() for path in mine)


def test_a_write_leaves_nothing_behind(tmp_path: Path) -> None:
    files.write(tmp_path / "new" / "file", "text")
    files.write(tmp_path / "new" / "file", "other", durable=False)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["file"]


def test_half_an_index_never_takes_the_place_of_a_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = tmp_path / "index", tmp_path / "own"
    source.write_bytes(b"new" * 100)
    target.write_bytes(b"old")

    def dying(_: Path, to: Path) -> None:
        to.write_bytes(b"ne")
        raise Killed

    monkeypatch.setattr(shutil, "copy2", dying)
    with contextlib.suppress(Killed):
        index.copy(source, target)
    assert target.read_bytes() == b"old"
    monkeypatch.undo()
    index.copy(source, target)
    assert target.read_bytes() == b"new" * 100


def test_no_place_for_temporary_files_is_said_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(StorageError, match="the disk is full") as raised:
        files.scratch("ralph-check-")
    assert "TMPDIR" in str(raised.value.fix)


def test_a_full_disk_is_told_also_by_the_copy_of_a_folder(tmp_path: Path) -> None:
    """What `shutil.copytree` raises has no number of its own."""
    several = shutil.Error([("a", "b", "[Errno 28] No space left on device: 'b'")])
    assert files.can_be_mended(several)
    assert "the disk is full" in str(files.explain(several, tmp_path))
    assert not files.can_be_mended(shutil.Error([("a", "b", "[Errno 22] Invalid argument")]))

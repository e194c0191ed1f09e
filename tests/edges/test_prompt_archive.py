from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ralph.domain.errors import StorageError
from ralph.prompts.archive import prune, store

if TYPE_CHECKING:
    from pathlib import Path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_prompts_are_stored_under_their_iteration_and_retry(tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    first = store(folder, 7, "first $x ü")
    again = store(folder, 7, "again", retry=1)
    assert first == folder / "iteration-7.md"
    assert again == folder / "iteration-7-r1.md"
    assert first.read_text(encoding="utf-8") == "first $x ü"
    assert names(folder) == {"iteration-7.md", "iteration-7-r1.md"}


def test_a_folder_that_cannot_be_made_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="iteration-1"):
        store(tmp_path / "file" / "prompts", 1, "text")


def test_pruning_keeps_the_newest_iterations_by_number(tmp_path: Path) -> None:
    for number in (2, 9, 10, 11, 100):
        store(tmp_path, number, "prompt")
        (tmp_path / f"iteration-{number}.json").write_text("{}")
    store(tmp_path, 9, "retry", retry=2)
    assert prune(tmp_path, 3) == (
        "iteration-2.json",
        "iteration-2.md",
        "iteration-9-r2.md",
        "iteration-9.json",
        "iteration-9.md",
    )
    assert names(tmp_path) == {f"iteration-{n}.{e}" for n in (10, 11, 100) for e in ("md", "json")}


def test_pruning_never_removes_anything_else(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("keep")
    folder = tmp_path / "logs"
    folder.mkdir()
    for name in (
        "notes.md",
        "iteration-x.md",
        "iteration-1notes",
        "my-iteration-1.md",
        "iteration-",
    ):
        (folder / name).write_text("keep")
    (folder / "iteration-1").mkdir()
    (folder / "iteration-2.md").symlink_to(outside)
    kept = names(folder)
    for number in (3, 4, 5):
        store(folder, number, "prompt")
    assert prune(folder, 1) == ("iteration-3.md", "iteration-4.md")
    assert names(folder) == kept | {"iteration-5.md"}
    assert outside.read_text() == "keep"


@pytest.mark.parametrize("keep", [0, -1, 2, 99])
def test_pruning_removes_nothing_where_nothing_is_too_old(tmp_path: Path, keep: int) -> None:
    store(tmp_path, 1, "a")
    store(tmp_path, 2, "b")
    assert prune(tmp_path, keep) == ()
    assert names(tmp_path) == {"iteration-1.md", "iteration-2.md"}


def test_pruning_a_folder_that_is_not_there_is_nothing(tmp_path: Path) -> None:
    assert prune(tmp_path / "none", 1) == ()

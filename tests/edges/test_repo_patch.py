"""A change as text: as much as a person can read, and nothing that an attribute can hide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.project import Project

from ralph.repo import Repo, patch
from ralph.repo.patch import patches

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.repo.patch import FilePatch


def changed(tmp_path: Path, files: dict[str, bytes], most: int = 1_000) -> dict[str, FilePatch]:
    """What is told of one commit."""
    project = Project(tmp_path)
    base = project.git("rev-parse", "HEAD")
    for name, data in files.items():
        path = project.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    new = project.commit("change")
    found = patches(Repo.open(project.root).git, base, new, most)
    assert found is not None
    return {one.path: one for one in found}


def test_each_file_has_its_own_lines(tmp_path: Path) -> None:
    odd = 'odd "name"\n\u00e4.txt'
    found = changed(
        tmp_path,
        {
            "README.md": b"# Journey\ndiff --git a/x b/x\n@@ -1 +1 @@\nmore\r\n",
            odd: b"one\ntwo",
            "empty": b"",
            "picture.png": b"\x89PNG\0\1\2",
        },
    )
    assert found["README.md"].text.startswith(
        "@@ -1 +1,4 @@\n # Journey\n+diff --git a/x b/x\n+@@ "
    )
    assert (found["README.md"].added, found["README.md"].removed) == (3, 0)
    assert found[odd].text == "@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n"
    assert found["picture.png"].left_out == "not text"
    assert found["empty"].added == 0


def test_an_attribute_cannot_hide_what_was_changed(tmp_path: Path) -> None:
    found = changed(tmp_path, {".gitattributes": b"*.py binary\n", "a.py": b"evil = 1\n"})
    assert found["a.py"].text == "@@ -0,0 +1 @@\n+evil = 1\n"


def test_what_nobody_could_read_is_counted_and_left_out(tmp_path: Path) -> None:
    found = changed(
        tmp_path,
        {
            "long.txt": b"x\n" * (patch.MOST_LINES + 1),
            "wide.js": b"x" * (patch.MOST_BYTES + 1),
            "a.txt": b"1\n2\n3\n",
            "b.txt": b"1\n2\n3\n",
        },
        most=4,
    )
    assert found["long.txt"].added == patch.MOST_LINES + 1
    left = {name for name, one in found.items() if one.left_out}
    assert left == {"long.txt", "wide.js", "b.txt"}


def test_a_commit_that_is_gone_is_no_error(tmp_path: Path) -> None:
    project = Project(tmp_path)
    head = project.git("rev-parse", "HEAD")
    assert patches(Repo.open(project.root).git, head, "0" * 40, 10) is None
    assert patches(Repo.open(project.root).git, head, head, 10) == ()

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ralph.domain.errors import PlanError
from ralph.plans import find_plan, open_plan
from ralph.plans.markdown import Checklist
from ralph.plans.prd_json import PrdJson
from ralph.plans.task_tree import TaskTree

if TYPE_CHECKING:
    from pathlib import Path

PRD = b'{"userStories": [{"id": "a", "title": "A"}]}'


def test_the_format_follows_from_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    assert isinstance(open_plan("tasks", tmp_path), TaskTree)
    assert isinstance(open_plan("x.JSON", tmp_path), PrdJson)
    assert isinstance(open_plan("x.md", tmp_path), Checklist)
    (tmp_path / "x.txt").write_text("- [ ] A1: yes")
    with pytest.raises(PlanError, match=r"'\.txt'"):
        open_plan("x.txt", tmp_path)
    with pytest.raises(PlanError, match="does not exist"):
        open_plan("nothing", tmp_path)
    form = open_plan("x.txt", tmp_path, backend="markdown")
    assert form.parse(form.files(tmp_path)).tasks[0].id == "A1"
    with pytest.raises(PlanError, match="no plan format 'linear'"):
        open_plan("x.json", tmp_path, backend="linear")


def test_a_path_inside_the_root_becomes_relative(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "plans").mkdir(parents=True)
    (root / "plans/p.json").write_bytes(PRD)
    (tmp_path / "link").symlink_to(root)
    for path in ("plans/p.json", "./plans/../plans/p.json", str(root / "plans/p.json")):
        assert open_plan(path, root).files(root) == {"plans/p.json": PRD}
    assert open_plan(str(tmp_path / "link/plans/p.json"), root).files(root) == {"plans/p.json": PRD}


def test_a_path_outside_the_root_stays_absolute(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "p.json").write_bytes(PRD)
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks/a.json").write_bytes(b'{"id": "a", "title": "A"}')
    for path in ("../p.json", str(tmp_path / "p.json")):
        form = open_plan(path, root)
        assert list(form.files(root)) == [str(tmp_path / "p.json")]
        assert form.source == path
    assert list(open_plan("../tasks", root).files(root)) == [str(tmp_path / "tasks/a.json")]


def test_the_usual_places_in_order(tmp_path: Path) -> None:
    with pytest.raises(PlanError) as caught:
        find_plan(tmp_path)
    assert "ralph init" in caught.value.fix
    (tmp_path / ".ralph/tasks").mkdir(parents=True)
    assert find_plan(tmp_path) == ".ralph/tasks"
    (tmp_path / "prd.json").write_bytes(PRD)
    assert find_plan(tmp_path) == "prd.json"
    (tmp_path / "PRD.json").write_bytes(PRD)
    assert find_plan(tmp_path) == "PRD.json"


def test_only_the_chosen_format_is_imported(tmp_path: Path) -> None:
    (tmp_path / "PRD.json").write_bytes(PRD)
    code = (
        "import sys; from pathlib import Path; from ralph.plans import open_plan\n"
        "root = Path(sys.argv[1]); p = open_plan('PRD.json', root); p.parse(p.files(root))\n"
        "print([m for m in sys.modules if m in ('yaml', 'asyncio', 'ralph.plans.markdown')])"
    )
    path = [entry for entry in sys.path if entry]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}\n{code}", str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"

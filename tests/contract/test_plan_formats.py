"""What every plan format must do, whatever its files look like."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ralph import files as disk
from ralph.domain.errors import PlanError
from ralph.domain.plan import Plan
from ralph.domain.task import Status, Task
from ralph.loop.ports import PlanFormat
from ralph.plans import open_plan
from ralph.plans.memory import MemoryPlan

KEPT_BY_ALL = (Status.OPEN, Status.COMPLETED, Status.SKIPPED)


@dataclass(frozen=True)
class Case:
    make: Callable[[Path], PlanFormat]
    break_it: Callable[[Path], None] | None = None


def _prd(root: Path) -> PlanFormat:
    stories = [
        {"id": "A-1", "title": "First", "criteria": ["works in 2 ms"], "passes": False},
        {"id": "A-2", "title": "Second", "passes": True, "depends_on": ["A-1"]},
        {"id": "A-3", "title": "Third", "passes": False, "skipped": True},
    ]
    document = {"project": "Demo", "userStories": stories}
    (root / "PRD.json").write_text(json.dumps(document, indent=2))
    return open_plan("PRD.json", root)


def _tree_json(root: Path) -> PlanFormat:
    folder = root / ".ralph/tasks"
    folder.mkdir(parents=True)
    first = {"id": "A-1", "title": "First", "acceptance": ["works in 2 ms"], "status": "open"}
    second = {"id": "A-2", "title": "Second", "status": "completed", "dependsOn": ["A-1"]}
    third = {"id": "A-3", "title": "Third", "status": "skipped"}
    (folder / "a.json").write_text(json.dumps(first))
    (folder / "b.json").write_text(json.dumps([second, third], indent=4))
    return open_plan(".ralph/tasks", root)


def _tree_yaml(root: Path) -> PlanFormat:
    folder = root / ".ralph/tasks"
    folder.mkdir(parents=True)
    (folder / "a.yaml").write_text(
        "# the first\nid: A-1\ntitle: First\nacceptance:\n  - works in 2 ms\n"
    )
    (folder / "b.yml").write_text(
        "- id: A-2\n  title: Second\n  status: 'completed' # yes\n  dependsOn: [A-1]\n"
        "- {id: A-3, title: Third, status: skipped}\n"
    )
    return open_plan(".ralph/tasks", root)


def _markdown(root: Path) -> PlanFormat:
    (root / "TODO.md").write_text(
        "# Demo\n\n- [ ] **A-1**: First\n  - works in 2 ms\n"
        "* [x] A-2: Second\n  - Depends on: A-1\n1. [-] [A-3] Third\n"
    )
    return open_plan("TODO.md", root)


def _artefacts(root: Path) -> PlanFormat:
    folder = root / ".artefacts/demo"
    folder.mkdir(parents=True)
    tasks = [
        {"id": "A-1", "title": "First", "criteria": ["works in 2 ms"], "attempts": 0},
        {"id": "A-2", "title": "Second", "status": "completed", "dependencies": ["A-1"]},
        {"id": "A-3", "title": "Third", "status": "pending", "blocked": False, "skipped": True},
    ]
    document = {"project_name": "Demo", "version": 1, "tasks": tasks}
    (folder / "tasks.json").write_text(json.dumps(document, indent=2))
    (folder / "spec.md").write_text("# Demo")
    return open_plan(".artefacts/demo/tasks.json", root)


def _memory(_: Path) -> PlanFormat:
    tasks = (
        Task("A-1", "First", criteria=("works in 2 ms",)),
        Task("A-2", "Second", status=Status.COMPLETED, depends_on=("A-1",)),
        Task("A-3", "Third", status=Status.SKIPPED),
    )
    return MemoryPlan(Plan("Demo", tasks))


def _overwrite(name: str, data: bytes) -> Callable[[Path], None]:
    def act(root: Path) -> None:
        (root / name).write_bytes(data)

    return act


CASES = {
    "prd": Case(_prd, _overwrite("PRD.json", b'{"userStories": [')),
    "tree-json": Case(_tree_json, _overwrite(".ralph/tasks/a.json", b"{")),
    "tree-yaml": Case(_tree_yaml, _overwrite(".ralph/tasks/a.yaml", b"id: [")),
    "markdown": Case(_markdown, _overwrite("TODO.md", b"- [ ] \xff\xfe")),
    "artefacts": Case(_artefacts, _overwrite(".artefacts/demo/tasks.json", b'{"tasks": {}}')),
    "memory": Case(_memory, _overwrite("plan.json", b"{")),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def _write(root: Path, changed: dict[str, bytes]) -> None:
    for name, data in changed.items():
        disk.write(root / name, data, durable=False)


def test_reads_tasks_statuses_criteria_and_dependencies(case: Case, tmp_path: Path) -> None:
    form = case.make(tmp_path)
    plan = form.parse(form.files(tmp_path))
    assert [(task.id, task.title) for task in plan.tasks] == [
        ("A-1", "First"),
        ("A-2", "Second"),
        ("A-3", "Third"),
    ]
    assert [task.status for task in plan.tasks] == [
        Status.OPEN,
        Status.COMPLETED,
        Status.SKIPPED,
    ]
    assert plan.by_id["A-1"].criteria == ("works in 2 ms",)
    assert plan.by_id["A-2"].depends_on == ("A-1",)


def test_keys_are_relative_to_the_root(case: Case, tmp_path: Path) -> None:
    form = case.make(tmp_path)
    files = form.files(tmp_path)
    assert files
    assert not any(name.startswith(("/", "./", "..")) for name in files)


@pytest.mark.parametrize("status", KEPT_BY_ALL)
@pytest.mark.parametrize("task", ["A-1", "A-2", "A-3"])
def test_a_mark_is_read_back_after_it_was_written(
    case: Case, tmp_path: Path, task: str, status: Status
) -> None:
    form = case.make(tmp_path)
    files = form.files(tmp_path)
    before = form.parse(files)
    _write(tmp_path, dict(form.mark(files, {task: status})))
    after = form.parse(form.files(tmp_path))
    assert after.by_id[task].status is status
    assert after == before.with_statuses({task: status})
    assert case.make is _memory or _fresh(form, tmp_path) == after


def _fresh(form: PlanFormat, root: Path) -> Plan:
    """What a reader that has seen nothing before makes of the files."""
    other = open_plan(form.source, root)
    return other.parse(other.files(root))


def test_many_marks_at_once(case: Case, tmp_path: Path) -> None:
    form = case.make(tmp_path)
    files = form.files(tmp_path)
    wanted = {"A-1": Status.SKIPPED, "A-2": Status.OPEN, "A-3": Status.COMPLETED}
    _write(tmp_path, dict(form.mark(files, wanted)))
    after = form.parse(form.files(tmp_path))
    assert {task.id: task.status for task in after.tasks} == wanted
    assert case.make is _memory or _fresh(form, tmp_path) == after


def test_a_mark_that_changes_nothing_returns_no_file(case: Case, tmp_path: Path) -> None:
    form = case.make(tmp_path)
    assert form.mark(form.files(tmp_path), {"A-2": Status.COMPLETED}) == {}
    assert form.mark(form.files(tmp_path), {}) == {}


def test_marking_does_not_touch_the_disk(case: Case, tmp_path: Path) -> None:
    form = case.make(tmp_path)
    before = dict(form.files(tmp_path))
    form.mark(before, {"A-1": Status.COMPLETED})
    assert form.files(tmp_path) == before


def test_marking_there_and_back_gives_the_same_bytes(case: Case, tmp_path: Path) -> None:
    form = case.make(tmp_path)
    first = dict(form.files(tmp_path))
    there = {**first, **form.mark(first, {"A-2": Status.OPEN})}
    assert there != first
    assert {**there, **form.mark(there, {"A-2": Status.COMPLETED})} == first


def test_an_unknown_task_is_refused(case: Case, tmp_path: Path) -> None:
    form = case.make(tmp_path)
    with pytest.raises(PlanError, match="A-9"):
        form.mark(form.files(tmp_path), {"A-9": Status.COMPLETED})


def test_the_same_bytes_give_the_same_plan_object(case: Case, tmp_path: Path) -> None:
    form = case.make(tmp_path)
    plan = form.parse(form.files(tmp_path))
    assert form.parse(form.files(tmp_path)) is plan


def test_a_broken_file_is_an_error_that_names_the_plan(case: Case, tmp_path: Path) -> None:
    form = case.make(tmp_path)
    form.parse(form.files(tmp_path))
    assert case.break_it is not None
    case.break_it(tmp_path)
    with pytest.raises(PlanError) as caught:
        form.parse(form.files(tmp_path))
    assert form.source in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 3


def test_the_root_may_be_another_one_at_each_call(case: Case, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    form = case.make(here)
    case.make(there)
    _write(there, dict(form.mark(form.files(there), {"A-1": Status.COMPLETED})))
    assert form.parse(form.files(there)).by_id["A-1"].is_done
    assert not form.parse(form.files(here)).by_id["A-1"].is_done


@pytest.mark.parametrize("name", [name for name in CASES if name != "memory"])
def test_a_missing_plan_is_an_error_with_a_way_out(name: str, tmp_path: Path) -> None:
    form = CASES[name].make(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with pytest.raises(PlanError, match="does not exist") as caught:
        form.files(elsewhere)
    assert "ralph init" in caught.value.fix

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

import pytest

from ralph.domain.errors import PlanError
from ralph.domain.plan import TaskOrder
from ralph.domain.task import Status, shell
from ralph.plans import watched
from ralph.plans.task_tree import TaskTree

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.plan import Plan


def _parse(**files: str) -> Plan:
    named = {name.replace("__", "."): text.encode() for name, text in files.items()}
    return TaskTree("tasks", "tasks").parse(named)


def _mark(name: str, data: bytes, **statuses: Status) -> bytes:
    return TaskTree("tasks", "tasks").mark({name: data}, statuses).get(name, data)


FULL = """\
id: a
title: One
description: |
  Two lines
  of text
parentId: root
dependsOn: [b]
status: in_progress
acceptance: [no, 2026-01-02]
verify:
  - npm test
  - [go, test]
labels: [area=ui, bug]
createdAt: 2026-01-02T03:04:05Z
updatedAt: 2026-01-02
"""


def test_the_fields_of_the_specification() -> None:
    plan = _parse(a__yaml=FULL, b__json='{"id": "b", "title": "B"}', r__yml="id: root\ntitle: Top")
    task = plan.by_id["a"]
    assert plan.order is TaskOrder.CREATED
    assert (task.parent, task.depends_on, task.status) == ("root", ("b",), Status.IN_PROGRESS)
    assert task.description == "Two lines\nof text\n"
    assert task.criteria == ("no", "2026-01-02")
    assert task.verify == (shell("npm test"), ("go", "test"))
    assert (task.area, task.kind.value) == ("ui", "fix")
    assert task.created_at == "2026-01-02T03:04:05Z"


def test_snake_case_and_numbers_as_ids() -> None:
    plan = _parse(a__yaml="- {id: 1, title: One}\n- {id: 2, title: Two, parent_id: 1}\n")
    assert plan.by_id["2"].parent == "1"
    assert [task.id for task in plan.leaves()] == ["2"]
    assert plan.title == "One"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("id: a\ntitle: A\nstatus: done", "unknown status 'done'"),
        ("id: a\ntitle: A\nstatus: true", "status must be text"),
        ("id: a", "a.yaml, a: title is missing"),
        ("- id: a\n  title: A\n- title: B", "a.yaml, task 2: id is missing"),
        ("just words", "a.yaml must be an object"),
        ("id: a\ntitle: A\nparentId: [x]", "a.yaml, a: parentId"),
        ("id: a\ntitle: A\nparentId: x", "names the parent x, which does not exist"),
    ],
)
def test_errors_name_the_file_the_task_and_the_field(text: str, what: str) -> None:
    with pytest.raises(PlanError) as caught:
        _parse(a__yaml=text)
    assert what in caught.value.what


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("id: a # x\ntitle: A\nstatus: open # y\n", "id: a # x\ntitle: A\nstatus: failed # y\n"),
        ('id: a\ntitle: A\n"status": "open"', 'id: a\ntitle: A\n"status": "failed"'),
        ("status: 'open'\r\nid: a\r\ntitle: é\r\n", "status: 'failed'\r\nid: a\r\ntitle: é\r\n"),
        ("id: a # x\ntitle: A\n", "id: a # x\nstatus: failed\ntitle: A\n"),
        ("title: A\r\nid: a", "title: A\r\nid: a\r\nstatus: failed"),
        ("title: A\nid: a", "title: A\nid: a\nstatus: failed"),
        (
            "# c\n- title: A\n  id: a\n  # d\n",
            "# c\n- title: A\n  id: a\n  status: failed\n  # d\n",
        ),
        ("-   id: a\n    title: A\n", "-   id: a\n    status: failed\n    title: A\n"),
        ("{id: a, title: A}", "{id: a, status: failed, title: A}"),
        ("id: a\nstatus:\ntitle: A\n", "id: a\nstatus: failed\ntitle: A\n"),
        ("id: a\nstatus: |-\n  open\ntitle: A\n", "id: a\nstatus: failed\ntitle: A\n"),
        ("\ufeffid: a\ntitle: A\nstatus: open\n", "\ufeffid: a\ntitle: A\nstatus: failed\n"),
    ],
)
def test_yaml_keeps_everything_but_the_status(before: str, after: str) -> None:
    assert _mark("a.yaml", before.encode(), a=Status.FAILED) == after.encode()


def test_an_edit_that_would_go_wrong_is_refused() -> None:
    with pytest.raises(PlanError, match="cannot be changed"):
        _mark("a.yaml", b"? id\n: a\n? title\n: A\n", a=Status.FAILED)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'{"id":"a","title":"A","status":"open"}', b'{"id":"a","title":"A","status":"failed"}'),
        (
            b'{\n "id": "a",\n "title": "A"\n}',
            b'{\n "id": "a",\n "title": "A",\n "status": "failed"\n}',
        ),
        (
            b'[{"id": "b", "title": "status"}, {"id": 1, "title": "x"},{"id": "a", "title": "A"} ]',
            (
                b'[{"id": "b", "title": "status"}, {"id": 1, "title": "x"},'
                b'{"id": "a", "title": "A", "status": "failed"} ]'
            ),
        ),
    ],
)
def test_json_keeps_everything_but_the_status(before: bytes, after: bytes) -> None:
    assert _mark("a.json", before, a=Status.FAILED) == after


@pytest.mark.parametrize("status", list(Status))
def test_all_words_are_kept(status: Status) -> None:
    for name, data in (("a.yaml", b"id: a\ntitle: A"), ("a.json", b'{"id": "a", "title": "A"}')):
        files = {name: _mark(name, data, a=status)}
        assert TaskTree("t", "t").parse(files).tasks[0].status is status


def test_only_the_files_that_change_come_back() -> None:
    files = {f"{n}.json": json.dumps({"id": n, "title": n}).encode() for n in "abc"}
    changed = TaskTree("t", "t").mark(files, {"b": Status.COMPLETED, "c": Status.OPEN})
    assert list(changed) == ["b.json"]


def test_other_files_hidden_ones_and_links_are_no_tasks(tmp_path: Path) -> None:
    folder = tmp_path / "tasks"
    (folder / "sub").mkdir(parents=True)
    (folder / "README.md").write_text("x")
    (folder / ".a.json").write_text("x")
    (folder / "sub/b.json").write_text("{}")
    (folder / "link.json").symlink_to(folder / "sub/b.json")
    (folder / "loop").symlink_to(folder)
    assert TaskTree("tasks", "tasks").files(tmp_path) == {"tasks/sub/b.json": b"{}"}


def test_a_folder_without_tasks_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    with pytest.raises(PlanError, match="holds no tasks"):
        TaskTree("tasks", "tasks").files(tmp_path)


def _old(path: Path) -> None:
    """Only the change time can betray an edit, and only if it is not too fresh to trust."""
    os.utime(path, ns=(10**18, 10**18))


def test_a_file_is_read_again_only_if_its_stamp_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tasks").mkdir()
    path = tmp_path / "tasks/a.json"
    path.write_text("1")
    _old(path)
    read: list[str] = []
    real = watched._read

    def counted(name: str) -> watched._Known:
        read.append(name)
        return real(name)

    monkeypatch.setattr(watched, "_read", counted)
    monkeypatch.setattr(watched, "_UNSETTLED_NS", 0)
    form = TaskTree("tasks", "tasks")
    assert form.files(tmp_path) == form.files(tmp_path) == {"tasks/a.json": b"1"}
    assert len(read) == 1
    path.write_text("22")
    assert form.files(tmp_path) == {"tasks/a.json": b"22"}


def test_a_fresh_file_is_never_taken_from_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edit of the same size within one tick of the clock leaves the stamp as it was."""
    (tmp_path / "tasks").mkdir()
    path = tmp_path / "tasks/a.json"
    path.write_text("1")
    monkeypatch.setattr(watched, "_stamp", lambda status: (1, 1, 1, time.time_ns()))
    form = TaskTree("tasks", "tasks")
    assert form.files(tmp_path) == {"tasks/a.json": b"1"}
    frozen = time.time_ns()
    monkeypatch.setattr(watched, "_stamp", lambda status: (1, 1, 1, frozen))
    assert form.files(tmp_path) == {"tasks/a.json": b"1"}
    path.write_text("2")
    assert form.files(tmp_path) == {"tasks/a.json": b"2"}


def test_a_task_that_vanishes_is_gone(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    for name in "ab":
        (tmp_path / f"tasks/{name}.json").write_text(json.dumps({"id": name, "title": name}))
    form = TaskTree("tasks", "tasks")
    assert len(form.parse(form.files(tmp_path)).tasks) == 2
    (tmp_path / "tasks/a.json").unlink()
    assert [task.id for task in form.parse(form.files(tmp_path)).tasks] == ["b"]

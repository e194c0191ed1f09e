"""Criteria with a check of their own, and what a task declares, in plans of both kinds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ralph.domain.errors import PlanError
from ralph.domain.task import Bound, shell
from ralph.plans.prd_json import PrdJson
from ralph.plans.task_tree import TaskTree

if TYPE_CHECKING:
    from ralph.domain.task import Task

DOCS = Path(__file__).parents[2] / "docs"


def prd(**story: Any) -> Task:
    document = {"userStories": [{"id": "A", "title": "One", **story}]}
    data = {"PRD.json": json.dumps(document).encode()}
    (task,) = PrdJson("PRD.json", "PRD.json").parse(data).tasks
    return task


def tree(**story: Any) -> Task:
    data = {".ralph/tasks/a.json": json.dumps({"id": "A", "title": "One", **story}).encode()}
    (task,) = TaskTree(".ralph/tasks", ".ralph/tasks").parse(data).tasks
    return task


def bound(check: object) -> Bound:
    (found,) = prd(criteria=[{"text": "it holds", "check": check}]).bound
    return found


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ("npm run e2e", {"command": shell("npm run e2e")}),
        (["npm", "test"], {"command": ("npm", "test")}),
        ({"command": "make"}, {"command": shell("make")}),
        ({"tests": "test_a"}, {"tests": ("test_a",)}),
        ({"file": "a.md", "contains": "b"}, {"file": "a.md", "contains": "b"}),
        ({"url": "http://x/", "serve": "run", "status": 404}, None),
        ({"flow": "flows/a.yaml"}, {"flow": "flows/a.yaml"}),
        ({"held_out": "large"}, {"held_out": "large"}),
        ({"person": True}, {"person": True}),
    ],
)
def test_every_kind_of_check(check: object, expected: dict[str, Any] | None) -> None:
    expected = expected or {"url": "http://x/", "serve": "run", "status": 404}
    assert bound(check) == Bound("it holds", **expected)


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ("", "must be a command"),
        ([], "must be a command"),
        (7, "has a check that is"),
        ({}, "with nothing to check"),
        ({"contains": "x"}, "with nothing to check"),
        ({"comand": "x"}, "unknown key 'comand'"),
        ({"file": 1}, "check.file must be text"),
        ({"tests": [1]}, "must be a list of test names"),
        ({"person": "yes"}, "true or false"),
    ],
)
def test_a_check_that_makes_no_sense_names_its_place(check: object, said: str) -> None:
    with pytest.raises(PlanError, match="item 1") as raised:
        bound(check)
    assert said in str(raised.value)


def test_plain_criteria_and_those_with_a_check_keep_their_order() -> None:
    task = prd(criteria=["one", {"text": "two", "check": "true"}, {"text": "three"}])
    assert task.criteria == ("one", "two", "three")
    assert [one.criterion for one in task.bound] == ["two"]


@pytest.mark.parametrize("read", [prd, tree])
def test_what_a_task_declares(read: Any) -> None:
    task = read(may_change_tests=["tests/old/*"], allow=["ci_changed"])
    assert (task.may_change_tests, task.allow) == (("tests/old/*",), ("ci_changed",))


@pytest.mark.parametrize("read", [prd, tree])
def test_a_fact_that_does_not_exist_cannot_be_allowed(read: Any) -> None:
    with pytest.raises(PlanError, match="allow has the unknown entry 'everything'") as raised:
        read(allow=["everything"])
    assert "ci_changed" in str(raised.value)


@pytest.mark.parametrize("page", ["howto/criteria.md", "reference/verdicts.md"])
def test_the_stories_in_the_documents_are_stories(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    stories = [json.loads(one) for one in re.findall(r"```json\n(.*?)```", text, re.DOTALL)]
    assert stories
    for story in stories:
        task = prd(**story)
        assert task.criteria
        checks = [one for one in story["criteria"] if isinstance(one, dict)]
        assert len(task.bound) == len(checks)

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ralph.domain.errors import PlanError
from ralph.domain.plan import Plan
from ralph.domain.task import Status, Task
from ralph.plans.parent import bind, read_parent

if TYPE_CHECKING:
    from pathlib import Path

FILE = ".ralph/parent-task-id"


def _plan(status: Status = Status.OPEN) -> Plan:
    return Plan(
        "p",
        (
            Task("login", "Login"),
            Task("form", "Login form", parent="login", status=status),
            Task("search", "Search"),
            Task("index", "Search index", parent="search"),
            Task("page", "Search page", parent="search"),
            Task("old", "Search, old way"),
            Task("older", "Cellar", parent="old"),
        ),
    )


def test_no_file_means_the_whole_plan(tmp_path: Path) -> None:
    assert read_parent(tmp_path, FILE) is None
    (tmp_path / ".ralph").mkdir()
    (tmp_path / FILE).write_text(" \n")
    assert read_parent(tmp_path, FILE) is None


def test_by_id(tmp_path: Path) -> None:
    assert bind(tmp_path, FILE, _plan(), parent="login").title == "Login"
    assert (tmp_path / FILE).read_bytes() == b"login\n"
    assert read_parent(tmp_path, FILE) == "login"


def test_by_a_term_of_which_one_container_remains(tmp_path: Path) -> None:
    assert bind(tmp_path, FILE, _plan(), search="LOGIN").id == "login"
    assert read_parent(tmp_path, FILE) == "login"


@pytest.mark.parametrize(
    ("parent", "search", "what"),
    [
        ("zzz", None, "no task has the id 'zzz'"),
        (None, "zzz", "no title contains 'zzz'"),
        (None, "search", "2 titles contain 'search'"),
        (None, " ", "parent's id or a search term"),
        (None, None, "parent's id or a search term"),
        ("form", None, "no task has form as its parent"),
        (None, "form", "no task has form as its parent"),
    ],
)
def test_what_cannot_be_bound(
    tmp_path: Path, parent: str | None, search: str | None, what: str
) -> None:
    with pytest.raises(PlanError) as caught:
        bind(tmp_path, FILE, _plan(), parent=parent, search=search)
    assert what in caught.value.what
    assert not (tmp_path / FILE).exists()


def test_candidates_are_named(tmp_path: Path) -> None:
    with pytest.raises(PlanError) as caught:
        bind(tmp_path, FILE, _plan(), search="search")
    assert "search (Search); old (Search, old way)" in caught.value.fix
    assert "login" not in caught.value.fix


def test_a_parent_below_which_nothing_can_start_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="no task below login can be started"):
        bind(tmp_path, FILE, _plan(Status.COMPLETED), parent="login")


def test_a_plan_that_goes_in_circles_is_refused(tmp_path: Path) -> None:
    a, b = Task("a", "A", depends_on=("b",)), Task("b", "B", depends_on=("a",))
    plan = Plan("p", (*_plan().tasks, a, b))
    with pytest.raises(PlanError, match="depend on each other"):
        bind(tmp_path, FILE, plan, parent="login")

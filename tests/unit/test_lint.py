from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ralph.domain.errors import PlanError
from ralph.domain.plan import Plan, check_graph
from ralph.domain.task import Status, Task, shell
from ralph.policy.lint import LintSeverity, circles, lint, unbounded_words, vague_words

if TYPE_CHECKING:
    from ralph.policy.lint import LintFinding

GOOD = Task(
    "a",
    "Export orders as CSV",
    description="Add a command that writes all orders of one customer to standard output.",
    criteria=("`shop export 7` prints a header and one line per order",),
)


def _lint(*tasks: Task, checks: bool = True) -> tuple[LintFinding, ...]:
    return lint(Plan("p", tasks), has_project_checks=checks)


def _problems(*tasks: Task, checks: bool = True) -> list[tuple[str, str]]:
    return [(one.task, one.problem) for one in _lint(*tasks, checks=checks)]


def test_a_good_task_has_no_findings() -> None:
    assert _lint(GOOD) == ()
    assert _lint(replace(GOOD, verify=(shell("make"),)), checks=False) == ()


def test_no_criteria_and_no_verification_are_errors() -> None:
    found = _lint(replace(GOOD, criteria=(" ",)), checks=False)
    assert [one.severity for one in found] == [LintSeverity.ERROR, LintSeverity.ERROR]
    assert "no acceptance criteria" in found[0].problem
    assert "no verification" in found[1].problem
    assert all(one.fix for one in found)


@pytest.mark.parametrize("status", [Status.COMPLETED, Status.SKIPPED])
def test_tasks_that_will_not_run_need_not_be_fit(status: Status) -> None:
    assert _lint(Task("a", "A", status=status), checks=False) == ()


def test_containers_need_no_criteria() -> None:
    assert _lint(Task("box", "Box"), replace(GOOD, parent="box")) == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Errors are handled properly", ("properly",)),
        ("The page is fast and user-friendly", ("fast", "user-friendly")),
        ("Works as expected", ("works as expected",)),
        ("Supports names, dates, etc.", ("etc",)),
        ("Validates input as needed. Prints 3 lines.", ("as needed",)),
        ("Improves the layout", ("improves",)),
        ("Responds fast: p95 below 200 ms", ()),
        ("Handles `--fast` and the rest", ()),
        ("Shows the word 'properly' in the hint", ()),
        ("The label reads “Improve your score”", ()),
        ("Branches can be fast-forwarded", ()),
        ("Breakfast is listed", ()),
        ("Is fast and/or modern", ("fast", "modern")),
        ("A clean checkout builds", ()),
        ("parse_date handles time zones correctly", ()),
        ("The agent's tests fail if the user's names differ", ()),
        ("Returns an empty list for an unknown customer", ()),
    ],
)
def test_vague_words_are_found_unless_quoted_or_measured(text: str, words: tuple[str, ...]) -> None:
    assert vague_words(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Refactor the entire codebase", ("the entire codebase",)),
        ("Fix all bugs", ("all bugs",)),
        ("Rename it everywhere", ("everywhere",)),
        ("Fix all errors that `ruff check` reports", ()),
        ("All tests pass", ()),
        ("Delete all files in build/", ()),
        ("Handle all three edge cases", ()),
    ],
)
def test_scopes_without_an_end(text: str, words: tuple[str, ...]) -> None:
    assert unbounded_words(text) == words


def test_wording_is_a_warning_that_says_where() -> None:
    task = replace(GOOD, criteria=(*GOOD.criteria, "Looks good"), title="Fix all bugs")
    vague, unbounded = _lint(task)
    assert vague.problem == "criterion 2 cannot be checked: “looks good”"
    assert unbounded.problem == "is open-ended: “all bugs”"
    assert {vague.severity, unbounded.severity} == {LintSeverity.WARNING}


def test_too_little_too_much_and_the_title_again() -> None:
    assert "too little" in _problems(replace(GOOD, description="", criteria=("It works",)))[0][1]
    assert "too big" in _problems(replace(GOOD, criteria=GOOD.criteria * 11))[0][1]
    assert "too big" in _problems(replace(GOOD, description="word " * 2000))[0][1]
    assert "repeats the title" in _problems(replace(GOOD, description=GOOD.title.upper()))[0][1]
    assert _problems(replace(GOOD, criteria=GOOD.criteria * 10)) == []
    assert _problems(replace(GOOD, description="")) == []


def test_doubled_titles() -> None:
    again = replace(GOOD, id="b", title="  export Orders as  csv ")
    assert _problems(GOOD, again) == [("b", "has the same title as a")]
    boxes = Task("x", "X"), Task("y", "Y")
    assert _lint(*boxes, replace(GOOD, parent="x"), replace(again, parent="y")) == ()


def test_all_trouble_in_the_graph_is_collected() -> None:
    def task(name: str, *depends: str, parent: str | None = None) -> Task:
        return replace(GOOD, id=name, title=name, depends_on=depends, parent=parent)

    found = _problems(
        task("a", "b", "gone"),
        task("b", "a"),
        task("c", "c"),
        task("d", "a", "lost"),
        task("e", parent="nowhere"),
        task("e"),
    )
    assert [name for name, _ in found] == ["a", "d", "e", "e", "a", "c"]
    assert "depends on gone, which does not exist" in found[0][1]
    assert "depends on lost" in found[1][1]
    assert "parent nowhere" in found[2][1]
    assert "used twice" in found[3][1]
    assert found[4][1].endswith("wait for each other: a, b")
    assert found[5][1].endswith("wait for each other: c")


def test_a_skipped_dependency_is_a_warning() -> None:
    skipped = replace(GOOD, id="s", title="s", status=Status.SKIPPED)
    (one,) = _lint(skipped, replace(GOOD, depends_on=("s",)))
    assert one.severity is LintSeverity.WARNING
    assert "never be ready" in one.problem


_names = [f"n{number}" for number in range(6)]


@given(st.dictionaries(st.sampled_from(_names), st.lists(st.sampled_from(_names), unique=True)))
def test_circles_are_the_steps_that_reach_themselves(graph: dict[str, list[str]]) -> None:
    def reach(start: str) -> set[str]:
        found: set[str] = set()
        queue = [start]
        while queue:
            for name in graph[queue.pop()]:
                if name in graph and name not in found:
                    found.add(name)
                    queue.append(name)
        return found

    expected = {frozenset(m for m in reach(n) if n in reach(m)) for n in graph if n in reach(n)}
    found = circles(graph)
    assert {frozenset(group) for group in found} == expected
    assert len(found) == len(expected)


_tasks = st.lists(
    st.builds(
        Task,
        st.sampled_from(_names),
        st.just("T"),
        depends_on=st.lists(st.sampled_from(_names), max_size=2, unique=True).map(tuple),
        parent=st.sampled_from([None, None, *_names]),
    ),
    max_size=6,
)


@given(_tasks)
def test_the_linter_finds_what_the_check_refuses_and_only_that(tasks: list[Task]) -> None:
    plan = Plan("p", tuple(tasks))
    about_graph = ("does not exist", "used twice", "wait for each other")
    found = [
        one
        for one in lint(plan, has_project_checks=True)
        if any(w in one.problem for w in about_graph)
    ]
    try:
        check_graph(plan)
    except PlanError:
        assert found
    else:
        assert not found

"""The sentences of the report, and which change it wants looked at first."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.morning import contents

from ralph.domain import event as e
from ralph.domain.decision import StopReason
from ralph.domain.evidence import NOBODY
from ralph.proof.paths import sort_of
from ralph.ui.report import sentences as say
from ralph.ui.report import steps as do
from ralph.ui.report.markdown import code, plain
from ralph.views.reviewing import ChangedFile, concerns, ordered


def row(name: str = "A", **more: Any) -> dict[str, Any]:
    """A finished task that nothing speaks against."""
    proof = {
        "level": "proven", "unproven": False, "accepted_by": "", "facts": [], "criteria": [],
        "iteration": 1, "base": "b", "files": [],
    }  # fmt: skip
    usual = {"id": name, "title": name, "commit": f"c-{name}", "attempts": 1}
    return usual | {"attempts": more.pop("attempts", 1), "proof": proof | more}


def fact(kind: str, weight: str = "note") -> dict[str, Any]:
    return {"kind": kind, "weight": weight, "text": f"{kind}.", "why": "", "path": "", "tests": []}


def why(one: dict[str, Any], *files: ChangedFile) -> list[str]:
    return [concern.text for concern in concerns(one, files)]


def test_what_is_less_proven_is_looked_at_first() -> None:
    rows = [
        row("proven", iteration=1),
        row("noted", iteration=2, facts=[fact("ci_changed")]),
        row("accepted", iteration=3, accepted_by="ada", facts=[fact("test_removed", "ask")]),
        row("unproven", iteration=4, unproven=True, level="overlay"),
        row("claimed", iteration=5, unproven=True, level="claimed"),
        row("green", iteration=6, level="green"),
        row("by the plan") | {"proof": None},
    ]

    found = ordered(rows, {})

    names = ["claimed", "accepted", "unproven", "green", "noted", "proven"]
    assert [one["task"] for one in found] == names
    looks = {one["task"]: one["look"] for one in found}
    assert (looks["unproven"], looks["noted"], looks["proven"]) == ("closely", "yes", "briefly")


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (row(), []),
        (row(accepted_by="ada"), ["ada accepted it, the checks alone did not"]),
        (row(facts=[fact("no_red_test")], unproven=True), ["no test fails without the change"]),
        (row(facts=[fact("flaky")]), ["flaky"]),
        (
            row(criteria=[{"criterion": "x", "how": NOBODY, "passed": None}] * 2),
            ["nothing shows that 2 criteria are met"],
        ),
        (
            row(criteria=[{"criterion": "x", "how": "", "passed": None}]),
            ["one criterion is for a person to check"],
        ),
        (
            row(criteria=[{"criterion": "x", "how": "make x", "passed": False}]),
            ["one criterion is not met: its check fails"],
        ),
        (row(attempts=3), ["it took 3 attempts"]),
    ],
)
def test_each_reason_is_said_in_words(one: dict[str, Any], expected: list[str]) -> None:
    assert why(one) == expected


def test_files_that_matter_beyond_the_task_are_named_and_none_is_told_twice() -> None:
    ci = ChangedFile(".github/workflows/test.yml", "ci", 5)
    tests = ChangedFile("test_a.py", "test", 1, 4)
    assert why(row(), ci) == [
        "changes what runs in continuous integration: .github/workflows/test.yml"
    ]
    assert why(row(facts=[fact("ci_changed")]), ci) == ["ci_changed"]
    assert why(row(), tests) == ["removes 4 lines of tests that were there: test_a.py"]
    assert why(row(), ChangedFile("test_a.py", "test", 9)) == []
    many = [ChangedFile(f"{n}.py", added=1) for n in range(12)]
    assert why(row(), *many) == ["a large change: 12 files, 12 lines"]


@pytest.mark.parametrize(
    ("path", "sort"),
    [
        ("src/a.py", "source"),
        ("tests/test_a.py", "test"),
        (".github/workflows/a.yml", "ci"),
        ("package-lock.json", "dependencies"),
        ("requirements-dev.txt", "dependencies"),
        ("Makefile", "settings"),
        (".claude/settings.json", "settings"),
        ("docs/a.md", "words"),
    ],
)
def test_files_are_told_apart_by_what_a_reviewer_asks(path: str, sort: str) -> None:
    assert sort_of(path) == sort


def test_one_sentence_tells_what_happened() -> None:
    told = contents()
    assert say.ended(told) == "Waiting for you"
    assert say.headline(told).startswith(
        "2 of 4 tasks done: 1 proven, 1 unproven; 1 question waits for you; took "
    )
    assert say.headline(told).endswith(", $0.75.")
    assert "cost unknown" in say.headline(contents(cost=None))


def test_the_steps_are_in_the_order_of_their_urgency() -> None:
    told = contents()
    answer, go_on, look, merge, pull = do.steps(told)
    assert answer.text == "Answer Q2 about C (Third): Which way? Left or right?"
    assert answer.choices[1] == ("Right", "ralph answer Q2 2")
    assert go_on.commands == ("ralph run",)
    assert look.text == (
        "Look at B (Second) first: no test fails without the change; `Makefile` was changed. "
        "Then 1 more task of the list below."
    )
    assert look.commands == ("git diff c1 c2",)
    assert merge.commands == ("git switch main", "git merge ralph/plan")
    assert pull.commands == ("ralph pr",)


def test_no_word_of_an_agent_is_a_part_of_a_command() -> None:
    told = contents("; rm -rf ~")
    steps = [*do.steps(told), *do.undoing(told)]
    given = [one for step in steps for one in (*step.commands, *(c for _, c in step.choices))]
    assert [one for one in given if "rm -rf" in one] == []


def test_a_run_that_was_killed_or_goes_on_is_called_so() -> None:
    told = contents(ended=None)
    assert say.ended(told) == "Interrupted"
    assert [one.text for one in do.steps(told)][1].startswith("The run was interrupted")
    told["running_pid"] = 7
    assert say.ended(told) == "Still running"
    assert next(do.steps(told)).commands == ("ralph status",)


def test_a_limit_that_ended_the_run_is_a_reason_to_continue() -> None:
    told = contents(ended=e.RunEnded(StopReason.MAX_ITERATIONS, "2 iterations, the limit", 4))
    told["questions"] = []
    texts = [one.text for one in do.steps(told)]
    assert "One task is not done. The run ended: 2 iterations, the limit. Continue with" in texts


def test_what_is_open_is_grouped_by_the_tasks_it_is_said_of() -> None:
    assert say.unverified(contents()) == [
        (("A", "B"), ["Not confined: agents and checks had your rights"]),
        (("B",), ["it works: nobody looked", "no test fails without the change"]),
    ]


def test_markdown_means_nothing_but_itself() -> None:
    assert plain("<b> [x](y) @ada #12 a_b | `co|de`") == (
        r"\<b\> \[x\](y) @" + "\u2060" + r"ada \#" + "\u2060" + r"12 a\_b \| \`co\|de\`"
    )
    assert plain("see `a_b` there") == "see `a_b` there"
    assert code("a `b` c") == "`` a `b` c ``"

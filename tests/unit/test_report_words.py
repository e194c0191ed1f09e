"""The sentences of the report, and which change it wants looked at first."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.morning import contents

from ralph.domain import event as e
from ralph.domain.decision import StopReason
from ralph.domain.evidence import NOBODY
from ralph.proof.paths import sort_of
from ralph.ui.report import numbers
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
        (row(facts=[fact("no_red_test")], unproven=True), ["no test covers it"]),
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
    assert why(row(), tests) == ["edits or removes 4 earlier lines of tests: test_a.py"]
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
    answer, look, go_on, decide = do.steps(told)
    assert answer.text == "Answer Q2 about C (Third): Which way? Left or right?"
    assert answer.choices[1] == ("Right", "ralph answer Q2 2")
    assert go_on.commands == ("ralph run",)
    assert look.text == (
        "Look at B (Second): no test covers it; `Makefile` was changed. Then at A."
    )
    assert look.commands == ("git diff c1 c2",)
    assert decide.text.endswith("Do one of these:")
    assert [does for _, does in decide.choices] == [
        "git switch main && git merge ralph/plan",
        "ralph pr",
        "ralph retry --task B --feedback TEXT",
        "ralph revert --iteration 1",
    ]
    assert decide.choices[0][0] == (
        "merges it: 2 commits (A, B); 2 tasks of the plan are missing in it"
    )


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
    look, more, _ = do.steps(told)
    assert look.text.startswith("Look at B")
    assert more.text.startswith("One task is not done. The run ended: 2 iterations, the limit. ")
    assert [does for _, does in more.choices] == ["ralph run", "ralph run --max-iterations N"]


def test_what_is_open_is_grouped_by_the_tasks_it_is_said_of() -> None:
    assert say.unverified(contents()) == [
        (("A", "B"), ["Not confined: agents and checks had your rights"]),
        (("B",), ["it works: nobody looked", "no test covers it"]),
    ]


def test_a_stuck_task_is_told_by_what_fails() -> None:
    told = contents()
    [asked] = told["questions"]
    row = {"question": "Q2", "why": "C is stuck: the same failure 3 times in a row"}
    assert say.why_open(row, (), [asked]) == "Which way?"
    asked["fails"] = "AssertionError: assert 1 == 2"
    assert say.why_open(row, (), [asked]) == "It still fails: AssertionError: assert 1 == 2"
    assert "It still fails: AssertionError" in next(do.steps(told)).text


def test_how_sure_it_is_and_its_sign() -> None:
    def told(**more: Any) -> tuple[str, str]:
        proof = {"tests_that_show_it": ["t.py::t"]} | more
        one = row(**proof)
        one |= {name: one["proof"][name] for name in ("level", "unproven", "accepted_by")}
        return say.sign(one), say.sure(one)

    assert told() == ("✓", "Done: `t.py::t` fails without the change and passes with it.")
    assert told(unproven=True) == ("!", "Done, but no test covers it.")
    assert told(accepted_by="ada")[0] == "✓"
    assert told(level="green")[0] == "!"


def test_the_words_of_an_agent_are_told_without_what_is_for_ralph() -> None:
    said = "Added `add`.\n\nTask A complete\n<follow-up>\n<title>More</title>\n</follow-up>\n"
    assert say.claim({"summary": said}) == "Added `add`."
    assert say.claim({"summary": "Task US-001 complete"}) == say.claim(None) == ""


def test_every_agent_and_every_run_is_accounted_for() -> None:
    told = contents()
    told["spent"] |= {"agents": 5, "asked_again": 1}
    told["spent_ever"] = told["spent"] | {"agents": 9, "cost_usd": 2.0}
    cost, ever, _ = numbers.spent(told)
    assert cost.startswith(
        "cost: $0.75 for 5 agents (3 attempts; 1 time an agent was asked once more within its "
        "attempt; 1 judged the work of others), "
    )
    assert ever == "with the earlier runs on this branch: $2.00"


def test_markdown_means_nothing_but_itself() -> None:
    assert plain("<b> [x](y) @ada #12 a_b | `co|de`") == (
        r"\<b\> \[x\](y) @" + "\u2060" + r"ada \#" + "\u2060" + r"12 a\_b \| \`co\|de\`"
    )
    assert plain("see `a_b` there") == "see `a_b` there"
    assert code("a `b` c") == "`` a `b` c ``"

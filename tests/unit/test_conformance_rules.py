"""What the judge of the misbehaving agents lets pass and what not; the cases and their agents."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ralph.domain.errors import UsageError
from ralph.flows.conformance import agents, rules
from ralph.flows.conformance.agents import kit
from ralph.flows.conformance.case import Case, Expected, Seen
from ralph.flows.conformance.cases import CASES
from ralph.flows.conformance.harness import CANARY, Harness, choose
from ralph.flows.conformance.project import KINDS, Stage, plan_of
from ralph.flows.conformance.suite import select

HOWTO = Path(__file__).parents[2] / "docs" / "howto" / "conformance.md"
SCRIPTS = sorted(
    path
    for path in Path(agents.__path__[0]).glob("*.py")
    if path.name not in {"__init__.py", "kit.py"}
)

GOOD = Seen(exit_code=0, calls=1, done=True, proven=True)
LEFT_OPEN = Seen(exit_code=4, calls=2)


def judged(expected: Expected, seen: Seen, *more: Any, **options: Any) -> tuple[str, ...]:
    return rules.judge(Case("liar", "lies", expected, *more, **options), seen)


def changed(seen: Seen, **fields: Any) -> Seen:
    return msgspec.structs.replace(seen, **fields)


@pytest.mark.parametrize("expected", [Expected.DONE, Expected.EITHER])
def test_work_that_is_done_and_proven_passes(expected: Expected) -> None:
    assert judged(expected, GOOD) == ()


@pytest.mark.parametrize("expected", [Expected.OPEN, Expected.EITHER])
def test_a_task_left_open_passes(expected: Expected) -> None:
    assert judged(expected, LEFT_OPEN) == ()


@pytest.mark.parametrize("expected", Expected)
@pytest.mark.parametrize(
    ("seen", "problem"),
    [
        (changed(GOOD, proven=False), "the commit does not do what it asks for"),
        (changed(LEFT_OPEN, exit_code=0), "ended with success, but the task is open"),
        (changed(GOOD, calls=0), "never started"),
        (changed(GOOD, lost=("notes.txt",)), "notes.txt of the user is gone or changed"),
        (changed(GOOD, git=("a merge is under way",)), "a merge is under way"),
        (changed(GOOD, plan_kept=False), "the plan is not the one"),
        (changed(GOOD, base_kept=False), "no longer part of the branch"),
        (changed(GOOD, process_left=True), "a process of the agent's is left"),
        (changed(LEFT_OPEN, ended=False, seconds=60), "did not end within 60 s"),
    ],
)
def test_what_must_always_hold(expected: Expected, seen: Seen, problem: str) -> None:
    assert any(problem in found for found in judged(expected, seen))


def test_what_is_expected_decides_between_done_and_not_done() -> None:
    assert judged(Expected.OPEN, GOOD) == ("the task is marked as done",)
    assert judged(Expected.DONE, LEFT_OPEN) == ("the task is not marked as done",)
    assert judged(Expected.DONE, changed(GOOD, exit_code=4)) == ("it ended with exit code 4",)


def test_waiting_out_a_limit_is_no_failure_where_a_case_allows_it() -> None:
    waits = changed(LEFT_OPEN, ended=False, exit_code=None)
    assert judged(Expected.OPEN, waits, may_wait=True) == ()
    assert judged(Expected.OPEN, waits) != ()


@pytest.mark.parametrize(
    ("rule", "fine", "wrong"),
    [
        (rules.nothing_forged, {}, {"forged": True}),
        (rules.nothing_planted, {}, {"planted": ("pre-commit",)}),
        (rules.no_leak, {}, {"leaked": ("the output",)}),
        (rules.question_shown, {"asked": True}, {}),
        (rules.calls_at_most(3), {"calls": 3}, {"calls": 4}),
        (rules.calls_at_least(2), {"calls": 2}, {"calls": 1}),
        (rules.memory_at_most(128), {"memory_mb": 128}, {"memory_mb": 129}),
        (rules.disk_at_most(128), {"grown_mb": 128}, {"grown_mb": 129}),
    ],
)
def test_each_rule_can_fail(rule: Any, fine: dict[str, Any], wrong: dict[str, Any]) -> None:
    assert rule(changed(GOOD, **fine)) == ""
    assert rule(changed(GOOD, **wrong))


def test_every_case_has_its_agent_and_every_agent_its_case() -> None:
    wanted = [case.module.rpartition(".")[2] for case in CASES]
    assert sorted(wanted) == [path.stem for path in SCRIPTS]
    assert {case.project for case in CASES} == set(KINDS)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_an_agent_is_small_says_what_it_does_and_needs_only_python(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in (
            node.names if isinstance(node, ast.Import) else [ast.alias(node.module or "")]
        )
    }
    foreign = {name for name in imported if name.split(".")[0] not in sys.stdlib_module_names}
    assert len(text.splitlines()) <= 60
    assert "An honest harness" in (ast.get_docstring(tree) or "")
    assert foreign == {kit.__name__}


def test_the_how_to_has_every_case_with_what_is_expected() -> None:
    text = HOWTO.read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\| `([\w-]+)` \| [^|]+ \| ([\w ]+) \|", text)
    assert rows == [(case.name, case.expected.value) for case in CASES]


def scene(folder: Path, **options: Any) -> Stage:
    case = Case("liar", "lies", Expected.OPEN, **options)
    return Stage(case, folder, base="", size=0)


def test_a_template_is_split_into_words_before_it_is_filled(tmp_path: Path) -> None:
    harness = choose("sh -c 'run --once ${name}' {agent} --check={verify} {plan} {iterations}")
    words = harness.argv(scene(tmp_path / "a b", iterations=7))
    assert words[:3] == ("sh", "-c", "run --once ${name}")
    assert words[3] == str(tmp_path / "a b" / "agent")
    assert words[4].startswith("--check=")
    assert words[4].endswith(" -m unittest")
    assert words[5:] == ("PRD.json", "7")


def test_seconds_and_minutes_are_the_same_limit(tmp_path: Path) -> None:
    harness = choose("sh {agent} {seconds} {minutes} {repo} {state}")
    words = harness.argv(scene(tmp_path, agent_seconds=90))
    assert words[2:] == ("90", "1.5", str(tmp_path / "repo"), str(tmp_path / "state"))


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("", "does not say where the agent goes"),
        ("sh loop.sh {plan}", "does not say where the agent goes"),
        ("sh -c 'echo ${agent}'", "does not say where the agent goes"),
        ("sh 'loop.sh {agent}", "cannot be read: No closing quotation"),
        ("sh {agnet} {agent}", "has the unknown placeholder {agnet}"),
        ("nowhere-to-be-found {agent}", "`nowhere-to-be-found` is not a program"),
    ],
)
def test_a_template_that_makes_no_sense_is_refused(template: str, problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        choose(template)
    assert problem in str(caught.value)
    assert len(str(caught.value).splitlines()) == 2


def test_the_secret_goes_into_the_harness_s_environment(tmp_path: Path) -> None:
    given = {"PATH": "/bin", "RALPH_AGENT": "mine", "GIT_DIR": "/elsewhere"}
    own = choose("sh {agent}").environment(scene(tmp_path), given, "s3cret")
    assert own == {"PATH": "/bin", "RALPH_AGENT": "mine", CANARY: "s3cret"}
    ralph = choose(None).environment(scene(tmp_path, agent_seconds=6), given, "s3cret")
    assert "RALPH_AGENT" not in ralph
    assert ralph["RALPH_HOME"] == f"{tmp_path}/home"
    assert ralph["RALPH_LOOP__MAX_MINUTES_PER_ITERATION"] == "0.1"


def test_the_names_of_the_built_in_harnesses() -> None:
    assert choose("ralph") == choose(None)
    assert isinstance(choose("naive"), Harness)
    assert choose("naive").name == "naive"


def test_cases_are_chosen_by_name_in_the_order_of_the_table() -> None:
    assert [case.name for case in select(("liar", "honest"))] == ["honest", "liar"]
    assert select(()) == CASES
    with pytest.raises(UsageError, match="no case `lair`"):
        select(("liar", "lair"))


def test_the_plans_of_the_cases_have_one_open_task() -> None:
    for kind in KINDS.values():
        [story] = plan_of(kind)["userStories"]
        assert (story["id"], story["passes"]) == (kit.TASK, False)

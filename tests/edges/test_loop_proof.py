"""What a verdict rests on: old failures, flaky tests, criteria, held-out checks, earlier tasks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.support.house import Acting, Place, story

from ralph.domain import event as e
from ralph.domain.evidence import FactKind
from ralph.domain.settings import LoopSettings, VerificationSettings
from ralph.domain.verdict import Level
from ralph.loop.run import Asked
from ralph.proof.held_out import HeldOutChecks

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.domain.job import Job

PYTEST = (sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider")
RED = "def test_old():\n    assert False\n"
ADD = "def add(a, b):\n    return a + b\n"
TEST_ADD = "from app import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"


class Project(Place):
    """A Python project with pytest."""

    verification = VerificationSettings(commands=(PYTEST,), env=("PYTEST_DISABLE_PLUGIN_AUTOLOAD",))

    def commit(self, **files: str) -> None:
        write(self.root, files)
        self.git("add", "-A")
        self.git("commit", "-qm", "more")

    def facts(self) -> set[FactKind]:
        return {one.fact.kind for event in self.events(e.Verified) for one in event.verdict.facts}

    def questions(self) -> int:
        """How many were asked; work that is asked about is not settled."""
        asked = len(self.events(e.Escalated))
        assert not (asked and self.levels())
        return asked

    def levels(self) -> list[Level]:
        return [event.level for event in self.events(e.Settled)]


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def writes(say: str = "", **files: str) -> Callable[[Job], str]:
    def act(job: Job) -> str:
        write(Path(job.workspace), files)
        return say or f"Task {job.task} complete"

    return act


def story_with(*criteria: Any, name: str = "A", **more: Any) -> dict[str, Any]:
    return {**story(name), "criteria": list(criteria), **more}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    made = Project(tmp_path, [story("A")], loop=LoopSettings(max_iterations=1))
    made.commit(app_py="", tests__test_app_py="def test_app():\n    import app\n")
    return made


HONEST = writes(app_py=ADD, tests__test_add_py=TEST_ADD)


def test_a_feature_with_its_test_is_proven(project: Project) -> None:
    assert project.run(Acting(HONEST)) == 0
    assert project.levels() == [Level.PROVEN]
    (verified,) = project.events(e.Verified)
    assert verified.verdict.shown == ("tests/test_add.py::test_add",)
    assert not verified.verdict.untested


def test_a_feature_without_a_test_is_asked_for_one_and_then_shown_as_unproven(
    project: Project,
) -> None:
    agent = Acting(writes(app_py=ADD))
    assert project.run(agent) == 0
    assert len(agent.jobs) == 2
    assert "Show it with a test" in agent.jobs[1].prompt
    (settled,) = project.events(e.Settled)
    assert settled.untested
    assert settled.level is Level.OVERLAY


def test_with_require_proven_that_is_a_question(project: Project) -> None:
    project.verification = replace(project.verification, require="proven")
    project.run(Acting(writes(app_py=ADD)))
    assert project.questions() == 1


def test_what_was_red_before_is_not_held_against_the_task(project: Project) -> None:
    project.commit(tests__test_old_py=RED)
    assert project.run(Acting(HONEST)) == 0
    assert project.levels() == [Level.OVERLAY], "a red check proves nothing"
    assert FactKind.WAS_RED in project.facts()


def test_but_it_does_not_excuse_work_that_shows_nothing(project: Project) -> None:
    project.commit(tests__test_old_py=RED)
    assert project.run(Acting(writes(app_py="# looked at it\n"))) == 4
    assert not project.levels()


@pytest.mark.parametrize("base", [True, False])
def test_checks_that_report_nothing_any_more_are_seen_without_a_trial_of_the_base(
    project: Project, *, base: bool
) -> None:
    run = f"{sys.executable} -B -m pytest -q -p no:cacheprovider"
    project.commit(Makefile=f"test:\n\t@{run}\n")
    project.verification = replace(
        project.verification, commands=(("make", "-s", "test"),), base=base
    )
    project.run(Acting(writes(app_py=ADD, Makefile="test:\n\t@true\n")))
    assert FactKind.REPORT_FORGED in project.facts()
    assert not project.levels()


def test_turning_an_old_failure_green_shows_the_work(project: Project) -> None:
    project.commit(tests__test_add_py=TEST_ADD)
    assert project.run(Acting(writes(app_py=ADD))) == 0
    assert project.levels() == [Level.PROVEN]


def test_by_editing_the_test_it_does_not(project: Project) -> None:
    project.commit(tests__test_add_py=TEST_ADD)
    cheat = writes(app_py="def add(a, b): ...\n", tests__test_add_py="def test_add(): ...\n")
    project.run(Acting(cheat))
    assert project.questions() == 1
    assert FactKind.TEST_REWRITTEN in project.facts()


UPPER = "def upper(s):\n    return s.upper()\n"
TEST_UPPER = "from app import upper\n\n\ndef test_upper():\n    assert upper('a') == 'A'\n"


@pytest.mark.parametrize(
    ("asserts", "loosened"),
    [
        ("assert upper('a')", True),
        ("assert upper('a') == 'A' or True", True),
        ("assert upper('a') == 'A'\n    assert upper('b') == 'B'", False),
    ],
)
def test_what_still_holds_and_is_not_asserted_any_more_is_noted(
    project: Project, asserts: str, *, loosened: bool
) -> None:
    project.commit(app_py=UPPER, tests__test_upper_py=TEST_UPPER)
    weaker = TEST_UPPER.replace("assert upper('a') == 'A'", asserts)
    work = writes(app_py=UPPER + ADD, tests__test_add_py=TEST_ADD, tests__test_upper_py=weaker)
    assert project.run(Acting(work)) == 0
    assert project.levels() == [Level.PROVEN]
    assert (FactKind.TEST_LOOSENED in project.facts()) is loosened


def test_tests_that_stop_reporting_are_asked_about(project: Project) -> None:
    command = (sys.executable, "-B", "check.py")
    project.verification = replace(project.verification, commands=(command,))
    runs = "import pytest, sys\nsys.exit(pytest.main(['-q', '-p', 'no:cacheprovider']))\n"
    project.commit(check_py=runs)
    mute = writes(check_py="", app_py=ADD, tests__test_add_py=TEST_ADD)
    project.verification = replace(project.verification, overlay=False)
    project.run(Acting(mute))
    assert project.questions() == 1
    assert FactKind.REPORT_FORGED in project.facts()


FLAKY = """\
from pathlib import Path

count = Path({place!r})


def test_flaky():
    tries = int(count.read_text()) + 1
    count.write_text(str(tries))
    assert tries % 3
"""


@pytest.mark.parametrize("start", [0, 1, 2])
def test_a_flaky_test_does_not_fail_a_good_task_and_is_named(
    project: Project, tmp_path: Path, start: int
) -> None:
    project.verification = replace(project.verification, side_by_side=False, canary=False)
    counter = tmp_path / "count"
    counter.write_text(str(start))
    project.commit(tests__test_flaky_py=FLAKY.format(place=str(counter)))
    counter.write_text(str(start))
    assert project.run(Acting(HONEST)) == 0
    assert project.levels()


def test_a_flaky_test_does_not_hide_a_broken_one(project: Project, tmp_path: Path) -> None:
    counter = tmp_path / "count"
    counter.write_text("1")
    project.commit(tests__test_flaky_py=FLAKY.format(place=str(counter)), app_py=ADD)
    project.commit(tests__test_add_py=TEST_ADD)
    broken = writes(app_py="def add(a, b):\n    return 4\n\n\ndef sub(a, b):\n    return a - b\n")
    assert project.run(Acting(broken)) == 4
    assert not project.levels()


def test_a_criterion_brings_its_own_check(project: Project) -> None:
    project.write_plan(
        [
            story_with(
                "it adds",
                {"text": "its test runs", "check": {"tests": ["test_add"]}},
                {"text": "it is there", "check": {"file": "app.py", "contains": "def add"}},
                {"text": "it imports", "check": f"{sys.executable} -c 'from app import add'"},
            )
        ]
    )
    project.git("commit", "-qam", "plan")
    assert project.run(Acting(HONEST)) == 0
    (verified,) = project.events(e.Verified)
    assert [(one.passed, one.bound) for one in verified.verdict.evidence] == [
        (None, False),
        (True, True),
        (True, True),
        (True, True),
    ]


@pytest.mark.parametrize(
    ("check", "questions"),
    [
        ({"tests": ["test_sub"]}, 0),
        ({"file": "app.py", "contains": "def sub"}, 0),
        ("false", 0),
        ({"person": True}, 1),
        ({"url": "http://127.0.0.1:9/", "status": 200}, 0),
    ],
)
def test_a_criterion_that_is_not_met_keeps_the_task_open(
    project: Project, check: object, questions: int
) -> None:
    project.write_plan([story_with({"text": "it holds", "check": check})])
    project.git("commit", "-qam", "plan")
    assert project.run(Acting(HONEST)) == 4
    assert project.questions() == questions


def test_a_criterion_that_is_green_before_any_work_is_asked_about(project: Project) -> None:
    project.write_plan([story_with({"text": "it holds", "check": "true"})])
    project.git("commit", "-qam", "plan")
    agent = Acting(HONEST)
    assert project.run(agent) == 5
    assert not agent.jobs
    assert "before any work" in project.events(e.Escalated)[0].question.summary
    assert project.run(agent, asked=Asked(only="A")) in (0, 5)


def held_out(project: Project, folder: Path, code: str) -> None:
    kept = folder / "kept" / "A"
    (kept / "files" / "hidden").mkdir(parents=True)
    (kept / "files" / "hidden" / "test_hidden.py").write_text(code)
    (kept / "command").write_text(f"{' '.join(PYTEST)} hidden")
    project.verification = replace(project.verification, held_out=str(folder / "kept"))


def test_a_held_out_check_that_passes_is_the_highest_level(
    project: Project, tmp_path: Path
) -> None:
    held_out(project, tmp_path, TEST_ADD.replace("1, 2) == 3", "20, 22) == 42"))
    assert project.run(Acting(HONEST)) == 0
    assert project.levels() == [Level.ACCEPTED]


def test_a_held_out_check_that_fails_tells_the_agent_nothing_more(
    project: Project, tmp_path: Path
) -> None:
    project.loop = LoopSettings(max_iterations=2)
    held_out(project, tmp_path, TEST_ADD.replace("1, 2) == 3", "20, 22) == 42"))
    agent = Acting(
        writes(app_py="def add(a, b):\n    return 3\n", tests__test_add_py=TEST_ADD), HONEST
    )
    assert project.run(agent) == 0
    assert "The held-out check `A` fails." in agent.jobs[1].prompt
    assert "20, 22" not in agent.jobs[1].prompt


def test_the_folder_of_held_out_checks_may_not_be_seen_by_agents(project: Project) -> None:
    from ralph.domain.errors import ConfigError

    (project.root / "hidden").mkdir()
    with pytest.raises(ConfigError, match="agents can see"):
        HeldOutChecks("hidden", project.root)


def test_work_that_breaks_an_earlier_task_is_named_and_the_task_reopened(
    project: Project,
) -> None:
    project.loop = LoopSettings(max_iterations=2)
    one = {**story("A"), "verify": [f"{sys.executable} -c 'import app; assert app.VALUE == 1'"]}
    project.write_plan([one, story("B")])
    project.git("commit", "-qam", "plan")
    first = writes(app_py="VALUE = 1\n")
    second = writes(app_py="VALUE = 2\n" + ADD, tests__test_add_py=TEST_ADD)
    assert project.run(Acting(first, second)) == 4
    assert [event.task for event in project.events(e.Settled)] == ["A", "B"]
    assert FactKind.BROKE_EARLIER in project.facts()
    (retried,) = project.events(e.TaskRetried)
    assert (retried.task, retried.by) == ("A", "ralph")
    assert project.passed() == ["B"]


def test_old_tests_in_a_file_that_cannot_be_loaded_show_nothing(project: Project) -> None:
    """The new test looks at nothing; the old one never ran without the work."""
    old = "from app import subtract\n\n\ndef test_old():\n    assert subtract(3, 1) == 2\n"
    app = "def subtract(a, b):\n    return a - b\n"
    project.commit(app_py=app, tests__test_all_py=old)
    new = old.replace("import subtract", "import add, subtract")
    new += "\n\ndef test_new():\n    add(1, 2)\n"
    source = app + "\n\ndef add(a, b):\n    return a + b\n"
    project.run(Acting(writes(app_py=source, tests__test_all_py=new)))
    verdict = project.events(e.Verified)[0].verdict
    assert verdict.shown == ()
    assert verdict.untested


class Judge(Acting):
    name = "judge"


@pytest.mark.parametrize(
    ("said", "questions"),
    [("Fine.\nVERDICT: SOUND", 0), ("VERDICT: DOUBT: it knows the answer", 1), ("Well …", 1)],
)
def test_a_judge_may_only_speak_against_it(project: Project, said: str, questions: int) -> None:
    judge = Judge(lambda _: said)
    project.judge = judge
    project.run(Acting(HONEST))
    assert project.questions() == questions
    (job,) = judge.jobs
    assert "+def add(a, b):" in job.prompt
    assert job.workspace != str(project.root)


FLOW = """\
serve: exec python3 -m http.server {port} --bind 127.0.0.1
url: http://127.0.0.1:{port}/
steps:
  - navigate: /
  - verify: {text: Hello}
"""


@pytest.mark.parametrize(("page", "passed"), [("<p>Hello</p>", True), ("<p>Good bye</p>", False)])
def test_a_criterion_can_be_a_browser_flow(project: Project, page: str, passed: bool) -> None:
    (project.root / "flows").mkdir()
    (project.root / "flows" / "hello.yaml").write_text(FLOW)
    project.write_plan([story_with({"text": "it greets", "check": {"flow": "flows/hello.yaml"}})])
    project.git("add", "-A")
    project.git("commit", "-qm", "flow")

    def act(job: Job) -> str:
        (Path(job.workspace) / "index.html").write_text(page)
        return HONEST(job)

    project.run(Acting(act))
    (evidence,) = project.events(e.Verified)[-1].verdict.evidence
    assert evidence.passed is passed
    assert Path(evidence.log).is_file()
    assert bool(project.levels()) is passed


def test_an_agent_cannot_bend_the_flow_to_its_page(project: Project) -> None:
    (project.root / "flows").mkdir()
    flow = project.root / "flows" / "hello.yaml"
    flow.write_text(FLOW)
    project.write_plan([story_with({"text": "it greets", "check": {"flow": "flows/hello.yaml"}})])
    project.git("add", "-A")
    project.git("commit", "-qm", "flow")

    def act(job: Job) -> str:
        (Path(job.workspace) / "index.html").write_text("<p>Good bye</p>")
        (Path(job.workspace) / "flows/hello.yaml").write_text(FLOW.replace("Hello", "Good bye"))
        return HONEST(job)

    project.run(Acting(act))
    assert FactKind.UNMET in project.facts()
    assert not project.levels()


def test_a_held_out_check_that_is_not_there_is_a_persons_business(project: Project) -> None:
    project.write_plan([story_with({"text": "it holds", "check": {"held_out": "nowhere"}})])
    project.git("commit", "-qam", "plan")
    project.run(Acting(HONEST))
    assert project.questions() == 1
    assert FactKind.FOR_A_PERSON in project.facts()

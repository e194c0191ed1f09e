"""What is tried besides the change itself, and how little of it where little will do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.edges.test_loop_proof import HONEST, PYTEST, TEST_ADD, Project, held_out, writes
from tests.support.house import Acting, story

from ralph.domain import event as e
from ralph.domain.evidence import FactKind
from ralph.domain.settings import LoopSettings
from ralph.domain.verdict import Level

if TYPE_CHECKING:
    from ralph.domain.job import Job

SLOW = "import time\n\n\ndef test_slow():\n    time.sleep(0.3)\n"
NO_ADD = "import sys\n\nsys.exit('def add' not in open('app.py').read())\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    made = Project(tmp_path, [story("A")], loop=LoopSettings(max_iterations=1))
    made.commit(app_py="", tests__test_app_py="def test_app():\n    import app\n")
    return made


def log(project: Project, name: str) -> str:
    return (project.root / ".ralph" / "logs" / f"iteration-1-{name}-check-1.log").read_text()


def test_only_the_files_concerned_are_run_for_red_and_canary(project: Project) -> None:
    project.commit(tests__test_slow_py=SLOW)
    assert project.run(Acting(HONEST)) == 0
    assert project.levels() == [Level.PROVEN]
    assert "1 error" in log(project, "red")
    assert "test_canary" in log(project, "canary")
    assert all("test_slow" not in log(project, name) for name in ("red", "canary"))
    assert "2 passed" in log(project, "overlay")


def test_with_other_configuration_everything_is_run(project: Project) -> None:
    project.commit(tests__test_slow_py=SLOW)
    agent = Acting(writes(app_py="VALUE = 1\n", tests__conftest_py="import pytest\n"))
    project.run(agent)
    assert "1 failed, 2 passed" in log(project, "canary")


@pytest.mark.parametrize("known", [True, False])
def test_a_check_that_stops_before_the_tests_hides_neither_red_nor_canary(
    project: Project, known: bool
) -> None:
    """A type checker, for one, speaks before the tests do when they are ahead of the code."""
    project.commit(check_py=NO_ADD, app_py="# def add\n")
    commands = ((sys.executable, "check.py"), PYTEST)
    project.verification = replace(project.verification, commands=commands, base=known)
    assert project.run(Acting(HONEST)) == 0
    assert project.levels() == [Level.PROVEN]


def test_a_first_test_brings_its_own_canary(project: Project) -> None:
    """On the base nobody can say where a test would be found."""
    project.git("rm", "-qr", "tests")
    project.commit(tests_keep_md="")
    assert project.run(Acting(HONEST)) == 0
    assert project.levels() == [Level.PROVEN]


def test_moved_tests_are_followed(project: Project) -> None:
    """The base's own place for tests is gone, and a canary there would be heard by nobody."""

    def moves(job: Job) -> str:
        root = Path(job.workspace)
        (root / "tests").rename(root / "checks")
        return HONEST(job)

    project.write_plan([{**story("A"), "may_change_tests": ["tests/*", "checks/*"]}])
    project.git("commit", "-qam", "plan")
    assert project.run(Acting(moves)) == 0
    assert project.levels() == [Level.PROVEN]


def test_a_test_that_was_removed_on_purpose_is_not_asked_for(project: Project) -> None:
    project.commit(tests__test_old_py="def test_old(): ...\n")

    def removes(job: Job) -> str:
        (Path(job.workspace) / "tests" / "test_old.py").unlink()
        return HONEST(job)

    project.write_plan([{**story("A"), "may_change_tests": ["tests/test_old.py"]}])
    project.git("commit", "-qam", "plan")
    assert project.run(Acting(removes)) == 0
    assert project.levels() == [Level.PROVEN]


MODULES = {f"mod_{n}_py": f"def number():\n    return {n}\n" for n in range(9)}
TEST = "import mod_{0} as m\n\n\ndef test_it():\n    assert m.number() == {0}\n"
TESTS = {f"tests__test_mod_{n}_py": TEST.format(n) for n in range(9)}
MORE = "def number():\n    return 3\n\n\ndef more():\n    return 4\n"
TEST_MORE = "import mod_3\n\n\ndef test_more():\n    assert mod_3.more() == 4\n"


def test_the_overlay_leaves_out_tests_that_cannot_see_the_change(project: Project) -> None:
    project.commit(**MODULES, **TESTS)
    project.run(Acting(writes(mod_3_py=MORE, tests__test_more_py=TEST_MORE)))
    assert project.levels() == [Level.PROVEN]
    assert "1 passed" in log(project, "overlay")
    [verified] = project.events(e.Verified)
    assert any("no other can see the change" in note for note in verified.verdict.notes)


def test_the_overlay_is_whole_where_nobody_can_tell(project: Project) -> None:
    project.commit(**MODULES, **TESTS)
    project.run(Acting(writes(mod_3_py=MORE, table_json="{}", tests__test_more_py=TEST_MORE)))
    assert "10 passed" in log(project, "overlay")


def test_the_overlay_is_whole_if_it_is_told_to_be(project: Project) -> None:
    project.verification = replace(project.verification, affected=False)
    project.commit(**MODULES, **TESTS)
    project.run(Acting(writes(mod_3_py=MORE, tests__test_more_py=TEST_MORE)))
    assert "10 passed" in log(project, "overlay")


@pytest.mark.parametrize("known", [True, False])
def test_what_a_new_test_hides_is_seen_with_few_as_well(project: Project, known: bool) -> None:
    project.verification = replace(project.verification, base=known)
    project.commit(**MODULES, **TESTS)
    broken = MORE.replace("return 3", "return 0")
    hides = f"{TEST_MORE}\n\nmod_3.number = lambda: 3\n"
    project.run(Acting(writes(mod_3_py=broken, tests__test_more_py=hides)))
    assert FactKind.OVERLAY_RED in project.facts()
    assert "1 failed" in log(project, "overlay")
    assert "1 failed, 9 passed" in log(project, "overlay-all")


def test_what_silences_failures_is_heard_with_the_tests_around_it(project: Project) -> None:
    """The source itself forgives every failure, once a test has loaded it."""
    project.verification = replace(project.verification, smells=False)
    source = (
        "import _pytest.runner as r\n\n"
        "real = r.CallInfo.from_call\n\n\n"
        "def add(a, b):\n    return a + b\n\n\n"
        "def calm(func, when, reraise=None):\n"
        "    info = real(func, when, reraise)\n"
        "    info.excinfo = None\n"
        "    return info\n\n\n"
        "r.CallInfo.from_call = calm\n"
    )
    project.run(Acting(writes(app_py=source, tests__test_add_py=TEST_ADD)))
    assert project.questions() == 1
    assert project.facts() & {FactKind.CANARY_SILENT, FactKind.REPORT_FORGED}


def test_what_a_held_out_check_prints_is_not_for_agents(project: Project, tmp_path: Path) -> None:
    held_out(project, tmp_path, TEST_ADD.replace("test_add", "test_rule").replace("== 3", "== 4"))
    project.run(Acting(HONEST))
    assert not project.levels()
    logs = project.root / ".ralph" / "logs"
    assert not [one for one in logs.iterdir() if "test_rule" in one.read_text()]
    (kept,) = (project.opened(Acting(HONEST)).prover.hidden_logs).iterdir()
    assert "test_rule" in kept.read_text()


def test_who_accepted_it_and_what_is_unproven_stands_in_the_ledger(project: Project) -> None:
    assert project.run(Acting(writes(app_py="VALUE = 1\n"))) == 0
    (settled,) = project.events(e.Settled)
    (before,) = project.events(e.AboutToCommit)
    assert (settled.untested, before.untested, settled.accepted_by) == (True, True, "")

"""What real projects do and honest work is not to be held up for: a small project for each kind."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.edges.test_loop_proof import ADD, HONEST, PYTEST, TEST_ADD, Project, write, writes
from tests.support.house import Acting, story

from ralph.domain import event as e
from ralph.domain.evidence import COVERED, NOBODY, FactKind
from ralph.domain.settings import LoopSettings, Unproven
from ralph.domain.task import shell, shown
from ralph.domain.verdict import Level

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.question import Question


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    made = Project(tmp_path, [story("A")], loop=LoopSettings(max_iterations=1))
    made.commit(app_py="", tests__test_app_py="def test_app():\n    import app\n")
    return made


def planned(project: Project, title: str, *criteria: str, kind: str = "feature") -> None:
    task = {**story("A"), "title": title, "criteria": list(criteria), "kind": kind}
    project.write_plan([task])
    project.git("commit", "-qam", "plan")


def question(project: Project) -> Question:
    (escalated,) = project.events(e.Escalated)
    return escalated.question


# ---- who a test is

MOVES = """\
import time
import uuid

import pytest


class Thing:
    pass


@pytest.mark.parametrize("now", [1, 2], ids=lambda one: f"{time.time_ns()}-{one}")
def test_named_after_the_time(now):
    assert now


@pytest.mark.parametrize("thing", [Thing()], ids=repr)
def test_named_after_an_address(thing):
    assert thing


@pytest.mark.parametrize("word", ["a", "b"], ids=lambda _: uuid.uuid4().hex)
def test_named_at_random(word):
    assert word


@pytest.mark.parametrize("in_value", [{1}, {2}])
def test_named_after_its_place(in_value):
    assert in_value
"""


def test_names_that_move_are_not_missed(project: Project) -> None:
    project.commit(tests__test_moves_py=MOVES)
    assert project.run(Acting(HONEST)) == 0
    assert FactKind.TEST_REMOVED not in project.facts()
    assert project.levels() == [Level.PROVEN]


def test_a_case_before_others_moves_no_test(project: Project) -> None:
    project.commit(tests__test_moves_py=MOVES)
    more = MOVES.replace("[{1}, {2}]", "[{0}, None, {1}, {2}]").replace("assert in_value", "pass")
    assert project.run(Acting(writes(app_py=ADD, tests__test_add_py=TEST_ADD))) == 0
    project.commit(tests__test_moves_py=more)
    assert FactKind.TEST_REMOVED not in project.facts()


def test_a_case_that_is_gone_is_missed(project: Project) -> None:
    project.commit(tests__test_moves_py=MOVES)
    fewer = MOVES.replace("[{1}, {2}]", "[{1}]")
    project.run(Acting(writes(app_py=ADD, tests__test_add_py=TEST_ADD, tests__test_moves_py=fewer)))
    assert project.questions() == 1
    assert FactKind.TEST_REMOVED in project.facts()


TAP = """\
from app import VALUES

print("TAP version 13")
for number, value in enumerate(VALUES, 1):
    print("ok" if value else "not ok", number)
print(f"1..{len(VALUES)}")
"""


def test_assertions_without_a_name_are_only_counted(project: Project) -> None:
    project.verification = replace(
        project.verification, commands=((sys.executable, "-B", "check.py"),)
    )
    project.commit(check_py=TAP, app_py="VALUES = [1] * 12\n")
    planned(project, "Add a thirteenth of the VALUES")
    assert project.run(Acting(writes(app_py="VALUES = [2] + [1] * 12\n"))) == 0
    assert FactKind.TEST_REMOVED not in project.facts()


CARGO = """\
     Running unittests src/lib.rs (target/debug/deps/shop-0123456789abcdef)

test tests::sum ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""


def test_what_a_runner_cannot_do_is_noted(project: Project) -> None:
    project.verification = replace(project.verification, commands=(("cat", "told.txt"),))
    project.commit(**{"told.txt": CARGO})
    project.run(Acting(writes(app_py=ADD)))
    notes = project.events(e.Verified)[-1].verdict.notes
    assert "cargo cannot run chosen test files: every trial ran all of them." in notes
    assert (
        "No failing test was added to see whether the checks notice it: "
        "the report of cargo does not name the files of its tests." in notes
    )


def test_a_runner_that_reports_no_single_tests_is_noted(project: Project) -> None:
    project.verification = replace(project.verification, commands=(shell("true pytest"),))
    project.run(Acting(writes(app_py=ADD)))
    notes = project.events(e.Verified)[-1].verdict.notes
    assert "`true pytest` runs pytest, which did not report single tests." in notes


RENAMED = "from app import add\n\n\ndef test_adding_two_numbers():\n    assert add(1, 2) == 3\n"
APART = """\
from app import add


def test_small():
    assert add(1, 2) == 3


def test_large():
    assert add(100, 200) == 300
"""
TABLED = """\
import pytest

from app import add


def test_table():
    for a, b, total in [(1, 2, 3), (100, 200, 300)]:
        assert add(a, b) == total
"""


IN_CLASS = """\
import unittest

from app import add


class AddTest(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(add(int("1"), 2), 3)
"""
WITH_HELPER = """\
from app import add


def summed(left, right):
    return add(int(left), right)


def test_sum():
    assert summed("1", 2) == 3
"""


@pytest.mark.parametrize(
    ("before", "after"), [(TEST_ADD, RENAMED), (APART, TABLED), (IN_CLASS, WITH_HELPER)]
)
def test_a_test_of_another_name_or_shape_is_the_same_test(
    project: Project, before: str, after: str
) -> None:
    project.commit(app_py=ADD, tests__test_add_py=before)
    planned(project, "Tidy the tests of add", kind="refactor")
    assert project.run(Acting(writes(app_py=f"{ADD}\n", tests__test_add_py=after))) == 0
    assert FactKind.TEST_REMOVED not in project.facts()
    assert FactKind.TEST_REORGANISED in project.facts()


# ---- what a clean checkout lacks


def test_an_ignored_file_that_a_build_made_is_found_and_carried(project: Project) -> None:
    project.commit(app_py="from _version import version\n")
    (project.root / ".gitignore").write_text(".ralph/\n.agent/\n_version.py\nbuilt/\nnotes.txt\n")
    project.git("commit", "-qam", "ignored")
    (project.root / "_version.py").write_text("version = '1.2'\n")
    (project.root / "notes.txt").write_text("nothing that a check needs\n")
    (project.root / "built").mkdir()
    (project.root / "built" / "page.html").write_text("<p>\n")
    work = writes(app_py=f"from _version import version\n\n\n{ADD}", tests__test_add_py=TEST_ADD)
    assert project.run(Acting(work)) == 0
    assert project.levels() == [Level.PROVEN]
    (checked,) = project.events(e.BaseChecked)
    assert checked.passed
    (note,) = [note for note in checked.notes if "which git ignores" in note]
    assert "`_version.py`" in note
    assert "verification.carry: [" in note
    assert "notes.txt" not in note
    assert "built" not in note


def test_what_an_agent_may_have_made_is_not_carried(project: Project) -> None:
    """Made after an agent first worked here: nobody knows by whom."""
    (project.root / ".gitignore").write_text(".ralph/\n.agent/\n_version.py\n")
    project.git("commit", "-qam", "ignored")
    project.clock.now = 1_000.0  # long before the file below is made
    assert project.run(Acting(HONEST)) == 0
    (project.root / "_version.py").write_text("version = '1.2'\n")
    project.write_plan([{**story("A"), "passes": True}, story("B")])
    (project.root / "app.py").write_text("from _version import version\n" + ADD)
    project.git("commit", "-qam", "needs it")
    project.run(Acting(HONEST))
    *_, checked = project.events(e.BaseChecked)
    assert not checked.passed


# ---- suppressions

QUIET = "def add(a, b):  # type: ignore\n    return a + b  # noqa\n"


def test_a_suppression_of_a_tool_that_no_check_runs_is_noted(project: Project) -> None:
    assert project.run(Acting(writes(app_py=QUIET, tests__test_add_py=TEST_ADD))) == 0
    assert FactKind.SILENCED not in project.facts()
    assert FactKind.SUPPRESSED in project.facts()
    assert project.levels() == [Level.PROVEN]


LINT = """\
import sys
text = open("app.py").read()
sys.exit("a + b" in text and "noqa" not in text)
# ruff check ."""


@pytest.mark.parametrize(
    ("lint", "kind", "questions"),
    [
        (LINT, FactKind.SILENCED, 1),
        (LINT.replace("a + b", "a - b"), FactKind.SUPPRESSED, 0),
        (LINT.replace("a + b", "a - b").partition("#")[0], FactKind.SUPPRESSED, 0),
    ],
    ids=["it would speak", "it would not", "nobody knows what it looks at"],
)
def test_where_a_check_runs_it_it_is_heard_without_the_comment(
    project: Project, lint: str, kind: FactKind, questions: int
) -> None:
    check = (sys.executable, "-B", "-c", lint)
    project.verification = replace(project.verification, commands=(check, PYTEST))
    project.run(Acting(writes(app_py=QUIET, tests__test_add_py=TEST_ADD)))
    assert project.questions() == questions
    assert kind in project.facts()


# ---- a test that was changed with the behaviour it describes


def test_the_old_and_the_new_assertion_stand_side_by_side(project: Project) -> None:
    project.commit(app_py=ADD, tests__test_add_py=TEST_ADD)
    work = writes(
        app_py="def add(a, b):\n    return str(a + b)\n",
        tests__test_add_py=TEST_ADD.replace("== 3", "== '3'"),
    )
    project.run(Acting(work))
    assert project.questions() == 1
    asked = question(project)
    assert "pass only because the change edited them" in asked.summary
    assert "    was:  assert add(1, 2) == 3\n    now:  assert add(1, 2) == '3'" in asked.context
    assert "Why it matters: If the task asks for the new behaviour, accept" in asked.context
    assert f"git diff {project.git('rev-parse', '--short=10', 'main')}" in asked.context
    assert asked.salvage in asked.context


# ---- source that does nothing

REGISTRY = "KNOWN = {}\n\n\ndef command(function):\n    KNOWN[function.__name__] = function\n"
DECORATED = REGISTRY + "    return function\n\n\n@command\ndef hello():\n    return 'hello'\n"
LISTED = "import app\n\n\ndef test_hello_is_known():\n    assert 'hello' in app.KNOWN\n"


def test_nothing_is_said_of_what_a_decorator_reaches(project: Project) -> None:
    project.commit(app_py=REGISTRY + "    return function\n")
    assert project.run(Acting(writes(app_py=DECORATED, tests__test_hello_py=LISTED))) == 0
    assert project.levels() == [Level.PROVEN]


CRASH = "def size(items):\n    return items[0]\n"
MENDED = "def size(items):\n    return items[0] if items else None\n"
NO_CRASH = "import app\n\n\ndef test_nothing_does_not_crash():\n    app.size([])\n"


def test_a_crash_that_is_mended_is_settled_and_called_unproven(project: Project) -> None:
    """The test would pass as well if the function did nothing; it failed before all the same."""
    project.commit(app_py=CRASH)
    planned(project, "Fix the crash of size() on an empty list", kind="fix")
    project.run(Acting(writes(app_py=MENDED, tests__test_size_py=NO_CRASH)))
    (settled,) = project.events(e.Settled)
    assert settled.untested
    assert FactKind.PARTLY in project.facts()


def test_each_new_function_has_to_matter_to_some_test(project: Project) -> None:
    both = f"{ADD}\n\ndef subtract(a, b):\n    return 0\n"
    agent = Acting(writes(app_py=both, tests__test_add_py=TEST_ADD))
    project.run(agent)
    (settled,) = project.events(e.Settled)
    assert settled.level is Level.OVERLAY
    assert settled.untested
    *_, verified = project.events(e.Verified)
    assert any("does nothing: subtract" in one.fact.text for one in verified.verdict.facts)
    assert len(agent.jobs) == 2, "it is asked for a test first"
    assert "does nothing: subtract" in agent.jobs[1].prompt


# ---- red before

SEES = "import app\n\n\ndef test_old():\n    assert app.old == 1\n"
UNSEEING = "def test_elsewhere():\n    assert False\n"


def test_red_tests_that_see_the_change_are_asked_about(project: Project) -> None:
    project.commit(app_py="old = 2\n", tests__test_old_py=SEES)
    planned(project, "Let old be one", kind="fix")
    project.run(Acting(writes(app_py=f"old = 2\n\n\n{ADD}", tests__test_add_py=TEST_ADD)))
    assert project.questions() == 1
    assert FactKind.STILL_RED in project.facts()


def test_unless_they_speak_of_something_else(project: Project) -> None:
    project.commit(app_py="old = 2\n", tests__test_old_py=SEES)
    planned(project, "Add numbers")
    assert (
        project.run(Acting(writes(app_py=f"old = 2\n\n\n{ADD}", tests__test_add_py=TEST_ADD))) == 0
    )
    assert project.facts() == {FactKind.WAS_RED}
    assert project.levels() == [Level.OVERLAY]


def test_others_are_noted_and_the_work_is_not_called_proven(project: Project) -> None:
    project.commit(tests__test_elsewhere_py=UNSEEING)
    assert project.run(Acting(HONEST)) == 0
    assert project.levels() == [Level.OVERLAY]
    assert FactKind.WAS_RED in project.facts()


def test_work_that_needs_no_test_lands_on_a_red_base(project: Project) -> None:
    project.commit(app_py="old = 2\n", tests__test_old_py=SEES)
    planned(project, "Call it by its name", kind="refactor")
    assert project.run(Acting(writes(app_py="number = 2\nold = number\n"))) == 0
    assert project.levels() == [Level.OVERLAY]


# ---- unproven is not done


def test_a_line_that_has_nothing_to_do_with_the_task_is_asked_about(project: Project) -> None:
    project.commit(app_py=ADD)
    planned(project, "Convert Celsius to Kelvin", "to_kelvin(0) is 273.15")
    project.run(Acting(writes(app_py=f"{ADD}\n\nz = 1\n")))
    assert project.questions() == 1
    assert FactKind.UNRELATED in project.facts()
    assert "The task names `to_kelvin`, but the code has no such name." in question(project).summary


def test_words_decide_where_the_task_names_nothing(project: Project) -> None:
    project.commit(app_py=ADD)
    planned(project, "Convert temperatures from Celsius to Kelvin")
    project.run(Acting(writes(app_py=f"{ADD}\n\nz = 1\n")))
    assert project.questions() == 1
    assert "The change has nothing in common with the task." in question(project).summary


def test_a_criterion_gets_a_tick_only_for_evidence_of_its_own(project: Project) -> None:
    planned(project, "Add numbers", "add(1, 2) is 3", "It is fast")
    assert project.run(Acting(HONEST)) == 0
    (verified,) = project.events(e.Verified)
    assert [(one.how, one.passed) for one in verified.verdict.evidence] == [
        ("tests/test_add.py::test_add", True),
        (COVERED, None),
    ]


@pytest.mark.parametrize(
    ("asks", "ticked"),
    [
        ("    with pytest.raises(TypeError):\n        add(1, None)\n", True),
        ("    try:\n        add(1, None)\n    except TypeError:\n        pass\n", False),
    ],
)
def test_what_is_only_caught_is_no_evidence_that_it_was_raised(
    project: Project, asks: str, ticked: bool
) -> None:
    planned(project, "Add numbers", "`add(1, None)` raises TypeError")
    imports = "import pytest\nfrom app import add\n"
    test = f"{imports}\n\ndef test_add():\n    assert add(1, 2) == 3\n{asks}"
    assert project.run(Acting(writes(app_py=ADD, tests__test_add_py=test))) == 0
    *_, verified = project.events(e.Verified)
    [one] = verified.verdict.evidence
    expected = ("tests/test_add.py::test_add", True) if ticked else (COVERED, None)
    assert (one.how, one.passed) == expected


def test_of_unproven_work_nobody_looked(project: Project) -> None:
    planned(project, "Add numbers", "add(1, 2) is 3")
    assert project.run(Acting(writes(app_py=ADD))) == 0
    *_, verified = project.events(e.Verified)
    assert [(one.how, one.passed) for one in verified.verdict.evidence] == [(NOBODY, None)]


@pytest.mark.parametrize(("wanted", "questions"), [(Unproven.ASK, 1), (Unproven.REJECT, 0)])
def test_a_user_may_be_stricter(project: Project, wanted: Unproven, questions: int) -> None:
    project.verification = replace(project.verification, unproven=wanted)
    planned(project, "Add numbers")
    project.run(Acting(writes(app_py=ADD)))
    assert project.questions() == questions
    assert project.levels() == []


# ---- answers in front of old code

WRONG = "def total(items):\n    return 0\n"
ANSWERED = "def total(items):\n    if items == [3, 4]:\n        return 7\n    return 0\n"
TEST_TOTAL = "from app import total\n\n\ndef test_total():\n    assert total([3, 4]) == 7\n"


def test_an_answer_in_front_of_code_that_is_as_it_was(project: Project) -> None:
    project.commit(app_py=WRONG)
    planned(project, "Sum the items", kind="fix")
    project.run(Acting(writes(app_py=ANSWERED, tests__test_total_py=TEST_TOTAL)))
    assert project.questions() == 1
    assert FactKind.ANSWERS in project.facts()


def test_a_beginning_of_a_rule_is_none(project: Project) -> None:
    empty = "def total(items):\n    if items == []:\n        return 0\n    return sum(items)\n"
    test = "from app import total\n\n\ndef test_total():\n    assert total([]) == 0\n"
    project.commit(app_py="def total(items):\n    return sum(items)\n")
    project.run(Acting(writes(app_py=empty, tests__test_total_py=test)))
    assert FactKind.ANSWERS not in project.facts()


# ---- new tests that are not run

EMPTY_TABLE = """\
import pytest

import app


@pytest.mark.parametrize("case", [])
def test_cases(case):
    assert app.add(*case)
"""
ELSEWHERE = """\
import pytest

import app


def test_elsewhere():
    if not hasattr(app, "extension"):
        pytest.skip("not built here")
    assert app.add(1, 2) == 3
"""


@pytest.mark.parametrize(("test", "asked"), [(EMPTY_TABLE, True), (ELSEWHERE, False)])
def test_new_tests_that_are_never_run_are_asked_about(
    project: Project, test: str, asked: bool
) -> None:
    planned(project, "Add numbers")
    project.run(Acting(writes(app_py=ADD, tests__test_add_py=test)))
    assert (FactKind.TEST_SKIPPED in project.facts()) is asked
    assert project.questions() == asked


# ---- how checks are called

NODE_TEST = "const test = require('node:test')\ntest('a', () => require('./app.js'))\n"


def test_a_check_that_names_its_file_is_not_asked_for_another(project: Project) -> None:
    project.verification = replace(project.verification, commands=(("node", "test.js"),))
    write(project.root, {"test.js": NODE_TEST, "app.js": "exports.x = 1\n"})
    project.commit()
    planned(project, "Say more", kind="chore")
    assert project.run(Acting(writes(**{"app.js": "exports.x = 2\n"}))) == 0
    assert FactKind.CANARY_SILENT not in project.facts()


def test_what_a_check_builds_is_there_in_every_trial(project: Project) -> None:
    build = (sys.executable, "-B", "build.py")
    project.verification = replace(project.verification, commands=(build, PYTEST))
    project.commit(
        build_py="open('built.py', 'w').write(open('app.py').read())\n",
        tests__test_app_py="def test_app():\n    import built\n",
    )
    (project.root / ".gitignore").write_text(".ralph/\n.agent/\nbuilt.py\n")
    project.git("commit", "-qam", "ignored")
    test = TEST_ADD.replace("from app", "from built")
    assert project.run(Acting(writes(app_py=ADD, tests__test_add_py=test))) == 0
    assert project.levels() == [Level.PROVEN]


LEANS = """import sys


def test_leans():
    assert "helped" in sys.modules
"""


def test_a_file_that_cannot_be_run_alone_is_not_believed_when_it_is_red(project: Project) -> None:
    """It needs what another file of tests has loaded; the change itself is green."""
    project.commit(
        helped_py="",
        tests__test_a_helps_py="import helped\n\n\ndef test_helps():\n    assert helped\n",
        tests__test_b_leans_py=LEANS,
    )
    more = f"{LEANS}\n\ndef test_more():\n    import app\n    assert app.add(1, 2) == 3\n"
    assert project.run(Acting(writes(app_py=ADD, tests__test_b_leans_py=more))) == 0
    assert project.levels() == [Level.PROVEN]


THRESHOLD = """\
import pathlib


def pytest_sessionfinish(session):
    wanted = pathlib.Path("app.py").read_text().count("def ") + 1
    if session.testscollected < wanted:
        session.exitstatus = 1
"""
"""As a tool does that wants every function covered."""
APP_TOO = """\
def test_app():
    import app


def test_add():
    import app
    assert app.add(1, 2) == 3
"""


def test_old_tests_need_not_cover_the_new_source(project: Project) -> None:
    project.commit(tests__conftest_py=THRESHOLD)
    assert project.run(Acting(writes(app_py=ADD, tests__test_app_py=APP_TOO))) == 0
    assert project.levels() == [Level.PROVEN]


def test_a_threshold_that_the_change_lowers_is_asked_about(project: Project) -> None:
    project.commit(tests__conftest_py=THRESHOLD)
    lowered = THRESHOLD.replace(" + 1", "")
    project.run(Acting(writes(app_py=ADD, tests__conftest_py=lowered)))
    assert FactKind.OVERLAY_RED in project.facts()


# ---- time


def test_a_red_verdict_does_not_wait_for_the_rest(project: Project) -> None:
    waits = "import time\n\n\ndef test_waits():\n    time.sleep(20)\n"
    old = "def test_app():\n    import app\n"
    project.commit(tests__test_waits_py=waits.replace("20", "1"), tests__test_add_py=old)
    broken = "def add(a, b):\n    return 4\n"
    project.verification = replace(project.verification, base=True)
    project.run(Acting(writes(app_py=broken, tests__test_add_py=TEST_ADD)))
    (verified,) = project.events(e.Verified)
    assert not verified.verdict.passed
    assert "tests/test_add.py::test_add" in verified.verdict.why
    assert any("more may fail than are listed" in one for one in verified.verdict.notes)


@pytest.mark.parametrize("app", ["def add(", ADD])
def test_a_file_that_cannot_be_loaded_any_more_is_red_with_all_its_tests(
    project: Project, app: str
) -> None:
    waits = "import time\n\n\ndef test_waits():\n    time.sleep(1)\n"
    old = "import app\n\n\ndef test_app():\n    assert app\n"
    project.commit(tests__test_waits_py=waits, tests__test_add_py=old)
    project.verification = replace(project.verification, base=True)
    project.run(Acting(writes(app_py=app, tests__test_add_py=f"import not_there\n{old}")))
    (verified,) = project.events(e.Verified)
    assert not verified.verdict.passed
    assert "tests/test_add.py" in verified.verdict.why


EXAMPLES = """\
def test(expression):
    \"\"\"Tries an expression.

    >>> test("1 + 1")
    2
    \"\"\"
    return eval(expression)
"""


def test_a_module_with_examples_is_not_taken_for_a_file_of_tests(project: Project) -> None:
    project.verification = replace(
        project.verification,
        base=True,
        commands=((*PYTEST, "--doctest-modules"),),
    )
    waits = "import time\n\n\ndef test_waits():\n    time.sleep(1)\n"
    project.commit(tests__test_waits_py=waits, pkg____init___py="", pkg__tries_py=EXAMPLES)
    more = "import pkg.tries\n\n\ndef test_tries():\n    assert pkg.tries.test('2')\n"
    project.commit(tests__test_tries_py=more)
    planned(project, "Refactor the expression", kind="refactor")
    quicker = EXAMPLES.replace("eval(expression)", "eval(expression.strip())")
    assert project.run(Acting(writes(pkg__tries_py=quicker))) == 0
    assert project.levels() == [Level.OVERLAY]


BREAKS_ADD = """\
import time

import app


def test_app():
    pass


def test_bent():
    assert app.add(1, 2) == 3


def test_waits():
    time.sleep(20 if hasattr(app, "bent") else 0)
"""


def test_one_file_is_not_waited_for_either(project: Project) -> None:
    project.commit(app_py=ADD, tests__test_app_py=BREAKS_ADD)
    project.run(Acting(writes(app_py="def add(a, b):\n    return 4\n\n\nbent = 1\n")))
    (verified,) = project.events(e.Verified)
    assert not verified.verdict.passed
    assert verified.verdict.why == "these tests fail: tests/test_app.py::test_bent"
    (result,) = verified.verdict.results
    assert "assert app.add(1, 2) == 3" in result.tail, "why it fails is told in full"
    assert "tests/test_app.py::test_bent" in shown(result.command)
    assert any("more may fail than are listed" in one for one in verified.verdict.notes)


def test_what_is_red_once_does_not_end_the_verdict(project: Project) -> None:
    once = project.folder / "once"
    comes = (
        "import pathlib\nimport time\n\nimport app\n\n\n"
        f"def test_comes():\n    place = pathlib.Path({str(once)!r})\n"
        "    known = place.exists() or not hasattr(app, 'add')\n"
        "    place.touch() if hasattr(app, 'add') else None\n    assert known\n\n\n"
        "def test_slow():\n    time.sleep(2)\n"
    )
    project.commit(tests__test_comes_py=comes)
    assert project.run(Acting(HONEST)) == 0
    assert project.levels() == [Level.PROVEN]


def test_a_file_that_the_runner_leaves_out_is_not_run_by_name(project: Project) -> None:
    waits = "import time\n\n\ndef test_waits():\n    time.sleep(1)\n"
    leaves_out = 'collect_ignore_glob = ["*_later.py"]\n'
    project.commit(tests__test_waits_py=waits, tests__conftest_py=leaves_out)
    later = "def test_later():\n    import not_there_yet\n"
    agent = Acting(writes(app_py=ADD, tests__test_app_py=APP_TOO, tests__test_x_later_py=later))
    assert project.run(agent) == 0
    assert project.levels() == [Level.PROVEN]


def test_what_is_known_of_a_base_outlives_the_run(project: Project) -> None:
    counter = project.folder / "count"
    counts = f"def test_counted():\n    open({str(counter)!r}, 'a').write('x')\n"
    project.commit(tests__test_counted_py=counts)
    nothing = Acting(lambda job: "I did nothing.")
    project.run(nothing)
    once = len(counter.read_text())
    assert once
    project.run(nothing)
    assert len(counter.read_text()) == once, "the same tree with the same things around it"


def test_a_small_change_starts_few_trials(project: Project) -> None:
    project.run(Acting(HONEST))
    logs = sorted(one.name for one in (project.root / ".ralph" / "logs").glob("iteration-1*check*"))
    assert len(logs) <= 6, logs


RUNS_BY_NAME = shell(f"{sys.executable} run_tests.py")
BY_NAME = """\
import unittest

from tests.test_app import App

if __name__ == "__main__":
    unittest.main()
"""
ONE_CLASS = """\
import unittest

import app


class App(unittest.TestCase):
    def test_app(self):
        self.assertTrue(app)
"""


def test_checks_that_list_their_tests_notice_no_new_file(project: Project) -> None:
    project.commit(run_tests_py=BY_NAME, tests__test_app_py=ONE_CLASS)
    project.verification = replace(project.verification, commands=(RUNS_BY_NAME,))
    more = ONE_CLASS + "\n    def test_add(self):\n        self.assertEqual(app.add(1, 2), 3)\n"
    assert project.run(Acting(writes(app_py=ADD, tests__test_app_py=more))) == 0
    assert project.levels() == [Level.OVERLAY]
    (verified,) = project.events(e.Verified)
    assert any("run only the tests they know by name" in note for note in verified.verdict.notes)


def test_a_check_that_no_longer_notices_is_asked_about(project: Project) -> None:
    hides = 'collect_ignore_glob = ["*canary*"]\n'
    project.run(Acting(writes(app_py=ADD, tests__test_app_py=APP_TOO, tests__conftest_py=hides)))
    assert FactKind.CANARY_SILENT in project.facts()


def test_a_new_test_that_never_ends_without_the_work(project: Project) -> None:
    project.commit(app_py="def add(a, b):\n    while True:\n        pass\n")
    assert project.run(Acting(writes(app_py=ADD, tests__test_app_py=APP_TOO))) == 0
    assert project.levels() == [Level.OVERLAY], "nobody can tell which test did not end"


WAITS_FOR_IT = """\
import app


def forever():
    while True:
        pass


def test_add():
    assert app.add(1, 2) == 3 or forever()
"""


def test_a_twisted_test_that_never_ends(project: Project) -> None:
    assert project.run(Acting(writes(app_py=ADD, tests__test_add_py=WAITS_FOR_IT))) == 0
    assert project.levels() == [Level.PROVEN]


# ---- tests that are not what their runner says, and never were

ABSTRACT = """\
import unittest


class AbstractTest(unittest.TestCase):
    def run(self, result=None):
        if type(self) is AbstractTest:
            return
        super().run(result)

    def test_kind(self):
        assert self.kind


class RealTest(AbstractTest):
    kind = "real"
"""


def test_a_base_class_that_does_not_run_its_tests_is_as_it_was(project: Project) -> None:
    """And a base that is red besides: only then pytest says so with its status."""
    red = "import app\n\n\ndef test_add():\n    assert app.add(1, 2) == 3\n"
    project.commit(tests__test_kinds_py=ABSTRACT, tests__test_add_py=red)
    assert project.run(Acting(HONEST)) == 0
    assert FactKind.REPORT_FORGED not in project.facts()


# ---- files of tests with names of their own

FOUND = "[pytest]\npython_files = *check.py\n"
DOUBLE = "def double(n):\n    return n + n\n"
CHECKED = "import app\n\n\ndef test_double():\n    assert app.double(3) == 6\n"


@pytest.fixture
def own_names(project: Project) -> Project:
    files = {"pytest.ini": FOUND, "app_py": DOUBLE, "quality__doublecheck_py": CHECKED}
    project.commit(**files)
    return project


def test_a_test_is_guarded_whatever_its_file_is_called(own_names: Project) -> None:
    weaker = CHECKED.replace("== 6", "== 9")
    wrong = DOUBLE.replace("n + n", "n * n")
    own_names.run(Acting(writes(app_py=wrong, quality__doublecheck_py=weaker)))
    assert FactKind.OVERLAY_RED in own_names.facts()
    assert own_names.questions() == 1


def test_and_a_test_that_was_only_renamed_there_is_the_same(own_names: Project) -> None:
    renamed = CHECKED.replace("test_double", "test_twice")
    added = f"{renamed}\n\ndef test_add():\n    assert app.add(1, 2) == 3\n"
    planned(own_names, "Add two numbers with add(a, b)")
    assert own_names.run(Acting(writes(app_py=DOUBLE + ADD, quality__doublecheck_py=added))) == 0
    assert FactKind.TEST_REORGANISED in own_names.facts()

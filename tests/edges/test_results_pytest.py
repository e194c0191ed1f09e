"""Single tests as a real pytest runs them, honest and otherwise."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.reporting import PYTEST, Checkout, environment

if TYPE_CHECKING:
    from pathlib import Path

BAD = "test_two.py::test_bad"
TWO = "def test_good(): pass\ndef test_bad(): assert 1 == 2, 'no'\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


EVERYTHING = """
import unittest
import pytest

def test_good(): pass
def test_bad(): assert 1 == 2, "no"
@pytest.mark.parametrize("x", [1, 2])
def test_numbers(x): assert x == 1
class TestGroup:
    def test_inside(self): pass
@pytest.mark.skip(reason="why")
def test_skip(): pass
def test_skips_itself(): pytest.skip("why")
@pytest.mark.xfail
def test_expected(): assert 0
@pytest.mark.xfail
def test_unexpected(): pass
@pytest.mark.xfail(strict=True)
def test_strict(): pass
def test_xfails_itself(): pytest.xfail("later")
@pytest.fixture
def before(): raise ValueError("before")
@pytest.fixture
def after():
    yield
    raise ValueError("after")
def test_before(before): pass
def test_after(after): pass
def test_parts(subtests):
    with subtests.test(): assert 0
class Case(unittest.TestCase):
    def test_good(self): self.assertEqual(1, 1)
    def test_bad(self): self.assertEqual(1, 2)
    @unittest.skip("why")
    def test_skip(self): pass
    @unittest.expectedFailure
    def test_expected(self): assert 0
    def test_parts(self):
        with self.subTest(): assert 0
class Later(unittest.IsolatedAsyncioTestCase):
    async def test_async(self): pass
"""
OUTCOMES = {
    "test_good": "passed",
    "test_bad": "failed",
    "test_numbers[1]": "passed",
    "test_numbers[2]": "failed",
    "TestGroup::test_inside": "passed",
    "test_skip": "skipped",
    "test_skips_itself": "skipped",
    "test_expected": "xfailed",
    "test_unexpected": "xpassed",
    "test_strict": "failed",
    "test_xfails_itself": "xfailed",
    "test_before": "error",
    "test_after": "error",
    "test_parts": "failed",
    "Case::test_good": "passed",
    "Case::test_bad": "failed",
    "Case::test_skip": "skipped",
    "Case::test_expected": "xfailed",
    "Case::test_parts": "failed",
    "Later::test_async": "passed",
}


def test_every_outcome(checkout: Checkout) -> None:
    checkout.write("tests/test_all.py", EVERYTHING)
    ran = checkout.run(PYTEST)
    assert ran.outcomes == {f"tests/test_all.py::{name}": how for name, how in OUTCOMES.items()}
    assert ran.found.runner == "pytest"
    assert ran.found.problems == ()
    assert ran.exit_code == 1
    bad = ran.found.by_id["tests/test_all.py::test_bad"]
    assert bad.file == "tests/test_all.py"
    assert bad.message.startswith("AssertionError: no\nassert 1 == 2\ntest_all.py:")
    assert bad.seconds > 0


def test_the_same_with_workers(checkout: Checkout) -> None:
    checkout.write("tests/test_all.py", EVERYTHING)
    ran = checkout.run((*PYTEST, "-p", "xdist", "-n", "2"))
    assert ran.outcomes == {f"tests/test_all.py::{name}": how for name, how in OUTCOMES.items()}
    assert ran.found.problems == ()


def test_the_output_is_what_it_would_be(checkout: Checkout) -> None:
    checkout.write("test_two.py", TWO)
    alone = subprocess.run(
        PYTEST,
        cwd=checkout.folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    ran = checkout.run(PYTEST)
    assert untimed(ran.output) == untimed(alone.stdout)
    assert ran.exit_code == alone.returncode == 1
    assert ran.outcomes == {"test_two.py::test_good": "passed", BAD: "failed"}


def untimed(text: str) -> str:
    return re.sub(r"\d+\.\d+s", "", text)


def test_files_that_cannot_be_loaded(checkout: Checkout) -> None:
    checkout.write("tests/test_two.py", TWO)
    checkout.write("tests/test_broken.py", "import no_such_module\n")
    checkout.write(
        "tests/test_left.py", "import pytest\npytest.skip('x', allow_module_level=True)\n"
    )
    ran = checkout.run(PYTEST)
    assert ran.outcomes == {"tests/test_broken.py": "error", "tests/test_left.py": "skipped"}
    assert all(one.is_file for one in ran.found.results)
    assert "no_such_module" in ran.found.by_id["tests/test_broken.py"].message
    stopped = "2 tests collected, but pytest stopped before it ran them, such as "
    assert ran.found.problems == (f"{stopped}tests/test_two.py::test_good",)


def test_ids_are_seen_from_the_checkout(checkout: Checkout) -> None:
    checkout.write("server/pytest.ini", "[pytest]\n")
    checkout.write("server/tests/test_two.py", TWO)
    ran = checkout.run(f"cd server && {shlex.join(PYTEST)}")
    assert list(ran.outcomes) == [
        "server/tests/test_two.py::test_good",
        "server/tests/test_two.py::test_bad",
    ]


@pytest.mark.parametrize("wrapper", ["make test", "sh run.sh", "python3 run.py", "./unknown"])
def test_through_wrappers(checkout: Checkout, wrapper: str) -> None:
    checkout.write("test_two.py", TWO)
    checkout.write("Makefile", f"test:\n\t{shlex.join(PYTEST)}\n")
    checkout.write("run.sh", f"exec {shlex.join(PYTEST)}\n")
    checkout.write("run.py", f"import subprocess\nsubprocess.run({list(PYTEST)!r})\n")
    checkout.write("unknown", f"#!/bin/sh\nexec {shlex.join(PYTEST)}\n").chmod(0o755)
    assert checkout.run(wrapper).outcomes == {
        "test_two.py::test_good": "passed",
        "test_two.py::test_bad": "failed",
    }


NESTED = """
import os, subprocess, sys

def test_nested():
    names = ("RALPH_TEST_REPORTS", "PYTEST_ADDOPTS", "NODE_OPTIONS")
    assert not [name for name in names if name in os.environ]
    assert os.environ.get("PYTHONPATH", "") == "lib"
    command = [sys.executable, "-m", "pytest", "-q", "inner"]
    assert subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 1
"""


def test_what_tests_start_themselves_is_not_reported(checkout: Checkout) -> None:
    checkout.write("test_outer.py", NESTED)
    checkout.write("inner/test_two.py", TWO)
    ran = checkout.run((*PYTEST, "test_outer.py"), env={"PYTHONPATH": "lib"})
    assert ran.outcomes == {"test_outer.py::test_nested": "passed"}, ran.output


def test_a_hidden_sitecustomize_still_runs(checkout: Checkout) -> None:
    checkout.write("lib/sitecustomize.py", "import builtins\nbuiltins.theirs = 1\n")
    checkout.write("test_it.py", "def test_it(): assert theirs == 1\n")
    ran = checkout.run(PYTEST, env={"PYTHONPATH": str(checkout.folder / "lib")})
    assert ran.outcomes == {"test_it.py::test_it": "passed"}


@pytest.mark.parametrize(
    "start", ["PYTHONPATH=src {} -m pytest", "{} -I -m pytest", "make test", "./unknown"]
)
def test_a_python_without_our_folder_runs_as_ever(checkout: Checkout, start: str) -> None:
    closed = f"PYTHONPATH=src {sys.executable} -m pytest -q"
    checkout.write("Makefile", f"test:\n\t{closed}\n")
    checkout.write("unknown", f"#!/bin/sh\n{closed}\n").chmod(0o755)
    checkout.write("tests/test_two.py", TWO + "class TestIn:\n    def test_in(self): pass\n")
    checkout.write("tests/test_broken.py", "import no_such_module\n")
    text = start.format(sys.executable)
    if " -m pytest" in text:
        text += " -q --continue-on-collection-errors"
    ran = checkout.run(text)
    assert "no_such_module" in ran.output
    if start == "./unknown":
        assert ran.report is None
        return
    assert ran.found.by_id["tests/test_broken.py"].outcome == "error"
    if " -m pytest" in text:
        assert ran.outcomes == {
            "tests/test_broken.py": "error",
            "tests/test_two.py::test_good": "passed",
            "tests/test_two.py::test_bad": "failed",
            "tests/test_two.py::TestIn::test_in": "passed",
        }


HOOK = """\
import asyncio, functools, inspect, os, pytest
wrap = pytest.hookimpl(hookwrapper=True, tryfirst=True)
first = pytest.hookimpl(tryfirst=True)
"""

REWRITES = """
@wrap
def pytest_runtest_makereport():
    report = (yield).get_result()
    report.outcome = "passed"
"""
REPLACES = """
@wrap
def pytest_runtest_makereport(item, call):
    made = yield
    call.excinfo = None
    made.force_result(pytest.TestReport.from_item_and_call(item, call))
"""
EMPTIES = """
@first
def pytest_runtest_makereport(call):
    call.excinfo = None
"""
SKIPS = """
@wrap
def pytest_runtest_makereport():
    report = (yield).get_result()
    if report.failed:
        report.outcome, report.longrepr = "skipped", ("file", 1, "why")
"""
EXPECTS = """
@wrap
def pytest_runtest_makereport():
    report = (yield).get_result()
    if report.failed:
        report.outcome, report.wasxfail = "skipped", "why"
"""
ON_THE_WAY = """
@first
def pytest_runtest_logreport(report):
    report.outcome = "passed"
"""
SWALLOWS = """
@wrap
def pytest_pyfunc_call():
    (yield).force_result(True)
"""
SWALLOWS_OUTSIDE = """
@wrap
def pytest_runtest_call():
    (yield).force_result(None)
"""
CALLS_NOTHING = """
@first
def pytest_pyfunc_call():
    return True
"""
RUNS_NOTHING = "pytest.Function.runtest = lambda self: None"
ANOTHER_FUNCTION = """
def pytest_collection_modifyitems(items):
    for item in items:
        item.obj = lambda: None
"""
DROPS = """
def pytest_collection_modifyitems(items):
    items[:] = items[:1]
"""
NO_LOOP = """
@first
def pytest_runtestloop():
    return True
"""
NO_PROTOCOL = """
@first
def pytest_runtest_protocol():
    return True
"""
STATUS = """
def pytest_sessionfinish(session):
    session.exitstatus = 0
"""
LEAVES = """
def pytest_sessionfinish():
    os._exit(0)
"""
LEAVES_LAST = """
def pytest_unconfigure():
    os._exit(0)
"""
LEAVES_FIRST = "os._exit(0)"

CHEATS = {
    REWRITES: f"{BAD} raised, but was reported as passed",
    REPLACES: f"{BAD} raised, but was reported as passed",
    EMPTIES: f"{BAD} raised, but was reported as passed",
    SKIPS: f"{BAD} raised, but was reported as skipped",
    EXPECTS: f"{BAD} raised, but was reported as xfailed",
    ON_THE_WAY: f"{BAD} raised, but was reported as passed",
    SWALLOWS: f"{BAD} raised, but was reported as passed",
    SWALLOWS_OUTSIDE: f"{BAD} raised, but was reported as passed",
    CALLS_NOTHING: f"{BAD} was reported as passed, but its function was never called",
    RUNS_NOTHING: f"{BAD} was reported as passed, but its function was never called",
    ANOTHER_FUNCTION: f"{BAD} was reported as passed, but a different function ran in its place",
    DROPS: f"1 test collected, but then left out, such as {BAD}",
    NO_LOOP: "2 tests collected, but then left out, such as test_two.py::test_good",
    NO_PROTOCOL: f"{BAD} was started, but never reported",
    STATUS: "pytest exited 0 although 1 test failed",
    LEAVES: "pytest's report ended early: the process was gone before the end",
    LEAVES_LAST: "the command exited 0 although 1 test failed",
    LEAVES_FIRST: "pytest ended before it began with any test",
}


@pytest.mark.parametrize(("code", "problem"), CHEATS.items())
def test_a_conftest_that_tampers_is_noticed(checkout: Checkout, code: str, problem: str) -> None:
    checkout.write("test_two.py", TWO)
    checkout.write("conftest.py", HOOK + code)
    ran = checkout.run(PYTEST)
    assert problem in ran.found.problems
    bad = ran.found.by_id.get(BAD)
    assert bad is None or bad.outcome.is_red


def test_a_fixture_that_fails_cannot_be_hidden(checkout: Checkout) -> None:
    broken = "import pytest\n@pytest.fixture\ndef door(): raise ValueError('no door')\n"
    checkout.write("test_two.py", f"{broken}def test_bad(door): pass\n")
    checkout.write("conftest.py", HOOK + EMPTIES)
    ran = checkout.run(PYTEST)
    assert f"{BAD} raised around the test, but was reported as passed" in ran.found.problems
    assert ran.outcomes == {BAD: "error"}


def test_what_was_raised_is_told_though_the_report_hides_it(checkout: Checkout) -> None:
    checkout.write("test_two.py", TWO)
    checkout.write("conftest.py", HOOK + REPLACES)
    assert "1 == 2" in checkout.run(PYTEST).found.by_id[BAD].message


MARKS = """
def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.slow)
"""
DESELECTS = """
def pytest_collection_modifyitems(config, items):
    config.hook.pytest_deselected(items=items[1:])
    items[:] = items[:1]
"""
WRAPS = """
def pytest_collection_modifyitems(items):
    for item in items:
        item.obj = functools.wraps(item.obj)(functools.partial(item.obj))
"""
ADDS = """
@wrap
def pytest_runtest_makereport():
    (yield).get_result().sections.append(("more", "text"))
"""
AWAITS = """
@first
def pytest_pyfunc_call(pyfuncitem):
    if inspect.iscoroutinefunction(pyfuncitem.obj):
        asyncio.run(pyfuncitem.obj())
        return True
"""


@pytest.mark.parametrize("code", [MARKS, DESELECTS, WRAPS, ADDS, AWAITS])
def test_an_honest_conftest_is_no_problem(checkout: Checkout, code: str) -> None:
    checkout.write("pytest.ini", "[pytest]\nmarkers = slow\nfilterwarnings = error\n")
    word = "async " if code == AWAITS else ""
    checkout.write("test_it.py", f"def test_one(): pass\n{word}def test_two(): pass\n")
    checkout.write("conftest.py", HOOK + code)
    ran = checkout.run(PYTEST)
    assert ran.found.problems == (), ran.output
    assert set(ran.outcomes.values()) == {"passed"}
    assert len(ran.outcomes) == (1 if code == DESELECTS else 2)


def test_a_process_that_disappears_names_the_test(checkout: Checkout) -> None:
    checkout.write("test_it.py", "import os\ndef test_a(): pass\ndef test_b(): os._exit(0)\n")
    ran = checkout.run(PYTEST)
    assert ran.exit_code == 0
    assert ran.outcomes == {"test_it.py::test_a": "passed"}
    assert ran.found.problems == (
        "pytest's report ended early in test_it.py::test_b: the process was gone before the end",
    )


def test_a_worker_that_disappears(checkout: Checkout) -> None:
    checkout.write("test_it.py", "import os\ndef test_a(): os._exit(0)\n")
    ran = checkout.run((*PYTEST, "-p", "xdist", "-n", "1", "--max-worker-restart=0"))
    assert ran.outcomes == {"test_it.py::test_a": "failed"}
    assert "ended early in test_it.py::test_a" in ran.found.problems[0]


def test_stopping_at_the_first_failure_is_said(checkout: Checkout) -> None:
    checkout.write("test_two.py", "def test_a(): assert 0\ndef test_b(): pass\n")
    ran = checkout.run((*PYTEST, "-x"))
    assert ran.outcomes == {"test_two.py::test_a": "failed"}
    assert ran.found.problems == (
        "1 test collected, but pytest stopped before it ran them, such as test_two.py::test_b",
    )


def test_a_swallowed_exit_code(checkout: Checkout) -> None:
    checkout.write("test_two.py", TWO)
    ran = checkout.run(f"{shlex.join(PYTEST)} || true")
    assert ran.found.problems == ("the command exited 0 although 1 test failed",)


def test_the_same_tests_twice(checkout: Checkout) -> None:
    checkout.write("test_two.py", TWO)
    ran = checkout.run(f"{shlex.join(PYTEST)} ; {shlex.join(PYTEST)}")
    assert ran.outcomes == {"test_two.py::test_good": "passed", "test_two.py::test_bad": "failed"}
    assert ran.found.problems == ("2 tests reported twice, such as test_two.py::test_good",)


def test_nothing_is_left_in_the_checkout(checkout: Checkout) -> None:
    checkout.write("test_two.py", TWO)
    checkout.run(PYTEST, env={"PYTHONDONTWRITEBYTECODE": "1"})
    assert [path.name for path in checkout.folder.iterdir()] == ["test_two.py"]

"""Single tests as Python's own unittest runs them, when somebody wants them to look better."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest
from tests.support.reporting import UNITTEST, Checkout

if TYPE_CHECKING:
    from pathlib import Path

BAD = "test_two.py::Two::test_bad"
TWO = """
import shop
import unittest
class Two(unittest.TestCase):
    def test_bad(self): self.assertEqual(1, 2)
    def test_good(self): pass
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


USE = "import contextlib, os, sys, unittest\nfrom unittest import case, TestCase, TestResult\n"

NO_FAILURES = """
TestResult.addFailure = lambda *_: None
unittest.TextTestResult.addFailure = lambda *_: None
"""
SUCCESSFUL = "TestResult.wasSuccessful = lambda self: True"
AS_SUCCESS = """
def told(self, test, error): self.addSuccess(test)
unittest.TextTestResult.addFailure = told
"""
FORGETS = """
def stop(self, test): self.failures.clear()
unittest.TextTestResult.stopTest = stop
"""
SWALLOWS = """
@contextlib.contextmanager
def part(self, *_, **__):
    with contextlib.suppress(AssertionError): yield
case._Outcome.testPartExecutor = part
"""
SKIPS = """
def part(self, *_, **__):
    try: yield
    except AssertionError: self.success = False; self.result.addSkip(_[0], "why")
case._Outcome.testPartExecutor = contextlib.contextmanager(part)
"""
CALLS_NOTHING = "TestCase._callTestMethod = lambda *_: None"
RUNS_NOTHING = """
def run(self, result): result.startTest(self); result.addSuccess(self); result.stopTest(self)
TestCase.run = run
"""
ELSEWHERE = """
own = TestCase.run
def run(self, result): own(self, TestResult()); result.addSuccess(self)
TestCase.run = run
"""
NO_SUITE = "unittest.TestSuite.run = lambda self, result, *_: result"
NO_RUNNER = "unittest.TextTestRunner.run = lambda *_: TestResult()"
DROPS = """
own = unittest.TestSuite.run
def run(self, result, *_):
    self._tests = [test for test in self if "bad" not in str(test) or not hasattr(test, "id")]
    return own(self, result)
unittest.TestSuite.run = run
"""
ANOTHER_METHOD = """
def start(self): sys.modules["test_two"].Two.test_bad = lambda self: None
TestResult.startTestRun = start
"""
NO_ASSERTION = "TestCase.assertEqual = lambda *_: None"
LEAVES = "sys.exit = lambda *_: os._exit(0)"
LEAVES_LAST = "import atexit\natexit.register(os._exit, 0)"
LEAVES_FIRST = "os._exit(0)"
LEAVES_AFTER_ALL = "TestResult.stopTestRun = lambda self: os._exit(0)"

ALTHOUGH = "the command exited 0 although 1 test failed"
CHEATS = {
    NO_FAILURES: ALTHOUGH,
    SUCCESSFUL: "unittest exited 0 although 1 test failed",
    AS_SUCCESS: ALTHOUGH,
    FORGETS: ALTHOUGH,
    SWALLOWS: f"{BAD} raised, but was reported as passed",
    SKIPS: f"{BAD} raised, but was reported as skipped",
    CALLS_NOTHING: f"{BAD} was reported as passed, but its function was never called",
    RUNS_NOTHING: f"2 tests loaded, but then left out, such as {BAD}",
    ELSEWHERE: ALTHOUGH,
    NO_SUITE: f"2 tests loaded, but then left out, such as {BAD}",
    NO_RUNNER: f"2 tests loaded, but then left out, such as {BAD}",
    DROPS: f"1 test loaded, but then left out, such as {BAD}",
    ANOTHER_METHOD: f"{BAD} was reported as passed, but a different function ran in its place",
    NO_ASSERTION: "TestCase.assertEqual is no longer unittest's own",
    LEAVES: ALTHOUGH,
    LEAVES_LAST: ALTHOUGH,
    LEAVES_FIRST: "unittest ended before it began with any test",
    LEAVES_AFTER_ALL: "unittest's report ended early: the process was gone before the end",
}


@pytest.mark.parametrize(("code", "problem"), CHEATS.items())
def test_code_that_tampers_is_noticed(checkout: Checkout, code: str, problem: str) -> None:
    checkout.write("test_two.py", TWO)
    checkout.write("shop.py", USE + code)
    ran = checkout.run(UNITTEST)
    assert ran.exit_code == 0, ran.output
    assert problem in ran.found.problems
    bad = ran.found.by_id.get(BAD)
    assert bad is None or bad.outcome.is_red or code == NO_ASSERTION


def test_a_module_in_the_place_of_unittest(checkout: Checkout) -> None:
    checkout.write("test_two.py", TWO)
    checkout.write("shop.py", "")
    checkout.write("unittest.py", "print('OK')\n")
    ran = checkout.run(UNITTEST)
    assert ran.output == "OK\n"
    assert ran.found.problems == ("unittest.py shadows Python's own unittest",)
    assert ran.found.results == ()


def test_what_fails_before_the_test_cannot_be_hidden(checkout: Checkout) -> None:
    checkout.write("test_two.py", TWO + "    def setUp(self): raise AssertionError('no door')\n")
    checkout.write("shop.py", USE + SWALLOWS)
    ran = checkout.run(UNITTEST)
    assert f"{BAD} raised around the test, but was reported as passed" in ran.found.problems
    assert set(ran.outcomes.values()) == {"error"}
    assert ran.found.by_id[BAD].message.startswith("AssertionError: no door\n")


def test_a_part_of_a_test_cannot_be_hidden(checkout: Checkout) -> None:
    part = "\n        with self.subTest(): self.assertEqual(1, 2)"
    checkout.write("test_two.py", TWO.replace(" self.assertEqual(1, 2)", part))
    hides = "TestCase.subTest = lambda *_: contextlib.suppress(AssertionError)"
    checkout.write("shop.py", USE + hides)
    ran = checkout.run(UNITTEST)
    assert ran.outcomes[BAD] == "failed"
    assert f"{BAD} raised, but was reported as passed" in ran.found.problems


def test_a_class_whose_set_up_fails_cannot_be_hidden(checkout: Checkout) -> None:
    fails = "    @classmethod\n    def setUpClass(cls): raise ValueError\n"
    checkout.write("test_two.py", TWO + fails)
    checkout.write("shop.py", f"{USE}unittest.TestSuite._createClassOrModuleLevelException = id\n")
    ran = checkout.run(UNITTEST)
    assert (ran.exit_code, ran.outcomes) == (1, {})
    checkout.write("shop.py", f"{USE}unittest.TextTestResult.addError = lambda *_: None\n")
    ran = checkout.run(UNITTEST)
    assert set(ran.outcomes.values()) == {"error"}
    assert ran.found.problems == ("the command exited 0 although 2 tests failed",)


def test_a_process_that_disappears_names_the_test(checkout: Checkout) -> None:
    checkout.write("shop.py", "")
    checkout.write(
        "test_two.py", TWO.replace("self.assertEqual(1, 2)", "__import__('os')._exit(0)")
    )
    ran = checkout.run(UNITTEST)
    assert (ran.exit_code, ran.outcomes) == (0, {})
    assert ran.found.problems == (
        f"unittest's report ended early in {BAD}: the process was gone before the end",
    )


def test_stopping_at_the_first_failure_is_said(checkout: Checkout) -> None:
    checkout.write("shop.py", "")
    checkout.write("test_two.py", TWO)
    ran = checkout.run((*UNITTEST, "-f"))
    assert ran.outcomes == {BAD: "failed"}
    how = "unittest stopped before it ran them, such as test_two.py::Two::test_good"
    assert ran.found.problems == (f"1 test loaded, but {how}",)


def test_a_swallowed_exit_code(checkout: Checkout) -> None:
    checkout.write("shop.py", "")
    checkout.write("test_two.py", TWO)
    assert checkout.run(f"{shlex.join(UNITTEST)} || true").found.problems == (ALTHOUGH,)


ADDS = "TestCase.assertItemsEqual = TestCase.assertCountEqual\nTestCase.maxDiff = None"
COUNTS = """
class Result(unittest.TextTestResult):
    def addFailure(self, test, error): self.failures.append((str(test), ""))
    def addSuccess(self, test): pass
unittest.TextTestRunner.resultclass = Result
"""
WRAPS = """
own = TestCase.run
def run(self, result=None): return own(self, result)
TestCase.run = run
"""

AWAITS = """
import asyncio
own = TestCase.__call__
def call(self, result):
    method = getattr(self, self._testMethodName)
    setattr(self, self._testMethodName, lambda: asyncio.run(method()))
    own(self, result)
TestCase.__call__ = call
"""


@pytest.mark.parametrize("code", [ADDS, COUNTS, WRAPS, AWAITS])
def test_an_honest_project_is_no_problem(checkout: Checkout, code: str) -> None:
    checkout.write("test_two.py", TWO.replace("def", "async def") if code == AWAITS else TWO)
    checkout.write("shop.py", USE + code)
    ran = checkout.run(UNITTEST)
    assert ran.found.problems == (), ran.output
    assert list(ran.outcomes.values()) == ["failed", "passed"]

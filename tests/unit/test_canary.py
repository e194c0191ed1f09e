"""A canary is called like its neighbour, so that the same pattern finds it."""

from __future__ import annotations

import pytest

from ralph.domain.tests import TestOutcome, TestReport, TestResult
from ralph.proof.canary import lacking, named, plant


@pytest.mark.parametrize(
    ("neighbour", "expected"),
    [
        ("test_app.py", "test_canary_0a.py"),
        ("app_test.py", "canary_0a_test.py"),
        ("theme_tests.py", "canary_0a_tests.py"),
        ("tests.py", "test_canary_0a.py"),
        ("checks.py", "checks_canary_0a.py"),
        ("app.test.js", "canary-0a.test.js"),
        ("app-test.ts", "canary-0a-test.ts"),
        ("app_spec.mjs", "canary-0a_spec.mjs"),
        ("test-app.js", "test-app-0a.js"),
        ("receiver.js", "receiver-0a.js"),
        ("cart_test.go", "canary_0a_test.go"),
    ],
)
def test_named_like_its_neighbour(neighbour: str, expected: str) -> None:
    assert named(neighbour, "0a") == expected


def told(runner: str, file: str, *, searched: bool = True) -> TestReport:
    passed = TestResult(f"{file}::t", TestOutcome.PASSED, file)
    return TestReport(runner, (passed,), searched=searched)


@pytest.mark.parametrize(
    ("runner", "file", "sample", "part"),
    [
        ("pytest", "tests/test_a.py", "", "def test_canary_"),
        ("unittest", "tests/test_a.py", "", "(unittest.TestCase)"),
        ("pytest+unittest", "tests/test_a.py", "", "def test_canary_"),
        ("jest", "a.test.js", "", "expect(1 + 1).toBe(3)"),
        ("vitest", "a.test.ts", "", 'from "vitest"'),
        ("mocha", "test/a.js", "it('x', () => {})", 'it("canary '),
        ("mocha", "test/a.js", "test('x', () => {})", 'test("canary '),
        ("tap", "test/a.js", "import test from 'ava'", 'from "ava"'),
        ("tap", "test/a.js", "const test = require('tape')", 'require("tape")'),
        ("tap", "test/a.js", "import test from 'tape'", 'from "tape"'),
        ("tap", "test/a.js", "const t = require('tap')", 'require("tap");\nt.test('),
        ("node", "a.test.cjs", "", 'require("node:test")'),
        ("node", "a.test.mjs", "", 'from "node:test"'),
        ("tap", "a.test.js", "require('node:test')", 'require("node:test")'),
        ("go", "cart/a_test.go", "// x\n\npackage cart_test\n", "package cart_test\n"),
    ],
)
def test_each_runner_says_what_a_test_looks_like(
    runner: str, file: str, sample: str, part: str
) -> None:
    planted = plant(told(runner, file), sample)
    assert planted is not None
    assert part in planted.text
    assert planted.mark in planted.text
    assert planted.path != file


def test_where_files_are_named_only_some_can_hold_one_more() -> None:
    planted = plant(told("unittest", "test_a.py", searched=False), "import a\n\nunittest.main()\n")
    assert planted is not None
    assert planted.path == "test_a.py"
    assert planted.text.startswith("import a\n")
    assert planted.text.endswith("unittest.main()\n")
    assert plant(told("pytest", "test_a.py", searched=False), "x") is None


def test_what_cannot_be_planted_is_said() -> None:
    assert plant(told("cargo", "tests/a.rs"), "x") is None
    assert lacking(told("cargo", "tests/a.rs"), "x") == "Ralph cannot write one for cargo"
    assert plant(told("junit", ""), "") is None
    assert "does not name the files" in lacking(told("junit", ""), "")
    assert "is not in the commit" in lacking(told("pytest", "test_a.py"), "")
    assert lacking(TestReport("pytest"), "") == "no test passed"

"""A test that must fail: a check that does not notice it notices nothing."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.evidence import Fact, FactKind
from ralph.proof.paths import is_test

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph.domain.tests import TestReport
    from ralph.domain.trial import Trial

_PYTHON = """\
def test_canary_{mark}():
    assert 1 + 1 == 3, "canary {mark}"
"""
_UNITTEST = """\
import unittest


class Canary{mark}(unittest.TestCase):
    def test_canary_{mark}(self):
        self.assertEqual(1 + 1, 3, "canary {mark}")
"""
_MAIN = re.compile(r"^(?:if __name__\b|(?:unittest\.)?main\()", re.MULTILINE)
_IMPORT = """\
import test from "node:test";
import assert from "node:assert/strict";
test("canary {mark}", () => {{ assert.equal(1 + 1, 3, "canary {mark}"); }});
"""
_REQUIRE = """\
const test = require("node:test");
const assert = require("node:assert/strict");
test("canary {mark}", () => {{ assert.equal(1 + 1, 3, "canary {mark}"); }});
"""
_GLOBAL = """\
test("canary {mark}", () => {{ expect(1 + 1).toBe(3); }});
"""
_MOCHA = """\
{{say}}("canary {mark}", function () {{ throw new Error("canary {mark}"); }});
"""
_TAPE = """\
const test = require("tape");
test("canary {mark}", (t) => {{ t.equal(1 + 1, 3, "canary {mark}"); t.end(); }});
"""
_TAPE_IMPORTED = _TAPE.replace('const test = require("tape")', 'import test from "tape"')
_AVA = """\
import test from "ava";
test("canary {mark}", (t) => {{ t.is(1 + 1, 3, "canary {mark}"); }});
"""
_VITEST = """\
import {{ expect, test }} from "vitest";
test("canary {mark}", () => {{ expect(1 + 1).toBe(3); }});
"""


class Planted(Struct, frozen=True):
    path: str
    text: str
    mark: str


def plant(report: TestReport | None, sample: str = "") -> Planted | None:
    """A canary beside a test that was run; None where nobody knows how one looks there.

    `sample` is the text of that test's file: a JavaScript test imports or requires. Where the
    runner was told which files to run, the canary goes into that file.
    """
    beside = neighbour(report)
    if report is None or not beside:
        return None
    mark = secrets.token_hex(4)
    folder, _, name = beside.rpartition("/")
    place = f"{folder}/" if folder else ""
    text = _text(report.runner, name, sample)
    if text is None:
        return None
    text = text.format(mark=mark)
    if report.searched:
        return Planted(place + named(name, mark), text, mark)
    return (
        Planted(beside, _within(sample, text), mark) if text.startswith("import unittest") else None
    )


def _within(sample: str, text: str) -> str:
    """The file with one more test in it, before the line that runs them all."""
    main = _MAIN.search(sample)
    end = main.start() if main else len(sample)
    return f"{sample[:end]}\n\n{text}\n\n{sample[end:]}"


def neighbour(report: TestReport | None) -> str:
    """The file of a test that passed, which the runner therefore finds.

    Source with examples in it comes last: a test beside it would be found by nobody.
    """
    if report is None:
        return ""
    green = (r.file for r in report.results if r.outcome.is_green and r.file)
    return min(green, key=lambda file: (not is_test(file), len(file)), default="")


def _text(runner: str, name: str, sample: str) -> str | None:
    if name.endswith(".py"):
        return _PYTHON if "pytest" in runner else _UNITTEST
    if not re.search(r"\.[cm]?[jt]sx?$", name):
        return None
    known = {"vitest": _VITEST, "jest": _GLOBAL, "mocha": _MOCHA}
    text = next((text for name, text in known.items() if name in runner), "")
    if text:
        return text.replace("{{say}}", "it" if re.search(r"\bit\(", sample) else "test")
    return _script(name, sample)


def _script(name: str, sample: str) -> str:
    """For runners that a test itself imports."""
    if re.search(r"['\"]ava['\"]", sample):
        return _AVA
    if re.search(r"['\"]tape['\"]", sample):
        return _TAPE if "require" in sample else _TAPE_IMPORTED
    requires = name.endswith((".cjs", ".cts")) or re.search(r"\brequire\(", sample)
    return _REQUIRE if requires else _IMPORT


def named(name: str, mark: str) -> str:
    """Named like its neighbour, so that the same pattern finds it."""
    if end := re.search(r"(?<=.)_?tests?\.py$", name):
        return f"canary_{mark}{end[0]}"
    if end := re.search(r"(?<=.)[_-](?:test|spec)s?\.[cm]?[jt]sx?$", name):
        return f"canary-{mark}{end[0]}"
    stem, dot, ending = name.partition(".")
    if name.endswith(".py"):
        start = "test" if name.startswith("test") else stem
        return f"{start}_canary_{mark}.py"
    prefix = "test-" if stem.startswith("test-") else ""
    return f"{prefix}canary-{mark}{dot}{ending}" if "." in ending else f"{stem}-{mark}{dot}{ending}"


def silent(trial: Trial, canary: Planted) -> Iterable[Fact]:
    """The fact that the canary was not heard, if so."""
    if trial.passed:
        text = f"A test that must fail was added as {canary.path}, and the checks passed."
        yield Fact(FactKind.CANARY_SILENT, text, canary.path)
        return
    report = trial.report
    if report is None:
        return
    heard = any(canary.mark in result.id and result.outcome.is_red for result in report.results)
    if not heard and not any(result.file == canary.path for result in report.red):
        text = f"A test that must fail was added as {canary.path}, and it was not reported red."
        yield Fact(FactKind.CANARY_SILENT, text, canary.path)

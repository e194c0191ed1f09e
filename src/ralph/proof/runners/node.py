"""Node's own test runner: `inside/node/reporter.mjs` says what it saw."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, ClassVar

import msgspec

from ralph.domain.tests import SEPARATOR, TestOutcome
from ralph.proof.runners.formats import tap
from ralph.proof.runners.reports import (
    merged,
    raw,
    raws,
    relative,
    report,
    result,
    tests,
)
from ralph.proof.runners.runner import SCRIPTS, TestRunner, either, titles
from ralph.proof.runners.words import NODE_COVERAGE, NODE_VALUES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from ralph.domain.tests import TestReport, TestResult
    from ralph.proof.runners.reports import Raw

_IMPORTED = 'import test from "node:test";\nimport assert from "node:assert/strict";\n'
_REQUIRED = """\
const test = require("node:test");
const assert = require("node:assert/strict");
"""
_CANARY = 'test("canary {mark}", () => {{ assert.equal(1 + 1, 3, "canary {mark}"); }});\n'
_EXPORT = re.compile(rb"^(?:export\b|module\.exports\b|exports\.)", re.MULTILINE)
_OWN_TEST = re.compile(rb"^(?:await\s+)?(?:test|it|describe|suite)\b[.\w]*\s*\(", re.MULTILINE)


class _NodeLine(msgspec.Struct):
    kind: str
    """start, queued, begin, pass, fail, end."""
    name: str = ""
    nesting: int = 0
    file: str = ""
    type: str = ""
    skip: bool = False
    todo: bool = False
    seconds: float = 0
    failure: str = ""
    """Why it failed: testCodeFailure, subtestsFailed, hookFailed, cancelledByParent …"""
    message: str = ""
    filtered: bool = False
    """Of the start: whether only some of the tests were asked for."""

    @property
    def is_file(self) -> bool:
        """Node reports a file that has no tests, or that broke, as a test of that name."""
        same = self.file == self.name or self.file.endswith("/" + self.name.removeprefix("./"))
        return self.nesting == 0 and bool(self.name) and same

    @property
    def is_over(self) -> bool:
        return self.kind in ("pass", "fail")


_decode = msgspec.json.Decoder(_NodeLine).decode


class NodeTest(TestRunner):
    name: ClassVar = "node"
    also: ClassVar = (tap.RUNNER,)
    started: ClassVar = re.compile(r"\b(?:node|tsx)\b.*\s(?:--test\b|\S*test\S*\.[cm]?[jt]s\b)")
    language: ClassVar = "node"
    prints: ClassVar = (tap.parse,)
    tells_its_end: ClassVar = True
    loads_apart: ClassVar = True
    starts_each: ClassVar = True
    programs: ClassVar = ("node --test",)
    endings: ClassVar = SCRIPTS
    with_value: ClassVar = NODE_VALUES
    named: ClassVar = "--test-name-pattern"
    measures: ClassVar = NODE_COVERAGE

    def written(self, scratch: Path, folder: Path) -> TestReport | None:
        return merged(_run(one, folder) for one in raws(scratch, "node-*.jsonl"))

    def patterns(self, tests: Iterable[str]) -> list[str]:
        return either(one[-1] for one in titles(tests))

    def canary(self, name: str, sample: str, mark: str) -> str | None:
        if not name.endswith(self.endings):
            return None
        requires = name.endswith((".cjs", ".cts")) or re.search(r"\brequire\(", sample)
        return (_REQUIRED if requires else _IMPORTED) + _CANARY.format(mark=mark)


def _run(one: Raw, folder: Path) -> TestReport:
    problems = one.problems
    known: list[_NodeLine] = []
    for text in filter(None, one.data.split(b"\n")):
        try:
            known.append(_decode(text))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            problems.append("a line of Node's report cannot be read")
    if not any(line.kind == "end" for line in known):
        problems.append("Node's report ended early: the process was gone before the end")
    problems += _unfinished(known, folder)
    if not any(line.filtered for line in known):
        problems += _silent(known, folder)
    return report(NodeTest.name, _results(known, folder), problems)


def _results(known: Iterable[_NodeLine], folder: Path) -> Iterator[TestResult]:
    paths: dict[str, list[str]] = {}
    for line in known:
        path = paths.setdefault(line.file, [])
        if line.kind == "begin":
            path[line.nesting :] = [line.name]
        elif line.is_over and not _is_suite_only(line):
            file = relative(line.file, folder)
            parents = path[: line.nesting]
            words = [file] if line.is_file else [file, *parents, line.name]
            name = SEPARATOR.join(word for word in words if word)
            yield result(name, _outcome(line), file, line.message, line.seconds)


def _is_suite_only(line: _NodeLine) -> bool:
    """A suite is no test of its own unless something around its tests failed."""
    return line.type == "suite" and (line.kind == "pass" or line.failure == "subtestsFailed")


def _outcome(line: _NodeLine) -> TestOutcome:
    if line.skip:
        return TestOutcome.SKIPPED
    if line.todo:
        return TestOutcome.XPASSED if line.kind == "pass" else TestOutcome.XFAILED
    if line.kind == "pass":
        return TestOutcome.PASSED
    broken = line.is_file or line.type == "suite"
    return TestOutcome.ERROR if broken else TestOutcome.FAILED


def _unfinished(known: Iterable[_NodeLine], folder: Path) -> Iterator[str]:
    waiting: Counter[tuple[str, int, str]] = Counter()
    for line in known:
        if line.is_file:
            continue
        key = (line.file, line.nesting, line.name)
        if line.kind == "queued":
            waiting[key] += 1
        elif line.is_over:
            waiting[key] -= 1
    left = [key for key, count in waiting.items() if count > 0]
    if left:
        file, _, name = left[0]
        example = SEPARATOR.join((relative(file, folder), name))
        yield f"{tests(len(left))} started and never finished, such as {example}"


def _helps(text: bytes) -> bool:
    """Whether a file makes tests for others, and none itself."""
    return bool(_EXPORT.search(text)) and not _OWN_TEST.search(text)


def _silent(known: Iterable[_NodeLine], folder: Path) -> Iterator[str]:
    """A file that has tests and reported none left before they were over."""
    for line in known:
        if line.kind != "pass" or not line.is_file or line.skip:
            continue
        place = relative(line.file, folder)
        text = raw(folder / place)
        if text is not None and b"node:test" in text.data and not _helps(text.data):
            yield f"{place} uses node:test and reported no test: it may have ended early"

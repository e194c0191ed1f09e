"""`cargo test`: what the test harness of Rust prints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct, field

from ralph.domain.tests import MESSAGE, SEPARATOR, TestOutcome
from ralph.proof.runners.reports import lines, report, result, tests
from ralph.proof.runners.runner import TestRunner

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.tests import TestReport, TestResult

_TARGET = re.compile(r"^\s+Running (?:unittests )?(\S+) \((?:.*/)?(\S+)-[0-9a-f]{16}\S*\)$")
_DOCUMENTS = re.compile(r"^\s+Doc-tests (\S+)$")
_TEST = re.compile(r"^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)(?:, .*)?$")
_LINE_NUMBER = re.compile(r" \(line \d+\)")
_SECTION = re.compile(r"^---- (.+) stdout ----$")
_SUMMARY = re.compile(
    r"^test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored; \d+ measured; \d+ filtered out"
)
_NOT_BUILT = re.compile(r"^error: could not compile `([^`]+)`")

_OUTCOMES = {
    "ok": TestOutcome.PASSED,
    "FAILED": TestOutcome.FAILED,
    "ignored": TestOutcome.SKIPPED,
}


class _Target(Struct):
    """One program of tests: a library, a binary, a file in tests/, the documentation."""

    name: str
    file: str = ""
    outcomes: list[tuple[str, TestOutcome]] = field(default_factory=list)
    said: dict[str, list[str]] = field(default_factory=dict)
    section: list[str] | None = None
    counted: int | None = None


def parse(output: bytes, _: Path) -> TestReport | None:
    """None if no harness of Rust's spoke."""
    targets: list[_Target] = []
    problems: list[str] = []
    for line in lines(output):
        if found := _TARGET.match(line):
            targets.append(_Target(f"{found[2]} {found[1]}", found[1]))
        elif found := _DOCUMENTS.match(line):
            targets.append(_Target(f"{found[1]} documentation"))
        elif found := _NOT_BUILT.match(line):
            problems.append(f"{found[1]} does not compile")
        elif targets:
            _take(targets[-1], line)
    if not targets and not problems:
        return None
    problems += [trouble for target in targets if (trouble := _trouble(target))]
    return report("cargo", [one for t in targets for one in _results(t)], problems)


def _take(target: _Target, line: str) -> None:
    if target.counted is not None:
        return
    if found := _SUMMARY.match(line):
        target.counted = sum(int(found[number]) for number in (1, 2, 3))
    elif found := _SECTION.match(line):
        target.section = target.said.setdefault(found[1], [])
    elif target.section is not None:
        if sum(map(len, target.section)) < MESSAGE:
            target.section.append(line)
    elif found := _TEST.match(line):
        target.outcomes.append((found[1], _OUTCOMES[found[2]]))


def _results(target: _Target) -> list[TestResult]:
    return [
        result(
            f"{target.name}{SEPARATOR}{_LINE_NUMBER.sub('', name)}",
            outcome,
            target.file if target.file.startswith("tests/") else "",
            "\n".join(target.said.get(name, ())),
        )
        for name, outcome in target.outcomes
    ]


def _trouble(target: _Target) -> str:
    seen = len(target.outcomes)
    if target.counted is None:
        return f"the tests of {target.name} ended early: there is no summary"
    if target.counted != seen:
        return f"{target.name} counts {tests(target.counted)} and shows {seen} of them"
    return ""


class Cargo(TestRunner):
    """It takes names of targets, not of files; most of its tests stand among the source."""

    name: ClassVar = "cargo"
    started: ClassVar = re.compile(r"\bcargo\s+(?:\+\S+\s+)?(?:-\S+\s+)*(?:t|test)\b")
    prints: ClassVar = (parse,)

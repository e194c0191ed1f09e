"""The Test Anything Protocol on standard output, with subtests indented by four spaces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct, field

from ralph.domain.tests import MESSAGE, SEPARATOR, TestOutcome
from ralph.proof.runners.places import Places
from ralph.proof.runners.reports import (
    MOST_RESULTS,
    lines,
    relative,
    report,
    result,
    tests,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ralph.domain.tests import TestReport, TestResult

RUNNER = "tap"

_VERSION = re.compile(r"TAP version 1[234]")
_PLAN = re.compile(r"1\.\.(\d{1,9})(?:\s+#.*)?")
_POINT = re.compile(r"(not )?ok\b(?: +\d{1,9}\b)?(?: +-)?(.*)")
_DIRECTIVE = re.compile(r"\s#\s*(skip|todo)\b.*$", re.IGNORECASE)
_TIME = re.compile(r"\s#\s*time=([\d.]{1,20})(m?)s\b.*$")
"""As node-tap says it behind every name."""
_TITLE = re.compile(
    r"# (?!(?:tests|pass|fail|skip|skipped|todo|cancelled|suites|duration_ms|time)[ :=]|ok$"
    r"|Subtest\b|Failed\b|failed\b|Looks like|\d)(\S.*)"
)
_STEP = 4
_DEEPEST = 20


class _Point(Struct):
    """One test, named from the inside out until the subtests around it are known."""

    names: list[str]
    outcome: TestOutcome
    said: list[str]
    title: str = ""
    """What a line above it called the test that it is one assertion of."""
    seconds: float = 0


class _Level(Struct):
    points: list[_Point] = field(default_factory=list)
    count: int = 0
    planned: int | None = None
    title: str = ""
    """The last line that only said something: some runners name tests so, not assertions."""
    fresh: bool = False
    """Whether no assertion came after it."""

    def trouble(self) -> Iterator[str]:
        if self.planned is not None and self.planned != self.count:
            yield f"{tests(self.planned)} planned and {self.count} reported"


class _TapReader(Struct):
    titled: bool = True
    """Whether a line that only says something may name the test of the assertions after it."""
    levels: list[_Level] = field(default_factory=lambda: [_Level()])
    problems: list[str] = field(default_factory=list)
    is_tap: bool = False
    total: int = 0
    last: _Point | None = None
    """The point of the line before, which diagnostics may follow."""
    said: list[str] | None = None
    """The diagnostics that are being read."""

    def take(self, line: str) -> None:
        bare = line.strip()
        last, self.last = self.last, None
        if self.said is not None:
            self._diagnose(bare)
        elif bare == "---" and last is not None:
            self.said = last.said
        elif found := _POINT.fullmatch(bare):
            self._point(self._open(line, bare), bool(found[1]), found[2])
        elif found := _PLAN.fullmatch(bare):
            depth = self._open(line, bare)
            self.levels[depth].planned = int(found[1])
            self.is_tap = self.is_tap or depth == 0
        elif self.titled and (found := _TITLE.fullmatch(bare)):
            level = self.levels[self._open(line, bare)]
            level.title, level.fresh = found[1].strip(), True
        elif bare.startswith("Bail out!"):
            self.problems.append(f"the run was aborted: {bare[9:].strip() or 'no reason given'}")
        elif _VERSION.fullmatch(bare):
            self.is_tap = True

    def _diagnose(self, bare: str) -> None:
        if bare == "...":
            self.said = None
        elif self.said is not None and sum(map(len, self.said)) < MESSAGE:
            self.said.append(bare)

    def _open(self, line: str, bare: str) -> int:
        depth = min((len(line) - len(line.lstrip(" "))) // _STEP if bare else 0, _DEEPEST)
        while len(self.levels) <= depth:
            self.levels.append(_Level())
        return depth

    def _point(self, depth: int, is_red: bool, text: str) -> None:
        self.total += 1
        if self.total > MOST_RESULTS:
            return
        timed = _TIME.search(text)
        text = text[: timed.start()] if timed else text
        directive = _DIRECTIVE.search(text)
        word = directive[1].lower() if directive else ""
        name = (text[: directive.start()] if directive else text).strip()
        level = self.levels[depth]
        level.count += 1
        inner = self._close(depth + 1)
        for point in inner:
            point.names.append(name)
        level.points += inner
        self.last = self._named(level, name, _outcome(word, is_red=is_red))
        self.last.seconds += _seconds(timed) if timed else 0
        # The line after subtests repeats them, unless it alone says that something failed.
        explained = any(point.outcome.is_red for point in inner)
        known = bool(level.points) and self.last is level.points[-1]
        if not known and (not inner or (self.last.outcome.is_red and not explained)):
            level.points.append(self.last)

    def _named(self, level: _Level, name: str, outcome: TestOutcome) -> _Point:
        """A test of its own, or one more assertion of the test whose title stands above it."""
        title, fresh, level.fresh = level.title, level.fresh, False
        if not title or title == name or title.endswith(f" {name}"):
            return _Point([name or f"test {level.count}"], outcome, [])
        last = level.points[-1] if level.points else None
        if not fresh and last is not None and last.title == title:
            if outcome.is_red and not last.outcome.is_red:
                last.outcome, last.said = outcome, [name]
            return last
        return _Point([title], outcome, [name] if outcome.is_red else [], title)

    def _close(self, depth: int) -> list[_Point]:
        """The points of the levels from this one on, which are over."""
        points: list[_Point] = []
        while len(self.levels) > depth:
            level = self.levels.pop()
            points = [*level.points, *points]
            self.problems += level.trouble()
        return points

    def finish(self) -> list[_Point]:
        if self.said is not None or len(self.levels) > 1:
            self.problems.append("the report ended early, in the middle of a test")
        if self.total > MOST_RESULTS:
            self.problems.append(f"there are more than {MOST_RESULTS} tests: the rest was not read")
        left = self._close(1)
        top = self.levels[0]
        self.problems += top.trouble()
        if top.planned is None:
            self.problems.append("the report ended early: there is no plan of how many tests")
        return [*top.points, *left]


def parse(output: bytes, folder: Path, *, titled: bool = True) -> TestReport | None:
    """None unless it says that it is TAP, by a version or a plan."""
    reader = _TapReader(titled=titled)
    for line in lines(output):
        reader.take(line)
    if not reader.is_tap:
        return None
    places = Places(folder)
    results = [_result(point, folder, places) for point in reader.finish()]
    return report(RUNNER, results, reader.problems)


def _result(point: _Point, folder: Path, places: Places) -> TestResult:
    # Some name a whole file by where it is.
    words = [relative(word, folder) if word[:1] == "/" else word for word in point.names[::-1]]
    name = SEPARATOR.join(words)
    return result(
        name, point.outcome, places.of(words[0]), "\n".join(point.said), seconds=point.seconds
    )


def _seconds(timed: re.Match[str]) -> float:
    try:
        return float(timed[1]) / (1000 if timed[2] else 1)
    except ValueError:
        return 0


def _outcome(directive: str, *, is_red: bool) -> TestOutcome:
    if directive == "skip":
        return TestOutcome.SKIPPED
    if directive == "todo":
        return TestOutcome.XFAILED if is_red else TestOutcome.XPASSED
    return TestOutcome.FAILED if is_red else TestOutcome.PASSED

"""Python's own unittest: `inside/python/ralph_unittest.py` says what it saw."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Literal

import msgspec

from ralph.domain.tests import TestOutcome
from ralph.proof.runners.reports import (
    merged,
    relative,
    report,
    result,
    sessions,
    tests,
    unexplained,
    worse,
)
from ralph.proof.runners.runner import TestRunner
from ralph.proof.runners.words import NAMED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from ralph.domain.tests import TestReport, TestResult
    from ralph.proof.runners.reports import Raw
    from ralph.proof.runners.words import Around

_RAISED = "raise"
_MAIN = re.compile(r"^(?:if __name__\b|(?:unittest\.)?main\()", re.MULTILINE)
_CANARY = """\
import unittest


class Canary{mark}(unittest.TestCase):
    def test_canary_{mark}(self):
        self.assertEqual(1 + 1, 3, "canary {mark}")
"""
_WORST_FIRST = (
    TestOutcome.ERROR,
    TestOutcome.FAILED,
    TestOutcome.XFAILED,
    TestOutcome.SKIPPED,
    TestOutcome.PASSED,
)

Place = tuple[str, str]
"""A file, and what a test or a class is called there."""


class _UnittestLine(msgspec.Struct):
    kind: Literal["start", "foreign", "loaded", "begin", "test", "fixture", "end"]
    file: str = ""
    name: str = ""
    """Empty where it is about the whole file."""
    tests: list[Place] = []
    """All that the runner was given."""
    searched: bool = True
    """Whether they were found by discovery."""
    called: bool | None = None
    """Whether the test's method was; None if that cannot be told."""
    other: bool = False
    """Whether the method is another one than when it was loaded."""
    raised: dict[str, str] = {}
    """For each of call, around and fixture: skip, raise or nothing."""
    expected: bool = False
    """Whether the test is marked as expected to fail."""
    skip: bool = False
    told: list[str] | None = None
    """What the result was told about the test; None if that could not be heard."""
    phase: str = ""
    message: str = ""
    seconds: float = 0
    status: int | None = None
    stopped: bool = False
    replaced: list[str] = []
    """Assertions that are no longer unittest's own."""

    @property
    def place(self) -> Place:
        return self.file, self.name

    def covers(self, place: Place) -> bool:
        """Whether a test lies in the class or module that this line is about."""
        file, name = place
        return file == self.file and (not self.name or name.startswith(f"{self.name}::"))


_decode = msgspec.json.Decoder(_UnittestLine).decode


class Unittest(TestRunner):
    name: ClassVar = "unittest"
    started: ClassVar = re.compile(
        r"(?<=-m)\s*unittest\b|\b(?:manage\.py|django-admin)\s+test\b"
        r"|\bpython[\d.]*\s+(?:-[WX]\s*\S+\s+|-\w+\s+)*[\w./-]*test[\w-]*\.py\b"
    )
    language: ClassVar = "python"
    tells_its_end: ClassVar = True
    programs: ClassVar = ("-m unittest",)
    endings: ClassVar = (".py",)
    with_value: ClassVar = ("-k",)
    ends_early: ClassVar = ("-f", "--failfast")

    def written(self, scratch: Path, folder: Path) -> TestReport | None:
        return merged(_session(files, folder) for files in sessions(scratch, self.name))

    def narrowed(
        self, given: Sequence[str], tests: Sequence[str], around: Around
    ) -> list[str] | None:
        if "discover" in given:
            return None if "-k" in given else [*given, *_found_by(tests)]
        return super().narrowed(given, tests, around)

    def told(self, kept: list[str], tests: Sequence[str]) -> list[str]:
        return [*kept, *map(_dotted, tests)]

    def canary(self, name: str, sample: str, mark: str) -> str | None:
        del sample
        return _CANARY.format(mark=mark) if name.endswith(self.endings) else None

    def canary_within(self, name: str, sample: str, mark: str) -> str | None:
        """One more test, before the line that runs them all."""
        if not name.endswith(self.endings):
            return None
        main = _MAIN.search(sample)
        end = main.start() if main else len(sample)
        return f"{sample[:end]}\n\n{_CANARY.format(mark=mark)}\n\n{sample[end:]}"


def _found_by(tests: Iterable[str]) -> Iterator[str]:
    """`discover` loads every file, which may not be importable by its path, and runs what fits."""
    for one in tests:
        file, _, rest = one.partition(NAMED)
        stem = file.rpartition("/")[2].removesuffix(".py")
        pattern = f"*{stem}.{rest.replace(NAMED, '.')}" if rest else f"*{stem}.*"
        yield from ("-k", pattern)


def _dotted(test: str) -> str:
    """A single test as unittest takes it; a file stays one."""
    file, _, rest = test.partition(NAMED)
    if not rest:
        return file
    return ".".join((*file.removesuffix(".py").split("/"), *rest.split(NAMED)))


def _session(files: list[Raw], folder: Path) -> TestReport:
    """One process with those that it split into."""
    problems: list[str] = []
    of_files = [list(_lines(raw, problems)) for raw in files]
    known = [line for lines in of_files for line in lines]
    results: dict[str, TestResult] = {}
    for one in _results(known, folder, problems):
        before = results.get(one.id)
        results[one.id] = one if before is None else worse(before, one)
    problems += _ending(of_files, folder)
    problems += _replaced(known, folder)
    red = unexplained(results.values(), problems)
    statuses = {line.status for line in known if line.kind == "end"} - {None}
    if red and statuses == {0}:
        problems.append(f"unittest exited 0 although {tests(red)} failed")
    searched = all(line.searched for line in known)
    return report(Unittest.name, results.values(), problems, searched=searched)


def _lines(raw: Raw, problems: list[str]) -> Iterator[_UnittestLine]:
    problems += raw.problems
    for text in filter(None, raw.data.split(b"\n")):
        try:
            yield _decode(text)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            problems.append("a line of unittest's report cannot be read")


def _results(known: list[_UnittestLine], folder: Path, problems: list[str]) -> Iterator[TestResult]:
    for line in known:
        if line.kind == "test":
            outcome, doubt = _judged(line)
            name = _name(line.place, folder)
            if doubt:
                problems.append(f"{name} {doubt}")
            message = line.message or _what(line)
            yield result(name, outcome, _inside(line.file, folder), message, line.seconds)
        elif line.kind == "fixture":
            yield from _around_many(line, _left(known), folder)


def _around_many(line: _UnittestLine, left: Iterable[Place], folder: Path) -> Iterator[TestResult]:
    """What was raised around a class or module ends every test in it that was not run."""
    outcome = TestOutcome.ERROR if _RAISED in line.raised.values() else TestOutcome.SKIPPED
    covered = [place for place in left if line.covers(place)] if "setUp" in line.phase else []
    own = (line.file, f"{line.name}::{line.phase}".removeprefix("::"))
    for place in covered or [own]:
        message = f"{line.phase}: {line.message}"
        yield result(_name(place, folder), outcome, _inside(place[0], folder), message)


def _left(known: Iterable[_UnittestLine]) -> list[Place]:
    """The tests that were given to a runner and not run, in their order."""
    ran = {line.place for line in known if line.kind == "test"}
    given = dict.fromkeys(place for line in known for place in line.tests)
    return [place for place in given if place not in ran]


def _ending(of_files: list[list[_UnittestLine]], folder: Path) -> Iterator[str]:
    known = [line for lines in of_files for line in lines]
    if any(line.kind == "foreign" for line in known):
        return
    for lines in of_files:
        last = next((line for line in reversed(lines) if line.kind != "start"), None)
        if last is not None and last.kind == "begin":
            name = _name(last.place, folder)
            yield f"unittest's report ended early in {name}: the process was gone before the end"
            return
    ended = [line for line in known if line.kind == "end"]
    if not ended:
        before = any(line.kind == "test" for line in known)
        how = "'s report ended early: the process was gone before the end"
        yield f"unittest{how if before else ' ended before it began with any test'}"
        return
    fixtures = [line for line in known if line.kind == "fixture"]
    left = [p for p in _left(known) if not any(line.covers(p) for line in fixtures)]
    if left:
        stopped = any(line.stopped for line in ended)
        how = "unittest stopped before it ran them" if stopped else "then left out"
        yield f"{tests(len(left))} loaded, but {how}, such as {_name(left[0], folder)}"


def _replaced(known: Iterable[_UnittestLine], folder: Path) -> Iterator[str]:
    for line in known:
        if line.kind == "foreign":
            place = _inside(line.file, folder) or "another module"
            yield f"{place} shadows Python's own unittest"
        yield from (f"TestCase.{name} is no longer unittest's own" for name in line.replaced)


def _name(place: Place, folder: Path) -> str:
    """As pytest would name it, so that it is the same in every checkout."""
    file, name = place
    return "::".join(filter(None, (_inside(file, folder) or file, name))) or "the loading"


def _inside(file: str, folder: Path) -> str:
    """The path as seen from the checkout; nothing for a file elsewhere, or for a mere module."""
    path = relative(file, folder)
    return "" if not path.endswith(".py") or path.startswith(("/", "..")) else path


def _judged(line: _UnittestLine) -> tuple[TestOutcome, str]:
    """The outcome that the facts support, and what speaks against what the result was told."""
    seen, told = _seen(line), _told(line.told)
    if told is not None and told.is_red:
        return seen if seen is not None and seen.is_red else told, ""
    words = f"but was reported as {told}" if told else "and nothing was reported about it"
    if seen is None:
        return TestOutcome.ERROR, _never_called(told)
    if seen.is_red and line.told is not None:
        return seen, f"{_what(line)}, {words}"
    if line.other and seen.is_green:
        text = "was reported as passed, but a different function ran in its place"
        return TestOutcome.ERROR, text
    return seen, ""


def _seen(line: _UnittestLine) -> TestOutcome | None:
    """How the test ended by what it did; None if it did nothing."""
    if line.raised.get("around") == _RAISED:
        return TestOutcome.ERROR
    if line.raised.get("call") == _RAISED:
        return _failure(line)
    if line.skip or line.raised:
        return TestOutcome.SKIPPED
    if line.called is False:
        return None
    return TestOutcome.FAILED if line.expected else TestOutcome.PASSED


def _failure(line: _UnittestLine) -> TestOutcome:
    if line.expected:
        return TestOutcome.XFAILED
    return TestOutcome.FAILED if line.file and line.name else TestOutcome.ERROR


def _told(words: Iterable[str] | None) -> TestOutcome | None:
    outcomes = {word for word in words or () if word in set(_WORST_FIRST)}
    return next((one for one in _WORST_FIRST if one in outcomes), None)


def _never_called(told: TestOutcome | None) -> str:
    if told is None:
        return "was started, but never reported"
    return f"was reported as {told}, but its function was never called"


def _what(line: _UnittestLine) -> str:
    if line.raised.get("around") == _RAISED:
        return "raised around the test"
    if _RAISED in line.raised.values():
        return "raised"
    return "passed though a failure is expected" if line.expected else ""

"""pytest: our plugin `inside/python/ralph_pytest.py` says what it saw."""

from __future__ import annotations

import configparser
import contextlib
import re
import tomllib
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from ralph.domain.tests import TestOutcome
from ralph.proof.runners.formats import junit
from ralph.proof.runners.reports import (
    merged,
    raw,
    relative,
    report,
    result,
    sessions,
    tests,
    unexplained,
    worse,
)
from ralph.proof.runners.runner import WORD, TestRunner
from ralph.proof.runners.words import NAMED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ralph.domain.tests import TestReport, TestResult
    from ralph.proof.runners.recognise import Recognised
    from ralph.proof.runners.reports import Raw

_RAISED = "raise"
_JUNIT = re.compile(r"--junit-?xml[=\s]+([^\s'\"]+)")
_NO_JUNIT = re.compile(r"-p\s*no:junitxml")
_OUR_JUNIT = "pytest.xml"
"""What it writes where nothing of ours can be loaded."""
_SETTINGS = {"pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}
"""Where its settings may be besides pyproject.toml, each with their section."""
_CANARY = """\
def test_canary_{mark}():
    assert 1 + 1 == 3, "canary {mark}"
"""


class _PytestLine(msgspec.Struct):
    kind: Literal["start", "begin", "collect", "test", "end"]
    id: str = ""
    file: str = ""
    outcome: str = ""
    message: str = ""
    seconds: float = 0
    called: bool | None = None
    """Whether the test's function was; None if that cannot be told."""
    raised: str = ""
    """By the test's function: skip, xfail, raise or nothing."""
    replaced: bool = False
    xfail: bool = False
    """Whether the test is marked as expected to fail."""
    raw: dict[str, str] = {}
    """For each phase what was raised, as pytest itself saw it."""
    final: list[tuple[str | None, str, bool]] = []
    """Phase, outcome, and whether a failure was expected: what the reports said in the end."""
    status: int | None = None
    stopped: bool = False
    """Whether the run was ended on purpose before all tests had their turn."""
    left: int = 0
    named: list[str] = []


_decode = msgspec.json.Decoder(_PytestLine).decode


class Pytest(TestRunner):
    name: ClassVar = "pytest"
    started: ClassVar = re.compile(WORD + r"(?:pytest|py\.test)(?![\w.-])")
    language: ClassVar = "python"
    tells_its_end: ClassVar = True
    programs: ClassVar = ("pytest", "py.test", "-m pytest")
    endings: ClassVar = (".py",)
    any_ending: ClassVar = True
    with_value: ClassVar = (
        *("-k", "-m", "-p", "-c", "-o", "-W", "-n", "-r", "--tb", "--dist", "--color"),
        *("--durations", "--maxfail", "--rootdir", "--confcutdir", "--basetemp", "--timeout"),
        *("--junitxml", "--junit-xml", "--log-level", "--log-cli-level", "--import-mode"),
        *("--numprocesses", "--reruns", "--capture", "--asyncio-mode", "--html", "--deselect"),
        *("--hypothesis-profile", "--hypothesis-seed"),
        *("--cov-report", "--cov-config", "--cov-fail-under"),
    )
    alone: ClassVar = (
        *("--doctest-modules", "--strict-markers", "--strict-config", "--no-header", "--no-cov"),
    )
    ends_early: ClassVar = ("-x", "--exitfirst", "--maxfail=1")
    measures: ClassVar = re.compile(r"--cov(?:-branch|=.*)?")
    unmeasured: ClassVar = ("--no-cov",)

    def unloaded(self, known: Recognised, env: Mapping[str, str], scratch: Path) -> dict[str, str]:
        if _own_junit(known) or any(map(_NO_JUNIT.search, known.pieces)):
            return {}
        path = str(scratch / _OUR_JUNIT).replace("'", "'\"'\"'")
        ours = f"--junitxml='{path}' -o junit_family=xunit1"
        return {"PYTEST_ADDOPTS": f"{env.get('PYTEST_ADDOPTS', '')} {ours}".strip()}

    def written(self, scratch: Path, folder: Path) -> TestReport | None:
        found = [_session(files, folder) for files in sessions(scratch, self.name)]
        ours = raw(scratch / _OUR_JUNIT)
        return merged([*found, *([junit.parse(ours, folder, pytest=True)] if ours else [])])

    def junit(self, known: Recognised) -> tuple[str, ...]:
        return _own_junit(known) if known.closed else ()

    def measures_always(self, text: Callable[[str], str]) -> bool:
        return "--cov" in _always(text)

    def told(self, kept: list[str], tests: Sequence[str]) -> list[str]:
        named = (one.removesuffix(NAMED) for one in tests)  # a test may have no name but its file's
        return [*named, *kept]  # an option at the end could take a file for its value

    def canary(self, name: str, sample: str, mark: str) -> str | None:
        del sample
        return _CANARY.format(mark=mark) if name.endswith(self.endings) else None


def _always(text: Callable[[str], str]) -> str:
    """The options that its settings add to every command."""
    found: list[Any] = []
    with contextlib.suppress(tomllib.TOMLDecodeError, AttributeError):
        tools = tomllib.loads(text("pyproject.toml")).get("tool", {})
        found.append(tools.get("pytest", {}).get("ini_options", {}).get("addopts"))
    for name, section in _SETTINGS.items():
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        with contextlib.suppress(configparser.Error):
            parser.read_string(text(name))
            found.append(parser.get(section, "addopts", fallback=""))
    return str(found)


def _own_junit(known: Recognised) -> tuple[str, ...]:
    """Where it writes JUnit's XML by the command's own words."""
    return tuple(path for piece in known.pieces for path in _JUNIT.findall(piece))


def _session(files: list[Raw], folder: Path) -> TestReport:
    """One pytest with its workers."""
    results: dict[str, TestResult] = {}
    problems: list[str] = []
    status: int | None = None
    for one in files:
        known = list(_lines(one, problems))
        problems += one.problems
        for line in known:
            for new in _results(line, folder, problems):
                before = results.get(new.id)
                results[new.id] = new if before is None else worse(before, new)
        status = max((line.status or 0 for line in known if line.kind == "end"), default=status)
        problems += _ending(known, folder)
    red = unexplained(results.values(), problems)
    if red and status == 0:
        problems.append(f"pytest exited 0 although {tests(red)} failed")
    return report(Pytest.name, results.values(), problems)


def _lines(one: Raw, problems: list[str]) -> Iterator[_PytestLine]:
    for text in one.data.split(b"\n"):
        if not text:
            continue
        try:
            yield _decode(text)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            problems.append("a line of pytest's report cannot be read")


def _ending(known: list[_PytestLine], folder: Path) -> Iterator[str]:
    end = next((line for line in reversed(known) if line.kind == "end"), None)
    if end is None:
        begun = [line for line in known if line.kind == "begin"]
        if not begun:
            yield "pytest ended before it began with any test"
            return
        done = {line.id for line in known if line.kind == "test"}
        in_it = begun[-1].id if begun[-1].id not in done else ""
        where = f" in {_name(in_it, '', folder)}" if in_it else ""
        yield f"pytest's report ended early{where}: the process was gone before the end"
    elif end.left:
        example = f", such as {end.named[0]}" if end.named else ""
        how = "pytest stopped before it ran them" if end.stopped else "then left out"
        yield f"{tests(end.left)} collected, but {how}{example}"


def _results(line: _PytestLine, folder: Path, problems: list[str]) -> Iterator[TestResult]:
    name = _name(line.id, line.file, folder) or "the collection"
    file = relative(line.file, folder)
    if line.kind == "collect":
        outcome = TestOutcome.SKIPPED if line.outcome == "skipped" else TestOutcome.ERROR
        yield result(name, outcome, file, line.message)
    elif line.kind == "test":
        reported = _reported(line.final)
        if reported is None:
            problems.append(f"{name} was started, but never reported")
            return
        outcome, doubt = _judged(line, reported)
        if doubt:
            problems.append(f"{name} {doubt}")
        yield result(name, outcome, file, line.message, line.seconds)


def _name(node: str, file: str, folder: Path) -> str:
    """The node id as it is when pytest's root is the checkout."""
    path = relative(file, folder)
    if not path or path.startswith(("/", "..")):
        return node
    _, separator, rest = node.partition("::")
    return f"{path}{separator}{rest}"


def _reported(final: Iterable[tuple[str | None, str, bool]]) -> TestOutcome | None:
    """The outcome as pytest's summary counts it; None without any report."""
    seen = {(when, outcome, expected) for when, outcome, expected in final if outcome != "rerun"}
    if any(outcome == "failed" and when in ("setup", "teardown") for when, outcome, _ in seen):
        return TestOutcome.ERROR
    if any(outcome == "failed" for _, outcome, _ in seen):
        return TestOutcome.FAILED
    expected = {outcome for _, outcome, expected in seen if expected}
    if expected:
        return TestOutcome.XFAILED if "skipped" in expected else TestOutcome.XPASSED
    if any(outcome == "skipped" for _, outcome, _ in seen):
        return TestOutcome.SKIPPED
    return TestOutcome.PASSED if any(when == "call" for when, _, _ in seen) else None


def _judged(line: _PytestLine, reported: TestOutcome) -> tuple[TestOutcome, str]:
    """The outcome that the facts support, and what speaks against the reports."""
    if reported.is_red or (reported is TestOutcome.XFAILED and line.xfail):
        return reported, ""
    if _RAISED in (line.raw.get("setup"), line.raw.get("teardown")):
        return TestOutcome.ERROR, f"raised around the test, but was reported as {reported}"
    if _RAISED in (line.raw.get("call"), line.raised):
        return TestOutcome.FAILED, f"raised, but was reported as {reported}"
    if reported.is_green and "call" in line.raw and (doubt := _not_itself(line)):
        return TestOutcome.ERROR, f"was reported as passed, but {doubt}"
    return reported, ""


def _not_itself(line: _PytestLine) -> str:
    if line.called is False:
        return "its function was never called"
    return "a different function ran in its place" if line.replaced else ""

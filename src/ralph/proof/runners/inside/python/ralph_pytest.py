"""A pytest plugin that writes down what each test really did. PYTEST_DONT_REWRITE.

It states facts and judges nothing: what was raised where, whether the test's own function was
called, and what the reports said in the end. A line is written as soon as it is known, so that a
process that disappears leaves a report without its last line.

It runs in the project's own Python, which may be an older one than Ralph's.
"""

from __future__ import annotations

import functools
import inspect
import os
import time
import unittest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from ralph.proof.runners.inside.python.ralph_lines import PYTEST_OPTION, Lines, Own, taken
else:
    from ralph_lines import PYTEST_OPTION, Lines, Own, taken

_MESSAGE = 2000
_TO_THE_END = (0, 1, 5)
"""All passed, some failed, there were none."""


_reports = taken()
# Opened now, so that a conftest that breaks pytest before it begins leaves a trace.
_lines = Lines("pytest", _reports, f"{os.getpid()}-{time.time():.6f}") if _reports else None


def pytest_configure(config: pytest.Config) -> None:
    lines = _lines
    given = getattr(config, "workerinput", {})
    if "ralph" in given:
        reports, session = given["ralph"]
        lines = Lines("pytest", reports, session, given["workerid"])
    if lines is not None:
        config.pluginmanager.register(_Recorder(config, lines), "ralph_recorder")


class _Recorder:
    def __init__(self, config: pytest.Config, lines: Lines) -> None:
        self.config, self.lines = config, lines
        self.root = Path(str(getattr(config, "rootpath", None) or config.rootdir))  # type: ignore[attr-defined]
        self.is_worker = hasattr(config, "workerinput")
        self.is_controller = False
        self.codes: dict[str, Any] = {}
        self.ran: set[str] = set()
        self.deselected: set[str] = set()
        self.now: dict[str, Any] | None = None
        """What is known about the test that is running."""
        self.received: dict[str, dict[str, Any]] = {}
        """For a controller of workers: the tests that run elsewhere."""
        self.ended = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self) -> None:
        """Let workers load this plugin too; this process itself will run no test."""
        self.is_controller = True
        given = os.environ.get("PYTEST_ADDOPTS", "")
        os.environ["PYTEST_ADDOPTS"] = f"{given} {PYTEST_OPTION}".strip()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:  # noqa: ANN401 - a plugin's own type
        node.workerinput["ralph"] = [self.lines.reports, self.lines.session]

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        self.codes[item.nodeid] = _code(getattr(item, "obj", None))

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self.deselected.update(item.nodeid for item in items)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.outcome == "passed":
            return
        line = {"kind": "collect", "id": report.nodeid, "file": self._file(report)}
        self.lines.write({**line, "outcome": report.outcome, "message": _said(report)})

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None]:
        self.ran.add(item.nodeid)
        self.lines.write({"kind": "begin", "id": item.nodeid})
        begun = Own.time()
        now: dict[str, Any] = {
            "kind": "test",
            "id": item.nodeid,
            "file": str(getattr(item, "path", None) or item.fspath),
            "xfail": getattr(item.obj, "__unittest_expecting_failure__", False)
            if isinstance(item, pytest.Function)
            else False,
            "called": False if isinstance(item, pytest.Function) else None,
            "raised": "",
            "replaced": False,
            "raw": {},
            "final": [],
            "message": "",
        }
        self.now = now
        yield
        self.now = None
        # Now, because a test may mark itself.
        now["xfail"] = now["xfail"] or item.get_closest_marker("xfail") is not None
        now["seconds"] = round(Own.time() - begun, 6)
        self.lines.write(now)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        """Watch a method of unittest, which is not called through pytest's own hook."""
        if not (isinstance(item, pytest.Function) and _is_unittest(item)):
            yield
        elif inspect.iscoroutinefunction(item.obj):
            self._note(called=None)
            yield
        else:
            yield from self._watching(item)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None]:
        yield from self._watching(pyfuncitem)

    def _watching(self, item: pytest.Function) -> Generator[None]:
        original = item.obj
        collected = self.codes.get(item.nodeid)
        if collected and not collected[1] and _code(original) != collected:
            self._note(replaced=True)
        item.obj = self._watched(original)
        yield
        item.obj = original

    def _watched(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, which notes that it was called and what it raised."""
        if inspect.isasyncgenfunction(function):
            self._note(called=None)
            return function
        self._note(called=False, raised="")

        def plain(*args: object, **kwargs: object) -> object:
            __tracebackhide__ = True
            self._note(called=True)
            try:
                return function(*args, **kwargs)
            except BaseException as error:
                self._note(raised=_kind(error))
                raise

        async def later(*args: object, **kwargs: object) -> object:
            __tracebackhide__ = True
            self._note(called=True)
            try:
                return await function(*args, **kwargs)
            except BaseException as error:
                self._note(raised=_kind(error))
                raise

        return functools.wraps(function)(later if inspect.iscoroutinefunction(function) else plain)

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None]:
        # Before and after: unittest's errors are put into the call in between, and what is there
        # before could be taken out of it.
        before = call.excinfo
        yield
        seen = before or call.excinfo
        if self.now is None:
            return
        self.now["raw"][call.when] = kind = _kind(seen.value) if seen else ""
        if seen and kind == "raise":
            # Kept for the case that the report will not say it.
            self.now["message"] = seen.exconly(tryshort=True)[:_MESSAGE]

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None]:
        yield
        if self.now is not None and self.now["id"] == report.nodeid:
            _add_phase(self.now, report)
        elif self.is_controller:
            self._receive(report)

    def _receive(self, report: pytest.TestReport) -> None:
        new = {"kind": "test", "id": report.nodeid, "file": self._file(report)}
        line = self.received.setdefault(report.nodeid, {**new, "final": [], "seconds": 0})
        line["seconds"] += getattr(report, "duration", 0)
        _add_phase(line, report)
        # What a worker that crashed was doing comes as one report of no known phase.
        if report.when not in ("setup", "call"):
            self.lines.write(self.received.pop(report.nodeid))

    def _note(self, **facts: object) -> None:
        if self.now is not None:
            self.now.update(facts)

    def _file(self, report: pytest.TestReport | pytest.CollectReport) -> str:
        return str(self.root / report.nodeid.partition("::")[0])

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        yield
        self.ended = True
        left = [n for n in self.codes if n not in self.ran and n not in self.deselected]
        if self.is_worker or self.is_controller:
            left = []  # each runs a part of what all have collected
        status = int(session.exitstatus)
        asked = session.shouldstop or session.shouldfail or self.config.option.collectonly
        self.lines.write(
            {
                "kind": "end",
                "status": status,
                "stopped": bool(asked) or status not in _TO_THE_END,
                "left": len(left),
                "named": left[:1],
            }
        )

    def pytest_unconfigure(self) -> None:
        if not self.ended:
            self.lines.write({"kind": "end"})


def _add_phase(line: dict[str, Any], report: pytest.TestReport) -> None:
    line["final"].append([report.when, report.outcome, hasattr(report, "wasxfail")])
    if report.outcome != "passed":
        line["message"] = _said(report)


def _is_unittest(item: pytest.Function) -> bool:
    return isinstance(item.cls, type) and issubclass(item.cls, unittest.TestCase)


def _code(function: Any) -> tuple[object, bool] | None:  # noqa: ANN401 - whatever is collected
    """The code of a test's function, and whether something else has to run it."""
    if function is None:
        return None
    bare = inspect.unwrap(function)
    code = getattr(getattr(bare, "__func__", bare), "__code__", None)
    return (code, inspect.iscoroutinefunction(bare)) if code else None


def _kind(error: BaseException) -> str:
    if isinstance(error, (pytest.skip.Exception, unittest.SkipTest)):
        return "skip"
    return "xfail" if isinstance(error, pytest.xfail.Exception) else "raise"


def _said(report: pytest.TestReport | pytest.CollectReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        text = f"{crash.message}\n{Path(crash.path).name}:{crash.lineno}"
    elif isinstance(report.longrepr, tuple):
        text = str(report.longrepr[-1])
    else:
        text = str(report.longrepr or "")[-_MESSAGE:]
    return text[:_MESSAGE]

"""Writes down what each test of Python's own unittest really did.

Like the plugin for pytest it states facts and judges nothing: what was raised where, whether the
test's own method was called, and what the result was told. A line is written as soon as it is
known, so that a process that disappears leaves a report without its last line.

It runs in the project's own Python, which may be an older one than Ralph's.
"""

from __future__ import annotations

import atexit
import functools
import os
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from unittest import TestCase, TestResult

    from ralph.proof.runners.inside.python.ralph_lines import Lines, Own, taken
    from ralph.proof.runners.inside.python.ralph_tests import (
        Watched,
        code_of,
        place_of,
        said,
        scope_of,
        single,
    )
else:
    from ralph_lines import Lines, Own, taken
    from ralph_tests import Watched, code_of, place_of, said, scope_of, single

__unittest = True
"""Makes unittest leave our frames out of the tracebacks that it shows."""

_TOLD = {
    "addSuccess": "passed",
    "addFailure": "failed",
    "addError": "error",
    "addSkip": "skipped",
    "addExpectedFailure": "xfailed",
    "addUnexpectedSuccess": "failed",
    "addSubTest": "failed",
}


def is_own(file: str | None) -> bool:
    """Whether a module of this name is the one that comes with Python."""
    library = os.path.dirname(os.path.realpath(os.__file__))  # noqa: PTH120 - as the next line
    return os.path.realpath(file or "").startswith(os.path.join(library, "unittest", ""))  # noqa: PTH118 - text


def foreign(file: str | None) -> None:
    """Note that another module takes its place."""
    lines = Lines("unittest", os.environ.get("RALPH_TEST_REPORTS", ""), _session())
    lines.write({"kind": "foreign", "file": file or ""})


def watch(unittest: ModuleType) -> None:
    """Follow all tests of this process, now that unittest has been imported."""
    if hasattr(unittest.TestCase.run, "__wrapped__"):
        return
    run = _Run(unittest)
    _through(unittest.TestProgram, "_initArgParsers", run.program_begins)
    _through(unittest.TestProgram, "runTests", run.program)
    _through(unittest.TextTestRunner, "run", run.runner)
    _through(unittest.TestLoader, "_find_tests", run.searches)
    _through(unittest.TestSuite, "_createClassOrModuleLevelException", run.fixture)
    _through(unittest.TestCase, "run", run.test)


def _session() -> str:
    return f"{os.getpid()}-{time.time():.6f}"


def _through(owner: type, name: str, watcher: Callable[..., object]) -> None:
    """Let calls of a method go through the watcher, which gets what would be called."""
    original = getattr(owner, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def watched(self: object, *args: object, **kwargs: object) -> object:
        return watcher(functools.partial(original, self), self, *args, **kwargs)

    setattr(owner, name, watched)


class _Run:
    """All tests of this process."""

    def __init__(self, unittest: ModuleType) -> None:
        self.case: type[TestCase] = unittest.TestCase
        self.skip: type[BaseException] = unittest.SkipTest
        self.stop: type[BaseException] = getattr(unittest.case, "_ShouldStop", unittest.SkipTest)
        self.assertions = {
            name: function
            for name, function in vars(self.case).items()
            if name == "fail" or name.startswith("assert")
        }
        self.lines: Lines | None = None
        self.here = threading.local()
        self.tests: dict[int, Watched] = {}
        """Those that are running, by the identity of the test."""
        self.codes: dict[tuple[str, str], object] = {}
        self.result: object = None
        self.searched = False
        self.is_watching = self.is_open = False

    def starts(self) -> bool:
        """Whether what comes now is reported; a test that runs tests itself is one test."""
        if getattr(self.here, "test", None) is not None:
            return False
        if self.lines is None:
            reports = taken() if "RALPH_TEST_REPORTS" in os.environ else ""
            if not reports:
                return False
            self.lines = Lines("unittest", reports, _session())
            atexit.register(self.ends)
        elif self.lines.pid != Own.getpid():
            self.lines = self.lines.of_worker(str(Own.getpid()))
        self.is_open = True
        return True

    def write(self, line: dict[str, Any]) -> None:
        if self.lines is not None:
            self.lines.write(line)

    def ends(self) -> None:
        if not self.is_open:
            return
        self.is_open = False
        successful = getattr(self.result, "wasSuccessful", None)
        self.write(
            {
                "kind": "end",
                "status": int(not successful()) if successful else None,
                "stopped": bool(getattr(self.result, "shouldStop", False)),
                "replaced": self.replaced(),
            }
        )

    def replaced(self) -> list[str]:
        """Assertions that are no longer unittest's own."""
        now = vars(self.case)
        return [name for name, own in self.assertions.items() if now.get(name) is not own]

    def program_begins(self, go: Callable[..., object], _: object, *args: object) -> object:
        self.starts()
        return go(*args)

    def searches(
        self, go: Callable[..., object], _: object, *args: object, **kwargs: object
    ) -> object:
        self.searched = True
        return go(*args, **kwargs)

    def program(self, go: Callable[..., object], program: object, *args: object) -> object:
        return self._whole(getattr(program, "test", ()), functools.partial(go, *args))

    def runner(self, go: Callable[..., object], _: object, test: object, *args: object) -> object:
        return self._whole(test, functools.partial(go, test, *args))

    def _whole(self, suite: object, go: Callable[[], object]) -> object:
        """Note which tests a program or a runner was given before it begins."""
        if self.is_watching or not self.starts():
            return go()
        self.is_watching = True
        tests = [(place_of(test), test) for test in single(suite)]
        self.codes.update((place, code_of(test)) for place, test in tests)
        places = [place for place, _ in tests]
        self.write({"kind": "loaded", "tests": places, "searched": self.searched})
        try:
            returned = go()
            self.result = returned if self.result is None else self.result
            return returned
        finally:
            self.is_watching = False
            self.ends()

    def fixture(
        self,
        go: Callable[..., object],
        _: object,
        result: object,
        error: BaseException,
        phase: str,
        parent: str,
        *args: object,
        **kwargs: object,
    ) -> object:
        """What was raised around a whole class or module."""
        if self.starts():
            file, name = scope_of(parent)
            line = {"kind": "fixture", "file": file, "name": name, "phase": phase}
            raised = {"fixture": "skip" if isinstance(error, self.skip) else "raise"}
            self.write({**line, "raised": raised, "message": said(error)})
        return go(result, error, phase, parent, *args, **kwargs)

    def test(
        self, go: Callable[..., object], test: TestCase, result: TestResult | None = None
    ) -> object:
        if not self.starts():
            return go(result)
        self.result = self.result if result is None else result
        file, name = place = place_of(test)
        self.write({"kind": "begin", "file": file, "name": name})
        watched = Watched(test, self.skip, self.stop)
        loaded = self.codes.get(place)
        watched.line.update(
            file=file,
            name=name,
            other=loaded is not None and loaded != code_of(test),
            told=[] if self._overhear(result) else None,
            replaced=self.replaced(),
        )
        begun = Own.time()
        self.here.test = self.tests[id(test)] = watched
        watched.put_on()
        try:
            return go(result)
        finally:
            watched.take_off()
            del self.tests[id(test)]
            self.here.test = None
            self.write({**watched.line, "seconds": round(Own.time() - begun, 6)})

    def _overhear(self, result: TestResult | None) -> bool:
        """Hear what a result is told, from its first test on."""
        if not hasattr(result, "__dict__"):
            return False
        own = vars(result)
        if "_ralph" not in own:
            own["_ralph"] = True
            for name in _TOLD:
                if callable(getattr(result, name, None)):
                    own[name] = self._heard(result, name)
        return True

    def _heard(self, result: object, name: str) -> Callable[..., object]:
        is_own = name in vars(result) or not hasattr(type(result), name)
        bound = getattr(result, name) if is_own else None

        def heard(test: object, *args: object, **kwargs: object) -> object:
            watched = self.tests.get(id(getattr(test, "test_case", test)))
            told = None if watched is None else watched.line["told"]
            # A part of a test comes with its error, or with None.
            if told is not None and (name != "addSubTest" or args[-1] is not None):
                told.append(_TOLD[name])
            if bound is not None:
                return bound(test, *args, **kwargs)
            return getattr(type(result), name)(result, test, *args, **kwargs)

        return heard

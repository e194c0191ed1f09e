"""Single tests of Python's own unittest: where they are, and what they do while they run."""

from __future__ import annotations

import functools
import inspect
import os
import re
import sys
import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from unittest import TestCase

    from ralph.proof.runners.inside.python.ralph_lines import Own
else:
    from ralph_lines import Own

__unittest = True
"""Makes unittest leave our frames out of the tracebacks that it shows."""

_MESSAGE = 2000
_AROUND = ("setUp", "tearDown", "_callSetUp", "_callTearDown", "_callCleanup")
_NOTHING = object()


class Watched:
    """One test while it runs."""

    def __init__(
        self, test: TestCase, skip: type[BaseException], stop: type[BaseException]
    ) -> None:
        self.test, self.skip, self.stop = test, skip, stop
        self.hidden: dict[str, object] = {}
        method = method_of(test)
        self.line: dict[str, Any] = {
            "kind": "test",
            "called": None if inspect.iscoroutinefunction(method) else False,
            "raised": {},
            "expected": any(
                getattr(one, "__unittest_expecting_failure__", False) for one in (test, method)
            ),
            "skip": any(getattr(one, "__unittest_skip__", False) for one in (type(test), method)),
            "message": "",
        }

    def put_on(self) -> None:
        """Have the test's methods called through ours."""
        method = self.test._testMethodName  # noqa: SLF001 - it has no other name
        # A coroutine is left alone: unittest would cut the traceback at our frame inside it.
        if self.line["called"] is False:
            self._put(method, self._method)
        self._put("_callTestMethod", functools.partial(self._through, "call"))
        for name in _AROUND:
            self._put(name, functools.partial(self._through, "around"))
        self._put("subTest", self._part)

    def _put(self, name: str, around: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        function = getattr(self.test, name, None)
        if function is not None:
            self.hidden[name] = vars(self.test).get(name, _NOTHING)
            vars(self.test)[name] = around(function)

    def take_off(self) -> None:
        for name, value in self.hidden.items():
            if value is _NOTHING:
                vars(self.test).pop(name, None)
            else:
                vars(self.test)[name] = value

    def _method(self, function: Callable[..., Any]) -> Callable[..., Any]:
        through = self._through("call", function)

        @functools.wraps(function)
        def watched(*args: object, **kwargs: object) -> object:
            self.line["called"] = True
            return through(*args, **kwargs)

        return watched

    def _through(self, phase: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def watched(*args: object, **kwargs: object) -> object:
            try:
                return function(*args, **kwargs)
            except BaseException as error:
                self._raised(phase, error)
                raise

        return watched

    def _part(self, sub_test: Callable[..., Any]) -> Callable[..., Any]:
        @contextmanager
        def part(*args: object, **kwargs: object) -> Iterator[None]:
            with sub_test(*args, **kwargs):
                try:
                    yield
                except BaseException as error:
                    self._raised("call", error)
                    raise

        return part

    def _raised(self, phase: str, error: BaseException) -> None:
        if isinstance(error, self.stop):
            return
        raised = self.line["raised"]
        if isinstance(error, self.skip):
            raised.setdefault(phase, "skip")
            return
        raised[phase] = "raise"
        self.line["message"] = self.line["message"] or said(error)


def single(suite: object) -> Iterator[TestCase]:
    """The tests in anything that unittest runs."""
    try:
        inside: Iterable[object] = iter(suite)  # type: ignore[call-overload]
    except TypeError:
        if hasattr(suite, "_testMethodName"):
            yield suite  # type: ignore[misc]
        return
    for one in inside:
        yield from single(one)


def place_of(test: TestCase) -> tuple[str, str]:
    """The file of a test, and what it is called there; nothing where it stands for the file."""
    kind, method = type(test), str(test._testMethodName)  # noqa: SLF001 - it has no other name
    if kind.__module__ == "unittest.loader":
        file = _sought(method, str(getattr(test, "_exception", "")))
        return (file, "") if file else ("", method)
    function, example = getattr(test, "_testFunc", None), getattr(test, "_dt_test", None)
    if function is not None:
        code = getattr(function, "__code__", None)
        return _full(getattr(code, "co_filename", "")), str(getattr(function, "__name__", function))
    if example is not None:
        return _full(str(example.filename or "")), str(example.name)
    name = kind.__qualname__.replace(".", "::")
    return _file(kind.__module__) or kind.__module__, f"{name}::{method}"


def scope_of(parent: str) -> tuple[str, str]:
    """The file of a class or module by its full name, and the name of the class there."""
    module, names = parent, ""
    while module not in sys.modules and "." in module:
        module, _, last = module.rpartition(".")
        names = f"{last}::{names}" if names else last
    return _file(module) or module, names


def _sought(module: str, message: str) -> str:
    """The file of a module that could not be loaded."""
    tail = module.replace(".", "/")
    for place in sys.path:
        for end in (f"{tail}.py", f"{tail}/__init__.py"):
            path = os.path.join(place or ".", end)  # noqa: PTH118 - sys.path holds text
            if os.path.isfile(path):  # noqa: PTH113 - the same
                return _full(path)
    found = re.search(rf'File "([^"\n]*/{re.escape(tail)}(?:/__init__)?\.py)"', message)
    return _full(found[1]) if found else ""


def _file(module: str) -> str:
    return _full(getattr(sys.modules.get(module), "__file__", None) or "")


def _full(path: str) -> str:
    return str(Own.full(path)) if path else ""


def method_of(test: TestCase) -> Callable[..., object] | None:
    return getattr(test, test._testMethodName, None)  # noqa: SLF001 - it has no other name


def code_of(test: TestCase) -> object:
    """The code of a test's method, where it has one and nothing else has to run it."""
    method = method_of(test)
    bare = inspect.unwrap(method) if method is not None else None
    if inspect.iscoroutinefunction(bare):
        return None
    return getattr(getattr(bare, "__func__", bare), "__code__", None)


def said(error: BaseException) -> str:
    """What was raised, and where in the code under test."""
    text = "".join(traceback.format_exception_only(type(error), error)).strip()[-_MESSAGE:]
    where = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        if "__unittest" not in frame.f_globals:
            where = f"\n{os.path.basename(frame.f_code.co_filename)}:{line}"  # noqa: PTH119 - only its end
    return text + where

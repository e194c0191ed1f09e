"""A stranger's repository: looking runs nothing of it, and running asks first."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.project import FINISH, RALPH, Project
from tests.support.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

LOOKING = (
    ("status",),
    ("status", "--json"),
    ("lint",),
    ("doctor",),
    ("config",),
    ("logs",),
    ("report",),
    ("audit",),
    ("inbox",),
    ("health",),
    ("cost",),
    ("tokens",),
    ("salvage", "list"),
    ("checkpoint", "list"),
    ("hooks", "status"),
    ("run", "--dry-run"),
    ("trust", "--show"),
)


@pytest.fixture(autouse=True)
def nobody_trusts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RALPH_TRUST")


def settings(project: Project, check: str = "true") -> dict[str, object]:
    return {
        "agent": "own",
        "agents": {"own": {"command": ["/bin/sh", str(project.script)]}},
        "verification": {"commands": [check]},
    }


def configured(folder: Path) -> Project:
    """A project whose ralph.yaml says all that a run needs."""
    project = Project(folder, verify=None)
    project.configure(settings(project))
    project.commit("settings")
    return project


def test_a_run_without_a_terminal_says_what_to_accept(tmp_path: Path) -> None:
    project = configured(tmp_path)
    done = project.ralph("run")
    assert done.code == 1
    assert len(done.err.strip().splitlines()) == 3
    for word in ("agents.own.command", "verification.commands", "`ralph trust`", "RALPH_TRUST=1"):
        assert word in done.err
    assert project.calls() == []
    assert project.events() == []


def test_trust_accepts_once_and_shows_what(tmp_path: Path) -> None:
    project = configured(tmp_path)
    shown = project.ralph("trust", "--show")
    assert "! ralph.yaml: verification.commands: true" in shown.out
    assert project.ralph("run").code == 1, "showing accepts nothing"
    told = project.ralph("trust", "--json").json()
    assert told["accepted"]
    assert {one["name"] for one in told["powers"]} == {
        "agent",
        "agents.own.command",
        "verification.commands",
    }
    assert project.ralph("trust", "--show", "--json").json()["needs_trust"] is False
    assert project.ralph("run").code == 0
    assert project.passed() == ["US-001"]
    assert project.ralph("trust", "--revoke").out == "Trust withdrawn.\n"
    assert project.ralph("run").code == 1


def test_another_clone_is_not_trusted_and_the_repository_cannot_say_so(tmp_path: Path) -> None:
    project = configured(tmp_path)
    assert project.ralph("trust").code == 0
    [kept] = (project.home / "trust").iterdir()
    assert not kept.is_relative_to(project.root)
    other = tmp_path / "other"
    project.git("clone", "-q", str(project.root), str(other))
    planted = other / ".ralph" / "trust" / kept.name
    planted.parent.mkdir(parents=True)
    planted.write_bytes(kept.read_bytes())
    done = subprocess.run(
        (str(RALPH), "-C", str(other), "run"),
        env=project.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Not accepted here yet" in done.stderr


def test_the_environment_can_accept_all_or_exactly_this(tmp_path: Path) -> None:
    project = configured(tmp_path)
    exact = project.ralph("trust", "--show", "--json").json()["fingerprint"][:16]
    assert project.ralph("run", env={"RALPH_TRUST": "0"}).code == 1
    assert project.ralph("run", env={"RALPH_TRUST": "f" * 16}).code == 1
    assert project.ralph("run", env={"RALPH_TRUST": exact}).code == 0
    project.configure(settings(project, "true # changed"))
    assert project.ralph("run", env={"RALPH_TRUST": exact}).code == 1
    assert project.ralph("run", env={"RALPH_TRUST": "1"}).code == 0
    assert project.ralph("run").code == 1, "a variable is kept nowhere"


def test_flags_and_the_environment_need_no_trust(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert project.run(env={"RALPH_VERIFICATION__SETUP": "true"}).code == 0


def test_a_person_is_asked_and_sees_what_changed(tmp_path: Path) -> None:
    project = configured(tmp_path)
    with Terminal(project, "run", "--once") as person:
        person.wait_for("Do you accept it?")
        assert "+ ralph.yaml: verification.commands: true" in person.shown
        person.type("n")
        assert person.end() == 1
    assert project.calls() == []
    with Terminal(project, "run", "--once") as person:
        person.wait_for("Do you accept it?")
        person.type("y")
        assert person.end() == 0
    assert project.passed() == ["US-001"]
    project.configure(settings(project, "echo again"))
    with Terminal(project, "run", "--once") as person:
        person.wait_for("Do you accept it?")
        assert "- ralph.yaml: verification.commands: true\n" in person.shown
        assert "+ ralph.yaml: verification.commands: echo again\n" in person.shown
        assert "agents.own" not in person.shown, "only what changed"
        person.type("y")
        person.end()
    assert project.ralph("trust", "--show", "--json").json()["needs_trust"] is False


def test_what_is_harmless_can_be_edited_without_a_word(tmp_path: Path) -> None:
    project = configured(tmp_path)
    assert project.ralph("trust").code == 0
    project.configure(settings(project) | {"loop": {"max_attempts": 2, "max_cost": 1}})
    assert project.ralph("run").code == 0


def test_what_init_writes_is_trusted(tmp_path: Path) -> None:
    project = Project(tmp_path, verify=None)
    project.write("Makefile", "test:\n\ttrue\n")
    assert project.ralph("init").code == 0
    assert "make" in project.read("ralph.yaml")
    project.commit("init")
    told = project.ralph("trust", "--show", "--json").json()
    assert [one["name"] for one in told["powers"]] == ["verification.commands"]
    assert told["needs_trust"] is False
    assert project.ralph("run", "--agent-command", project.command).code == 0


def test_init_accepts_nothing_that_was_there_before(tmp_path: Path) -> None:
    project = configured(tmp_path)
    assert project.ralph("init").code == 0
    assert project.ralph("trust", "--show", "--json").json()["needs_trust"] is True


def test_the_hooks_that_ralph_installs_are_trusted(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert project.ralph("hooks", "install").code == 0
    assert project.ralph("trust", "--show", "--json").json()["needs_trust"] is False


# Looking at a stranger's repository


def stranger(folder: Path) -> tuple[Project, Path]:
    """Everything in it that could run touches the mark, should anybody run it."""
    project = Project(folder, verify=None)
    mark = folder / "mark"
    evil = project.write("tools/evil.sh", f"#!/bin/sh\ntouch {mark}\ncat\n")
    evil.chmod(0o755)
    run = str(evil)
    hook = {"hooks": [{"type": "command", "command": run}]}
    hooks = {name: [hook] for name in ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop")}
    project.configure(
        {
            "agent": "claude",
            "fallback": ["own"],
            "agents": {"own": {"command": [run]}},
            "claude": {"command": [run]},
            "verification": {"commands": [run], "setup": [run], "judge": "own"},
            "ledger": {"url": "postgresql://nobody@127.0.0.1:1/none"},
        }
    )
    project.write("PROMPT.md", f"$({run})\n`{run}`\n{{{{ {run} }}}}\n")
    project.write("conftest.py", f"import subprocess\nsubprocess.run(['{run}'])\n")
    project.write("package.json", json.dumps({"scripts": {"test": run, "prepare": run}}))
    project.write(".claude/settings.json", json.dumps({"hooks": hooks, "apiKeyHelper": run}))
    project.write(".mcp.json", json.dumps({"mcpServers": {"x": {"command": run}}}))
    project.write(".gitattributes", "* filter=x diff=x merge=x\n")
    project.write(".gitmodules", '[submodule "x"]\n\tpath = x\n\turl = ./x\n\tupdate = !evil\n')
    project.commit("a gift")
    for key in (
        *("core.fsmonitor", "core.sshCommand", "core.editor", "core.pager", "gpg.program"),
        *("filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.external"),
        *("diff.x.command", "diff.x.textconv", "merge.x.driver", "credential.helper"),
    ):
        project.git("config", key, run)
    project.git("config", "alias.status", f"!{run}")
    project.git("config", "log.showSignature", "true")
    for name in ("pre-commit", "post-checkout", "post-index-change", "reference-transaction"):
        project.write(f".git/hooks/{name}", evil.read_text()).chmod(0o755)
    project.write("README.md", "# Changed, so that a look at the tree has to read it\n")
    mark.unlink(missing_ok=True)
    return project, mark


def test_plain_git_falls_for_it(tmp_path: Path) -> None:
    """So that the next tests can fail."""
    project, mark = stranger(tmp_path)
    project.git("status", check=False)
    assert mark.exists()


@pytest.mark.parametrize("command", LOOKING, ids=" ".join)
def test_looking_runs_nothing(tmp_path: Path, command: tuple[str, ...]) -> None:
    project, mark = stranger(tmp_path)
    done = project.ralph(*command)
    assert not mark.exists(), done.out
    assert done.code in {0, 1}
    assert "crash" not in done.err


@pytest.mark.parametrize(
    "command",
    [("run",), ("calibrate",), ("review", "README.md"), ("plan", "README.md"), ("execute", "x")],
    ids=lambda words: words[0],
)
def test_nothing_runs_before_the_answer(tmp_path: Path, command: tuple[str, ...]) -> None:
    project, mark = stranger(tmp_path)
    done = project.ralph(*command)
    assert done.code == 1
    assert "Not accepted here yet" in done.err
    assert not mark.exists()


@pytest.mark.parametrize("command", ["run", "calibrate"])
def test_git_and_agents_need_trust_without_any_ralph_yaml(tmp_path: Path, command: str) -> None:
    project, mark = stranger(tmp_path)
    (project.root / "ralph.yaml").unlink()
    done = project.ralph(command)
    assert done.code == 1
    assert not mark.exists()
    told = project.ralph("trust", "--show", "--json").json()
    assert {".git/config", ".git/hooks/pre-commit", ".claude/settings.json", ".mcp.json"} <= {
        one["where"] for one in told["powers"]
    }


def test_a_person_is_asked_before_anything_runs(tmp_path: Path) -> None:
    project, mark = stranger(tmp_path)
    with Terminal(project, "run") as person:
        person.wait_for("Do you accept it?")
        assert not mark.exists()
        person.type("n")
        assert person.end() == 1
    assert not mark.exists()


def test_without_settings_of_its_own_a_repository_is_run_when_asked(tmp_path: Path) -> None:
    """`ralph run` is the plain wish to have its tests run."""
    project = Project(tmp_path, verify=None)
    project.write("Makefile", "test:\n\ttrue\n")
    project.commit("tests")
    assert project.ralph("run", "--agent-command", project.command).code == 0


def test_a_landing_runs_no_hook(tmp_path: Path) -> None:
    project = Project(tmp_path)
    mark = tmp_path / "mark"
    names = ("pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-checkout")
    for name in names:
        project.write(f".git/hooks/{name}", f"#!/bin/sh\ntouch {mark}\n").chmod(0o755)
    assert project.ralph("trust").code == 0
    assert project.run().code == 0
    assert project.passed() == ["US-001"]
    assert not mark.exists()


def test_an_unknown_database_is_not_asked(tmp_path: Path) -> None:
    project = Project(tmp_path)
    url = "postgresql://nobody@127.0.0.1:1/none"
    project.configure({"ledger": {"url": url, "direct": True}})
    done = project.ralph("status")
    assert done.code == 1
    assert "ledger.url" in done.err
    assert project.ralph("sync").code == 1


# Agents


def test_an_agent_cannot_decide(tmp_path: Path) -> None:
    project = Project(tmp_path, 2)
    project.walls = False
    ralph = f"RALPH_HOME={project.home} RALPH_TRUST=1 {RALPH} -C {project.root}"
    attempts = (
        *("skip --task US-002", "retry --task US-001", "stop", "pause", "trust", "init"),
        *("answer Q1 1", "revert --iteration 0", "squash", "run", "hooks install"),
    )
    noted = '2>>"$state/said"; echo $? >> "$state/codes"'
    tries = "".join(f"{ralph} {one} {noted}\n" for one in attempts)
    looks = "".join(
        f"{ralph} {one} >/dev/null || exit 9\n" for one in ("status", "config", "inbox")
    )
    project.agent(looks + tries + FINISH)
    done = project.run("--max-iterations", "2")
    assert done.code == 0, done.out + done.err
    assert project.passed() == ["US-001", "US-002"]
    codes = (project.state / "codes").read_text().split()
    assert codes == ["1"] * len(attempts) * 2
    assert (project.state / "said").read_text().count("is for people") == len(codes)
    assert len(project.events("CommandRefused")) == len(codes)
    assert project.events("TaskSkipped", "StopRequested") == []
    assert not (project.home / "trust").exists()
    told = project.ralph("audit").out
    assert "refused `ralph skip`" in told
    assert "refused `ralph trust`" in told


@pytest.mark.parametrize(
    "how",
    [
        "env -i PATH=$PATH {}",
        "exec env -i PATH=$PATH {}",
        "setsid -f env -i PATH=$PATH {}; sleep 1",
        "(env -i PATH=$PATH setsid {} &) ; sleep 1",
    ],
)
def test_an_agent_cannot_hide_where_it_comes_from(tmp_path: Path, how: str) -> None:
    project = Project(tmp_path, 2)
    project.walls = False
    skip = f"RALPH_HOME={project.home} HOME={project.home} {RALPH} -C {project.root}"
    words = f'sh -c "{skip} skip --task US-002 2>{tmp_path}/said"'
    project.agent(f"{how.format(words)}\n{FINISH}")
    project.run("--max-iterations", "1")
    assert "is for people" in (tmp_path / "said").read_text()
    assert project.events("TaskSkipped") == []


def test_a_check_may_start_ralphs_of_its_own(tmp_path: Path) -> None:
    """A project that tests Ralph: its throw-away repositories are none of the run's business."""
    inner = Project(tmp_path / "inner", 2)
    words = " ".join(f"'{word}'" for word in inner.arguments())
    ralph = f"RALPH_HOME={inner.home} {RALPH} -C {inner.root}"
    project = Project(tmp_path / "outer", verify=f"{ralph} skip --task US-002 && {ralph} {words}")
    project.walls = False
    done = project.run()
    assert done.code == 0, done.out + done.err
    assert inner.passed() == ["US-001"]
    assert [one["task"] for one in inner.events("TaskSkipped")] != []

"""Which settings of a repository's file need trust, and when."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.config import load, values
from ralph.domain.powers import SETTINGS, Needs, Power
from ralph.domain.settings import AgentSettings, Settings
from ralph.flows.trust import of_settings, refusal
from ralph.policy import trust
from ralph.ui.cli.deciding import MARK
from ralph.ui.cli.main import cli

if TYPE_CHECKING:
    from collections.abc import Iterator


def powers(folder: Path, text: str, **environ: str) -> dict[str, str]:
    (folder / "ralph.yaml").write_text(text, encoding="utf-8")
    return {one.name: one.shown for one in of_settings(load(folder, environ=environ))}


def test_every_setting_is_decided_on() -> None:
    known = values(Settings()) | values(AgentSettings(), "agents.<name>.")

    assert SETTINGS.keys() == known.keys(), "say in domain/powers.py whether it needs trust"


def test_a_repository_alone_sends_nothing_and_runs_nothing(tmp_path: Path) -> None:
    text = """\
notify:
  on: [end]
  group_seconds: 60
  command: curl -d @- https://example.org
  env: [CHAT_TOKEN]
  webhook: https://example.org
  headers: ["X: ${CHAT_TOKEN}"]
  desktop: true
  apprise: ["json://ada:pw@example.org"]
  link: https://example.org
  per_hour: 0
"""
    found = powers(tmp_path, text)
    safe = {"notify.on", "notify.group_seconds"}
    assert set(found) == {key for key in SETTINGS if key.startswith("notify.")} - safe
    assert "pw" not in found["notify.apprise"]


def test_a_setting_that_nobody_thought_of_needs_trust() -> None:
    assert trust.needs("safety.something_new") is Needs.TRUST
    assert trust.needs("agents.own.something_new") is Needs.TRUST


def test_what_runs_something_or_takes_away_a_fence_is_found(tmp_path: Path) -> None:
    found = powers(
        tmp_path,
        "agent: mine\n"
        "agents: {mine: {command: [sh, agent.sh], env: [TOKEN]}}\n"
        "claude: {permission_mode: bypassPermissions}\n"
        "verification: {commands: [make test], setup: [make], canary: false, timeout_minutes: 9}\n"
        "repo: {protected: [PROMPT.md], branch: work}\n"
        "ledger: {url: 'postgresql://me:secret@example.org/x'}\n"
        "safety: {sandbox: true}\n"
        "loop: {max_cost: 0, max_iterations: 5}\n",
    )

    assert found == {
        "agent": "mine",
        "agents.mine.command": "sh agent.sh",
        "agents.mine.env": "TOKEN",
        "claude.permission_mode": "bypassPermissions",
        "verification.commands": "make test",
        "verification.setup": "make",
        "repo.protected": "PROMPT.md",
        "ledger.url": "postgresql://me:…@example.org/x",
        "safety.sandbox": "require",
        "loop.max_cost": "0",
    }


def test_defaults_that_are_written_down_need_none(tmp_path: Path) -> None:
    text = (
        "agent: claude\nclaude: {command: [claude], allowed_tools: [Bash]}\n"
        "repo: {protected: [ralph.yaml, PROMPT.md, docs]}\nloop: {max_cost: 10}\n"
        "verification: {commands: null, carry: [node_modules, tools/bin]}\n"
    )
    assert powers(tmp_path, text) == {}


def test_what_the_person_says_needs_none(tmp_path: Path) -> None:
    text = "agent: mine\nagents: {mine: {command: sh x.sh}}\n"
    (tmp_path / "ralph.yaml").write_text(text, encoding="utf-8")
    environ = {"RALPH_AGENT": "codex", "RALPH_VERIFICATION__COMMANDS": "make", "RALPH_TRUST": "0"}
    loaded = load(tmp_path, environ=environ, flags={"agents.mine.command": "sh y.sh"})

    assert [*of_settings(loaded)] == []


@pytest.mark.parametrize(
    ("path", "outside"),
    [
        ("notes.md", False),
        ("a/../b", False),
        ("./a/./b", False),
        ("a/..b/c", False),
        ("..", True),
        ("a/../../b", True),
        ("/etc/passwd", True),
        ("~/.ssh/id", True),
        ("..\\b", True),
        ("C:\\x", True),
        ("github:owner/repo", True),
        ("file:///etc/passwd", True),
    ],
)
def test_paths_that_leave_the_repository(path: str, outside: bool) -> None:
    assert trust.leaves(path) is outside


@given(st.lists(st.sampled_from(["a", "..", ".", "b c", ""]), min_size=1, max_size=8))
def test_a_path_that_stays_inside_is_never_above_its_start(parts: list[str]) -> None:
    path = "/".join(parts)
    if not trust.leaves(path):
        start = Path("/repository/root")
        here = start
        for part in path.split("/"):
            here = here.parent if part == ".." else here / part if part not in {".", ""} else here
            assert here.is_relative_to(start)


def test_only_what_changed_is_asked_about_again() -> None:
    old = (Power("ralph.yaml", "agent", "a", "1"), Power("ralph.yaml", "claude.args", "b", "2"))
    new = (Power("ralph.yaml", "agent", "c", "3"), Power(".mcp.json", "", "sets x", "4"))

    assert trust.not_accepted(new, old) == new
    assert trust.not_accepted(old[:1], old) == ()
    assert [*trust.difference(new, old)] == [
        ("-", "ralph.yaml: agent: a"),
        ("+", "ralph.yaml: agent: c"),
        ("+", ".mcp.json: sets x"),
    ]


def test_the_fingerprint_names_the_content_and_not_its_order() -> None:
    one, two = (
        trust.power("ralph.yaml", "agent", "x"),
        trust.power("ralph.yaml", "fallback", ("y",)),
    )

    assert trust.fingerprint((one, two)) == trust.fingerprint((two, one))
    assert trust.fingerprint((one,)) != trust.fingerprint((one, two))
    assert trust.fingerprint(()) == ""


def test_a_password_is_hidden_but_counts() -> None:
    url = "postgresql://me:{}@example.org/x"
    first, second = (trust.power("ralph.yaml", "ledger.url", url.format(p)) for p in ("a", "b"))

    assert first.shown == second.shown == "postgresql://me:…@example.org/x"
    assert first.digest != second.digest


def test_the_refusal_has_three_lines_and_names_keys_and_command() -> None:
    many = [trust.power("ralph.yaml", f"agents.a{n}.command", ("x",)) for n in range(9)]
    text = str(refusal(many))

    assert len(text.splitlines()) == 3
    assert "agents.a0.command" in text
    assert "6 more" in text
    assert "`ralph trust`" in text
    assert "RALPH_TRUST=1" in text


LOOKING = frozenset(
    (
        *("demo", "lint", "status", "health", "logs", "report", "tokens", "cost", "audit"),
        *("checkpoint create", "checkpoint list", "checkpoint show", "checkpoint verify"),
        *("salvage list", "salvage show", "inbox", "flow", "sync", "hooks status", "doctor"),
        *("conformance", "config", "completion"),
    )
)
"""Commands that decide, accept and land nothing: an agent may use them."""


def commands(group: click.Group, above: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, f"{above}{name} ")
        else:
            yield f"{above}{name}", command


def test_every_command_is_for_people_or_for_looking() -> None:
    deciding = {name for name, one in commands(cli) if getattr(one.callback, MARK, False)}

    assert deciding | LOOKING == {name for name, _ in commands(cli)}
    assert not deciding & LOOKING
    assert {"trust", "run", "answer", "skip", "salvage restore", "init"} <= deciding

"""/ralph-loop in the real Claude Code: as a plugin, and installed into a project."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.support.claude import ask
from tests.support.project import RALPH
from tests.support.tmux import Screen

from ralph.flows.hooks import PLUGIN, HooksPlace, HooksScope, install
from ralph.testing import Endpoint, Script, say
from ralph.ui.cli.main import COMMANDS

if TYPE_CHECKING:
    from ralph.testing import Request

AS_PLUGIN = ("--plugin-dir", str(PLUGIN))
STATE = Path("work/.claude/ralph-loop.local.md")


def last_words(request: Request) -> str:
    """What the model was told last."""
    told: list[dict[str, Any]] = request.body["messages"]
    content = [one for one in told if one["role"] == "user"][-1]["content"]
    return content if isinstance(content, str) else json.dumps(content)


def test_every_part_is_there_and_its_commands_exist() -> None:
    names = {path.stem for path in (PLUGIN / "commands").glob("*.md")}
    assert {"ralph-loop", "cancel-ralph", "checkpoint", "health-status"} <= names
    assert {"token-status", "cost-report", "ralph-run", "ralph-status"} <= names
    assert [path.stem for path in (PLUGIN / "agents").iterdir()] == ["ralph-loop-monitor"]
    skills = list((PLUGIN / "skills").glob("*/SKILL.md"))
    assert len(skills) == 4
    for path in PLUGIN.rglob("*.md"):
        for name in re.findall(r"(?:`|&& |then |; |  )ralph ([a-z]+)", path.read_text("utf-8")):
            assert name in COMMANDS, f"{path.name}: ralph {name}"


def test_it_goes_round_until_the_promise(tmp_path: Path) -> None:
    script = Script((say("Working."), say("More."), say("So: <promise>ALL GREEN</promise>")))
    with Endpoint({"main": script}) as endpoint:
        ended = ask(
            tmp_path,
            endpoint.environment("main"),
            "/ralph:ralph-loop It's `so` --max-iterations 5 --completion-promise 'ALL GREEN'",
            *AS_PLUGIN,
        )
    assert (ended.exit, endpoint.left("main"), len(endpoint.requests)) == (0, 0, 3)
    assert "It's `so`" in last_words(endpoint.requests[0])
    assert "iteration 3 of 5" in last_words(endpoint.requests[2])
    assert not (tmp_path / STATE).exists()


def test_the_limit_and_another_session(tmp_path: Path) -> None:
    turns = tuple(say(f"Round {number}.") for number in range(1, 6))
    with Endpoint({"main": Script(turns)}) as endpoint:
        surroundings = endpoint.environment("main")
        ask(tmp_path, surroundings, "/ralph:ralph-loop Go --max-iterations 2", *AS_PLUGIN)
        assert len(endpoint.requests) == 2
        (tmp_path / STATE).write_text(
            "---\nactive: true\niteration: 1\nmax_iterations: 9\n"
            'session_id: "of another terminal"\n---\n\nGo\n',
            encoding="utf-8",
        )
        ended = ask(tmp_path, surroundings, "Hello", *AS_PLUGIN)
        assert (ended.exit, len(endpoint.requests)) == (0, 3)
        assert (tmp_path / STATE).exists()
        ask(tmp_path, surroundings, "/ralph:cancel-ralph", *AS_PLUGIN)
    assert "was cancelled at iteration 1" in last_words(endpoint.requests[-1])
    assert not (tmp_path / STATE).exists()


@pytest.mark.parametrize("damage", ["garbage", ""])
def test_a_damaged_state_lets_the_session_end(tmp_path: Path, damage: str) -> None:
    state = tmp_path / STATE
    state.parent.mkdir(parents=True)
    state.write_text(damage, encoding="utf-8")
    with Endpoint({"main": Script((say("Hello."),))}) as endpoint:
        ended = ask(tmp_path, endpoint.environment("main"), "Hello", *AS_PLUGIN)
    assert (ended.exit, len(endpoint.requests), state.exists()) == (0, 1, False)


def test_installed_and_interactive(tmp_path: Path) -> None:
    """In a terminal, with the project's own settings: round, cancelled by hand, and free."""
    work = tmp_path / "work"
    work.mkdir()
    install(HooksPlace(work / ".claude", HooksScope.PROJECT, ""), tmp_path / "home")
    turns = tuple(replace(say(f"Round {number}."), delay=0.3) for number in range(1, 40))
    with (
        Endpoint({"main": Script(turns)}) as endpoint,
        Screen(tmp_path, endpoint.environment("main"), path=str(RALPH.parent)) as screen,
    ):
        screen.wait_for("shift+tab")
        screen.type("/ralph-loop Count on --max-iterations 30")
        screen.wait_for("iteration 3 of 30")
        screen.escape()
        screen.wait_for("nterrupted")
        assert (tmp_path / STATE).exists()
        screen.type("/cancel-ralph")
        screen.wait_for_file_to_go(tmp_path / STATE)
        before = len(endpoint.requests)
        screen.type("Hello")
        screen.wait_for_requests(endpoint, before + 1)

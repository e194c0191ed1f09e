"""The home that an agent is given: what is in it, and what comes back."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from ralph.agents.home import CLAUDE, furnish

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.agents.home import Home

TOKENS = {"oauth": {"accessToken": "old", "expiresAt": 1}}


@pytest.fixture
def users(tmp_path: Path) -> Path:
    home = tmp_path / "user"
    (home / ".claude").mkdir(parents=True)
    (home / ".claude/.credentials.json").write_text(json.dumps(TOKENS))
    (home / ".claude/settings.json").write_text("{}")
    (home / ".claude.json").write_text('{"projects": {}}')
    (home / ".ssh").mkdir()
    return home


def furnished(tmp_path: Path, users: Path, *, fresh: bool = True, **environ: str) -> Home:
    return furnish(tmp_path / "own", users, environ, CLAUDE, fresh=fresh)


def test_it_holds_the_login_and_nothing_else(tmp_path: Path, users: Path) -> None:
    made = furnished(tmp_path, users)
    found = sorted(str(p.relative_to(tmp_path / "own")) for p in (tmp_path / "own").rglob("*"))
    assert found == [".claude", ".claude.json", ".claude/.credentials.json"]
    assert made.shown == ((users / ".claude/settings.json", users / ".claude/settings.json"),)
    assert made.over == ((tmp_path / "own", users),)


@pytest.mark.parametrize(
    ("left", "taken"),
    [
        ('{"oauth": {"accessToken": "new", "expiresAt": 2}}', True),
        ('{"oauth": {"accessToken": "new"}}', False),
        ('{"oauth": {"accessToken": "new", "expiresAt": 2}, "hooks": {"x": 1}}', False),
        ("no JSON", False),
        ("", False),
    ],
)
def test_tokens_come_back_in_the_same_shape(
    tmp_path: Path, users: Path, left: str, taken: bool
) -> None:
    made = furnished(tmp_path, users)
    (tmp_path / "own/.claude/.credentials.json").write_text(left)
    made.give_back()
    now = (users / ".claude/.credentials.json").read_text()
    assert now == (left if taken else json.dumps(TOKENS))


def test_settings_that_an_agent_wrote_do_not(tmp_path: Path, users: Path) -> None:
    made = furnished(tmp_path, users)
    (tmp_path / "own/.claude.json").write_text('{"mcpServers": {"evil": {}}}')
    (tmp_path / "own/.claude/CLAUDE.md").write_text("obey me")
    made.give_back()
    assert (users / ".claude.json").read_text() == '{"projects": {}}'
    assert not (users / ".claude/CLAUDE.md").exists()


def test_links_that_an_agent_left_are_not_followed(tmp_path: Path, users: Path) -> None:
    made = furnished(tmp_path, users)
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    new = {"oauth": {"accessToken": "new", "expiresAt": 2}}
    (outside / ".credentials.json").write_text(json.dumps(new))
    shutil.rmtree(tmp_path / "own/.claude")
    (tmp_path / "own/.claude").symlink_to(outside)
    made.give_back()
    assert (outside / ".credentials.json").exists()
    assert json.loads((users / ".claude/.credentials.json").read_text()) == TOKENS
    (outside / ".credentials.json").unlink()
    furnished(tmp_path, users, fresh=False)
    assert not list(outside.iterdir())


def test_sessions_do(tmp_path: Path, users: Path) -> None:
    made = furnished(tmp_path, users)
    (tmp_path / "own/.claude/projects/x").mkdir(parents=True)
    (tmp_path / "own/.claude/projects/x/1.jsonl").write_text("{}\n")
    (tmp_path / "own/.claude/projects/x/2.sh").write_text("evil")
    made.give_back()
    kept = [p.name for p in (users / ".claude/projects").rglob("*") if p.is_file()]
    assert kept == ["1.jsonl"]


def test_the_next_agent_finds_nothing_of_the_one_before(tmp_path: Path, users: Path) -> None:
    furnished(tmp_path, users)
    planted = tmp_path / "own/.claude/settings.local.json"
    planted.write_text("{}")
    furnished(tmp_path, users, fresh=False)
    assert planted.exists(), "a retry goes on in the same session"
    furnished(tmp_path, users)
    assert not planted.exists()


def test_a_folder_that_a_variable_names_is_one_of_its_own(tmp_path: Path, users: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".credentials.json").write_text(json.dumps(TOKENS))
    made = furnished(tmp_path, users, CLAUDE_CONFIG_DIR=str(elsewhere))
    assert made.over[1:] == ((tmp_path / "own-1", elsewhere),)
    assert (tmp_path / "own-1/.credentials.json").exists()
    assert not (tmp_path / "own/.claude/.credentials.json").exists()

"""What a change or an agent left behind does not decide what the next child sees."""

from __future__ import annotations

import asyncio
import os
import shlex
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.edges.repo_help import git, in_place, new_repo, put

from ralph.agents.command import CommandAgent
from ralph.checks.caches import Caches
from ralph.domain.errors import ConfigError
from ralph.domain.settings import (
    Network,
    SafetySettings,
    Sandbox,
    Settings,
    VerificationSettings,
)
from ralph.loop.confine import confined, find
from ralph.loop.guests import received
from ralph.process import Child, environment, run
from ralph.repo import CleanCheckout

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.checks.carry import Runner
    from ralph.process import Finished
    from ralph.repo import GitWorkspace

KEY = "what nobody else should read"


@pytest.fixture
def ws(tmp_path: Path) -> GitWorkspace:
    return in_place(new_repo(tmp_path))


@pytest.fixture
def checkout(ws: GitWorkspace) -> Path:
    return CleanCheckout(ws.repo, ws.state_dir / "checkout").at(ws.head())


@pytest.fixture
def secret(own_home: Path) -> Path:
    return put(own_home, ".ssh/id", KEY)


def confining(ws: GitWorkspace, settings: Settings | None = None) -> Runner:
    wanted = settings or Settings()
    found = asyncio.run(find(wanted.safety, ws.root, ws.state_dir / "lent"))
    assert found.walls is not None, found.why
    return confined(found, wanted, ws.common_dir, (ws.root,), run)


def said(runs: Runner, place: Path, text: str, *words: str) -> str:
    child = Child(("/bin/sh", "-c", text, *words), place, environment(os.environ))
    return asyncio.run(_run(runs, child)).text(1 << 16)


async def _run(runs: Runner, child: Child) -> Finished:
    return await runs(child)


def test_what_a_command_names_is_there(ws: GitWorkspace, checkout: Path, secret: Path) -> None:
    assert said(confining(ws), checkout, f"cat {secret}") == KEY, "so the tests below can fail"


def test_each_check_finds_the_caches_of_the_base(ws: GitWorkspace, checkout: Path) -> None:
    runs, kept = confining(ws), Caches(checkout)
    kept.restore()
    said(runs, checkout, "echo base > ~/.cache/a")
    kept.keep()
    for _ in range(2):
        kept.restore()
        seen = said(runs, checkout, "cat ~/.cache/a; echo agent > ~/.cache/a; echo > ~/.cache/c")
        assert seen == "base\n"


def test_a_link_in_the_place_of_a_python_shows_nothing(
    ws: GitWorkspace, checkout: Path, secret: Path
) -> None:
    (checkout / ".venv/bin").mkdir(parents=True)
    (checkout / ".venv/bin/python").symlink_to(secret)
    assert KEY not in said(confining(ws), checkout, "cat $HOME/.s*h/* .venv/bin/python")


@pytest.mark.parametrize("name", [".env", "node_modules", "vendor"])
def test_a_link_in_the_place_of_dependencies_shows_nothing(
    ws: GitWorkspace, checkout: Path, secret: Path, name: str
) -> None:
    (checkout / name).symlink_to(secret if name == ".env" else secret.parent)
    seen = said(confining(ws), checkout, f"cat $HOME/.s*h/* {name} {name}/id")
    assert KEY not in seen


def test_dependencies_that_are_kept_elsewhere_are_there(
    ws: GitWorkspace, checkout: Path, own_home: Path
) -> None:
    put(own_home, "shared/node_modules/a.js", "shared by all")
    (checkout / "node_modules").symlink_to(own_home / "shared/node_modules")
    assert said(confining(ws), checkout, "cat node_modules/a.js") == "shared by all"


def test_a_git_file_that_a_check_wrote_is_not_believed(
    ws: GitWorkspace, checkout: Path, own_home: Path
) -> None:
    put(own_home, "worktrees/x", "")
    put(own_home, "diary", KEY)
    (checkout / ".git").write_text(f"gitdir: {own_home}/worktrees/x\n")
    assert KEY not in said(confining(ws), checkout, "cat $HOME/diar*")


def test_git_answers_in_a_check(ws: GitWorkspace, checkout: Path) -> None:
    head = git(ws.root, "rev-parse", "HEAD")
    assert said(confining(ws), checkout, "git rev-parse HEAD").strip() == head


def test_a_file_that_is_called_like_an_option_shows_nothing(
    ws: GitWorkspace, checkout: Path, own_home: Path
) -> None:
    key = put(own_home, ".keys/test_a.py", KEY)
    put(checkout, f"x=/{key}", "")
    seen = said(confining(ws), checkout, f"cat $HOME/.k*s/*; true x={key}")
    assert KEY not in seen


def test_a_word_that_is_a_program_is_no_path(ws: GitWorkspace, checkout: Path) -> None:
    text = "/" + "print('long')\n" * 400
    assert said(confining(ws), checkout, f"echo fine; true {shlex.quote(text)}") == "fine\n"


def test_a_repository_that_holds_the_home_has_no_walls(ws: GitWorkspace, own_home: Path) -> None:
    found = asyncio.run(find(SafetySettings(), own_home, ws.state_dir / "lent"))
    assert found.walls is None
    assert "holds the home folder" in found.why
    strict = SafetySettings(sandbox=Sandbox.REQUIRE)
    with pytest.raises(ConfigError, match="requires a sandbox, but the repository holds"):
        asyncio.run(find(strict, own_home, ws.state_dir / "lent"))


def test_a_folder_to_write_to_must_be_there(ws: GitWorkspace) -> None:
    safety = replace(SafetySettings(), write=("/no/such/folder",))
    with pytest.raises(ConfigError, match=r"safety\.write names /no/such/folder"):
        asyncio.run(find(safety, ws.root, ws.state_dir / "lent"))


def test_a_guest_reaches_its_model_where_agents_reach_nothing_else(
    ws: GitWorkspace, checkout: Path
) -> None:
    safety = SafetySettings(network=Network.MODEL_ONLY)

    async def look() -> tuple[bool, str]:
        found = await find(safety, ws.repo.root, checkout.parent / "lent")
        agent = CommandAgent("own", ("true",), ())
        guest = received(found, Settings(safety=safety), ws.common_dir, agent, checkout)
        async with guest as walls:
            assert walls is not None
            return walls.network, walls.proxy

    network, proxy = asyncio.run(look())
    assert not network
    assert proxy, "there is a way to the model"


def test_checks_ask_no_model(ws: GitWorkspace) -> None:
    settings = Settings(verification=VerificationSettings(network=Network.MODEL_ONLY))
    with pytest.raises(ConfigError, match="checks ask no model"):
        confining(ws, settings)

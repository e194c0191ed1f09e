"""The home of an agent between walls: empty but for what it needs to log in.

Files with tokens come as copies. If the program renewed them, they are taken back, as long as they
have the same shape: a program that cannot renew its login would lose it. All else goes with the
home, which is recreated for every iteration.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from ralph import files

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 1 << 20
LARGEST_KEPT = 64 << 20
_SECRET_MODE = 0o600


class HomeNeeds(Struct, frozen=True):
    """What a make of agent needs of the user's home, by paths below it."""

    tokens: tuple[str, ...] = ()
    """JSON that it renews by itself."""
    copied: tuple[str, ...] = ()
    """What it reads and writes, and nobody reads afterwards."""
    read: tuple[str, ...] = ()
    """Settings of the user's."""
    kept: tuple[str, ...] = ()
    """Folders of JSON lines that people look at later: what is new there is taken over."""
    moved: Mapping[str, str] = {}
    """Variables that name another folder for what is below one of these."""


CLAUDE = HomeNeeds(
    tokens=(".claude/.credentials.json",),
    copied=(".claude.json", ".claude/.claude.json"),
    read=tuple(
        f".claude/{name}"
        for name in ("settings.json", "CLAUDE.md", "agents", "commands", "skills", "plugins")
    ),
    kept=(".claude/projects",),
    moved={"CLAUDE_CONFIG_DIR": ".claude"},
)
CODEX = HomeNeeds(
    tokens=(".codex/auth.json",), read=(".codex/config.toml",), moved={"CODEX_HOME": ".codex"}
)
GEMINI = HomeNeeds(
    tokens=(".gemini/oauth_creds.json",),
    copied=(".gemini/google_accounts.json", ".gemini/installation_id"),
    read=(".gemini/settings.json", ".gemini/.env"),
    moved={"GEMINI_CLI_HOME": ""},
)
OPENCODE = HomeNeeds(tokens=(".local/share/opencode/auth.json",), read=(".config/opencode",))


class Home(Struct, frozen=True):
    """One home, furnished; the places are those that the agent sees."""

    folder: Path
    """What all of it lies in: links that an agent left there may lead anywhere."""
    over: tuple[tuple[Path, Path], ...]
    shown: tuple[tuple[Path, Path], ...]
    tokens: tuple[tuple[Path, Path, bytes], ...]
    """The user's file, the copy, and what was in it."""
    kept: tuple[tuple[Path, Path], ...]
    """The user's folder, and the agent's."""

    def give_back(self) -> None:
        """Take over renewed tokens, and what was said in its sessions."""
        for users, copy, before in self.tokens:
            if not files.is_below(copy, self.folder):
                continue
            data = _small(copy)
            if data is not None and data != before and _has_shape(data, before):
                files.write(users, data)
                users.chmod(_SECRET_MODE)
            copy.unlink(missing_ok=True)  # a retry gets another
        for users, own in self.kept:
            for path in own.rglob("*.jsonl") if files.is_below(own, self.folder) else ():
                target, data = users / path.relative_to(own), _small(path, LARGEST_KEPT)
                if data is not None and not target.is_symlink():
                    files.write(target, data, durable=False)


def furnish(
    folder: Path, home: Path, environ: Mapping[str, str], needs: HomeNeeds, *, fresh: bool
) -> Home:
    """Make the home below `folder`; what an earlier agent left there goes, if it is to be fresh."""
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    over = [(folder, home)]
    shown: list[tuple[Path, Path]] = []
    tokens: list[tuple[Path, Path, bytes]] = []
    elsewhere = dict(_elsewhere(environ, needs))
    for number, (_, place) in enumerate(elsewhere.items(), 1):
        if not place.is_relative_to(home):
            own = folder.with_name(f"{folder.name}-{number}")
            if fresh:
                shutil.rmtree(own, ignore_errors=True)
            own.mkdir(parents=True, exist_ok=True)
            over.append((own, place))
    for name in (*needs.tokens, *needs.copied, *needs.read):
        users = _placed(name, home, elsewhere)
        if name in needs.read:
            shown += [(users, users)] if users.exists() else []
            continue
        copy = _inside(users, over)
        data = _small(users) if files.is_below(copy, folder.parent) else None
        if data is not None and not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(data)
            copy.chmod(_SECRET_MODE)
        if data is not None and name in needs.tokens:
            tokens.append((users, copy, data))
    kept = [_placed(name, home, elsewhere) for name in needs.kept]
    return Home(
        folder.parent,
        tuple(over),
        tuple(shown),
        tuple(tokens),
        tuple((users, _inside(users, over)) for users in kept),
    )


def _elsewhere(environ: Mapping[str, str], needs: HomeNeeds) -> Iterator[tuple[str, Path]]:
    for variable, name in needs.moved.items():
        if place := environ.get(variable):
            yield name, Path(os.path.realpath(place))


def _placed(name: str, home: Path, elsewhere: Mapping[str, Path]) -> Path:
    for below, place in elsewhere.items():
        if not below or name.startswith(f"{below}/"):
            return place / name.removeprefix(f"{below}/" if below else "")
    return home / name


def _inside(path: Path, over: list[tuple[Path, Path]]) -> Path:
    """Where that path really is, of what the agent will see."""
    source, target = max(
        (one for one in over if path.is_relative_to(one[1])), key=lambda one: len(one[1].parts)
    )
    return source / path.relative_to(target)


def _small(path: Path, most: int = LARGEST) -> bytes | None:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > most:
            return None
        return path.read_bytes()
    except OSError:
        return None


def _has_shape(data: bytes, before: bytes) -> bool:
    """Whether both are objects with the same keys, some levels down."""
    try:
        return _keys(msgspec.json.decode(data)) == _keys(msgspec.json.decode(before))
    except (msgspec.DecodeError, RecursionError):
        return False


def _keys(value: object, prefix: str = "") -> frozenset[str]:
    if not isinstance(value, dict):
        return frozenset((prefix,))
    return frozenset(one for key in value for one in _keys(value[key], f"{prefix}/{key}"))

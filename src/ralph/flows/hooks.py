"""Ralph's hook and commands in Claude Code's settings: put in, looked for, taken out again."""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, field

from ralph import files
from ralph.domain.errors import ConfigError
from ralph.flows.hook_entry import added, has_entry, without

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN = Path(__file__).parents[1] / "plugin"
HOOK = PLUGIN / "hooks" / "hook.py"
PARTS = ("commands/*.md", "agents/*.md", "skills/*/SKILL.md")
"""What comes with the hook, as Claude Code looks for it below `.claude`."""


class HooksScope(StrEnum):
    PROJECT = "project"
    """`.claude/` of the repository, which others may share."""
    USER = "user"
    """Claude Code's own folder in your home, for every project."""


class HooksPlace(Struct, frozen=True):
    """Where it is installed: a `.claude` folder and the words that start the hook from there."""

    folder: Path
    scope: HooksScope
    python: str

    @property
    def settings(self) -> Path:
        return self.folder / "settings.json"

    def words(self, deed: str) -> str:
        # what a team shares names no machine's paths; elsewhere the direct way is the quicker one
        if self.scope is HooksScope.PROJECT:
            return f"ralph hook {deed}"
        return f"{_quoted(self.python)} -I -S {_quoted(str(HOOK))} {deed}"


class Receipt(Struct):
    """What was there before, so that all of it can be put back."""

    settings: str
    before: str | None
    """The settings file as it was, in base64; None if there was none."""
    after: str
    """The hash of the settings file as it was left."""
    made: dict[str, str] = field(default_factory=dict)
    """Files that were made, relative to the folder, and their hashes."""


class Done(Struct, frozen=True):
    """What an installation or its undoing came to."""

    settings: str
    """installed, there already, restored, removed, not installed"""
    made: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    """Files that are somebody else's, or were edited since, and were left alone."""


def install(place: HooksPlace, home: Path) -> Done:
    """Add the hook to the settings, and the commands beside them. Nothing else changes."""
    old = files.read(place.settings)
    fresh = not (old is not None and has_entry(_decoded(place.settings, old), str(place.settings)))
    receipt = _receipt(place, home)
    if fresh:
        new = added(old, place.words("stop"), str(place.settings))
        before = None if old is None else b64encode(old).decode()
        receipt = Receipt(str(place.settings), before, _hash(new), receipt.made if receipt else {})
        _write_receipt(place, home, receipt)  # first: a kill in between must not lose the old file
        files.write(place.settings, new)
    receipt = receipt or Receipt(str(place.settings), None, "")
    made, kept = _place_parts(place, receipt)
    _write_receipt(place, home, receipt)
    return Done("installed" if fresh else "there already", made, kept)


def uninstall(place: HooksPlace, home: Path) -> Done:
    """The settings as they were, byte for byte; if they were edited since, only our entries go."""
    receipt = _receipt(place, home)
    removed, kept = _take_parts(place, receipt) if receipt else ((), ())
    now = files.read(place.settings)
    how = "not installed"
    if now is not None and receipt is not None and receipt.after == _hash(now):
        _restore(place, receipt)
        how = "restored"
    elif now is not None and has_entry(_decoded(place.settings, now), str(place.settings)):
        files.write(place.settings, without(now, str(place.settings)))
        how = "removed"
    _receipt_file(place, home).unlink(missing_ok=True)
    _remove_empty(place)
    return Done(how, removed, kept)


def is_installed(place: HooksPlace) -> bool:
    now = files.read(place.settings)
    return now is not None and has_entry(_decoded(place.settings, now), str(place.settings))


def _place_parts(place: HooksPlace, receipt: Receipt) -> tuple[tuple[str, ...], tuple[str, ...]]:
    made, kept = [], []
    for name, data in _parts(place):
        path = place.folder / name
        there = files.read(path)
        if there is not None and there != data and receipt.made.get(name) != _hash(there):
            kept.append(name)
            continue
        if there != data:
            files.write(path, data)
            made.append(name)
        receipt.made[name] = _hash(data)
    return tuple(made), tuple(kept)


def _take_parts(place: HooksPlace, receipt: Receipt) -> tuple[tuple[str, ...], tuple[str, ...]]:
    removed, kept = [], []
    for name, digest in receipt.made.items():
        path = place.folder / name
        there = files.read(path)
        if there is None:
            continue
        if _hash(there) != digest:
            kept.append(name)
            continue
        path.unlink()
        removed.append(name)
    return tuple(removed), tuple(kept)


def _parts(place: HooksPlace) -> Iterator[tuple[str, bytes]]:
    """The plugin's files, with the words that start the hook from here instead of its own."""
    own = 'python3 -I -S "${CLAUDE_PLUGIN_ROOT}/hooks/hook.py" '
    for pattern in PARTS:
        for path in sorted(PLUGIN.glob(pattern)):
            text = path.read_text(encoding="utf-8").replace(own, place.words(""))
            tools = "ralph hook" if place.scope is HooksScope.PROJECT else place.words("").strip()
            text = text.replace("Bash(python3 -I -S:*)", f"Bash({tools.replace(chr(34), '')}:*)")
            yield str(path.relative_to(PLUGIN)), text.encode()


def _restore(place: HooksPlace, receipt: Receipt) -> None:
    if receipt.before is None:
        place.settings.unlink()
    else:
        files.write(place.settings, b64decode(receipt.before))


def _remove_empty(place: HooksPlace) -> None:
    """Folders that hold nothing any more; the user's own are never empty of them."""
    skills = place.folder / "skills"
    below = [path for path in skills.glob("*") if path.is_dir()] if skills.is_dir() else []
    for path in (*below, skills, place.folder / "agents", place.folder / "commands", place.folder):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def _receipt_file(place: HooksPlace, home: Path) -> Path:
    name = sha256(os.fsencode(place.settings.absolute())).hexdigest()[:16]
    return home / "hooks" / f"{name}.json"


def _receipt(place: HooksPlace, home: Path) -> Receipt | None:
    data = files.read(_receipt_file(place, home))
    if data is None:
        return None
    try:
        return msgspec.json.decode(data, type=Receipt)
    except msgspec.DecodeError:
        return None  # without it only our own entries are taken out


def _write_receipt(place: HooksPlace, home: Path, receipt: Receipt) -> None:
    files.write(_receipt_file(place, home), msgspec.json.encode(receipt))


def _decoded(path: Path, data: bytes) -> Any:  # noqa: ANN401 - JSON is anything until it is checked
    try:
        return json.loads(data)
    except ValueError as error:
        raise ConfigError(
            f"{path} is not JSON ({error}).", fix="Repair it; Ralph did not touch it."
        ) from error


def _hash(data: bytes) -> str:
    return sha256(data).hexdigest()


def _quoted(text: str) -> str:
    return f'"{text}"'

"""Where settings come from: defaults, then ralph.yaml, the environment and flags."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ralph.config.convert import DEFAULT, build, values
from ralph.config.entry import Entry, merge, nest, wrap
from ralph.config.reference import Row, settings_reference
from ralph.domain.errors import ConfigError
from ralph.domain.settings import LoopSettings, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FILE", "Loaded", "Row", "home", "load", "settings_reference", "values"]

FILE = "ralph.yaml"
MAX_BYTES = 256 * 1024


_THRESHOLD = "loop.gutter.max_same_failure"
_FOLLOWS = ("max_attempts", "max_failures", "no_progress_iterations")
_SHORT = {
    "MAX_ITERATIONS": "loop.max_iterations",
    "STUCK_THRESHOLD": _THRESHOLD,
    "RALPH_AGENT": "agent",
    "RALPH_DATABASE_URL": "ledger.url",
}

_FLAGS = {
    "repo.workspace": "--worktree",
    "verification.commands": "--verify",
    "tasks.path": "PLAN",
}
"""Flags that are not called like the last word of their setting."""


class Loaded(Struct, frozen=True):
    settings: Settings
    provenance: Mapping[str, str]
    """For every dotted key: default, ralph.yaml:LINE, environment NAME or flag --NAME."""
    file: Path | None
    notes: tuple[str, ...]
    """What the user must know although nothing is wrong."""


def load(
    root: Path,
    *,
    environ: Mapping[str, str],
    flags: Mapping[str, object] | None = None,
    file: bool = True,
) -> Loaded:
    """The settings for the repository at `root`; flags by dotted key, None means not given.

    Without `file`, what the repository says is left out.
    """
    path = root / FILE
    tree = _read(path) if file else None
    found = None if tree is None else path
    whole = tree or Entry({}, FILE)
    for over in (*_from_environment(environ), *_from_flags(flags or {})):
        whole = merge(whole, over)
    settings, provenance = _following(*build(whole))
    return Loaded(settings, provenance, found, tuple(_notes(root, found)))


def _following(settings: Settings, provenance: dict[str, str]) -> tuple[Settings, dict[str, str]]:
    """With room for a threshold that was raised: limits nobody has set would come before it."""
    loop, usual = settings.loop, LoopSettings()
    more = loop.gutter.max_same_failure - usual.gutter.max_same_failure
    names = [name for name in _FOLLOWS if provenance[f"loop.{name}"] == DEFAULT]
    if more <= 0 or not names:
        return settings, provenance
    raised = {name: getattr(usual, name) + more for name in names}
    told = {f"loop.{name}": f"follows {_THRESHOLD}" for name in names}
    return replace(settings, loop=replace(loop, **raised)), provenance | told


def home(environ: Mapping[str, str]) -> Path:
    """Where the ledger lives, out of the agents' way."""
    if chosen := environ.get("RALPH_HOME"):
        path = Path(chosen).expanduser()
        if not path.is_absolute():
            # it would be another one in every folder that a command is given in
            raise ConfigError(
                f"RALPH_HOME is a relative path: {chosen}",
                fix="Set it to one that begins with / or ~.",
            )
        return path
    data = environ.get("XDG_DATA_HOME", "")
    # The standard says that a relative path there counts as unset.
    if data.startswith("/"):
        return Path(data) / "ralph"
    return Path(environ.get("HOME") or Path.home()) / ".local" / "share" / "ralph"


def _read(path: Path) -> Entry | None:
    try:
        # Reading a pipe or a device would never end.
        if path.exists() and not path.is_file():
            raise ConfigError(f"{path} is not a file.", fix="Move it away or replace it by a file.")
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"Cannot read {path}: {error.strerror or error}.") from error
    if len(raw) > MAX_BYTES:
        raise ConfigError(f"{path} is larger than {MAX_BYTES // 1024} KB.", fix="Shorten it.")
    from ralph.config.tree import parse

    return parse(raw, lambda line: f"{path.name}:{line}")


def _from_environment(environ: Mapping[str, str]) -> Iterator[Entry]:
    for name, key in _SHORT.items():
        if environ.get(name):
            yield nest(tuple(key.split(".")), _variable(name, environ[name]))
    for name in sorted(environ):
        # Names without a double underscore are Ralph's own, such as RALPH_HOME.
        path = tuple(name.removeprefix("RALPH_").lower().split("__"))
        is_setting = name.startswith("RALPH_") and len(path) > 1 and all(path)
        if is_setting and environ[name]:
            yield nest(path, _variable(name, environ[name]))


def _variable(name: str, text: str) -> Entry:
    return Entry(text, f"environment {name}", loose=True)


def _from_flags(flags: Mapping[str, object]) -> Iterator[Entry]:
    for key, value in flags.items():
        if value is None:
            continue
        path = tuple(key.split("."))
        name = _FLAGS.get(key) or "--" + path[-1].replace("_", "-")
        if path[0] == "agents":
            name = "--agent-" + path[-1]
        yield nest(path, wrap(value, f"flag {name}"))


def _notes(root: Path, file: Path | None) -> Iterator[str]:
    if file is None and (root / "ralph.yml").exists():
        yield f"ralph.yml is not read: rename it to {FILE}"

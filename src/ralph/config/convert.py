"""Entries as settings: every value gets the type that its field declares."""

from __future__ import annotations

import math
import shlex
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from msgspec import Struct

from ralph.config.entry import Entry, brief, found
from ralph.domain.evidence import FactKind, Weight
from ralph.domain.notify import Occasion
from ralph.domain.settings import AgentSettings, Sandbox, Settings
from ralph.domain.task import shell
from ralph.domain.verdict import Level

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.domain.errors import ConfigError
    from ralph.domain.task import Command

T = TypeVar("T", bound=Struct)

DEFAULT = "default"

_AGENTS = "dict[str, AgentSettings]"

_POSITIVE = frozenset(
    {
        "verification.timeout_minutes",
        "loop.max_iterations",
        "loop.max_failures",
        "loop.max_attempts",
        "loop.max_minutes_per_iteration",
        "loop.no_progress_iterations",
        "loop.gutter.max_same_failure",
        "loop.gutter.max_churn_commits",
        "loop.gutter.similarity",
        "logs.max_output_mb",
        "logs.keep_iterations",
    }
)
"""Numbers for which 0 makes no sense."""

_MAY_BE_EMPTY = frozenset({"notify.command"})
"""Commands that may be switched off: `[]`."""

_KNOWN: dict[str, tuple[str, ...]] = {
    "verification.require": ("auto", Level.GREEN, Level.OVERLAY, Level.PROVEN),
    **{f"verification.{weight}": tuple(FactKind) for weight in Weight},
    "notify.on": tuple(Occasion),
}
"""Texts of which only some mean something."""


def build(entry: Entry) -> tuple[Settings, dict[str, str]]:
    """The settings, and for each dotted key where its value comes from."""
    origins: dict[str, str] = {}
    return _section(Settings, entry, "", origins), origins


def values(settings: Struct, prefix: str = "") -> dict[str, object]:
    """Every setting by its dotted key."""
    flat: dict[str, object] = {}
    for name, annotation in settings.__annotations__.items():
        key, value = f"{prefix}{name}", getattr(settings, name)
        if isinstance(value, Struct):
            flat |= values(value, f"{key}.")
        elif annotation == _AGENTS:
            for own, agent in value.items():
                flat |= values(agent, f"{key}.{own}.")
        else:
            flat[key] = value
    return flat


def _section(kind: type[T], entry: Entry, prefix: str, origins: dict[str, str]) -> T:
    given, hints = _map(entry, prefix), get_type_hints(kind)
    known: dict[str, str] = kind.__annotations__
    for name in given:
        if name not in known:
            raise _unknown(given[name], f"{prefix}{name}", tuple(known))
    chosen: dict[str, object] = {}
    for name, annotation in known.items():
        key, hint, child = f"{prefix}{name}", hints[name], given.get(name)
        if isinstance(hint, type) and issubclass(hint, Struct):
            chosen[name] = _section(hint, child or Entry({}, ""), f"{key}.", origins)
        elif annotation == _AGENTS:
            chosen[name] = _agents(child or Entry({}, ""), key, origins)
        elif child is None:
            origins[key] = DEFAULT
        else:
            chosen[name] = _read(annotation, hint, child, key)
            origins[key] = child.where
    return kind(**chosen)


def _map(entry: Entry, prefix: str) -> dict[str, Entry]:
    # A section whose keys are all commented out is nothing in YAML.
    if entry.value is None:
        return {}
    if not isinstance(entry.value, dict):
        what = prefix.rstrip(".") or "the file"
        raise entry.wrong(f"{what} must be a section with keys, found {found(entry)}")
    return entry.value


def _agents(entry: Entry, key: str, origins: dict[str, str]) -> dict[str, AgentSettings]:
    agents: dict[str, AgentSettings] = {}
    for name, child in _map(entry, f"{key}.").items():
        agents[name] = _section(AgentSettings, child, f"{key}.{name}.", origins)
    return agents


def _read(annotation: str, hint: Any, entry: Entry, key: str) -> object:  # noqa: ANN401 - a type
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _choice(hint, entry, key)
    if key == "claude.command":
        return _claude(entry, key)
    if entry.loose and annotation != "str":
        entry = _tighten(entry, annotation)
    return _one_of(_READERS[annotation](entry, key), entry, key)


def _one_of(value: object, entry: Entry, key: str) -> object:
    """The value, which must be one of those that mean something here."""
    known = _KNOWN.get(key, ())
    given = value if isinstance(value, tuple) else (value,)
    if known and (odd := [one for one in given if one not in known]):
        fix = f"Known: {', '.join(known)}."
        raise entry.wrong(f"{key} cannot be {brief(str(odd[0]))}", fix)
    return value


def _tighten(entry: Entry, annotation: str) -> Entry:
    """What the text of an environment variable stands for, if not itself."""
    from ralph.config.tree import parse

    text = str(entry.value)
    if "Command" in annotation and not text.lstrip().startswith("["):
        items = Entry(text, entry.where)
        return items if annotation == "Command" else Entry([items], entry.where)
    if annotation.startswith("tuple") and not text.lstrip().startswith("["):
        names = [name.strip() for name in text.split(",")]
        return Entry([Entry(name, entry.where) for name in names if name], entry.where)
    return parse(text, lambda _line: entry.where)


def _text(entry: Entry, key: str) -> str:
    if not isinstance(entry.value, str):
        hint = "" if isinstance(entry.value, (dict, list)) else "Put it in quotes if it is text."
        raise entry.wrong(f"{key} must be text, found {found(entry)}", hint)
    if "\0" in entry.value or any("\ud800" <= char <= "\udfff" for char in entry.value):
        raise entry.wrong(f"{key} contains characters that no program accepts")
    return str(entry.value)


def _number(entry: Entry, key: str) -> float:
    value = entry.value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise entry.wrong(f"{key} must be a number, found {found(entry)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise entry.wrong(f"{key} must be a finite number, found {number}")
    _check_range(entry, key, number)
    return number


def _check_range(entry: Entry, key: str, number: float) -> None:
    if number < 0 or (number == 0 and key in _POSITIVE):
        least = "more than 0" if key in _POSITIVE else "0 or more"
        raise entry.wrong(f"{key} must be {least}, found {found(entry)}")
    if key.endswith(".similarity") and number > 1:
        raise entry.wrong(f"{key} must be at most 1, found {found(entry)}")


def _whole(entry: Entry, key: str) -> int:
    value = entry.value
    if isinstance(value, bool) or not isinstance(value, int):
        raise entry.wrong(f"{key} must be a whole number, found {found(entry)}")
    _number(entry, key)
    return value


def _flag(entry: Entry, key: str) -> bool:
    if not isinstance(entry.value, bool):
        raise entry.wrong(f"{key} must be true or false, found {found(entry)}")
    return entry.value


def _choice(kind: type[StrEnum], entry: Entry, key: str) -> StrEnum:
    choices = [member.value for member in kind]
    if kind is Sandbox and isinstance(entry.value, bool):  # YAML reads `off` as false, too
        return Sandbox.REQUIRE if entry.value else Sandbox.OFF
    if entry.value not in choices:
        raise entry.wrong(f"{key} must be one of {', '.join(choices)}, found {found(entry)}")
    return kind(entry.value)


def _list(entry: Entry, key: str, of: str) -> list[Entry]:
    if not isinstance(entry.value, list):
        raise entry.wrong(f"{key} must be a list of {of}, found {found(entry)}")
    return entry.value


def _texts(entry: Entry, key: str) -> tuple[str, ...]:
    return tuple(_text(item, f"{key}[{n}]") for n, item in enumerate(_list(entry, key, "texts")))


def _command(entry: Entry, key: str) -> Command:
    if isinstance(entry.value, str):
        command = shell(_text(entry, key)) if entry.value.strip() else ()
    elif isinstance(entry.value, list):
        command = _texts(entry, key)
    else:
        raise entry.wrong(f"{key} must be a command (text or a list), found {found(entry)}")
    if not command and key in _MAY_BE_EMPTY:
        return ()
    if not command or not command[0].strip():
        raise entry.wrong(f"{key} is an empty command", "Name a program, or remove the line.")
    return command


def _commands(entry: Entry, key: str) -> tuple[Command, ...]:
    items = _list(entry, key, "commands")
    return tuple(_command(item, f"{key}[{n}]") for n, item in enumerate(items))


def _maybe_commands(entry: Entry, key: str) -> tuple[Command, ...] | None:
    return None if entry.value is None else _commands(entry, key)


def _claude(entry: Entry, key: str) -> Command:
    """A program that gets arguments, so text is split into words and not given to a shell."""
    if isinstance(entry.value, str):
        try:
            words = shlex.split(_text(entry, key))
        except ValueError as error:
            raise entry.wrong(f"{key} cannot be split into words: {error}") from error
        entry = Entry([Entry(word, entry.where) for word in words], entry.where)
    command = _command(entry, key)
    # Document H writes it so; the program has no such subcommand.
    return ("claude",) if command == ("claude", "code") else command


_READERS: dict[str, Callable[[Entry, str], object]] = {
    "str": _text,
    "int": _whole,
    "float": _number,
    "bool": _flag,
    "tuple[str, ...]": _texts,
    "Command": _command,
    "tuple[Command, ...]": _commands,
    "tuple[Command, ...] | None": _maybe_commands,
}
"""By the annotation as written: `Command` and a tuple of texts are the same type at run time."""


def _unknown(entry: Entry, key: str, siblings: tuple[str, ...]) -> ConfigError:
    """What is wrong with a key that is no setting, and which one may be meant."""
    from difflib import get_close_matches

    section, _, name = key.rpartition(".")
    prefix = f"{section}." if section else ""
    elsewhere = [known for known in values(Settings()) if known.rpartition(".")[2] == name]
    close = get_close_matches(name, siblings, n=1, cutoff=0.6)
    if close:
        fix = f"Did you mean {prefix}{close[0]}?"
    elif elsewhere:
        fix = f"Did you mean {' or '.join(elsewhere)}?"
    else:
        fix = f"Known here: {', '.join(siblings)}."
    return entry.wrong(f"{brief(key)[1:-1]} is not a setting", fix)

"""Which settings of a repository's own file need trust, and what is new in them."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING

from ralph.domain.powers import SETTINGS, Needs, Power
from ralph.domain.task import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ralph.domain.task import Command

_COMMANDS = ("verification.commands", "verification.setup")
_PASSWORD = re.compile(r"(://[^:/@\s]*):[^/\s]*@")
_ABROAD = re.compile(r"[A-Za-z][\w+.-]+:|/|~|[A-Za-z]:\\|\\")
"""How a place outside begins: an address, the root, a home."""


def needs(key: str) -> Needs:
    """When this setting needs trust; one that nobody has thought about always does."""
    section, _, rest = key.partition(".")
    if section == "agents":
        key = f"agents.<name>.{rest.rpartition('.')[2]}"
    return SETTINGS.get(key, Needs.TRUST)


def powerful(
    values: Mapping[str, object], defaults: Mapping[str, object], written: Iterable[str]
) -> dict[str, object]:
    """Of the settings that the file has `written`: those that need trust, by their dotted keys."""
    chosen = ((key, values[key], defaults.get(key)) for key in written if key in values)
    return {key: value for key, value, usual in chosen if _counts(needs(key), value, usual)}


def _counts(when: Needs, value: object, usual: object) -> bool:
    if when is Needs.NOTHING or value == usual:
        return False
    if when is Needs.OUTSIDE:
        places = value if isinstance(value, tuple) else (value,)
        return any(leaves(str(place)) for place in places)
    if when is Needs.FEWER:
        return not set(_items(usual)) <= set(_items(value))
    if when is Needs.MORE and isinstance(value, (int, float)) and isinstance(usual, (int, float)):
        return value == 0 or value > usual
    return True


def _items(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else ()


def leaves(path: str) -> bool:
    """Whether a path that a repository's file names may lie outside of the repository."""
    if _ABROAD.match(path):
        return True
    depth = 0
    for part in re.split(r"[/\\]", path):
        depth += {"..": -1, ".": 0, "": 0}.get(part, 1)
        if depth < 0:
            return True
    return False


def wording(key: str, value: object) -> str:
    """A value as a person would write it, on one line."""
    if key in _COMMANDS and isinstance(value, tuple):
        text = "; ".join(shown(_command(one)) for one in value)
    elif key.endswith(".command") and isinstance(value, tuple):
        text = shown(_command(value))
    elif isinstance(value, tuple):
        text = ", ".join(map(str, value)) or "nothing"
    else:
        text = json.dumps(value) if isinstance(value, bool) else _plain(value)
    return without_password(text)


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _command(value: object) -> Command:
    return tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)


def without_password(text: str) -> str:
    """An address of a database may hold one."""
    return _PASSWORD.sub(r"\1:…@", text)


def power(where: str, key: str, value: object) -> Power:
    """A setting of a file as something to be trusted."""
    return Power(where, key, wording(key, value), digest(json.dumps(value).encode()))


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def fingerprint(powers: Iterable[Power]) -> str:
    """Names all of them as they are now; empty where there is nothing to be trusted."""
    every = sorted([one.where, one.name, one.digest] for one in powers)
    return digest(json.dumps(every).encode()) if every else ""


def not_accepted(found: Iterable[Power], accepted: Iterable[Power]) -> tuple[Power, ...]:
    """What a person has not accepted as it is now. What is gone from the files needs no word."""
    known = {(one.where, one.name, one.digest) for one in accepted}
    return tuple(one for one in found if (one.where, one.name, one.digest) not in known)


def difference(new: Iterable[Power], accepted: Iterable[Power]) -> Iterator[tuple[str, str]]:
    """What to show of it: a sign and a line, the old value before the new one."""
    before = {(one.where, one.name): one.shown for one in accepted}
    for one in new:
        old = before.get((one.where, one.name))
        if old is not None:
            yield "-", f"{one.title}: {old}"
        yield "+", f"{one.title}: {one.shown}"

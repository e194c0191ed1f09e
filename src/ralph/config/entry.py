from __future__ import annotations

from msgspec import Struct

from ralph.domain.errors import ConfigError

MAX_SHOWN = 60


class Entry(Struct, frozen=True):
    """A value and where it comes from; maps and lists hold entries themselves."""

    value: object
    where: str
    loose: bool = False
    """Text that may stand for something else, as in an environment variable."""

    def wrong(self, problem: str, fix: str = "") -> ConfigError:
        return ConfigError(f"{self.where}: {problem}.", fix=fix)


def wrap(value: object, where: str) -> Entry:
    """A plain Python value as an entry."""
    if isinstance(value, (list, tuple)):
        return Entry([wrap(item, where) for item in value], where)
    return Entry(value, where)


def merge(under: Entry, over: Entry) -> Entry:
    """Both maps in one, key by key; where both speak, `over` counts."""
    if not isinstance(over.value, dict):
        return over
    if under.value is None:
        return over
    if not isinstance(under.value, dict):
        raise over.wrong(f"it sets a key inside {under.where}, which is not a section")
    merged = dict(under.value)
    for key, entry in over.value.items():
        merged[key] = merge(merged[key], entry) if key in merged else entry
    return Entry(merged, under.where)


def nest(path: tuple[str, ...], leaf: Entry) -> Entry:
    """The leaf inside the maps that lead to it."""
    for name in reversed(path):
        leaf = Entry({name: leaf}, leaf.where)
    return leaf


def brief(text: object) -> str:
    """Text of a stranger, quoted, on one line and not too long."""
    shown = str(text)
    return repr(shown if len(shown) <= MAX_SHOWN else shown[:MAX_SHOWN] + "…")


def found(entry: Entry) -> str:
    """What stands there, in words."""
    value = entry.value
    if isinstance(value, bool):
        return f"the truth value {str(value).lower()}"
    if isinstance(value, str):
        return f"the text {brief(value)}"
    kinds = {type(None): "nothing", dict: "a section", list: "a list"}
    return kinds.get(type(value), f"the number {str(value)[:MAX_SHOWN]}")

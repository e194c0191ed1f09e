"""The values of a flow file: each is what it must be, or an error that names its place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ralph.checks.browser.flow import HEIGHT, TOLERANCE, WIDTH
from ralph.config.entry import brief

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ralph.config.entry import Entry

QUOTE = 'A selector that begins with # needs quotes: "#save".'

_MOST_SECONDS = 3600
_MOST_ELEMENTS = 100_000


def section(entry: Entry, known: frozenset[str], what: str) -> Mapping[str, Entry]:
    if not isinstance(entry.value, dict):
        raise entry.wrong(f"{what} must be a section of keys and values")
    for key in entry.value:
        if key not in known:
            raise entry.wrong(f"{what} has no {brief(key)}", f"Known: {', '.join(sorted(known))}.")
    return entry.value


def text(given: Mapping[str, Entry], key: str) -> str:
    entry = given.get(key)
    if entry is None:
        return ""
    if isinstance(entry.value, str):
        return entry.value
    # YAML reads 1.10 as 1.1 and 010 as 8: what was meant is known only between quotes
    fix = "Put it in quotes." if isinstance(entry.value, (bool, int, float)) else QUOTE
    raise entry.wrong(f"{key} must be text", fix)


def texts(given: Mapping[str, Entry], key: str) -> tuple[str, ...]:
    entry = given.get(key)
    if entry is None:
        return ()
    items = entry.value if isinstance(entry.value, list) else [entry]
    return tuple(text({key: item}, key) for item in items)


def patterns(given: Mapping[str, Entry], key: str) -> tuple[str, ...]:
    found = texts(given, key)
    for pattern in found:
        try:
            re.compile(pattern)
        except re.error as error:
            raise given[key].wrong(f"{brief(pattern)} is not a valid pattern: {error}") from error
    return found


def flag(given: Mapping[str, Entry], key: str) -> bool:
    entry = given.get(key)
    if entry is None:
        return False
    if not isinstance(entry.value, bool):
        raise entry.wrong(f"{key} must be true or false")
    return entry.value


def number(entry: Entry, what: str, least: float, most: float) -> float:
    value = entry.value
    if isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value <= most:
        return float(value)
    raise entry.wrong(f"{what} must be a number from {least:g} to {most:g}")


def seconds(given: Mapping[str, Entry], key: str, default: float, *, least: float = 0) -> float:
    return number(given[key], key, least, _MOST_SECONDS) if key in given else default


def share(entry: Entry | None) -> float:
    return TOLERANCE if entry is None else number(entry, "tolerance", 0, 1)


def count(entry: Entry | None) -> int | None:
    return None if entry is None else int(number(entry, "count", 0, _MOST_ELEMENTS))


def viewport(entry: Entry | None) -> tuple[int, int]:
    if entry is None:
        return WIDTH, HEIGHT
    sizes = re.fullmatch(r"(\d{2,4})x(\d{2,4})", str(entry.value))
    if sizes is None:
        raise entry.wrong("viewport must be width x height, such as 1280x720")
    return int(sizes[1]), int(sizes[2])

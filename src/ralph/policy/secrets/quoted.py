"""The strings in a line of JSON: read, so that no escape hides anything, and put back as JSON.

All else in the line stays as it was, byte for byte: numbers, spaces, the order of fields.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from typing import TYPE_CHECKING

import msgspec

from ralph.policy.secrets.naming import strength

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

HIDDEN = re.compile(rb"\\(?:u00[2-7]|/)")
"""Plain characters that JSON may spell in another way: only reading it shows what they say."""
HEADERS = frozenset(("authorization", "proxy-authorization", "cookie", "set-cookie"))

_LITERAL = re.compile(rb'"(?:[^"\\]|\\.)*"')
_COLON = re.compile(rb"[ \t\r\n]*:")
_NAMES = frozenset(("name", "key", "variable"))


def is_json(line: bytes) -> bool:
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        try:
            json.loads(line)  # knows half characters, and `NaN`
        except (ValueError, RecursionError):
            return False
    return True


def replaced(
    line: bytes,
    places: Sequence[int],
    mask: Callable[[str, str], str],
    spared: Collection[str] = (),
) -> bytes:
    """The line with `mask(name, text)` in place of each string in which there may be something.

    These are the strings around `places` (in order), those that spell characters in another way,
    and those in a field with a telling name. What is `spared` by its field's name stays.
    """
    parts: list[bytes] = []
    done = 0
    name = pair = ""
    for literal in _LITERAL.finditer(line):
        start, end = literal.span()
        is_name = _COLON.match(line, end) is not None
        if is_name:
            name = _read(literal[0])
        if not _may_hold(line, start, end, places) and (is_name or not _tells(name, pair)):
            if name in _NAMES and not is_name:
                pair = _read(literal[0])
            continue
        text = _read(literal[0])
        field = "" if is_name else pair if name == "value" else name
        pair = text if name in _NAMES and not is_name else pair
        new = text if name in spared else mask(field, text)
        if new != text:
            parts += (line[done:start], json.dumps(new, ensure_ascii=literal[0].isascii()).encode())
            done = end
    return b"".join((*parts, line[done:]))


def _may_hold(line: bytes, start: int, end: int, places: Sequence[int]) -> bool:
    at = bisect_left(places, start)
    return (at < len(places) and places[at] < end) or HIDDEN.search(line, start, end) is not None


def _tells(name: str, pair: str) -> bool:
    if name == "value" and pair:
        return bool(strength(pair))
    return bool(strength(name)) or name.lower() in HEADERS


def _read(literal: bytes) -> str:
    text: str = json.loads(literal)
    return text

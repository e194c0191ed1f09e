"""Where things are in JSON text, so that an edit changes only the bytes it means to change."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from ralph.domain.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

BOM = b"\xef\xbb\xbf"
_SPACE = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_SCALAR = re.compile(rb"[^ \t\r\n,\]}]+")
_NESTING = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)


class JsonMember(Struct, frozen=True):
    """One `"key": value` of an object, by its offsets."""

    name: str
    key: int
    key_end: int
    value: int
    end: int


Edit = tuple[int, int, bytes]
"""Replace the bytes from here to there by these."""


def decode(data: bytes, source: str) -> Any:  # noqa: ANN401 - JSON is anything until it is checked
    """The JSON value; a PlanError with line and column if it is none."""
    try:
        return msgspec.json.decode(data.removeprefix(BOM))
    except RecursionError:
        raise PlanError(f"{source}: the JSON is nested too deeply.") from None
    except ValueError as error:
        raise _explained(data, source, error) from error


def _explained(data: bytes, source: str, error: ValueError) -> PlanError:
    try:
        text = data.removeprefix(BOM).decode()
    except UnicodeDecodeError as wrong:
        line, column = _place(data, wrong.start)
        return PlanError(
            f"{source}, line {line}, column {column}: not UTF-8 text.",
            fix="Save the file as UTF-8.",
        )
    try:
        json.loads(text)
    except json.JSONDecodeError as wrong:
        return PlanError(
            f"{source}, line {wrong.lineno}, column {wrong.colno}: {wrong.msg}.",
            fix="Correct the JSON there.",
        )
    except (ValueError, RecursionError):
        return PlanError(f"{source}: {error}.")
    return PlanError(f"{source}: {error}.", fix="Only strict JSON can be read.")


def _place(data: bytes, offset: int) -> tuple[int, int]:
    before = data[:offset]
    return before.count(b"\n") + 1, offset - before.rfind(b"\n")


def after_space(data: bytes, offset: int) -> int:
    found = _SPACE.match(data, offset)
    return found.end() if found else offset


def end_of_value(data: bytes, start: int) -> int:
    """The offset behind the value that starts here; the text is known to be valid JSON."""
    if data[start] not in b"{[":
        pattern = _STRING if data[start] == ord('"') else _SCALAR
        found = pattern.match(data, start)
        return found.end() if found else start
    depth = 0
    for token in _NESTING.finditer(data, start):
        mark = data[token.start()]
        if mark in b"{[":
            depth += 1
        elif mark in b"}]":
            depth -= 1
            if depth == 0:
                return token.end()
    return len(data)


def members(data: bytes, start: int, sizes: Mapping[str, int] | None = None) -> list[JsonMember]:
    """The members of the object that starts here.

    `sizes` gives the lengths of values known to be unique, so that large ones are not scanned.
    """
    found: list[JsonMember] = []
    at = after_space(data, start + 1)
    while data[at] != ord("}"):
        key_end = end_of_value(data, at)
        name = msgspec.json.decode(data[at:key_end], type=str)
        value = after_space(data, after_space(data, key_end) + 1)
        size = sizes.get(name) if sizes else None
        end = end_of_value(data, value) if size is None else value + size
        found.append(JsonMember(name, at, key_end, value, end))
        at = after_space(data, end)
        if data[at] == ord(","):
            at = after_space(data, at + 1)
    return found


def spans(data: bytes, start: int, end: int) -> list[tuple[int, int]]:
    """The offsets of the objects in the array from `start` to `end`."""
    found: list[tuple[int, int]] = []
    at = start + 1
    for raw in msgspec.json.decode(memoryview(data)[start:end], type=list[msgspec.Raw]):
        begin = data.index(b"{", at)
        at = begin + memoryview(raw).nbytes
        found.append((begin, at))
    return found


def set_member(data: bytes, existing: list[JsonMember], name: str, value: bytes) -> Edit | None:
    """The edit that gives this member this value; None if it has it already.

    A new member goes last and looks like the one before it; a task has an id and a title, so
    there are two to look at.
    """
    for member in reversed(existing):
        if member.name == name:
            if data[member.value : member.end] == value:
                return None
            return member.value, member.end, value
    before, last = existing[-2:]
    gap = data[before.end : last.key]
    colon = data[last.key_end : last.value]
    return last.end, last.end, gap + json.dumps(name).encode() + colon + value


def apply(data: bytes, edits: Iterable[Edit]) -> bytes:
    parts: list[bytes] = []
    at = 0
    for start, end, new in sorted(edits):
        parts += (data[at:start], new)
        at = end
    parts.append(data[at:])
    return b"".join(parts)

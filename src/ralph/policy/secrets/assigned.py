"""What is assigned to a name that tells: in code, settings, JSON, YAML, flags and elements."""

from __future__ import annotations

import re

from ralph.policy.secrets.judging import is_likely
from ralph.policy.secrets.naming import Strength, strength
from ralph.policy.secrets.span import NAMED, Span

_NAME_CHARS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_LONGEST_NAME = 80

_Q = rb"\\*[\"'`]"
_ASSIGNED = re.compile(
    rb"(?P<rest>[A-Za-z0-9_-]{0,60})(?:"
    rb"(?P<named>" + _Q + rb")?\]?[ \t]{0,8}"
    rb"(?::[ \t]{0,2}[A-Za-z][\w.|\[\] ]{0,30})?(?P<sign>=>|:=|!?={1,3}|:)[ \t]{0,8}"
    rb"|"
    + _Q
    + rb"[ \t]{0,2},[ \t]{0,4}(?:"
    + _Q
    + rb"?[vV]alue"
    + _Q
    + rb"?[ \t]{0,4}[:=][ \t]{0,4})?"
    rb"(?=" + _Q + rb")"
    rb"|" + _Q + rb"[ \t]{1,4}[vV]alue[ \t]{0,2}=[ \t]{0,2}(?=" + _Q + rb")"
    rb"|(?P<element>>)|(?P<gap>[ \t]{1,4}))"
    rb"(?:[bBrRfFuU]{0,2}(?P<quote>"
    + _Q
    + rb")(?P<quoted>[^\x00-\x1f\"'`\\\r\n]{8,4096})(?=[\"'`\\])"
    rb"|(?P<bare>[^\s\x00-\x1f\"'`,;(){}\[\]<>\\|&]{8,4096}))"
)
_WHOLE_LINE = re.compile(rb"[^\s\x00-\x1f\"'`\\]{8,4096}")


def assigned(data: bytes, at: int) -> tuple[list[Span], int]:
    """The secret assigned to the name around `at`, and how far there is no need to look again."""
    found = _ASSIGNED.match(data, at)
    if found is None:
        return [], 0
    before = data[max(0, at - _LONGEST_NAME) : at]
    start = at - len(before) + len(before.rstrip(_NAME_CHARS))
    start += data[start - 1 : start] == b"\\" and start < at  # the `n` of an escaped line break
    name = data[start : found.end("rest")].decode("latin-1")
    told = strength(name)
    if not told or not _is_assignment(data, start, name, found, told):
        return [], 0
    if found["quoted"] is not None:
        return _judged(data, found.span("quoted"), told, code=False), 0
    end = _end_of_bare(data, start, found)
    first, last = found.span("bare")
    if end is None:
        return [], last
    code = not (name.isupper() or found["gap"] or found["element"])
    return _judged(data, (first, end), told, code=code), last


def _judged(data: bytes, place: tuple[int, int], told: Strength, *, code: bool) -> list[Span]:
    value = data[place[0] : place[1]].decode("latin-1")
    kind = "password" if told is Strength.MUCH else "secret"
    return [Span(*place, kind, NAMED)] if is_likely(value, told, bare=code) else []


def _is_assignment(
    data: bytes, start: int, name: str, found: re.Match[bytes], told: Strength
) -> bool:
    """There is a sign, or it is `--token VALUE`, `PASSWORD 'value'`, `login me password VALUE`."""
    if not found["gap"]:
        return found["quoted"] is not None or bool(found["sign"] or found["element"])
    if name.startswith("--"):
        return True
    if told < Strength.MUCH:
        return False
    return found["quoted"] is not None or b"login " in data[max(0, start - 100) : start]


_BEFORE_VARIABLES = (b"", b"export", b"ENV")


def _end_of_bare(data: bytes, start: int, found: re.Match[bytes]) -> int | None:
    """Where a value without quotes ends; None if it is called or continues as code does."""
    first, last = found.span("bare")
    before = data[max(0, start - 20) : start].rpartition(b"\n")[2].strip(b" \t+-")
    sticks = found["sign"] == b"=" and data[first - 1 : first] == b"="
    if sticks and before in _BEFORE_VARIABLES and data[start : found.end("rest")].isupper():
        whole = _WHOLE_LINE.match(data, first)
        return last if whole is None else whole.end()
    if data[last : last + 1] in (b"(", b"[", b"{"):
        return None
    if found["element"] and data[last : last + 2] != b"</":
        return None
    return first + len(data[first:last].rstrip(b".,:;"))

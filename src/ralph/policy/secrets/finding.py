"""Where in some bytes secrets are.

Nothing here looks beyond the end of a line, so that whole text and text in pieces give the same;
the lines of a private key apart, which `keys` knows about. Rare marks are looked for first: long
runs of letters and digits, words such as `token`, an `@`. Patterns run only where one was seen.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ralph.policy.secrets import headers, keys, kinds
from ralph.policy.secrets.assigned import assigned
from ralph.policy.secrets.span import KNOWN, PRIVATE_KEY, TOKEN, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.policy.secrets.known import KnownSecrets


_RUN_CHARS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_CLASSES = bytes(97 if byte in _RUN_CHARS else 32 for byte in range(256))
_RUN = b"a" * kinds.RUN
_REACH = 64
"""How far before its long run a token may begin."""
_REST = 512
"""How far a secret with several parts may continue behind the first."""
_LONGEST = 4096
"""How much of a token is looked at: text full of token beginnings must not take long."""
_TAIL = re.compile(rb"[\w.+/=-]*")
_SPACE = 32
_LEADING = b" ./:~$=+"
"""What a run follows that is not the beginning of its token."""
_MARKS = tuple(
    re.compile(mark)
    for mark in (
        rb"pass(?:[wpc=:\"'`\\>]| {1,3}=)",
        rb"k(?:e[yn]|ie)",
        rb"cre(?:t|dential)",
        rb"pwd",
        rb"authori",
        rb"curl ",
    )
)
"""In small letters. What each begins with is searched for at the speed of memory."""


def spans(data: bytes, known: KnownSecrets) -> list[Span]:
    """In any order; they may overlap."""
    found = list(_in_runs(data, known))
    lower = data.lower()
    for mark in _MARKS:
        known_to = 0
        for hit in mark.finditer(lower):
            if hit.start() >= known_to:
                more, known_to = _at_mark(data, lower, hit.start())
                found += more
    found.extend(headers.in_addresses(data))
    for form in known.others:
        found.extend(_at_form(data, form, known))
    return found


def _in_runs(data: bytes, known: KnownSecrets) -> Iterator[Span]:
    """What holds a long run of letters and digits."""
    classes = data.translate(_CLASSES)
    at = classes.find(_RUN)
    if at < 0:
        return
    starts, inner, secrets = kinds.at_start().match, kinds.within().finditer, known.in_runs
    while at >= 0:
        end = classes.find(b" ", at)
        end = len(data) if end < 0 else end
        done = 0
        first = starts(data, at)
        if first is not None and (token := _token(data, first.start(1))):
            done = token.end
            yield token
        for hint in inner(data, at, end):
            if hint.end() >= done and (token := _token(data, hint.end())):
                done = token.end
                yield token
        if at and data[at - 1] in _LEADING:
            yield from _around(data, at, end)
        if data[end : end + 8 : 7] == b".." or data[end - 5 : end].find(b"-us") >= 0:
            yield from _apart(data, at, end)
        if secrets is not None:
            yield from _known_in(data, at, end, known)
        at = classes.find(_RUN, end)


def _token(data: bytes, start: int) -> Span | None:
    whole = kinds.tokens().match(data, start, min(len(data), start + _LONGEST))
    if whole is None:
        return None
    end = whole.end()
    if end == start + _LONGEST:
        rest = _TAIL.match(data, end)
        end = end if rest is None else rest.end()
    return Span(start, end, kinds.KINDS[(whole.lastindex or 1) - 1].name, TOKEN)


def _around(data: bytes, at: int, end: int) -> Iterator[Span]:
    """Tokens whose long run follows a mark, and what comes after `Bearer`."""
    if data[at - 1] == _SPACE:
        yield from headers.after_scheme(data, at)
        return
    start = max(0, at - _REACH)
    start = data.rfind(b"\n", start, at) + 1 or start
    if kinds.LEADS.search(data, start, min(at + 2, len(data))):
        yield from _apart(data, start, end)


def _apart(data: bytes, start: int, end: int) -> Iterator[Span]:
    for whole in kinds.apart().finditer(data, start, min(len(data), end + _REST)):
        yield Span(*whole.span(), kinds.APART[(whole.lastindex or 1) - 1].name, TOKEN)


def _known_in(data: bytes, at: int, end: int, known: KnownSecrets) -> Iterator[Span]:
    if known.in_runs is None or not data[at:end].strip(known.dull):
        return
    for hit in known.in_runs.finditer(data, max(0, at - _REACH), min(len(data), end + _REACH)):
        yield Span(*known.span(data, *hit.span()), known.names[hit[0]], KNOWN)


def _at_form(data: bytes, form: bytes, known: KnownSecrets) -> Iterator[Span]:
    at = data.find(form)
    while at >= 0:
        end = at + len(form)
        yield Span(*known.span(data, at, end), known.names[form], KNOWN)
        at = data.find(form, end)


def _at_mark(data: bytes, lower: bytes, at: int) -> tuple[list[Span], int]:
    """What the mark there leads to, and how far it is of no use to follow others like it."""
    if lower.startswith(b"kie", at):
        is_cookie = lower.startswith(b"coo", max(0, at - 3))
        return list(headers.cookies(data, at - 3)) if is_cookie else [], 0
    if lower.startswith(b"authori", at):
        return list(headers.authorisation(data, at)), 0
    if lower.startswith(b"curl ", at):
        return list(headers.users_password(data, at)), 0
    if data.startswith(b"PRIVATE KEY", max(0, at - 8)):
        return _private_key(data, at)
    return assigned(data, at)


def _private_key(data: bytes, at: int) -> tuple[list[Span], int]:
    begin = keys.BEGIN.match(data, max(0, data.rfind(b"-----BEGIN", max(0, at - 60), at)))
    if begin is None:
        return [], 0
    key = keys.key(data, begin)
    return [Span(key.start, key.first, PRIVATE_KEY, TOKEN)], key.first

"""Secrets that stand at a place made for them: in a header, a cookie or an address."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ralph.policy.secrets.judging import is_likely, looks_random
from ralph.policy.secrets.naming import Strength
from ralph.policy.secrets.span import PLACED, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

_Q = rb"\\*[\"'`]"
_AUTHORISATION = re.compile(
    rb"(?i:authori[sz]ation)(?:" + _Q + rb")?[ \t]{0,4}[:=,][ \t]{0,4}(?:" + _Q + rb")?[ \t]{0,2}"
    rb"(?P<scheme>[A-Za-z][\w-]{1,20}[ \t]{1,3})?(?P<value>[^\s\x00-\x1f\"'`,;(){}\[\]<>\\$]{8,})"
)
_SCHEME = re.compile(rb"(?i:bearer|basic)[ \t]{1,3}(?P<value>[A-Za-z0-9._~+/-]{16,}={0,2})")
_COOKIE = re.compile(
    rb"(?i:cookie)(?:" + _Q + rb")?[ \t]{0,4}:[ \t]{0,4}(?:" + _Q + rb")?"
    rb"(?P<value>[\w.-]{1,60}=[^\s\x00-\x1f;\"'`\\]*"
    rb"(?:;[ \t]*[\w.-]{1,60}=[^\s\x00-\x1f;\"'`\\]*)*)"
)
_PAIR = re.compile(rb"(?P<name>[\w.-]+)=(?P<value>[^\s\x00-\x1f;]{6,})")
_PLAIN_PAIRS = frozenset((b"path", b"domain", b"expires", b"max-age", b"samesite"))
_ADDRESS = re.compile(
    rb"://(?:[^\s:/?#@\"'`<>]{0,200}:(?P<password>[^\s\x00-\x1f@/\"'`<>\[]{3,300})"
    rb"|(?P<user>[A-Za-z0-9_-]{20,200}))@"
)
_LOOKED_BACK = 512
_NO_PASSWORDS = frozenset(
    (b"password", b"passwd", b"pass", b"pwd", b"secret", b"token", b"pw", b"hunter2", b"xxx")
)
_USER = re.compile(
    rb"curl [^\n]{0,400}?(?<=[ \t])(?:-u|--user)[ =]{0,2}[\"']?[^\s:\"'$]{1,80}:"
    rb"(?P<value>[^\s\x00-\x1f\"'`\\$]{3,200})"
)


def after_scheme(data: bytes, at: int) -> Iterator[Span]:
    """`Bearer` and the like before the run."""
    for length in (6, 7, 8, 9):
        found = _SCHEME.match(data, at - length) if at >= length else None
        if found is not None and _varied(found["value"]):
            yield Span(*found.span("value"), "authorization", PLACED)


def authorisation(data: bytes, at: int) -> Iterator[Span]:
    found = _AUTHORISATION.match(data, at)
    if found is None:
        return
    value = found["value"]
    plain = value.isalpha() or not found["scheme"]
    if not plain or looks_random(value.decode("latin-1")):
        yield Span(*found.span("value"), "authorization", PLACED)


def cookies(data: bytes, at: int) -> Iterator[Span]:
    found = _COOKIE.match(data, at)
    if found is None:
        return
    for pair in _PAIR.finditer(data, *found.span("value")):
        if pair["name"].lower() not in _PLAIN_PAIRS and _pair_is_secret(pair):
            yield Span(*pair.span("value"), "cookie", PLACED)


def _pair_is_secret(pair: re.Match[bytes]) -> bool:
    return is_likely(pair["value"].decode("latin-1"), Strength.MUCH)


def in_addresses(data: bytes) -> Iterator[Span]:
    at = data.find(b"@")
    while at >= 0:
        begin = data.rfind(b"://", max(0, at - _LOOKED_BACK), at)
        found = _ADDRESS.match(data, begin) if begin >= 0 else None
        if found is not None and found.end() == at + 1:
            group = "password" if found["password"] else "user"
            if _is_password(found[group], alone=group == "password"):
                yield Span(*found.span(group), "password in an address", PLACED)
        at = data.find(b"@", at + 1)


def _is_password(value: bytes, *, alone: bool) -> bool:
    if value.lower() in _NO_PASSWORDS or value[:1] in b"${<*%[":
        return False
    return alone or _varied(value)


def users_password(data: bytes, at: int) -> Iterator[Span]:
    """`curl -u NAME:PASSWORD`."""
    user = _USER.match(data, at)
    if user is not None and _is_password(user["value"], alone=True):
        yield Span(*user.span("value"), "password", PLACED)


def _varied(value: bytes) -> bool:
    return not value.isalpha() and looks_random(value.decode("latin-1"))

"""Where in some bytes secrets are.

Nothing here looks beyond the end of a line, so that whole text and text in pieces give the same;
the lines of a private key apart, which `keys` knows about. Rare marks are looked for first: long
runs of letters and digits, words such as `token`, an `@`. Patterns run only where one was seen.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ralph.policy.secrets import keys, kinds
from ralph.policy.secrets.judging import is_likely, looks_random
from ralph.policy.secrets.naming import Strength, strength

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.policy.secrets.known import Known


class Span(NamedTuple):
    start: int
    end: int
    kind: str
    rank: int
    """Of several at one place, the one with the lowest gives the name."""


KNOWN, TOKEN, PLACED, NAMED = range(4)
PRIVATE_KEY = "private key"

_RUN_CHARS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_CLASSES = bytes(97 if byte in _RUN_CHARS else 32 for byte in range(256))
_RUN = b"a" * kinds.RUN
_REACH = 64
"""How far before its long run a token may begin."""
_REST = 512
"""How far behind it one of those that have several parts may go on."""
_SPACE = 32
_LEADING = b" ./:~$=+"
"""What a run follows that is not the beginning of its token."""
_MARKS = tuple(
    re.compile(mark)
    for mark in (
        rb"pass(?:[wpc=:\"'`\\>]| {1,3}=)",
        rb"k(?:e[yn]|ie)",
        rb"secret",
        rb"pwd",
        rb"credential",
        rb"authori",
        rb"curl ",
    )
)
"""In small letters. What each begins with is searched for at the speed of memory."""
_NAME_CHARS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_LONGEST_NAME = 80

_Q = rb"\\*[\"'`]"
_ASSIGNED = re.compile(
    rb"(?P<rest>[A-Za-z0-9_-]{0,60})(?:"
    rb"(?P<named>" + _Q + rb")?\]?[ \t]{0,8}"
    rb"(?::[ \t]{0,2}[A-Za-z][\w.|\[\] ]{0,30})?(?P<sign>=>|:=|!?={1,3}|:)[ \t]{0,8}"
    rb"|" + _Q + rb"[ \t]{0,2},[ \t]{0,4}(?:" + _Q + rb"?[vV]alue" + _Q + rb"?[ \t]{0,4}[:=][ \t]{0,4})?"
    rb"(?=" + _Q + rb")"
    rb"|" + _Q + rb"[ \t]{1,4}[vV]alue[ \t]{0,2}=[ \t]{0,2}(?=" + _Q + rb")"
    rb"|(?P<element>>)|(?P<gap>[ \t]{1,4}))"
    rb"(?:[bBrRfFuU]{0,2}(?P<quote>" + _Q + rb")(?P<quoted>[^\"'`\\\r\n]{8,4096})(?=[\"'`\\])"
    rb"|(?P<bare>[^\s\"'`,;(){}\[\]<>\\|&]{8,4096}))"
)
_WHOLE_LINE = re.compile(rb"[^\s\"'`\\]{8,4096}")
_AUTHORISATION = re.compile(
    rb"(?i:authori[sz]ation)(?:" + _Q + rb")?[ \t]{0,4}[:=,][ \t]{0,4}(?:" + _Q + rb")?[ \t]{0,2}"
    rb"(?P<scheme>[A-Za-z][\w-]{1,20}[ \t]{1,3})?(?P<value>[^\s\"'`,;(){}\[\]<>\\$]{8,})"
)
_SCHEME = re.compile(rb"(?i:bearer|basic)[ \t]{1,3}(?P<value>[A-Za-z0-9._~+/-]{16,}={0,2})")
_COOKIE = re.compile(
    rb"(?i:cookie)(?:" + _Q + rb")?[ \t]{0,4}:[ \t]{0,4}(?:" + _Q + rb")?"
    rb"(?P<value>[\w.-]{1,60}=[^\s;\"'`\\]*(?:;[ \t]*[\w.-]{1,60}=[^\s;\"'`\\]*)*)"
)
_PAIR = re.compile(rb"(?P<name>[\w.-]+)=(?P<value>[^\s;]{6,})")
_PLAIN_PAIRS = frozenset((b"path", b"domain", b"expires", b"max-age", b"samesite"))
_ADDRESS = re.compile(
    rb"://(?:[^\s:/?#@\"'`<>]{0,200}:(?P<password>[^\s@/\"'`<>\[]{3,300})"
    rb"|(?P<user>[A-Za-z0-9_-]{20,200}))@"
)
_LOOKED_BACK = 512
_NO_PASSWORDS = frozenset(
    (b"password", b"passwd", b"pass", b"pwd", b"secret", b"token", b"pw", b"hunter2", b"xxx")
)
_USER = re.compile(
    rb"curl [^\n]{0,400}?(?<=[ \t])(?:-u|--user)[ =]{0,2}[\"']?[^\s:\"'$]{1,80}:"
    rb"(?P<value>[^\s\"'`\\$]{3,200})"
)


def spans(data: bytes, known: Known) -> list[Span]:
    """In any order; they may overlap."""
    found = list(_in_runs(data, known))
    lower = data.lower()
    for mark in _MARKS:
        for hit in mark.finditer(lower):
            found.extend(_at_mark(data, lower, hit.start()))
    found.extend(_in_addresses(data))
    for form in known.others:
        found.extend(_at_form(data, form, known))
    return found


def _in_runs(data: bytes, known: Known) -> Iterator[Span]:
    """What holds a long run of letters and digits."""
    classes = data.translate(_CLASSES)
    at = classes.find(_RUN)
    if at < 0:
        return
    starts, inner = kinds.at_start().match, kinds.within().finditer
    while at >= 0:
        end = classes.find(b" ", at)
        end = len(data) if end < 0 else end
        first = starts(data, at)
        if first is not None:
            yield from _token(data, first.start(1))
        for hint in inner(data, at, end):
            yield from _token(data, hint.end())
        if at and data[at - 1] in _LEADING:
            yield from _around(data, at, end)
        if data[end : end + 8 : 7] == b".." or data[end - 5 : end].find(b"-us") >= 0:
            yield from _apart(data, at, end)
        if known.in_runs is not None and data[at:end].strip(known.dull):
            yield from _known_in(data, at, end, known)
        at = classes.find(_RUN, end)


def _token(data: bytes, start: int) -> Iterator[Span]:
    whole = kinds.tokens().match(data, start)
    if whole is not None:
        yield Span(start, whole.end(), kinds.KINDS[(whole.lastindex or 1) - 1].name, TOKEN)


def _around(data: bytes, at: int, end: int) -> Iterator[Span]:
    """Tokens whose long run follows a mark, and what comes after `Bearer`."""
    if data[at - 1] == _SPACE:
        yield from _after_scheme(data, at)
        return
    start = max(0, at - _REACH)
    start = data.rfind(b"\n", start, at) + 1 or start
    if kinds.LEADS.search(data, start, min(at + 2, len(data))):
        yield from _apart(data, start, end)


def _apart(data: bytes, start: int, end: int) -> Iterator[Span]:
    for whole in kinds.apart().finditer(data, start, min(len(data), end + _REST)):
        yield Span(*whole.span(), kinds.APART[(whole.lastindex or 1) - 1].name, TOKEN)


def _after_scheme(data: bytes, at: int) -> Iterator[Span]:
    """`Bearer` and the like before the run."""
    for length in (6, 7, 8, 9):
        found = _SCHEME.match(data, at - length) if at >= length else None
        if found is not None and _varied(found["value"]):
            yield Span(*found.span("value"), "authorization", PLACED)


def _known_in(data: bytes, at: int, end: int, known: Known) -> Iterator[Span]:
    assert known.in_runs is not None
    for hit in known.in_runs.finditer(data, max(0, at - _REACH), min(len(data), end + _REACH)):
        yield Span(*known.span(data, *hit.span()), known.names[hit[0]], KNOWN)


def _varied(value: bytes) -> bool:
    return not value.isalpha() and looks_random(value.decode("latin-1"))


def _at_form(data: bytes, form: bytes, known: Known) -> Iterator[Span]:
    at = data.find(form)
    while at >= 0:
        end = at + len(form)
        yield Span(*known.span(data, at, end), known.names[form], KNOWN)
        at = data.find(form, end)


def _in_addresses(data: bytes) -> Iterator[Span]:
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


def _at_mark(data: bytes, lower: bytes, at: int) -> Iterator[Span]:
    if lower.startswith(b"kie", at):
        if lower.startswith(b"coo", max(0, at - 3)):
            yield from _cookies(data, at - 3)
    elif lower.startswith(b"authori", at):
        yield from _authorisation(data, at)
    elif lower.startswith(b"curl ", at):
        user = _USER.match(data, at)
        if user is not None and _is_password(user["value"], alone=True):
            yield Span(*user.span("value"), "password", PLACED)
    else:
        if data.startswith(b"PRIVATE KEY", max(0, at - 8)):
            yield from _private_key(data, at)
        found = _ASSIGNED.match(data, at)
        if found is not None:
            yield from _assigned(data, at, found)


def _private_key(data: bytes, at: int) -> Iterator[Span]:
    begin = keys.BEGIN.match(data, max(0, data.rfind(b"-----BEGIN", max(0, at - 60), at)))
    if begin is not None:
        key = keys.key(data, begin)
        yield Span(key.start, key.first, PRIVATE_KEY, TOKEN)


def _authorisation(data: bytes, at: int) -> Iterator[Span]:
    found = _AUTHORISATION.match(data, at)
    if found is None:
        return
    value = found["value"]
    if found["scheme"] or looks_random(value.decode("latin-1")):
        if not value.isalpha() or looks_random(value.decode("latin-1")):
            yield Span(*found.span("value"), "authorization", PLACED)


def _cookies(data: bytes, at: int) -> Iterator[Span]:
    found = _COOKIE.match(data, at)
    if found is None:
        return
    for pair in _PAIR.finditer(data, *found.span("value")):
        if pair["name"].lower() not in _PLAIN_PAIRS and _pair_is_secret(pair):
            yield Span(*pair.span("value"), "cookie", PLACED)


def _pair_is_secret(pair: re.Match[bytes]) -> bool:
    return is_likely(pair["value"].decode("latin-1"), Strength.MUCH)


def _assigned(data: bytes, at: int, found: re.Match[bytes]) -> Iterator[Span]:
    before = data[max(0, at - _LONGEST_NAME) : at]
    start = at - len(before) + len(before.rstrip(_NAME_CHARS))
    start += data[start - 1 : start] == b"\\" and start < at  # the `n` of an escaped line break
    name = data[start : found.end("rest")].decode("latin-1")
    told = strength(name)
    if not told:
        return
    if found["gap"] and not _may_follow_a_gap(data, start, name, found, told):
        return
    group = "quoted" if found["quoted"] is not None else "bare"
    if group == "bare" and found["sign"] is None and not (found["gap"] or found["element"]):
        return
    first, last = found.span(group)
    if group == "bare":
        last = _end_of_bare(data, start, found)
        if last is None:
            return
    value = data[first:last].decode("latin-1")
    code = group == "bare" and not (name.isupper() or found["gap"] or found["element"])
    if is_likely(value, told, bare=code):
        yield Span(first, last, "password" if told is Strength.MUCH else "secret", NAMED)


def _may_follow_a_gap(
    data: bytes, start: int, name: str, found: re.Match[bytes], told: Strength
) -> bool:
    """`--password VALUE`, `PASSWORD 'value'`, `login me password VALUE`."""
    if name.startswith("--"):
        return True
    if told < Strength.MUCH:
        return False
    return found["quoted"] is not None or b"login " in data[max(0, start - 100) : start]


def _end_of_bare(data: bytes, start: int, found: re.Match[bytes]) -> int | None:
    """Where a value without quotes ends; None if it is called or goes on as code does."""
    first, last = found.span("bare")
    before = data[max(0, start - 20) : start].rpartition(b"\n")[2].strip(b" \t+-")
    if found["sign"] == b"=" and data[first - 1 : first] == b"=" and before in (b"", b"export", b"ENV"):
        whole = _WHOLE_LINE.match(data, first)
        if whole is not None and data[start : found.end("rest")].isupper():
            return whole.end()
    if data[last : last + 1] in (b"(", b"[", b"{"):
        return None
    if found["element"] and data[last : last + 2] != b"</":
        return None
    return first + len(data[first:last].rstrip(b".,:;"))

"""Values that are known to be secret, in the forms in which they may turn up."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

from msgspec import Struct

from ralph.policy.secrets.judging import SHORTEST, is_trivial
from ralph.policy.secrets.kinds import RUN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST = 500
_SHORTEST_CODED = 10
"""Fewer characters of base64 turn up by chance."""
_LONG = re.compile(rb"[A-Za-z0-9_-]{%d}" % RUN)
_CODED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-="


class KnownSecrets(Struct, frozen=True, dict=True):
    """What to look for, and what to call it."""

    names: Mapping[bytes, str] = {}
    """What each form is called."""
    coded: frozenset[bytes] = frozenset()
    """Those that are a part of something in base64: all of that is masked."""

    @cached_property
    def in_runs(self) -> re.Pattern[bytes] | None:
        """Those in which a long run of letters and digits shows that they may be there."""
        return _any_of(form for form in self.names if _LONG.search(form))

    @cached_property
    def dull(self) -> bytes:
        """Characters of which no form consists alone: small letters, mostly."""
        dull = b"abcdefghijklmnopqrstuvwxyz_-"
        return dull if all(form.strip(dull) for form in self.names) else b""

    @cached_property
    def others(self) -> tuple[bytes, ...]:
        return tuple(form for form in self.names if not _LONG.search(form))

    def span(self, data: bytes, start: int, end: int) -> tuple[int, int]:
        """All of what was found there."""
        if data[start:end] not in self.coded:
            return start, end
        reach = max(0, start - 4096)
        start -= len(data[reach:start]) - len(data[reach:start].rstrip(_CODED))
        after = data[end : end + 4096]
        return start, end + len(after) - len(after.lstrip(_CODED))


def known(values: Mapping[str, str]) -> KnownSecrets:
    """By their names; what is too common to be a secret is left out."""
    names: dict[bytes, str] = {}
    coded: set[bytes] = set()
    for name, value in list(values.items())[:MOST]:
        for part in _parts(value):
            for form in _plain(part):
                names.setdefault(form, name)
            for form in _in_base64(part.encode("utf-8", "surrogatepass")):
                names.setdefault(form, name)
                coded.add(form)
    return KnownSecrets(names, frozenset(coded))


def _parts(value: str) -> Iterator[str]:
    """The value, or the lines of a long one: output comes in lines."""
    for line in value.splitlines():
        part = line.strip()
        if not is_trivial(part) and not part.startswith("-----"):
            yield part


def _plain(value: str) -> Iterator[bytes]:
    escaped = (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1])
    try:
        quoted = (quote(value, safe=""), quote_plus(value))
    except UnicodeEncodeError:
        quoted = ("", "")
    for form in dict.fromkeys((value, *escaped, *quoted)):
        if len(form) >= SHORTEST:
            yield form.encode("utf-8", "surrogatepass")


def _in_base64(raw: bytes) -> Iterator[bytes]:
    """What is the same of it in base64, wherever in the encoded bytes it begins."""
    for before, skipped in ((0, 0), (1, 2), (2, 3)):
        whole = base64.b64encode(bytes(before) + raw)
        core = whole[skipped : (before + len(raw)) * 8 // 6]
        if len(core) >= _SHORTEST_CODED:
            yield core
            yield core.translate(bytes.maketrans(b"+/", b"-_"))


def _any_of(forms: Iterable[bytes]) -> re.Pattern[bytes] | None:
    longest_first = sorted(forms, key=len, reverse=True)
    return re.compile(b"|".join(map(re.escape, longest_first))) if longest_first else None

"""Who may look and who may act: one token per start, which is never written to a disk."""

from __future__ import annotations

import hmac
import secrets
import time
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Callable


def _token() -> str:
    return secrets.token_urlsafe(32)


class Access(Struct, frozen=True):
    """The token is for people. A browser that has shown it gets two things made from it.

    A cookie, with which it may look. Browsers send cookies to every port of a host, also to a
    server that an agent started: so what acts needs a key as well, which only our own pages have.
    """

    port: int
    token: str = field(default_factory=_token)

    def __repr__(self) -> str:
        return f"Access({self.port})"

    @property
    def cookie_name(self) -> str:
        return f"ralph-{self.port}"

    @property
    def cookie(self) -> str:
        return self._derived("look")

    @property
    def key(self) -> str:
        return self._derived("act")

    def _derived(self, what: str) -> str:
        return hmac.new(self.token.encode(), what.encode(), "sha256").hexdigest()

    def is_token(self, given: str) -> bool:
        return _same(given, self.token)

    def is_key(self, given: str) -> bool:
        return _same(given, self.key)

    def is_bearer(self, authorization: str) -> bool:
        scheme, _, given = authorization.partition(" ")
        return scheme.lower() == "bearer" and self.is_token(given.strip())

    def is_cookie(self, header: str) -> bool:
        try:
            found = SimpleCookie(header).get(self.cookie_name)
        except CookieError:
            return False
        return found is not None and _same(found.value, self.cookie)

    def set_cookie(self) -> str:
        return f"{self.cookie_name}={self.cookie}; HttpOnly; SameSite=Strict; Path=/"


def _same(given: str, right: str) -> bool:
    """In the same time, wherever they differ."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())


class Bucket:
    """How much of something may happen: so many at once, so many a second from then on."""

    def __init__(
        self, most: float, per_second: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = self._left = most
        self._per_second = per_second
        self._clock = clock
        self._at = clock()

    def take(self) -> bool:
        now = self._clock()
        self._left = min(self._most, self._left + (now - self._at) * self._per_second)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

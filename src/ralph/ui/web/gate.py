"""What every request passes before any page sees it. See docs/howto/dashboard.md, "Security"."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from ralph.ui.web.access import Bucket

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ralph.ui.web.access import Access

MOST_BODY = 64 << 10
MOST_PATH = 2048
METHODS = ("GET", "HEAD", "POST")
OPEN = re.compile(r"/static/[a-z]+\.[a-z]+|/session")
"""What anyone may have: the page to sign in on needs it."""
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}


class Refused(Exception):
    """A request that goes no further."""

    def __init__(self, status: int, why: str) -> None:
        self.status = status
        self.why = why
        super().__init__(why)


class Gate:
    """Refuses what does not come from our own pages, or without the token."""

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        names: tuple[str, ...],
        sign_in: bytes,
        *,
        open_metrics: bool = False,
    ) -> None:
        self._app = app
        self._access = access
        self._hosts = frozenset(f"{name}:{access.port}" for name in names)
        self._sign_in = sign_in
        self._open_metrics = open_metrics
        # apart, so that strangers cannot keep those out who have the token
        self._known, self._strangers = Bucket(300, 100), Bucket(100, 20)
        self._tries = Bucket(20, 1 / 3)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        send = _with_headers(send)
        try:
            headers = _headers(scope)
            self._look(scope, headers)
            receive = _bounded(receive) if scope["method"] == "POST" else receive
        except Refused as refused:
            page = self._sign_in if _wants_a_page(scope, refused) else b""
            await _answer(send, refused, page)
            return
        await self._app(scope, receive, send)

    def _look(self, scope: Scope, headers: Mapping[str, str]) -> None:
        if headers.get("host", "").lower() not in self._hosts:
            raise Refused(403, "This name is not one of this dashboard's.")
        if scope["method"] not in METHODS:
            raise Refused(405, "Only GET, HEAD and POST are understood.")
        if len(scope["raw_path"]) + len(scope["query_string"]) > MOST_PATH:
            raise Refused(414, "The address is too long.")
        bearer = self._access.is_bearer(headers.get("authorization", ""))
        known = bearer or self._access.is_cookie(headers.get("cookie", ""))
        if not (self._known if known else self._strangers).take():
            raise Refused(429, "Too many requests. Try again in a moment.")
        if scope["method"] == "POST":
            self._look_at_a_write(scope, headers, bearer=bearer)
        else:
            _refuse_other_sites(headers)
        is_open = OPEN.fullmatch(scope["path"]) is not None
        is_open = is_open or (self._open_metrics and scope["path"] == "/metrics")
        if not (known or is_open):
            raise Refused(401, "Open the link that `ralph serve` printed.")

    def _look_at_a_write(self, scope: Scope, headers: Mapping[str, str], *, bearer: bool) -> None:
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
        ours = origin is not None and origin.lower() in {f"http://{one}" for one in self._hosts}
        if (not ours and (origin is not None or not bearer)) or site != "same-origin":
            raise Refused(403, "Only this dashboard's own pages may do that.")
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise Refused(415, "Send JSON.")
        length = headers.get("content-length", "")
        if not length.isdecimal():
            raise Refused(411, "Say how long the body is.")
        if len(length) > len(str(MOST_BODY)) or int(length) > MOST_BODY:
            raise Refused(413, "The body is too long.")
        if scope["path"] == "/session":
            if not self._tries.take():
                raise Refused(429, "Too many tries. Wait a minute.")
        elif not bearer and not self._access.is_key(headers.get("x-ralph-key", "")):
            raise Refused(401, "Open the link that `ralph serve` printed.")


def _refuse_other_sites(headers: Mapping[str, str]) -> None:
    """A link from elsewhere may lead here; pictures, scripts and frames may not."""
    site, mode = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-mode", "navigate")
    framed = headers.get("sec-fetch-dest", "document") in ("iframe", "frame", "embed", "object")
    if site not in ("none", "same-origin") and (mode != "navigate" or framed):
        raise Refused(403, "Only this dashboard's own pages may do that.")


def _headers(scope: Scope) -> dict[str, str]:
    """One value each: two hosts or two origins would leave open which one counts."""
    found: dict[str, str] = {}
    for raw, value in scope["headers"]:
        name = raw.decode("latin-1").lower()
        if name in found and name in ("host", "origin", "content-length", "authorization"):
            raise Refused(400, f"There is more than one {name}.")
        found[name] = value.decode("latin-1")
    return found


def _bounded(receive: Receive) -> Receive:
    """What was announced is not always what comes."""
    left = [MOST_BODY]

    async def bounded() -> Message:
        message = await receive()
        left[0] -= len(message.get("body", b""))
        return message if left[0] >= 0 else {"type": "http.disconnect"}

    return bounded


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message.get("headers", ())}
            ours = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in given]
            message = {**message, "headers": [*message.get("headers", ()), *ours]}
        await send(message)

    return sent


def _wants_a_page(scope: Scope, refused: Refused) -> bool:
    accepted = dict(scope["headers"]).get(b"accept", b"")
    return refused.status == 401 and scope["method"] == "GET" and b"text/html" in accepted  # noqa: PLR2004 - not signed in


async def _answer(send: Send, refused: Refused, page: bytes) -> None:
    """With `page` instead, if there is one: it is what was to be had, and no error."""
    body = page or json.dumps({"error": refused.why}).encode()
    status = 200 if page else refused.status
    kind = b"text/html; charset=utf-8" if page else b"application/json"
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    if refused.status == 429:  # noqa: PLR2004 - too many
        headers.append((b"retry-after", b"5"))
    headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

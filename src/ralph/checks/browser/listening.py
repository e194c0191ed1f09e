"""Hears what goes wrong in a browser while a flow runs: the console, scripts, requests."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ralph.checks.browser.reading import LOOPBACK, is_among
from ralph.checks.browser.result import FindingKind, PageFinding

if TYPE_CHECKING:
    from playwright.async_api import (
        BrowserContext,
        ConsoleMessage,
        Page,
        Request,
        Response,
        Route,
        WebError,
    )

    from ralph.checks.browser.flow import BrowserSettings

MOST = 50
"""Findings; a page that polls in vain would make thousands."""
LONGEST = 500

_BAD_STATUS = 400
_LEFT_BEHIND = "net::ERR_ABORTED"
_REFUSED = "net::ERR_BLOCKED_BY_CLIENT"
_ABOUT_A_REQUEST = "Failed to load resource"
_ENDLESS = frozenset(("eventsource", "websocket"))
_INNER = frozenset(("about", "blob", "data", "chrome-error"))


class Listener:
    """Collects findings from everything that happens in a browser context."""

    def __init__(self, settings: BrowserSettings) -> None:
        self.findings: list[PageFinding] = []
        self.step = 0
        self._hosts = (*LOOPBACK, *settings.allow_hosts)
        self._allow_console = [re.compile(one) for one in settings.allow_console]
        self._allow_requests = [re.compile(one) for one in settings.allow_requests]
        self._under_way: dict[Request, int] = {}
        self._navigations = 0
        self._quiet = asyncio.Event()
        self._quiet.set()

    async def attach(self, context: BrowserContext) -> None:
        await context.route("**/*", self._route)
        context.on("console", self._console)
        context.on("weberror", self._error)
        context.on("request", self._begun)
        context.on("requestfinished", self._finished)
        context.on("requestfailed", self._failed)
        context.on("response", self._answered)
        context.on("page", lambda page: page.on("crash", self._crashed))

    async def settled(self, seconds: float) -> None:
        """Wait until no request is under way, but not for ever: some pages never rest."""
        try:
            await asyncio.wait_for(self._quiet.wait(), seconds)
        except TimeoutError:
            return

    def add(self, kind: FindingKind, text: str) -> None:
        short = " ".join(text.split())[:LONGEST]
        same = any(one.kind is kind and one.text == short for one in self.findings)
        if not same and len(self.findings) < MOST:
            self.findings.append(PageFinding(kind, short, self.step))

    async def _route(self, route: Route) -> None:
        parts = urlsplit(route.request.url)
        if parts.scheme in _INNER or is_among(parts.hostname or "", self._hosts):
            await route.continue_()
            return
        if not self.expected(f"blocked {route.request.url}"):
            text = f"The page requests {route.request.url} from another machine."
            self.add(FindingKind.HOST, text)
        await route.abort("blockedbyclient")

    def _console(self, message: ConsoleMessage) -> None:
        # the console also complains about requests, which are findings of their own
        if message.type != "error" or message.text.startswith(_ABOUT_A_REQUEST):
            return
        if any(one.search(message.text) for one in self._allow_console):
            return
        place = message.location
        where = f" ({place['url']}:{place['lineNumber'] + 1})" if place.get("url") else ""
        self.add(FindingKind.CONSOLE, f"Console error: {message.text}{where}")

    def _error(self, error: WebError) -> None:
        text = str(error.error)
        if not any(one.search(text) for one in self._allow_console):
            self.add(FindingKind.PAGE_ERROR, f"Error in the page: {text}")

    def _crashed(self, page: Page) -> None:
        self.add(FindingKind.BROWSER, f"The page {page.url} crashed.")

    def _begun(self, request: Request) -> None:
        if request.is_navigation_request():
            self._navigations += 1
        if request.resource_type not in _ENDLESS:
            self._under_way[request] = self._navigations
            self._quiet.clear()

    def _finished(self, request: Request) -> None:
        self._over(request)

    def _over(self, request: Request) -> int:
        """The number of navigations when the request began."""
        begun = self._under_way.pop(request, self._navigations)
        if not self._under_way:
            self._quiet.set()
        return begun

    def _failed(self, request: Request) -> None:
        begun = self._over(request)
        why = request.failure or "it failed"
        # leaving a page abandons its unfinished requests
        left = why == _LEFT_BEHIND and begun < self._navigations
        if not left and not why.startswith(_REFUSED):
            self._complain(request, why)

    def _answered(self, response: Response) -> None:
        if response.status >= _BAD_STATUS:
            self._complain(response.request, str(response.status))

    def _complain(self, request: Request, why: str) -> None:
        icon = urlsplit(request.url).path == "/favicon.ico"
        if not icon and not self.expected(f"{why} {request.url}"):
            text = f"Request failed: {request.method} {request.url}: {why}"
            self.add(FindingKind.REQUEST, text)

    def expected(self, text: str) -> bool:
        """Whether the flow allows this failure of a request."""
        return any(one.search(text) for one in self._allow_requests)

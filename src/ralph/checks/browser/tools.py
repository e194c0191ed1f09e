"""A browser with hands: navigate, click, type, wait, verify, take pictures.

Needs Playwright, so only the child with the browser imports it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from typing import TYPE_CHECKING, Self
from urllib.parse import urljoin

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import async_playwright

from ralph.checks.browser import chromium, looking, wording
from ralph.checks.browser.flow import FlowStepAction
from ralph.checks.browser.listening import Listener
from ralph.checks.browser.pictures import Album
from ralph.checks.browser.result import FindingKind
from ralph.domain.errors import CheckError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import TracebackType

    from playwright.async_api import Browser, Page, Playwright

    from ralph.checks.browser.flow import BrowserSettings, FlowStep
    from ralph.checks.browser.result import PageFinding, Picture

REST_SECONDS = 2.0
"""How long the page may still be busy after the last step."""
CLOSE_SECONDS = 5.0

_MOMENT = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 20)))"


class BrowserTools:
    """One browser with one page, open between `async with` and its end."""

    def __init__(
        self, settings: BrowserSettings, base: str, out: Path, baselines: Path | None = None
    ) -> None:
        self._settings = settings
        self._base = base
        self._listener = Listener(settings)
        self._album = Album(out, baselines)
        self._stack = contextlib.AsyncExitStack()
        self._page: Page | None = None

    async def __aenter__(self) -> Self:
        try:
            await self._open()
        except PlaywrightError as error:
            await self._stack.aclose()
            raise CheckError(
                f"Chromium could not be started: {wording.last_words(error.message)}.",
                fix=chromium.INSTALL,
            ) from error
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

    @property
    def page(self) -> Page:
        """Playwright's own page, for what these tools cannot do."""
        if self._page is None:
            raise CheckError("The browser is not open.", fix="Use `async with`.")
        return self._page

    @property
    def findings(self) -> tuple[PageFinding, ...]:
        return tuple(self._listener.findings)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(self._album.pictures)

    async def run(self, steps: Iterable[FlowStep]) -> int:
        """Take the steps up to the first that fails; the number of those done."""
        done = 0
        for number, step in enumerate(steps, 1):
            self._listener.step = number
            wrong = await self._try(step)
            if wrong:
                self._listener.add(FindingKind.STEP, f"Step {number}, {step.shown}: {wrong}")
                await self._album.keep(self.page, number)
                break
            done = number
        await self._rest()
        return done

    async def navigate(self, url: str, seconds: float = 0) -> str:
        """Open an address, relative to the flow's own; why not, if it cannot be opened."""
        answer = await self.page.goto(urljoin(self._base, url), timeout=self._patience(seconds))
        if answer is None or answer.ok or self._listener.expected(f"{answer.status} {answer.url}"):
            return ""
        return f"the answer is {answer.status}"

    async def click(self, selector: str, seconds: float = 0) -> str:
        await self.page.click(selector, strict=True, timeout=self._patience(seconds))
        return ""

    async def type(
        self, selector: str, text: str, *, enter: bool = False, seconds: float = 0
    ) -> str:
        """Replace what stands in a field, key by key as a person would."""
        field, patience = self.page.locator(selector), self._patience(seconds)
        await field.fill("", timeout=patience)
        await field.press_sequentially(text, timeout=patience)
        if enter:
            await field.press("Enter", timeout=patience)
        return ""

    async def wait(self, step: FlowStep) -> str:
        """Let time pass, or wait until what the step names can be seen."""
        if step.seconds:
            await asyncio.sleep(step.seconds)
            return ""
        return await self.verify(step)

    async def verify(self, step: FlowStep) -> str:
        """Why what the step names cannot be seen in time; empty if it can."""
        seconds = step.timeout or self._settings.timeout
        return await looking.seen(self.page, step, self._base, seconds)

    async def screenshot(self, step: FlowStep) -> str:
        """Take a picture and compare it with its baseline."""
        await self._rest()
        trouble = await self._album.take(self.page, step, self._listener.step)
        if trouble is not None:
            self._listener.add(*trouble)
        return ""

    async def _try(self, step: FlowStep) -> str:
        try:
            return await self._perform(step)
        except PlaywrightError as error:
            return wording.plain(error.message, step.timeout or self._settings.timeout)

    async def _perform(self, step: FlowStep) -> str:
        match step.action:
            case FlowStepAction.NAVIGATE:
                return await self.navigate(step.url, step.timeout)
            case FlowStepAction.CLICK:
                return await self.click(step.selector, step.timeout)
            case FlowStepAction.TYPE:
                return await self.type(
                    step.selector, step.text, enter=step.enter, seconds=step.timeout
                )
            case FlowStepAction.WAIT:
                return await self.wait(step)
            case FlowStepAction.VERIFY:
                return await self.verify(step)
            case FlowStepAction.SCREENSHOT:
                return await self.screenshot(step)

    async def _rest(self) -> None:
        """Let the page finish what it began: its errors often come a moment later."""
        end = time.monotonic() + REST_SECONDS
        await self._listener.settled(REST_SECONDS)
        with contextlib.suppress(PlaywrightError, TimeoutError):
            await asyncio.wait_for(self.page.evaluate(_MOMENT), REST_SECONDS)
        await self._listener.settled(max(end - time.monotonic(), 0))

    def _patience(self, seconds: float) -> float:
        return (seconds or self._settings.timeout) * 1000

    async def _open(self) -> None:
        driver = await self._stack.enter_async_context(async_playwright())
        settings = self._settings
        browser = await driver.chromium.launch(
            executable_path=self._program(driver),
            chromium_sandbox=chromium.walled(),
            args=chromium.arguments(settings.allow_hosts),
            # a page must not find the user's home, and Chromium must not write there
            env={**os.environ, "HOME": os.environ.get("TMPDIR", "/nonexistent")},
        )
        self._stack.push_async_callback(_close, browser)
        context = await browser.new_context(
            viewport={"width": settings.width, "height": settings.height},
            locale="en-GB",
            timezone_id="UTC",
            color_scheme="light",
            reduced_motion="reduce",
            device_scale_factor=1,
            service_workers="block",
        )
        context.set_default_timeout(settings.timeout * 1000)
        await self._listener.attach(context)
        self._page = await context.new_page()

    def _program(self, driver: Playwright) -> str:
        if self._settings.chromium:
            return self._settings.chromium
        found = chromium.find(os.environ, driver.chromium.executable_path)
        if not found:
            raise CheckError(chromium.missing(os.environ), fix=chromium.INSTALL)
        return found


async def _close(browser: Browser) -> None:
    # a browser that hangs is ended with the child
    with contextlib.suppress(PlaywrightError, TimeoutError):
        await asyncio.wait_for(browser.close(), CLOSE_SECONDS)

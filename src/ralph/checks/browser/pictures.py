"""Takes pictures of pages and holds them against their baselines."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

from ralph.checks.browser import image
from ralph.checks.browser.result import FindingKind, Picture

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import Page

    from ralph.checks.browser.flow import FlowStep
    from ralph.checks.browser.image import Box
    from ralph.checks.browser.result import Comparison

ACCEPT = "`ralph baseline accept`"
TRIES = 6
PAUSE = 0.1

_PLACES = """elements => elements.map(element => {
    const box = element.getBoundingClientRect();
    return [box.left, box.top, box.right, box.bottom];
})"""
_SCROLLED = "() => [window.scrollX, window.scrollY]"


class Album:
    """The pictures of one flow."""

    def __init__(self, out: Path, baselines: Path | None) -> None:
        self.pictures: list[Picture] = []
        self._out = out
        self._baselines = baselines

    async def take(self, page: Page, step: FlowStep, number: int) -> tuple[FindingKind, str] | None:
        """Take the picture a step asks for; what is wrong with it, if anything."""
        now = self._out / f"{step.name}.now.png"
        data = await _still(page, full_page=step.full_page)
        image.save(data, await _boxes(page, step), now)
        picture = Picture(step.name, number, now.name, page.url)
        before = self._copied(step.name)
        if before is None:
            self.pictures.append(picture)
            text = f"There is no baseline for the picture {step.name}. "
            text += f"If it is right, accept it with {ACCEPT}."
            return FindingKind.BASELINE, text
        difference = self._out / f"{step.name}.difference.png"
        try:
            compared = image.compare(before, now, difference, step.tolerance)
        except image.NotAPicture as error:
            before.unlink()
            self.pictures.append(picture)
            text = f"The baseline of {step.name} cannot be read: {error}. {ACCEPT} replaces it."
            return FindingKind.BASELINE, text
        self.pictures.append(
            Picture(step.name, number, now.name, page.url, before.name, difference.name, compared)
        )
        return _complaint(step.name, compared)

    async def keep(self, page: Page, number: int) -> None:
        """A picture of the page on which a step failed, for a person to look at."""
        path = self._out / f"failed-step-{number}.png"
        with contextlib.suppress(PlaywrightError):
            await page.screenshot(path=path, timeout=5000)
            self.pictures.append(
                Picture(f"step {number}", number, path.name, page.url, wanted=False)
            )

    def _copied(self, name: str) -> Path | None:
        """A copy of the baseline, as the report shows it even when the next one is accepted."""
        baseline = self._baselines / f"{name}.png" if self._baselines else None
        if baseline is None or not baseline.is_file():
            return None
        before = self._out / f"{name}.before.png"
        shutil.copyfile(baseline, before)
        return before


def _complaint(name: str, compared: Comparison) -> tuple[FindingKind, str] | None:
    if compared.passed:
        return None
    text = f"The picture {name} {compared.why}. If that is right, accept it with {ACCEPT}."
    return FindingKind.PICTURE, text


async def _still(page: Page, *, full_page: bool) -> bytes:
    """A picture of a page that has come to rest: twice the same, or the last of a few."""
    last = b""
    for _ in range(TRIES):
        data = await page.screenshot(
            full_page=full_page, animations="disabled", caret="hide", scale="css"
        )
        if data == last:
            break
        last = data
        await asyncio.sleep(PAUSE)
    return data


async def _boxes(page: Page, step: FlowStep) -> list[Box]:
    """Where the masked elements are in the picture."""
    right, down = await page.evaluate(_SCROLLED) if step.full_page else (0, 0)
    boxes: list[Box] = []
    for selector in step.mask:
        for x0, y0, x1, y1 in await page.locator(selector).evaluate_all(_PLACES):
            edges = (int(x0 + right), int(y0 + down), int(x1 + right + 1), int(y1 + down + 1))
            boxes.append(edges)
    return boxes

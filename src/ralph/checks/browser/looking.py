"""Looks at a page until what must be seen is seen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import expect

if TYPE_CHECKING:
    from playwright.async_api import Page

    from ralph.checks.browser.flow import FlowStep

LONGEST = 200


async def seen(page: Page, step: FlowStep, base: str, seconds: float) -> str:
    """Why it cannot be seen in time; empty if it can."""
    try:
        await _expect(page, step, base, seconds * 1000)
    except AssertionError:
        return f"not true after {seconds:g} s: {await _instead(page, step)}"
    return ""


async def _expect(page: Page, step: FlowStep, base: str, milliseconds: float) -> None:
    if step.url:
        wanted = _pattern(urljoin(base, step.url))
        whole = expect(page)
        check = whole.not_to_have_url if step.absent else whole.to_have_url
        await check(wanted, timeout=milliseconds)
    elif step.text:
        place = expect(page.locator(step.selector or "body"))
        check_text = place.not_to_contain_text if step.absent else place.to_contain_text
        await check_text(step.text, use_inner_text=True, timeout=milliseconds)
    elif step.count is not None:
        await expect(page.locator(step.selector)).to_have_count(step.count, timeout=milliseconds)
    else:
        first = expect(page.locator(step.selector).first)
        await (first.to_be_hidden if step.absent else first.to_be_visible)(timeout=milliseconds)


def _pattern(address: str) -> re.Pattern[str]:
    """A star stands for anything; the page reads it too, so only what JavaScript knows is used."""
    return re.compile("^" + ".*".join(re.escape(part) for part in address.split("*")) + "$")


async def _instead(page: Page, step: FlowStep) -> str:
    """What can be seen in its place."""
    if step.url:
        return f"the address is {page.url}"
    if step.count is not None:
        return f"there are {await page.locator(step.selector).count()}"
    if not step.text:
        return "it can be seen" if step.absent else "it cannot be seen"
    place = step.selector or "body"
    try:
        found = await page.locator(place).inner_text(timeout=1000)
    except PlaywrightError:
        return f"{place} is not there, or there is more than one"
    words = " ".join(found.split())
    short = words if len(words) <= LONGEST else f"{words[:LONGEST]}…"
    return f'{"the page" if place == "body" else place} says "{short}"'

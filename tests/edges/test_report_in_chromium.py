"""The page in a real browser: on a telephone and a wide screen, by day and by night."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright
from tests.support.browser import CHROMIUM
from tests.support.morning import ATTACK, contents, differences

from ralph.checks.browser import chromium
from ralph.ui.report.page import page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

LONG = "a_very_long_name_without_any_place_to_break_it_" * 8
CONTRAST = """() => {
  const light = (c) => c.map((v) => v / 255)
    .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, n) => sum + v * [0.2126, 0.7152, 0.0722][n], 0);
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const found = rgb(getComputedStyle(node).backgroundColor);
      if (found.length === 3 || found[3] > 0) return found.slice(0, 3);
    }
  };
  return [...document.querySelectorAll("body *:not(svg *)")]
    .filter((node) => [...node.childNodes].some((c) => c.nodeType === 3 && c.data.trim()))
    .map((node) => {
      const [a, b] = [rgb(getComputedStyle(node).color).slice(0, 3), behind(node)].map(light);
      return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), node.outerHTML.slice(0, 80)];
    })
    .filter(([ratio]) => ratio < 4.5);
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=chromium.arguments(()),
            chromium_sandbox=chromium.walled(),
        )
        yield started
        started.close()


@pytest.mark.parametrize("width", [375, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_runs_nothing_fetches_nothing_and_fits(
    browser: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    file = tmp_path / "report.html"
    words = ATTACK + LONG
    text = page(contents(words), differences(words), [words])
    file.write_bytes(text.encode("utf-8", "backslashreplace"))
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    shown = context.new_page()
    heard: list[str] = []
    shown.on("console", lambda message: heard.append(message.text))
    shown.on("pageerror", lambda error: heard.append(str(error)))
    shown.on("dialog", lambda dialog: heard.append(dialog.message))
    shown.on("request", lambda request: heard.append(request.url))

    shown.goto(file.as_uri())
    for number in range(shown.locator("summary").count()):
        shown.locator("summary").nth(number).evaluate("node => node.parentElement.open = true")

    assert heard == [file.as_uri()]
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert shown.locator("script, img, iframe, object, form").count() == 0
    assert shown.locator("#now").bounding_box() is not None
    assert shown.evaluate(CONTRAST) == []
    context.close()

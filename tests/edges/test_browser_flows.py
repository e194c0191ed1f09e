"""Browser flows with a real Chromium against a small real application."""

from __future__ import annotations

import asyncio
import base64
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image
from tests.support.browser import BUYING, CHROMIUM, SLOW, Site, left_over

from ralph.checks.browser import FindingKind, run_flow
from ralph.checks.browser.chromium import VARIABLE
from ralph.domain.errors import CheckError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.checks.browser import FlowResult

MASKED = {"screenshot": {"name": "masked", "mask": ["#clock"]}}
STRICT = {"screenshot": {"name": "strict", "tolerance": 0}}
LENIENT = {"screenshot": {"name": "lenient", "tolerance": 0.2, "full_page": True}}
LOOKING = ({"navigate": "/"}, MASKED, STRICT, LENIENT)
RED = (220, 20, 40)


@pytest.fixture(autouse=True)
def own_scratch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the browser keeps its profile, so that what is left of it can be told."""
    with tempfile.TemporaryDirectory(prefix="own-", dir="/tmp") as scratch:
        monkeypatch.setattr(tempfile, "tempdir", scratch)
        yield Path(scratch)


@pytest.fixture(scope="module")
def photographed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Site, FlowResult]:
    """The shop as it should look, with its pictures accepted, and the first look at it."""
    site = Site(tmp_path_factory.mktemp("photographed"))
    first = asyncio.run(site.run(site.flow(LOOKING)))
    site.accept()
    return site, first


@pytest.fixture
def site(tmp_path: Path, photographed: tuple[Site, FlowResult]) -> Site:
    made = Site(tmp_path / "site")
    shutil.copytree(photographed[0].baselines, made.baselines)
    return made


def kinds(result: FlowResult) -> Counter[FindingKind]:
    return Counter(finding.kind for finding in result.findings)


def test_a_picture_without_a_baseline_says_how_to_accept_it(
    photographed: tuple[Site, FlowResult],
) -> None:
    site, first = photographed
    assert kinds(first) == {FindingKind.BASELINE: 3}
    assert all("`ralph baseline accept`" in finding.text for finding in first.findings)
    assert first.steps_done == 4
    assert sorted(path.name for path in site.baselines.iterdir()) == [
        "lenient.png",
        "masked.png",
        "strict.png",
    ]
    assert site.accept() == []


def test_a_good_flow_passes_and_leaves_nothing_behind(site: Site, own_scratch: Path) -> None:
    told = {"verify": {"selector": "#bought li", "count": 1}}
    there = {"wait": {"url": "/*"}}
    gone = {"verify": {"text": "Nothing bought", "absent": True}}
    shown = {"verify": {"selector": "#bought"}}
    flow = site.flow([*LOOKING[:3], *BUYING[1:], told, there, gone, shown])
    result = asyncio.run(site.run(flow))
    assert result.findings == ()
    assert result.passed
    assert result.steps_done == len(result.steps) == 10
    assert [picture.passed for picture in result.pictures] == [True, True]
    assert left_over(site.root) == left_over(own_scratch) == []
    assert list(own_scratch.iterdir()) == []


def test_a_broken_button_is_caught(site: Site) -> None:
    quick = {"verify": {**BUYING[3]["verify"], "timeout": 0.5}}
    result = asyncio.run(site.run(site.flow([*BUYING[:3], quick, MASKED], "button")))
    [finding] = result.findings
    assert finding.kind is FindingKind.STEP
    assert finding.step == 4
    assert finding.text == (
        'Step 4, verify text "Thank you, Ada" in #message: '
        'not true after 0.5 s: #message says "Nothing bought yet"'
    )
    assert result.steps_done == 3
    [picture] = result.pictures  # of the page as it was then, for a person
    assert (site.out / "buy" / picture.now).is_file()
    assert not picture.wanted


FAULTS = ("console", "script", "request", "abroad")


def test_console_errors_page_errors_and_failed_requests_are_caught(site: Site) -> None:
    result = asyncio.run(site.run(site.flow(BUYING[:3], *FAULTS)))
    found = {finding.kind: finding.text for finding in result.findings}
    assert len(result.findings) == 4
    assert found[FindingKind.CONSOLE].startswith("Console error: the basket is broken (http://")
    assert found[FindingKind.PAGE_ERROR] == "Error in the page: no such basket"
    assert re.fullmatch(
        r"Request failed: POST http://127\.0\.0\.1:\d+/nowhere: 500", found[FindingKind.REQUEST]
    )
    told = "The page requests http://shop.example/track from another machine."
    assert found[FindingKind.HOST] == told
    assert result.steps_done == 3


def test_what_a_flow_expects_is_no_finding(site: Site) -> None:
    flow = site.flow(
        [*BUYING[:3], {"wait": {"text": "?", "selector": "#message"}}],
        *FAULTS,
        allow_console=["basket is broken", "no such basket"],
        allow_requests=["^500 .*/nowhere$", "^blocked http://shop.example/"],
    )
    result = asyncio.run(site.run(flow))
    assert result.findings == ()


def test_a_shifted_layout_is_shown_in_three_pictures(site: Site) -> None:
    result = asyncio.run(site.run(site.flow(LOOKING[:2], "layout")))
    [finding] = result.findings
    assert finding.kind is FindingKind.PICTURE
    [picture] = result.pictures
    assert picture.comparison
    assert picture.comparison.share > 0.01
    out = site.out / "buy"
    with Image.open(out / picture.difference) as difference:
        colours = difference.getcolors(1 << 24) or []
    assert max(number for number, colour in colours if colour == RED) > 1000
    page = (out / "report.html").read_text(encoding="utf-8")
    embedded = re.findall(r'src="data:image/png;base64,([^"]+)"', page)
    files = [picture.before, picture.now, picture.difference]
    assert [base64.b64decode(one) for one in embedded] == [(out / f).read_bytes() for f in files]
    assert "src=" not in page.replace('src="data:', "")
    assert "http-equiv" in page


def test_masks_and_tolerance(site: Site) -> None:
    """The clock shows more digits than on the baseline: only a mask or tolerance hides that."""
    result = asyncio.run(site.run(site.flow(LOOKING, "clock")))
    assert {picture.name: picture.passed for picture in result.pictures} == {
        "masked": True,
        "strict": False,
        "lenient": True,
    }
    [finding] = result.findings
    assert "The picture strict differs in" in finding.text


def test_a_flow_that_takes_too_long_is_ended(site: Site, own_scratch: Path) -> None:
    flow = site.flow([{"navigate": "/"}, {"wait": 600}], limit_seconds=3)
    result = asyncio.run(site.run(flow))
    [finding] = result.findings
    assert finding.text == "The flow took longer than 3 s and was ended."
    assert left_over(site.root) == left_over(own_scratch) == []


def test_a_flow_that_is_cancelled_leaves_nothing_behind(site: Site, own_scratch: Path) -> None:
    async def cancel_when_the_browser_is_up() -> None:
        flow = site.flow([{"navigate": "/"}, {"wait": 600}])
        task = asyncio.create_task(site.run(flow))
        deadline = time.monotonic() + SLOW
        while not any("--user-data-dir" in one for one in left_over(own_scratch)):
            assert time.monotonic() < deadline
            await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_when_the_browser_is_up())
    assert left_over(site.root) == left_over(own_scratch) == []


@pytest.mark.parametrize(
    ("serve", "seconds", "text"),
    [
        ("echo no such port >&2; exit 3", 30, "exit code 3. It said: no such port"),
        ("exec no-such-server {port}", 30, "exit code 127"),
        ("exec sleep 600", 0.5, "does not answer at http://127.0.0.1:"),
    ],
)
def test_a_server_that_does_not_come_up(
    tmp_path: Path, serve: str, seconds: float, text: str
) -> None:
    site = Site(tmp_path / "site")
    result = asyncio.run(site.run(site.flow(BUYING, serve=serve, start_seconds=seconds)))
    [finding] = result.findings
    assert finding.kind is FindingKind.SERVER
    assert text in finding.text
    assert not result.passed
    assert (site.out / "buy" / "report.html").is_file()
    assert left_over(site.root) == []


def test_a_flow_file_that_cannot_be_used_is_a_finding(tmp_path: Path) -> None:
    site = Site(tmp_path / "site")
    result = asyncio.run(site.run(site.flow([{"click": "#buy"}])))
    [finding] = result.findings
    assert finding.kind is FindingKind.FLOW
    assert "flows/buy.json: step 1 must be navigate." in finding.text


def test_no_chromium_says_what_to_install(tmp_path: Path) -> None:
    site = Site(tmp_path / "site")
    base = {**os.environ, VARIABLE: "/nowhere/chromium"}
    with pytest.raises(CheckError) as caught:
        asyncio.run(run_flow(site.flow(BUYING), site.root, os.environ, site.out, base=base))
    assert "RALPH_CHROMIUM names /nowhere/chromium, which is not a program." in str(caught.value)
    assert "apt-get install chromium" in caught.value.fix


def test_no_playwright_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(tmp_path / "site")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(CheckError) as caught:
        asyncio.run(site.run(site.flow(BUYING)))
    assert "need the Python package playwright" in caught.value.what
    assert "pip install '.[browser]'" in caught.value.fix


PROGRAM = """
import asyncio, sys
from pathlib import Path
from ralph import BrowserAutomationConfig, FlowStep, FlowStepAction, QAAgentBrowserTools

async def main(url, out):
    config = BrowserAutomationConfig(width=400, height=300)
    async with QAAgentBrowserTools(config, url, Path(out)) as tools:
        await tools.navigate("/again")
        await tools.type("#name", "Eve", enter=True)
        await tools.click("#buy")
        step = FlowStep(FlowStepAction.VERIFY, text="Thank you, Eve")
        print(await tools.verify(step) or "seen", await tools.page.title())

asyncio.run(main(*sys.argv[1:]))
"""


def test_the_tools_can_be_used_from_a_program(tmp_path: Path, own_scratch: Path) -> None:
    site = Site(tmp_path / "site")
    serving = [sys.executable, "-u", "-c", "import shop; shop.main()", "0"]
    server = subprocess.Popen(serving, cwd=site.root, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/"
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, url, str(tmp_path)],
            env={**os.environ, VARIABLE: CHROMIUM, "TMPDIR": str(own_scratch)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout == "seen Shop\n", done.stderr
    finally:
        server.kill()
        server.wait()
        if server.stdout:
            server.stdout.close()

"""What people see of a flow: its report, its words, the names for programs."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

import ralph
from ralph.checks.browser import wording
from ralph.checks.browser.baselines import pending
from ralph.checks.browser.chromium import arguments, find, missing
from ralph.checks.browser.report import page
from ralph.checks.browser.result import Comparison, FindingKind, FlowResult, PageFinding, Picture
from ralph.ui.cli.main import enter

if TYPE_CHECKING:
    from pathlib import Path

DIFFERS = Comparison(
    passed=False, share=0.2, pixels=9, tolerance=0, why="differs in 20.00% of its pixels"
)


def result(*findings: PageFinding, pictures: tuple[Picture, ...] = (), done: int = 1) -> FlowResult:
    steps = ("navigate to /", "click <b>", "screenshot home")
    return FlowResult(
        "flows/a.yaml", not findings, findings, pictures, 1.23, steps, steps_done=done
    )


def test_a_report_of_a_failed_step(tmp_path: Path) -> None:
    (tmp_path / "failed.png").write_bytes(b"picture")
    finding = PageFinding(FindingKind.STEP, "Step 2, click <b>: nothing was found", 2)
    noise = PageFinding(FindingKind.CONSOLE, "Console error: <script>alert(1)</script>", 1)
    picture = Picture("step 2", 2, "failed.png", wanted=False)
    text = page(result(finding, noise, pictures=(picture,)), tmp_path)
    assert "failed: 2 findings" in text
    assert "<li>Step 2, click &lt;b&gt;: nothing was found</li>" in text
    assert "&lt;script&gt;alert(1)" in text
    assert "<script" not in text
    assert "The page when step 2 failed" in text
    assert text.count("<figure>") == 1
    assert "1 of 3 steps done, 1.2 s" in text
    assert 'navigate to / · <span class="bad">done, with findings</span>' in text
    assert 'click &lt;b&gt; · <span class="bad">failed</span>' in text
    assert 'screenshot home · <span class="quiet">not run</span>' in text


def test_a_report_of_pictures(tmp_path: Path) -> None:
    for name in ("before", "now", "difference"):
        (tmp_path / f"{name}.png").write_bytes(name.encode())
    same = Comparison(passed=True, share=0.0001, pixels=1, tolerance=0.1)
    shown = Picture("home", 3, "now.png", "u", "before.png", "difference.png", same)
    other = Picture("away", 3, "now.png", "u", "before.png", "difference.png", DIFFERS)
    new = Picture("new", 3, "now.png")
    gone = Picture("gone", 3, "gone.png")
    text = page(result(pictures=(shown, other, new, gone), done=3), tmp_path)
    assert text.count("<figure>") == 7
    assert '<p class="good">Matches its baseline: 0.01% of the pixels differ.</p>' in text
    assert '<p class="bad">The picture differs in 20.00% of its pixels.</p>' in text
    assert '<p class="bad">There is no baseline yet.</p>' in text


TIMEOUT = 'Page.click: Timeout 500ms exceeded.\nCall log:\n  - waiting for locator("#b")\n'
DISABLED = """\
    - locator resolved to <button disabled id="b">Go</button>
  - attempting click action
    - 2 \N{MULTIPLICATION SIGN} waiting for element to be visible, enabled and stable
      - element is not enabled
    - retrying click action
"""
AMBIGUOUS = 'Page.click: Error: strict mode violation: locator("a") resolved to 2 elements:\n 1)'
REFUSED = "net::ERR_CONNECTION_REFUSED at http://127.0.0.1:1/"


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (TIMEOUT, "nothing was found within 0.5 s"),
        (TIMEOUT + DISABLED, "not possible within 0.5 s: element is not enabled"),
        (TIMEOUT + "    - locator resolved to <a></a>\n", "not possible within 0.5 s"),
        (AMBIGUOUS, "2 elements fit the selector, and only one may"),
        ("Page.click: Error: No such thing\nCall log:\n", "No such thing"),
        (f"Page.goto: {REFUSED}\nCall log:\n", REFUSED),
        ("", "no reason is given"),
    ],
)
def test_playwright_in_plain_words(message: str, shown: str) -> None:
    assert wording.plain(message, 0.5) == shown


def test_why_a_browser_did_not_start() -> None:
    message = (
        "BrowserType.launch: Target page, context or browser has been closed\nBrowser logs:\n"
        "- [pid=7][err] [7:7:1116/050645.9:FATAL:sandbox.cc(1)] No usable sandbox! See help.\n"
    )
    assert wording.last_words(message) == "No usable sandbox! See help"


def test_where_chromium_is_looked_for(tmp_path: Path) -> None:
    for name in ("mine", "google-chrome", "playwrights"):
        (tmp_path / name).touch(0o755)
    path = {"PATH": str(tmp_path)}
    assert find(path, "/nowhere") == str(tmp_path / "google-chrome")
    assert find(path, str(tmp_path / "playwrights")) == str(tmp_path / "playwrights")
    assert find({**path, "RALPH_CHROMIUM": "mine"}, "") == str(tmp_path / "mine")
    assert find({**path, "RALPH_CHROMIUM": "other"}, str(tmp_path / "playwrights")) == ""
    assert (
        missing({"RALPH_CHROMIUM": "other"})
        == "RALPH_CHROMIUM names other, which is not a program."
    )
    assert find({"PATH": "/nowhere"}, "") == ""


def test_only_this_machine_and_allowed_hosts_are_looked_up() -> None:
    [rules] = [one for one in arguments(["fonts.example"]) if "host-resolver-rules" in one]
    assert rules.partition("=")[2].split(" , ") == [
        "MAP * ~NOTFOUND",
        "EXCLUDE localhost",
        "EXCLUDE *.localhost",
        "EXCLUDE 127.0.0.1",
        "EXCLUDE ::1",
        "EXCLUDE fonts.example",
    ]


def taken(root: Path, run: str, flow: str, *names: str) -> Path:
    """What a run of a flow left: pictures that differ, and its result."""
    out = root / "out" / run
    out.mkdir(parents=True)
    for name in names:
        (out / f"{name.rpartition('/')[2]}.now.png").write_bytes(f"{run} {name}".encode())
    pictures = tuple(Picture(name, 1, f"{name}.now.png", comparison=DIFFERS) for name in names)
    told = FlowResult(flow, passed=False, pictures=pictures)
    (out / "flow.json").write_bytes(msgspec.json.encode(told))
    return out / "flow.json"


def test_the_newest_picture_of_each_flow_is_accepted(tmp_path: Path) -> None:
    import os

    os.utime(taken(tmp_path, "one", "flows/a.yaml", "home", "away"), (1, 1))
    taken(tmp_path, "two", "flows/a.yaml", "home")
    taken(tmp_path, "three", "b.yaml", "start")
    found = pending(tmp_path, [tmp_path / "out"])
    assert [(one.flow, one.name, one.share) for one in found] == [
        ("b.yaml", "start", 0.2),
        ("flows/a.yaml", "home", 0.2),
    ]
    [only] = pending(tmp_path, [tmp_path / "out"], ["flows/a.yaml"])
    only.accept()
    assert (tmp_path / "flows/baselines/home.png").read_bytes() == b"two home"
    assert [one.name for one in pending(tmp_path, [tmp_path / "out"])] == ["start"]


def test_a_result_that_someone_else_wrote_cannot_reach_out(tmp_path: Path) -> None:
    root = tmp_path / "root"
    taken(root, "one", "../outside/a.yaml", "home")
    taken(root, "two", "a.yaml", "../../evil")
    (root / "out" / "three").mkdir()
    (root / "out" / "three" / "flow.json").write_text("{")
    assert pending(root, [root / "out"]) == []


def test_the_names_of_the_source_can_be_imported() -> None:
    for name in ralph.__all__:
        assert getattr(ralph, name)
    assert ralph.FlowVerificationResult is FlowResult
    assert [action.name for action in ralph.FlowStepAction][:5] == [
        "NAVIGATE",
        "CLICK",
        "TYPE",
        "WAIT",
        "VERIFY",
    ]
    with pytest.raises(AttributeError, match="module 'ralph' has no attribute 'Nothing'"):
        _ = ralph.Nothing  # type: ignore[attr-defined]


def test_naming_them_imports_nothing_but_what_is_asked_for() -> None:
    code = "import sys; from ralph import FlowStep; print(*(m for m in ('playwright', 'PIL')"
    code += " if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_a_flow_file_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert enter(["flow", "none.yaml"]) == 2
    assert enter(["baseline", "accept", "none.yaml"]) == 1
    assert capsys.readouterr().err.count("There is no flow file") == 2
    assert enter(["baseline", "accept"]) == 0
    assert "or no flow has run yet" in capsys.readouterr().out

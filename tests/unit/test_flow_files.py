from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ralph.checks.browser.flow import BrowserSettings, FlowStep, FlowStepAction
from ralph.checks.browser.reading import is_loopback, read_flow
from ralph.domain.errors import CheckError

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.checks.browser.flow import Flow

WHOLE = """\
serve: npm start -- --port {port}
url: http://localhost:{port}/shop
viewport: 800x600
timeout: 2.5
start_seconds: 5
limit_seconds: 60
allow_console: deprecated
allow_requests: ["404 .*/missing"]
allow_hosts: [fonts.example]
steps:
  - navigate: /login
  - type: {selector: "#name", text: "Ada", enter: true}
  - click: text=Sign in
  - wait: 0.5
  - wait: {selector: .spinner, absent: true, timeout: 9}
  - verify: Welcome
  - verify: {selector: li, count: 0}
  - verify: {url: /home}
  - screenshot: home
  - screenshot: {name: whole, mask: ["#clock", .ad], tolerance: 0.02, full_page: true}
"""
HEAD = "url: http://127.0.0.1:8000/\nsteps:\n  - navigate: /\n"


def read(folder: Path, text: str, name: str = "flows/it.yaml") -> Flow:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return read_flow(path, folder)


def test_a_whole_flow(tmp_path: Path) -> None:
    flow = read(tmp_path, WHOLE)
    assert flow.source == "flows/it.yaml"
    assert flow.serve == "npm start -- --port {port}"
    assert (flow.start_seconds, flow.limit_seconds) == (5, 60)
    assert flow.browser == BrowserSettings(
        width=800,
        height=600,
        timeout=2.5,
        allow_console=("deprecated",),
        allow_requests=("404 .*/missing",),
        allow_hosts=("fonts.example",),
    )
    do = FlowStepAction
    assert flow.steps == (
        FlowStep(do.NAVIGATE, url="/login"),
        FlowStep(do.TYPE, selector="#name", text="Ada", enter=True),
        FlowStep(do.CLICK, selector="text=Sign in"),
        FlowStep(do.WAIT, seconds=0.5),
        FlowStep(do.WAIT, selector=".spinner", absent=True, timeout=9),
        FlowStep(do.VERIFY, text="Welcome"),
        FlowStep(do.VERIFY, selector="li", count=0),
        FlowStep(do.VERIFY, url="/home"),
        FlowStep(do.SCREENSHOT, name="home"),
        FlowStep(
            do.SCREENSHOT, name="whole", mask=("#clock", ".ad"), tolerance=0.02, full_page=True
        ),
    )


def test_steps_in_words(tmp_path: Path) -> None:
    assert [step.shown for step in read(tmp_path, WHOLE).steps] == [
        "navigate to /login",
        'type "Ada" into #name',
        "click text=Sign in",
        "wait 0.5 s",
        "wait no .spinner",
        'verify text "Welcome"',
        "verify 0 of li",
        "verify address /home",
        "screenshot home",
        "screenshot whole",
    ]


def test_json_is_read_too(tmp_path: Path) -> None:
    flow = {"url": "http://[::1]:80/", "steps": [{"navigate": "/"}, {"click": "#buy"}]}
    text = json.dumps(flow, indent="\t")
    assert read(tmp_path, text, "it.json").steps[1].selector == "#buy"


@pytest.mark.parametrize(
    ("step", "what"),
    [
        ("click: #save", "flows/it.yaml:4: step 2: click has no value."),
        ("type: abc", "flows/it.yaml:4: step 2: type has no value."),
        ("type: {text: Ada}", "flows/it.yaml:4: step 2: type needs a selector."),
        ("hover: a", "flows/it.yaml:4: step 2: 'hover' is not an action."),
        ("click: {selektor: a}", "flows/it.yaml:4: step 2: click has no 'selektor'."),
        ("click", "flows/it.yaml:4: step 2: a step is one action and what it needs."),
        ("{click: a, wait: 1}", "flows/it.yaml:4: step 2: a step is one action and what it needs."),
        ("verify: 1.10", "flows/it.yaml:4: step 2: text: text must be text."),
        (
            "verify: {}",
            "flows/it.yaml:4: step 2: verify needs one of text, selector, url or count.",
        ),
        ("verify: {text: a, url: b}", "flows/it.yaml:4: step 2: verify needs one of"),
        ("wait: {selector: a, seconds: 1}", "flows/it.yaml:4: step 2: wait needs one of"),
        ("verify: {count: 2}", "step 2: count goes with a selector and nothing else."),
        ("verify: {selector: a, count: -1}", "count must be a number from 0 to 100000."),
        ("wait: -1", "step 2: seconds: seconds must be a number from 0 to 3600."),
        ("wait: .nan", "step 2: seconds: seconds must be a number from 0 to 3600."),
        ("wait: yes", "step 2: seconds: seconds must be a number from 0 to 3600."),
        ("verify: {selector: a, absent: 1}", "step 2: absent: absent must be true or false."),
        ("screenshot: ../../etc", "step 2: a screenshot needs a name of letters"),
        ("screenshot: {name: a, tolerance: 2}", "tolerance must be a number from 0 to 1."),
    ],
)
def test_a_wrong_step_names_file_line_and_step(tmp_path: Path, step: str, what: str) -> None:
    with pytest.raises(CheckError) as caught:
        read(tmp_path, f"{HEAD}  - {step}\n")
    assert what in caught.value.what


def test_a_selector_that_yaml_takes_for_a_comment_is_explained(tmp_path: Path) -> None:
    with pytest.raises(CheckError) as caught:
        read(tmp_path, f"{HEAD}  - click: #save\n")
    assert caught.value.fix == 'A selector that begins with # needs quotes: "#save".'


STEPS = "steps: [{navigate: /}]\n"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "flows/it.yaml:1: a flow must be a section of keys and values."),
        (STEPS, "flows/it.yaml:1: a flow needs a url."),
        ("url: http://localhost/\n", "flows/it.yaml:1: a flow needs steps."),
        ("url: http://localhost/\nsteps: []\n", "flows/it.yaml:2: a flow needs steps."),
        (
            "url: ftp://localhost/\n" + STEPS,
            "is not an address that begins with http:// or https://.",
        ),
        ("url: http://localhost:x/\n" + STEPS, "flows/it.yaml:1: 'http://localhost:x/' is no"),
        (
            "url: http://shop.example/\n" + STEPS,
            "flows/it.yaml:1: shop.example is not this machine.",
        ),
        ("url: http://localhost:{port}/\n" + STEPS, "{port} is for a server that the flow starts."),
        (
            "url: http://localhost/\nsteps: [{click: a}]\n",
            "flows/it.yaml:2: step 1 must be navigate.",
        ),
        (
            "url: http://localhost/\nsteps: [{navigate: /}, {screenshot: a}, {screenshot: a}]\n",
            "two screenshots are called a.",
        ),
        (f"{HEAD}viewport: wide\n", "viewport must be width x height, such as 1280x720."),
        (f"{HEAD}allow_console: ['(']\n", "flows/it.yaml:4: '(' is not a valid pattern:"),
        (f"{HEAD}timeout: 0\n", "timeout must be a number from 0.1 to 3600."),
        (f"{HEAD}retries: 3\n", "flows/it.yaml:1: a flow has no 'retries'."),
        ("url: [\n", "this YAML cannot be used"),
    ],
)
def test_a_wrong_flow_says_where(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(CheckError) as caught:
        read(tmp_path, text)
    assert what in caught.value.what
    assert str(caught.value).count("\n") <= 2


@pytest.mark.parametrize("text", ["{", "[" * 100_000])
def test_broken_json(tmp_path: Path, text: str) -> None:
    with pytest.raises(CheckError) as caught:
        read(tmp_path, text, "it.json")
    assert caught.value.what.startswith("it.json: this is not JSON: ")


def test_no_file_and_a_huge_one(tmp_path: Path) -> None:
    with pytest.raises(CheckError, match=r"There is no flow file none\.yaml\."):
        read_flow(tmp_path / "none.yaml", tmp_path)
    with pytest.raises(CheckError, match="larger than 256 KB"):
        read(tmp_path, HEAD + "#" * (1 << 18))


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("localhost", True),
        ("App.localhost", True),
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost.example", False),
        ("127.0.0.1.example", False),
        ("", False),
    ],
)
def test_what_is_this_machine(host: str, ours: bool) -> None:
    assert is_loopback(host) is ours

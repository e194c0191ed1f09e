"""The dashboard in a real Chromium, beside real runs."""

from __future__ import annotations

import os
import signal
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import sync_playwright
from tests.support.browser import CHROMIUM
from tests.support.dashboard import Dashboard
from tests.support.project import FINISH, RALPH, Project, wait_until

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

AXE = Path(__file__).parents[2] / ".venv/runners/node_modules/axe-core/axe.min.js"
SCRIPT = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title='taken'\">"
WAITS = """\
i=0
while [ ! -e "$state/go-$n" ] && [ $i -lt 3000 ]; do sleep 0.02; i=$((i+1)); done
"""
ASKS = f"""\
{WAITS}
if [ $n = 1 ]; then
cat <<'END'
<escalate type="deviation">
<summary>Which way? {SCRIPT}</summary>
<context>
{SCRIPT}
</context>
<options>
1. The short way
2. The long way
</options>
<question>Which?</question>
</escalate>
END
exit 0
fi
cat <<'END'
{SCRIPT}
END
{FINISH}"""
SMALL = """
[...document.querySelectorAll("main button, main summary")]
  .filter((one) => one.getBoundingClientRect().height < 44).length
"""
SHIFTS = """
window.shifts = 0;
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) if (!one.hadRecentInput) {
    window.shifts += one.value;
    window.moved = one.sources.map((s) => s.node?.outerHTML?.slice(0, 200));
  }
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        with closing(playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)) as one:
            yield one


class Seen:
    """A page, and everything that its console said."""

    def __init__(self, browser: Browser, width: int = 1600, theme: str = "light") -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=theme,  # type: ignore[arg-type]
        )
        self.context.add_init_script(SHIFTS)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(30_000)
        self.said: list[str] = []
        self.page.on("console", lambda one: self.said.append(one.text))
        self.page.on("pageerror", lambda one: self.said.append(str(one)))

    def open(self, dashboard: Dashboard, path: str = "") -> Page:
        self.page.goto(dashboard.link)
        self.page.wait_for_selector("#repositories")
        if path:
            self.page.goto(dashboard.address.rstrip("/") + path)
        return self.page


@pytest.fixture
def seen(browser: Browser) -> Iterator[Seen]:
    one = Seen(browser)
    yield one
    one.context.close()


@pytest.fixture
def running() -> Iterator[list[subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def go(project: Project, call: int) -> None:
    (project.state / f"go-{call}").touch()


def text(page: Page, name: str) -> str:
    return page.inner_text(f"#{name}")


def test_a_run_is_watched_asked_paused_and_resumed(
    tmp_path: Path, seen: Seen, running: list[subprocess.Popen[str]]
) -> None:
    project = Project(tmp_path / "p", 3, agent=ASKS)
    loop = project.start()
    running.append(loop)
    wait_until(lambda: bool(project.calls()), "the first agent")
    with Dashboard(project) as dashboard:
        page = seen.open(dashboard)
        assert "#" not in page.url
        page.get_by_role("link", name="project").click()
        page.wait_for_selector("#now :text('agent at work')")
        assert "US-001" in text(page, "now")

        # what comes in pushes nothing aside
        page.evaluate("window.shifts = 0")
        go(project, 1)
        page.wait_for_selector("#asked")
        assert page.title().startswith("(1) ")
        assert page.evaluate("window.shifts") < 0.01, page.evaluate("window.moved")

        # words of an agent stay words
        page.locator("#asked > summary").click()
        assert SCRIPT in text(page, "asked")
        assert not page.query_selector("#asked script, #asked img")

        # the next agent is at work meanwhile: a pause, then the answer, by keyboard alone
        wait_until(lambda: len(project.calls()) == 2, "the second agent")
        page.get_by_role("button", name="Pause after this iteration").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("#told:text('The loop will pause after this iteration')")
        page.wait_for_selector("#now :text('pauses after this iteration')")
        go(project, 2)
        page.wait_for_selector("#now .standing :text('paused')")
        page.get_by_role("button", name="The short way").focus()
        page.keyboard.press("Space")
        page.wait_for_selector("#needs :text('Nothing waits for you')")
        assert project.events("Answered")[0]["reply"] == {
            "choice": "option",
            "option": 1,
            "text": "",
        }
        assert loop.poll() is None
        page.get_by_role("button", name="Resume").click()
        go(project, 3)
        go(project, 4)
        page.wait_for_selector("#now .standing :text('Done')")
        assert loop.wait(timeout=60) == 0
        assert "3/3 complete" in text(page, "now")
        assert page.title() != "taken"
        page.goto(f"{dashboard.address.rstrip('/')}{dashboard.page}/logs?iteration=3")
        assert SCRIPT in page.inner_text("main")
        assert seen.said == []
    assert project.passed() == ["US-001", "US-002", "US-003"]


def test_an_answer_given_while_no_run_is_there_is_used_by_the_next(
    tmp_path: Path, seen: Seen
) -> None:
    project = Project(tmp_path / "p", 1, agent=f'touch "$state/go-$n"\n{ASKS}')
    assert project.run().code == 5
    with Dashboard(project) as dashboard:
        page = seen.open(dashboard, dashboard.page)
        assert page.query_selector("#now button") is None
        page.get_by_label("In your own words").fill("Take the train <b>now</b>")
        page.get_by_role("button", name="Answer", exact=True).click()
        page.wait_for_selector("#needs :text('Nothing waits for you')")
        assert seen.said == []
    assert project.run().code == 0
    assert "Take the train <b>now</b>" in project.prompt(2)


def test_work_that_is_not_proven_is_accepted_by_its_option(tmp_path: Path) -> None:
    project = Project(tmp_path / "p", settings={"verification": {"require": "proven"}})
    assert project.run().code == 5
    [asked] = project.events("Escalated")
    accept = [n for n, one in enumerate(asked["question"]["options"], 1) if "ccept" in one]
    with Dashboard(project) as dashboard:
        dashboard.sign_in()
        given = {"question": asked["question"]["id"], "option": str(accept[0])}
        assert dashboard.do("answer", **given) == 200
        assert dashboard.do("answer", **given) == 409
    assert project.run().code == 0
    [settled] = project.events("Settled")
    assert (settled["level"], bool(settled["accepted_by"])) == ("accepted", True)


def test_it_ends_at_once_though_pages_are_open(tmp_path: Path, browser: Browser) -> None:
    project = Project(tmp_path / "p", 1, agent=f'touch "$state/go-$n"\n{ASKS}')
    project.run()
    for sign in (signal.SIGINT, signal.SIGTERM):
        seen, dashboard = Seen(browser), Dashboard(project)
        with dashboard:
            page = seen.open(dashboard, dashboard.page)
            page.wait_for_selector("#line:text('live')")
            began = time.monotonic()
            code, _, err = dashboard.end(sign)
            assert time.monotonic() - began < 1.5
            assert (code, err) == (0, "")
            page.wait_for_selector("#line:text('connecting')")
        seen.context.close()


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, shared_home: Path) -> Iterator[Dashboard]:
    """A repository with something of everything, and no run at work."""
    project = Project(tmp_path_factory.mktemp("finished"), 3, agent=f'touch "$state/go-$n"\n{ASKS}')
    assert project.run().code == 5
    with Dashboard(project) as dashboard:
        yield dashboard


PAGES = ("", "/graph", "/figures", "/health", "/logs?iteration=1", "/history", "/task?id=US-002")


@pytest.mark.parametrize(("width", "theme"), [(375, "dark"), (1600, "light")])
def test_axe_finds_nothing_serious_and_nothing_is_cut_off(
    finished: Dashboard, browser: Browser, width: int, theme: str
) -> None:
    seen = Seen(browser, width, theme)
    page = seen.open(finished)
    for path in (None, *PAGES):
        if path is not None:
            page.goto(finished.address.rstrip("/") + finished.page + path)
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found: dict[str, Any] = page.evaluate("axe.run()")
        serious = [
            (one["id"], one["nodes"][0]["html"])
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]
        assert serious == [], path
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(wide) <= 0, path
        assert page.evaluate(SMALL) == 0, path
    seen.context.close()
    assert seen.said == []


def test_a_port_that_is_taken_says_so(finished: Dashboard) -> None:
    done = finished.project.installed("serve", "--port", str(finished.port))
    assert done.code == 1
    assert done.err.splitlines() == [
        f"error: Port {finished.port} is taken, perhaps by another `ralph serve`.",
        f"  Choose another one: `ralph serve --port {finished.port + 1}`.",
    ]


def test_other_machines_need_a_word_of_their_own(finished: Dashboard) -> None:
    done = finished.project.ralph("serve", "--host", "192.0.2.1")
    assert done.code == 2
    assert "--beyond-this-machine" in done.err
    assert finished.project.ralph("serve", "--host", "::", "--beyond-this-machine").code == 2


def test_agents_may_not_start_it_from_anywhere(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    serve = f"RALPH_HOME={project.home} timeout 20 {RALPH} serve --port 0 --json"
    project.agent(f"cd /\n{serve} > $state/told 2>&1\ncd - > $state/cd\n{FINISH}")
    project.walls = False
    project.run()
    told = (project.state / "told").read_text()
    assert "`ralph serve` is for people" in told
    assert "token" not in told

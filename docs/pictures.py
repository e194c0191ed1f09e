"""Makes docs/pictures/*.png from a real run: `.venv/bin/python docs/pictures.py`."""  # noqa: INP001 - a script, not a package

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image
from playwright.sync_api import sync_playwright

from ralph.checks.browser.chromium import arguments, find

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

RALPH = Path(sys.executable).with_name("ralph")
TARGET = Path(__file__).with_name("pictures")
WIDTH, NARROW = 1200, 375
COLOURS = 128
"""Of a picture: enough for a page, and a third of the size."""
STORIES = {
    "US-001": "Convert Celsius to Fahrenheit",
    "US-002": "Convert Fahrenheit to Celsius",
    "US-003": "Convert Celsius to Kelvin",
    "US-004": "Round to one digit",
    "US-005": "Read a temperature with its unit",
    "US-006": "Print a table of a week",
}
ASKS, WITHOUT_TEST, SLOW = "US-003", "US-004", "US-006"
AGENT = f"""\
import os, sys, time
from pathlib import Path

prompt, task = sys.stdin.read(), os.environ["RALPH_TASK_ID"]
if task == "{ASKS}" and "Decided by a person" not in prompt:
    print("<escalate type='deviation'><summary>The story does not say what to do below absolute"
          " zero</summary><context>-300 degrees Celsius cannot be.</context><options>\\n1. Raise a"
          " ValueError\\n2. Return 0 Kelvin\\n</options><question>Which is it?</question>"
          "</escalate>")
    sys.exit()
if task == "{SLOW}":
    print("Reading week.py and its test", flush=True)
    time.sleep(float(Path("pause").read_text()) if Path("pause").exists() else 0)
name = task.lower().replace("-", "_")
Path(f"{{name}}.py").write_text(f"def {{name}}() -> str:\\n    return {{task!r}}\\n")
if task != "{WITHOUT_TEST}":
    Path(f"test_{{name}}.py").write_text(
        f"import unittest\\n\\nfrom {{name}} import {{name}}\\n\\n\\n"
        f"class Test(unittest.TestCase):\\n    def test_it(self) -> None:\\n"
        f"        self.assertEqual({{name}}(), {{task!r}})\\n"
    )
print(f"Task {{task}} complete")
"""


class Scene:
    """A repository in the middle of its work."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home = folder / "meteo", folder / "home"
        self.agent = folder / "agent.py"
        self.environment = {**os.environ, "RALPH_HOME": str(self.home), "RALPH_TRUST": "1"}
        self.root.mkdir()
        self.agent.write_text(AGENT, encoding="utf-8")
        stories = [
            {
                "id": name,
                "title": title,
                "description": f"{title}, in a module of its own, with a test.",
                "criteria": [f"{name.lower().replace('-', '_')}() is {name}"],
                "passes": False,
            }
            for name, title in STORIES.items()
        ]
        plan = {"project": "Meteo", "description": "Temperatures.", "userStories": stories}
        self._write("PRD.json", json.dumps(plan, indent=2))
        self._write(
            "test_start.py", "import unittest\n\n\nclass Start(unittest.TestCase):\n    pass\n"
        )
        self._write(".gitignore", ".ralph/\n__pycache__/\npause\n")
        self._write("pause", "60")
        for words in (("init", "-qb", "main"), ("add", "-A"), ("commit", "-qm", "Start")):
            subprocess.run(("git", *words), cwd=self.root, check=True)

    def _write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")

    def ralph(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            (RALPH, *words),
            cwd=self.root,
            env=self.environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )

    def run(self) -> subprocess.Popen[str]:
        own = ("--agent-command", "python3 ../agent.py", "--verify", "python3 -m unittest -q")
        return self.ralph("run", *own)

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.ralph("status", "--json").communicate()[0])
        return found

    def wait_for(self, task: str) -> None:
        while (self.status()["now"] or {}).get("task") != task:
            time.sleep(0.2)


@contextlib.contextmanager
def dashboard(scene: Scene) -> Iterator[str]:
    """The link to it."""
    serving = scene.ralph("serve", "--port", "0", "--json")
    assert serving.stdout is not None  # noqa: S101 - a pipe was asked for
    try:
        yield json.loads(serving.stdout.readline())["link"]
    finally:
        serving.terminate()
        serving.wait()


def taken(
    browser: Browser, address: str, name: str, ready: str, height: int, follow: str = ""
) -> None:
    """Pictures of the top of the page: on a desk and on a phone, light and dark."""
    for shape, width in (("", WIDTH), ("-narrow", NARROW)):
        for theme in ("light", "dark"):
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
            page.goto(address)
            if follow:
                page.get_by_role("link", name=follow).first.click()
            page.get_by_text(ready).first.wait_for()
            page.wait_for_timeout(500)
            shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(COLOURS)
            shot.save(TARGET / f"{name}{shape}-{theme}.png", optimize=True)
            page.close()


def main() -> None:
    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        program = find(os.environ, playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=program, args=arguments(()))
        scene = Scene(Path(folder))
        running = scene.run()
        scene.wait_for(SLOW)
        with dashboard(scene) as link:
            taken(browser, link, "dashboard", "What happens", 1180, follow="meteo")
        running.terminate()
        running.communicate()
        (scene.root / "pause").unlink()
        scene.run().communicate()
        report = Path(folder) / "report.html"
        scene.ralph("report", "--html", str(report)).communicate()
        page = report.read_text(encoding="utf-8")
        report.write_text(page.replace(str(scene.root), "~/meteo"), encoding="utf-8")
        taken(browser, report.as_uri(), "report", "What to do now", 760)
        browser.close()


if __name__ == "__main__":
    main()

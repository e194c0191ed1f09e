"""A folder with the shop and flows over it, and a look at what browsers are left."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support import shop

from ralph.checks.browser import run_flow
from ralph.checks.browser.baselines import pending
from ralph.checks.browser.chromium import NAMES, VARIABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph.checks.browser import FlowResult

# asked for when the tests are collected: each test has an environment of its own later
CHROMIUM = os.environ.get(VARIABLE) or next(filter(None, map(shutil.which, NAMES)), "")

SLOW = 30
"""Seconds that a step which works may take on a busy machine."""
BUYING: Sequence[dict[str, Any]] = (
    {"navigate": "/"},
    {"type": {"selector": "#name", "text": "Ada"}},
    {"click": "#buy"},
    {"verify": {"text": "Thank you, Ada", "selector": "#message"}},
)


class Site:
    """A project with a web server in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.out = root / ".ralph" / "flows"
        self.baselines = root / "flows" / "baselines"
        (root / "flows").mkdir(parents=True, exist_ok=True)
        shutil.copy(shop.__file__, root / "shop.py")

    def flow(
        self, steps: Sequence[dict[str, Any]], *faults: str, name: str = "buy", **more: Any
    ) -> Path:
        """A flow file over the shop with these faults."""
        path = self.root / "flows" / f"{name}.json"
        flow = {
            "serve": f"exec {sys.executable} shop.py {{port}} {' '.join(faults)}",
            "url": "http://127.0.0.1:{port}/",
            "viewport": "640x480",
            "timeout": SLOW,
            "steps": steps,
            **more,
        }
        path.write_text(json.dumps(flow), encoding="utf-8")
        return path

    async def run(self, flow: Path) -> FlowResult:
        base = {**os.environ, VARIABLE: CHROMIUM}
        return await run_flow(flow, self.root, os.environ, self.out / flow.stem, base=base)

    def accept(self) -> list[str]:
        """Make the newest pictures the baselines; their names."""
        found = pending(self.root, [self.out])
        for one in found:
            one.accept()
        return [one.name for one in found]


def left_over(place: Path) -> list[str]:
    """The processes that have this folder in their command line or environment."""
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdecimal() or int(process.name) == os.getpid():
            continue
        words = [_read(process / "cmdline"), _read(process / "environ")]
        if any(str(place).encode() in one for one in words):
            found.append(words[0].replace(b"\0", b" ").decode(errors="replace"))
    return found


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""

"""The process in which the browser is driven: it and all it starts are ended with it.

Playwright starts its own processes. Run in a child of `ralph.process`, none of them outlives it.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import msgspec
from msgspec import Struct

from ralph import files
from ralph.checks.browser.flow import BrowserSettings, FlowStep
from ralph.checks.browser.result import FlowSeen
from ralph.domain.errors import CheckError

SEEN = "seen.json"
START = (
    "import sys; sys.path[:0] = sys.argv[1:]; from ralph.checks.browser.child import main; main()"
)


class BrowserJob(Struct, frozen=True):
    """What the parent asks for, on standard input."""

    settings: BrowserSettings
    url: str
    steps: tuple[FlowStep, ...]
    out: str
    baselines: str


def main() -> None:
    work = msgspec.json.decode(sys.stdin.buffer.read(), type=BrowserJob)
    try:
        asyncio.run(_drive(work))
    except CheckError as error:
        _tell(work, FlowSeen(missing=str(error)))


async def _drive(work: BrowserJob) -> None:
    from ralph.checks.browser.tools import BrowserTools

    tools = BrowserTools(work.settings, work.url, Path(work.out), Path(work.baselines))
    async with tools:
        done = await tools.run(work.steps)
        # told before the browser is closed, which may hang
        _tell(work, FlowSeen(tools.findings, tools.pictures, done))


def _tell(work: BrowserJob, seen: FlowSeen) -> None:
    files.write(Path(work.out) / SEEN, msgspec.json.encode(seen), durable=False)

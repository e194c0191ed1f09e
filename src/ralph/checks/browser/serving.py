"""Starts the server that a flow needs, and ends it with all it started."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ralph.checks.browser.reading import PORT
from ralph.domain.task import shell
from ralph.process import Child, run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from ralph.checks.browser.flow import Flow
    from ralph.checks.carry import Runner
    from ralph.process import Finished

PAUSE = 0.05
SAID = 2000
"""Bytes of what a server that failed said last."""


class PageServer:
    """A server that runs, or why it does not."""

    def __init__(self, url: str, task: asyncio.Task[Finished] | None = None) -> None:
        self.url = url
        self._task = task
        self.trouble = ""

    def ended(self) -> str:
        """What to say of a server that ended by itself; empty while it runs."""
        if self._task is None or not self._task.done():
            return ""
        finished = self._task.result()
        said = " ".join(finished.text(SAID).split())[-300:]
        why = finished.error or f"exit code {finished.exit_code}"
        return f"The server ended: {why}" + (f". It said: {said}" if said else ".")


@contextlib.asynccontextmanager
async def serving(
    flow: Flow, root: Path, env: Mapping[str, str], log: Path, run: Runner = run
) -> AsyncIterator[PageServer]:
    """The flow's server, up and answering unless `trouble` says otherwise."""
    if not flow.serve:
        yield PageServer(flow.url)
        return
    port = str(_free_port())
    command = shell(flow.serve.replace(PORT, port))
    child = Child(command, root, {**env, "PORT": port}, log=log, grace_seconds=1, online=True)
    task = asyncio.ensure_future(run(child))
    try:
        server = PageServer(flow.url.replace(PORT, port), task)
        server.trouble = await _until_up(server, flow.start_seconds)
        yield server
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _until_up(server: PageServer, seconds: float) -> str:
    parts = urlsplit(server.url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    deadline = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < deadline:
        # who answers after our server has ended is somebody else
        if ended := server.ended():
            return ended
        if await _answers(parts.hostname or "", port):
            return server.ended()
        await asyncio.sleep(PAUSE)
    return f"The server does not answer at {server.url} after {seconds:g} s."


async def _answers(host: str, port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port

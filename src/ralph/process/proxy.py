"""A proxy for children without a network: it connects to some hosts, and to no others."""

from __future__ import annotations

import asyncio
import contextlib
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection
    from pathlib import Path

MODELS = (
    *("api.anthropic.com", "*.anthropic.com", "claude.ai", "*.claude.ai", "*.claude.com"),
    *("api.openai.com", "auth.openai.com", "chatgpt.com", "*.chatgpt.com"),
    *("generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com"),
    *("openrouter.ai", "api.mistral.ai", "api.deepseek.com", "models.dev"),
)
"""Where agents find their models and log in."""
PORT = 8377
"""On the loopback of a child."""
CHUNK = 1 << 16
PATIENCE = 30
LONGEST = 1 << 16


@contextlib.asynccontextmanager
async def proxy(
    path: Path, hosts: Collection[str], refused: Callable[[str], None]
) -> AsyncIterator[None]:
    """Answer on this socket as long as it lasts; `refused` hears of each other host once."""
    told: set[str] = set()
    going: set[asyncio.Task[None]] = set()

    def allowed(host: str) -> bool:
        name = host.lower().rstrip(".")
        if any(fnmatchcase(name, one.lower()) for one in (*MODELS, *hosts)):
            return True
        if name not in told:
            told.add(name)
            refused(name)
        return False

    async def answer(near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            going.add(task)
            task.add_done_callback(going.discard)
        with contextlib.suppress(OSError, ValueError, asyncio.IncompleteReadError):
            await _answer(near, back, allowed)
        back.close()

    server = await asyncio.start_unix_server(answer, str(path), limit=LONGEST)
    try:
        yield
    finally:
        server.close()
        for task in list(going):
            task.cancel()
        await asyncio.gather(*going, return_exceptions=True)


async def _answer(
    near: asyncio.StreamReader, back: asyncio.StreamWriter, allowed: Callable[[str], bool]
) -> None:
    try:
        head = await asyncio.wait_for(near.readuntil(b"\r\n\r\n"), PATIENCE)
    except (asyncio.LimitOverrunError, TimeoutError):
        return
    method, target, _ = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
    tunnel = method == "CONNECT"
    asked = urlsplit(f"//{target}" if tunnel else target)
    host, port = asked.hostname or "", asked.port or (443 if tunnel else 80)
    if not host or not allowed(host):
        back.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await back.drain()
        return
    try:
        far, forth = await asyncio.wait_for(asyncio.open_connection(host, port), PATIENCE)
    except (OSError, TimeoutError):
        back.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await back.drain()
        return
    try:
        if tunnel:
            back.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            forth.write(_direct(head, target, asked.path, asked.query))
        await asyncio.gather(_hand_on(near, forth), _hand_on(far, back))
    finally:
        forth.close()


def _direct(head: bytes, target: str, path: str, query: str) -> bytes:
    """The request as the host itself is asked, for this once: another host may come next."""
    local = (path or "/") + (f"?{query}" if query else "")
    first, *rest = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    line = first.replace(target.encode("latin-1"), local.encode("latin-1"), 1)
    names = (b"proxy-connection:", b"connection:")
    kept = [one for one in rest if not one.lower().startswith(names)]
    return b"\r\n".join((line, *kept, b"Connection: close", b"", b""))


async def _hand_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(CHUNK):
            target.write(data)
            await target.drain()
        if target.can_write_eof():
            target.write_eof()

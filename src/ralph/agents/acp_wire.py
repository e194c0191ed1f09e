"""Between the protocol's library, which moves messages, and a child, which moves bytes."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from ralph.agents.fields import parse
from ralph.agents.lines import LineCutter

if TYPE_CHECKING:
    from ralph.process import Input

    Message = dict[str, Any]

LINE_CAP = 16 << 20
_START = b'{"jsonrpc"'
_NOISE_LINES = 5
_NOISE = 300


class Wire:
    """The library's transport. Give `feed` to the child's output."""

    def __init__(self) -> None:
        self._process: Input | None = None
        self._messages: asyncio.Queue[Message | None] = asyncio.Queue()
        self._lines = LineCutter(self._line, LINE_CAP)
        self._noise: list[str] = []
        self.feed = self._lines.feed

    @property
    def noise(self) -> str:
        """The last lines that are no messages: a crash speaks there."""
        return "\n".join(self._noise)

    def open(self, process: Input) -> None:
        self._process = process

    def hang_up(self) -> None:
        """Nothing more will come."""
        self._process = None
        self._lines.close()
        self._messages.put_nowait(None)

    async def send(self, message: Message) -> None:
        if self._process is None:
            raise ConnectionError("The agent has exited.")
        self._process.send(json.dumps(message).encode() + b"\n")

    async def receive(self) -> Message | None:
        return await self._messages.get()

    async def close(self) -> None:
        """By the library, when the conversation is over."""

    def _line(self, line: bytes) -> None:
        message = parse(line)
        # Its errors share its output, and may not have ended their line.
        if message is None and (start := line.find(_START)) > 0:
            message = parse(line[start:])
        if isinstance(message, dict) and "jsonrpc" in message:
            self._messages.put_nowait(message)
        else:
            self._noise.append(line[-_NOISE:].decode("utf-8", "replace"))
            del self._noise[:-_NOISE_LINES]

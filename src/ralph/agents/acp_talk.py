"""The conversation with a running ACP agent: it is introduced, told its job, and let go."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import logging
from typing import TYPE_CHECKING, Any, cast

from ralph import __version__
from ralph.agents.acp_client import Client, fields
from ralph.agents.fields import Fields, parse
from ralph.agents.lines import LineCutter
from ralph.agents.report import Report
from ralph.domain.activity import Activity, ActivityKind
from ralph.domain.trouble import TroubleKind

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from acp import RequestError
    from acp.client import ClientSideConnection
    from acp.interfaces import Client as AnyClient
    from acp.schema import NewSessionResponse

    from ralph.agents.line import Line
    from ralph.agents.preset import Preset
    from ralph.domain.job import Job
    from ralph.process import Input

    Message = dict[str, Any]


LINGER_SECONDS = 5
"""How long the agent may stay when all is said, or after an interrupt; then it is ended."""

_SETTLE_SECONDS = 2
"""How long reading the last messages of a dead process may take."""
_LOGIN_NEEDED = -32000
_STATUSES = range(400, 600)
_STOPS = {
    "max_tokens": TroubleKind.TURNS,
    "max_turn_requests": TroubleKind.TURNS,
    "refusal": TroubleKind.REFUSAL,
}


class AcpTalk:
    """One job's conversation. Give `open` and `wire.feed` to the process; `close` it at the end."""

    def __init__(self, preset: Preset, job: Job, line: Line) -> None:
        self.wire = Wire()
        self.report = Report(line.heard)
        self.interrupted = False
        self.over_budget = False
        self.cancelled = False
        """Whether the agent says that it stopped because it was told to."""
        self._client = Client(job.workspace, self.report, self._watch_budget)
        self._preset = preset
        self._job = job
        self._line = line
        self._session = ""
        self._connection: ClientSideConnection | None = None
        self._process: Input | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._nudges: list[asyncio.Task[None]] = []
        self._timer: asyncio.TimerHandle | None = None

    def open(self, process: Input) -> None:
        self._process = process
        self.wire.open(process)
        self._begin(self._converse())

    async def close(self) -> None:
        """The process is gone: read what is left, and end."""
        self._process = None
        self._line.connect()
        if self._timer is not None:
            self._timer.cancel()
        self.wire.hang_up()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_SETTLE_SECONDS)
        for task in self._tasks:
            task.cancel()
        self.report.pause()

    def nudge(self, text: str) -> None:
        self._nudges.append(self._begin(self._tell(text)))

    def interrupt(self) -> None:
        if not self.interrupted and self._connection is not None:
            self.interrupted = True
            self._begin(self._connection.cancel(session_id=self._session))
            self._stop_later()

    async def _converse(self) -> None:
        """From the greeting to the last answer; then the agent is let go."""
        # Importing takes most of a second: the agent starts in the meantime.
        acp = await asyncio.to_thread(importlib.import_module, "acp")
        _hush()
        connection = acp.connect_to_agent(cast("AnyClient", self._client), self.wire)
        self._connection = connection
        try:
            if await self._introduce(connection):
                await self._work(connection)
        except acp.RequestError as error:
            self._refused(error)
        except ConnectionError:
            pass  # the process is gone, and the way it ended says why
        except ValueError:
            self.report.fail("Its answer does not follow the protocol.", TroubleKind.GARBAGE)
        finally:
            self._connection = None
            self._line.connect()
            await connection.close()
            self._let_go()

    async def _introduce(self, connection: ClientSideConnection) -> bool:
        """Whether there is a session with the model that is wanted."""
        from acp import PROTOCOL_VERSION
        from acp.schema import ClientCapabilities, Implementation

        await connection.initialize(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=ClientCapabilities(),
            client_info=Implementation(name="ralph", version=__version__),
        )
        session = await connection.new_session(cwd=self._job.workspace, mcp_servers=[])
        self._session = session.session_id
        if self._preset.model and not self._preset.model_words:
            return await self._choose_model(connection, session)
        return True

    async def _choose_model(
        self, connection: ClientSideConnection, session: NewSessionResponse
    ) -> bool:
        from acp import RequestError

        offered = fields(session).items("configOptions")
        option = next((one.text("id") for one in offered if one.text("category") == "model"), "")
        told = "its model cannot be chosen"
        if option:
            try:
                await connection.set_config_option(
                    config_id=option, session_id=self._session, value=self._preset.model
                )
            except RequestError as error:
                told = str(error)
            else:
                return True
        self.report.over = True
        self.report.fail(told, TroubleKind.MODEL_NOT_FOUND)
        return False

    async def _work(self, connection: ClientSideConnection) -> None:
        self._client.listening = True
        self._line.connect(self.nudge if self._preset.nudges else None, self.interrupt)
        await self._prompt(connection, self._job.prompt)
        while waiting := [task for task in self._nudges if not task.done()]:
            await asyncio.wait(waiting)

    async def _prompt(self, connection: ClientSideConnection, text: str) -> None:
        from acp import text_block

        words = text.encode("utf-8", "replace").decode("utf-8")
        response = await connection.prompt(session_id=self._session, prompt=[text_block(words)])
        self.report.over = True
        self._client.answered(response)
        self.cancelled = response.stop_reason == "cancelled"
        if response.stop_reason in _STOPS:
            self.report.fail("", _STOPS[response.stop_reason])

    async def _tell(self, text: str) -> None:
        """A nudge. One that is refused does no harm: the work continues."""
        from acp import RequestError

        if self._connection is not None:
            with contextlib.suppress(RequestError, ConnectionError, ValueError):
                await self._prompt(self._connection, text)
                self._line.heard(Activity(ActivityKind.NUDGED))

    def _refused(self, error: RequestError) -> None:
        data = Fields(error.data)
        login = TroubleKind.AUTHENTICATION if error.code == _LOGIN_NEEDED else ""
        self.report.over = True
        self.report.fail(
            data.text("details") or data.text("message") or str(error),
            *(login, data.text("errorKind"), data.text("errorName")),
            status=error.code if error.code in _STATUSES else 0,
        )

    def _watch_budget(self) -> None:
        cost = self.report.usage.cost_usd or 0
        if self._job.budget_usd and cost > self._job.budget_usd and not self.report.over:
            self.over_budget = True
            self.interrupt()

    def _let_go(self) -> None:
        if self._process is not None:
            self._process.end_input()
            self._stop_later()

    def _stop_later(self) -> None:
        if self._timer is None and self._process is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(LINGER_SECONDS, self._process.stop)

    def _begin(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _hush() -> None:
    """The library complains to the root logger, which without a handler writes to the terminal."""
    root = logging.getLogger()
    if not root.handlers:
        root.addHandler(logging.NullHandler())


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

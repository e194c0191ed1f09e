"""The conversation with a running Claude Code: what goes in, what comes out, when it is over."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from ralph.agents.stream_json import Decoder
from ralph.domain.activity import ActivityKind

if TYPE_CHECKING:
    from ralph.agents.line import Line
    from ralph.domain.activity import Activity
    from ralph.domain.job import Job
    from ralph.process import Input

LINE_CAP = 4 << 20
LINGER_SECONDS = 5
"""How long the program may stay after its last result, or after an interrupt; then it is ended."""

_INTERRUPT = {
    "type": "control_request",
    "request_id": "ralph-interrupt",
    "request": {"subtype": "interrupt"},
}


def user_line(text: str) -> bytes:
    """A message of the user as the program reads it."""
    words = text.encode("utf-8", "replace").decode("utf-8")
    return _line({"type": "user", "message": {"role": "user", "content": words}})


def _line(event: object) -> bytes:
    return json.dumps(event, ensure_ascii=False).encode() + b"\n"


class ClaudeTalk:
    """One job's conversation. Give `open` and `hear` to the process."""

    def __init__(self, job: Job, line: Line) -> None:
        self.decoder = Decoder(LINE_CAP, sure=True, resumed=bool(job.session), heard=self._heard)
        self.interrupted = False
        self.over_budget = False
        self._budget = job.budget_usd
        self._line = line
        self._process: Input | None = None
        self._nudges = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def has_result(self) -> bool:
        """Whether its last word is a result: nothing it began is unfinished."""
        return self.decoder.results > 0 and not self.decoder.answering

    def open(self, process: Input) -> None:
        self._process = process
        self._line.connect(self.nudge, self.interrupt)

    def hear(self, data: bytes) -> None:
        self.decoder.feed(data)
        if self._process is None:
            return
        if self.has_result and not self._awaited:
            self._line.connect()
            self._process.end_input()
            self._stop_later()
        elif not self.interrupted:
            self._stop_not()

    def nudge(self, text: str) -> None:
        if self._process is not None:
            self._nudges += 1
            self._process.send(user_line(text))

    def interrupt(self) -> None:
        if self._process is not None and not self.interrupted:
            self.interrupted = True
            self._process.send(_line(_INTERRUPT))
            self._stop_later()

    def close(self) -> None:
        self._stop_not()
        self._line.connect()
        self._process = None
        self.decoder.close()

    @property
    def _awaited(self) -> bool:
        """Whether it was told something that it has not taken up yet: a turn is to come."""
        pending = self._nudges - max(self.decoder.doings.taken_up - 1, 0)
        return not self.interrupted and (pending > 0 or self.decoder.queued > 0)

    def _heard(self, activity: Activity) -> None:
        self._line.heard(activity)
        if activity.kind is ActivityKind.SPENT and self.decoder.answering:
            self._watch_budget((activity.usage and activity.usage.cost_usd) or 0)

    def _watch_budget(self, cost: float) -> None:
        if self._budget and cost > self._budget and not self.over_budget:
            self.over_budget = True
            self.interrupt()

    def _stop_later(self) -> None:
        if self._timer is None and self._process is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(LINGER_SECONDS, self._process.stop)

    def _stop_not(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

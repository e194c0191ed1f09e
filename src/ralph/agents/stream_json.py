"""Claude's stream-json: one JSON object per line, read as it comes, whatever comes."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

import msgspec

from ralph.agents.doings import Doings
from ralph.agents.fields import Fields, parse
from ralph.agents.lines import CAP, LineCutter
from ralph.agents.spending import Spending
from ralph.agents.words import Words

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable

    from ralph.domain.activity import Activity
    from ralph.domain.usage import Usage

_NOISE = 300
_NOISE_LINES = 5
_LOOK_AT = 64
"""How many lines of noise may come before the stream's own beginning."""
_ABORTED = ("aborted_streaming", "aborted_tools")


class _Kind(msgspec.Struct):
    type: str
    subtype: str | None = None


_kind = msgspec.json.Decoder(_Kind)


def _ignore(_: Activity) -> None:
    pass


class Decoder:
    """Collects what an agent says and spends. Feed it bytes as they come, then close it."""

    def __init__(
        self,
        line_cap: int = CAP,
        *,
        sure: bool = False,
        resumed: bool = False,
        heard: Callable[[Activity], None] = _ignore,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.recognised = sure
        """Whether this is stream-json at all."""
        self.session_id = ""
        self.results = 0
        self.answering = True
        """Whether more is to come; False once a result has come and nothing after it."""
        self.queued = 0
        """Messages that the agent had not taken up when its last result came."""
        self.is_error = False
        self.aborted = False
        """Whether its last result tells of an interrupt."""
        self.status = 0
        self.words: tuple[str, ...] = ()
        """Its own names for what went wrong."""
        self.resets_at: float | None = None
        """When a used-up limit is lifted, in seconds since the epoch."""
        self.result: str | None = None
        self.bad_lines = 0
        self.spending = Spending(resumed=resumed)
        self.doings = Doings(heard, clock)
        self._noise: deque[bytes] = deque(maxlen=_NOISE_LINES)
        self._before = 0
        """Lines before the stream's beginning."""
        self._lines = LineCutter(self._line, line_cap)
        self._words = Words()
        self._last = ""
        self._errors = ""
        self._failure = ""
        """Its word for the last failure of a request."""

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes, cut wherever they may be."""
        self._lines.feed(chunk)

    def close(self) -> None:
        """Take a last line that has no end."""
        self._lines.close()

    @property
    def text(self) -> str:
        """All that was said, bounded; the result comes last."""
        result = self.result or ""
        return self._words.joined("" if result.strip() == self._last.strip() else result)

    @property
    def usage(self) -> Usage:
        """Of the whole process."""
        return self.spending.usage

    @property
    def tools(self) -> Counter[str]:
        return self.doings.tools

    @property
    def dropped_lines(self) -> int:
        return self._lines.dropped

    @property
    def noise(self) -> str:
        """The last lines that are no events: a crash speaks there."""
        return b"\n".join(self._noise).decode("utf-8", "replace")

    @property
    def error(self) -> str:
        """The agent's trouble by its own account, in its own words."""
        if not self.is_error:
            return ""
        said = (self.result or self._errors or self._last).strip()
        return said.partition("\n")[0][:_NOISE]

    def _line(self, line: bytes) -> None:
        kind = _peek(line)
        if not self.recognised:
            self._recognise(kind)
        if not self.recognised:
            return
        if kind is None:
            self.bad_lines += 1
            self._noise.append(line[-_NOISE:])
        elif take := _TAKES.get(kind.type):
            self.answering = self.answering or kind.type in _WORK
            take(self, Fields(parse(line)))

    def _recognise(self, kind: _Kind | None) -> None:
        starts = kind is not None and (kind.type, kind.subtype) == ("system", "init")
        noise = self._before + self._lines.dropped
        self.recognised = starts or (kind is not None and not noise)
        self._before += 1
        if not self.recognised and noise + 1 >= _LOOK_AT:
            self._lines.stop()

    def _system(self, event: Fields) -> None:
        self.session_id = event.text("session_id") or self.session_id
        self.answering = self.answering or event.text("status") == "requesting"
        if event.text("subtype") == "init":
            self.spending.works_with(event.text("model"))
        self.doings.system(event)

    def _stream_event(self, event: Fields) -> None:
        conversation = event.text("parent_tool_use_id")
        part = event.inner("event")
        match part.text("type"):
            case "message_start":
                self.spending.begun(conversation, part.inner("message"), streamed=True)
                self.doings.spent(self.usage, self.spending.context)
            case "message_delta":
                reason = part.inner("delta").text("stop_reason")
                self.spending.ended(conversation, part.inner("usage"), reason)
                self.doings.spent(self.usage, self.spending.context)
            case "content_block_delta":
                delta = part.inner("delta")
                grown = sum(len(delta.text(name)) for name in _DELTAS)
                self.spending.grown(conversation, grown)
                self.doings.thought()

    def _assistant(self, event: Fields) -> None:
        message = event.inner("message")
        conversation = event.text("parent_tool_use_id")
        if not conversation:
            self._failure = event.text("error") if event.flag("is_api_error_message") else ""
        if self.spending.shown(conversation, message):
            self.doings.spent(self.usage, self.spending.context)
        said = self.doings.answered(message)
        # What a subagent says, it says to the agent.
        for words in () if conversation else said:
            self._last = words
            self._words.add(words)

    def _user(self, event: Fields) -> None:
        self.doings.answer_of_tools(event)

    def _rate_limit(self, event: Fields) -> None:
        info = event.inner("rate_limit_info") or event
        if info.text("status") == "rejected":
            self.resets_at = info.number("resetsAt")

    def _result(self, event: Fields) -> None:
        self.session_id = event.text("session_id") or self.session_id
        self.results += 1
        self.queued = event.count("queued_turn_count")
        self.answering = False
        self.result = event.text("result")
        self.status = event.count("api_error_status")
        self.aborted = event.text("terminal_reason") in _ABORTED
        self._errors = " ".join(event.texts("errors"))
        self.words = (*(event.text(name) for name in _NAMES), self._failure)
        # `subtype` stays "success" on errors of the API.
        self.is_error = event.flag("is_error") or bool(self.status or event.text("api_error"))
        self.spending.told(event)
        self.doings.spent(self.usage, self.spending.context)


_DELTAS = ("text", "thinking", "partial_json")
_NAMES = ("api_error", "terminal_reason", "subtype", "stop_reason", "api_error_type")
_WORK = ("stream_event", "assistant", "user")
_TAKES = {
    "system": Decoder._system,  # noqa: SLF001 - this is the class's own table
    "stream_event": Decoder._stream_event,  # noqa: SLF001 - the same
    "assistant": Decoder._assistant,  # noqa: SLF001 - the same
    "user": Decoder._user,  # noqa: SLF001 - the same
    "rate_limit_event": Decoder._rate_limit,  # noqa: SLF001 - the same
    "result": Decoder._result,  # noqa: SLF001 - the same
}


def _peek(line: bytes) -> _Kind | None:
    """What kind of event this is, without building the rest of it."""
    if not line.startswith(b"{"):
        return None
    try:
        return _kind.decode(line)
    except (ValueError, RecursionError):
        pass
    fields = Fields(parse(line))
    return _Kind(fields.text("type"), fields.text("subtype")) if fields.text("type") else None

"""Claude's stream-json: one JSON object per line, read as it comes, whatever comes."""

from __future__ import annotations

import json
import time
from copy import copy
from dataclasses import replace
from typing import Any

import msgspec

from ralph.domain.usage import Usage

HEAD = 64 << 10
TAIL = 192 << 10
LINE_CAP = 16 << 20
"""A longer line is dropped: it is a tool's output, not the agent's words."""

_NOISE = 1000
_LOOK_AT = 64
"""How many lines of noise may come before the stream's own beginning."""


class _Kind(msgspec.Struct):
    type: str
    subtype: str | None = None


_kind = msgspec.json.Decoder(_Kind)
_whole = msgspec.json.Decoder()


class Decoder:
    """Collects what an agent says and spends. Feed it bytes as they come, then close it."""

    def __init__(self, line_cap: int = LINE_CAP) -> None:
        self.recognised = False
        """Whether this is stream-json at all."""
        self.session_id = ""
        self.is_error = False
        self.api_error = ""
        self.resets_at: float | None = None
        """When a used-up limit is lifted, in seconds since the epoch."""
        self.result: str | None = None
        self.dropped_lines = 0
        self.bad_lines = 0
        self.last_noise = ""
        """The last line that is no event: a crash speaks there."""
        self._line_cap = line_cap
        self._noise = 0
        """Lines before the stream's beginning."""
        self._given_up = False
        self._words = _Words()
        self._last = ""
        self._cost: float | None = None
        self._turns = Usage()
        self._models: Usage | None = None
        self._pending = bytearray()
        self._skipping = False

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes, cut wherever they may be."""
        start = 0
        while not self._given_up and (end := chunk.find(b"\n", start)) >= 0:
            self._hold(chunk[start:end])
            self._end_line()
            start = end + 1
        if not self._given_up:
            self._hold(chunk[start:])

    def close(self) -> None:
        """Take a last line that has no end."""
        if self._pending or self._skipping:
            self._end_line()

    @property
    def text(self) -> str:
        """All that was said, bounded; the result comes last."""
        result = self.result or ""
        if result.strip() == self._last.strip():
            result = ""
        return self._words.joined(result)

    @property
    def usage(self) -> Usage:
        """Of the whole process. Per-turn numbers leave out subagents, so they are second best."""
        return replace(self._models or self._turns, cost_usd=self._cost)

    @property
    def error(self) -> str:
        """The agent's trouble by its own account, in a sentence."""
        if not self.is_error:
            return ""
        said = (self.result or self._last).strip().partition("\n")[0][:300]
        kind = f" ({self.api_error})" if self.api_error else ""
        until = f" The limit is lifted at {_clock(self.resets_at)}." if self.resets_at else ""
        return f"The agent reported an error{kind}: {said or 'no message'}{until}"

    def _hold(self, part: bytes) -> None:
        if self._skipping:
            return
        if len(self._pending) + len(part) > self._line_cap:
            self._pending.clear()
            self._skipping = True
        else:
            self._pending += part

    def _end_line(self) -> None:
        line = bytes(self._pending).strip()
        self._pending.clear()
        if self._skipping:
            self._skipping = False
            self._noise += 1
            self.dropped_lines += 1
        elif line:
            self._line(line)

    def _line(self, line: bytes) -> None:
        kind = _peek(line)
        if not self.recognised:
            self._recognise(kind)
        if not self.recognised:
            return
        if kind is None:
            self.bad_lines += 1
            self.last_noise = line[-_NOISE:].decode("utf-8", "replace")
        elif take := _TAKES.get(kind.type):
            take(self, _Fields(_parse(line)))

    def _recognise(self, kind: _Kind | None) -> None:
        starts = kind is not None and (kind.type, kind.subtype) == ("system", "init")
        self.recognised = starts or (kind is not None and not self._noise)
        self._noise += 1
        self._given_up = not self.recognised and self._noise >= _LOOK_AT

    def _system(self, event: _Fields) -> None:
        self.session_id = event.text("session_id") or self.session_id

    def _assistant(self, event: _Fields) -> None:
        message = event.inner("message")
        said = [b.text("text") for b in message.items("content") if b.text("type") == "text"]
        for words in (message.text("content"), *said):
            if words:
                self._last = words
                self._words.add(words)

    def _rate_limit(self, event: _Fields) -> None:
        info = event.inner("rate_limit_info") or event
        if info.text("status") == "rejected":
            self.resets_at = info.number("resetsAt")

    def _result(self, event: _Fields) -> None:
        self._system(event)
        self.result = event.text("result")
        status = event.number("api_error_status")
        self.api_error = event.text("api_error") or (f"status {status:.0f}" if status else "")
        # `subtype` stays "success" on errors of the API.
        self.is_error = event.flag("is_error") or bool(self.api_error)
        cost = event.number("total_cost_usd")
        self._cost = self._cost if cost is None else cost
        self._turns += _tokens(event.inner("usage"), _TURN)
        if models := event.inner("modelUsage"):
            self._models = sum((_tokens(one, _MODEL) for one in models.values()), Usage())


class _Words:
    """Text with a bounded beginning and a bounded end."""

    def __init__(self) -> None:
        self.head = ""
        self.tail = ""
        self.left_out = 0

    def add(self, text: str) -> None:
        text = f"\n{text}" if self.head else text
        room = HEAD - len(self.head)
        self.head += text[:room]
        self.tail += text[room:]
        # Cutting copies, so it is done once in a while only.
        if len(self.tail) > 2 * TAIL:
            self.left_out += len(self.tail) - TAIL
            self.tail = self.tail[-TAIL:]

    def joined(self, last: str) -> str:
        """What was added, and then `last`."""
        words = copy(self)
        if last:
            words.add(last)
        left_out = words.left_out + max(len(words.tail) - TAIL, 0)
        gap = f"\n[… {left_out} characters left out …]\n" if left_out else ""
        return words.head + gap + words.tail[-TAIL:]


class _Fields:
    """A JSON object that may hold anything, read without trust."""

    def __init__(self, raw: object) -> None:
        self._raw: dict[str, Any] = raw if isinstance(raw, dict) else {}

    def __bool__(self) -> bool:
        return bool(self._raw)

    def text(self, name: str) -> str:
        value = self._raw.get(name)
        return _whole_characters(value) if isinstance(value, str) else ""

    def number(self, name: str) -> float | None:
        value = self._raw.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool):
            return None
        return float(value) if 0 <= value < _HUGE else None

    def flag(self, name: str) -> bool:
        return self._raw.get(name) is True

    def inner(self, name: str) -> _Fields:
        return _Fields(self._raw.get(name))

    def items(self, name: str) -> list[_Fields]:
        value = self._raw.get(name)
        return [_Fields(one) for one in value] if isinstance(value, list) else []

    def values(self) -> list[_Fields]:
        return [_Fields(one) for one in self._raw.values()]


_HUGE = 1e11
"""As a time it is the year 5138, as money or tokens nothing that happens."""
_TURN = (
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)
_MODEL = ("inputTokens", "outputTokens", "cacheCreationInputTokens", "cacheReadInputTokens")
_TAKES = {
    "system": Decoder._system,  # noqa: SLF001 - this is the class's own table
    "assistant": Decoder._assistant,  # noqa: SLF001 - the same
    "rate_limit_event": Decoder._rate_limit,  # noqa: SLF001 - the same
    "result": Decoder._result,  # noqa: SLF001 - the same
}


def _tokens(fields: _Fields, names: tuple[str, str, str, str]) -> Usage:
    return Usage(*(int(fields.number(name) or 0) for name in names))


def _peek(line: bytes) -> _Kind | None:
    """What kind of event this is, without building the rest of it."""
    if not line.startswith(b"{"):
        return None
    try:
        return _kind.decode(line)
    except (ValueError, RecursionError):
        pass
    fields = _Fields(_parse(line))
    return _Kind(fields.text("type"), fields.text("subtype")) if fields.text("type") else None


def _parse(line: bytes) -> object:
    try:
        return _whole.decode(line)
    except (ValueError, RecursionError):
        pass
    # The strict parser refuses what real agents write: broken UTF-8, half a surrogate pair.
    try:
        return json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _clock(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))


def _whole_characters(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")

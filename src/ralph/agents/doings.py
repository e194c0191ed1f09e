from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from ralph import masking
from ralph.domain.activity import Activity, ActivityKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.agents.fields import Fields
    from ralph.domain.usage import Usage

BOUND = 300
THOUGHT_SECONDS = 1.0
_TELLING = ("command", "file_path", "path", "pattern", "url", "query", "description", "prompt")
"""What says most about a tool's use, best first."""
_REMEMBERED = 200
_TOOL_NAMES = 100
_OTHERS = "others"
_PASSING = frozenset({"id", "status", "aggregated_output", "exit_code"})
"""What some put beside the input of a call: it says nothing about the call."""
_EXIT_CODE = "Exit code "
"""How the answer of a command begins that exited with another code than 0."""


class Doings:
    """Tells what an agent does, for people who watch, and counts its tools."""

    def __init__(self, heard: Callable[[Activity], None], clock: Callable[[], float]) -> None:
        self.tools: Counter[str] = Counter()
        self.taken_up = 0
        """Messages of the user that the agent has taken up, the prompt among them."""
        self._heard = heard
        self._clock = clock
        self._thought = float("-inf")
        self._called: dict[str, tuple[str, str]] = {}
        """The tools that have not answered yet: their names, and digests of the calls."""

    def thought(self) -> None:
        """A sign of life, passed on once a second only."""
        now = self._clock()
        if now - self._thought >= THOUGHT_SECONDS:
            self._thought = now
            self._heard(Activity(ActivityKind.THOUGHT))

    def spent(self, usage: Usage, context: float = 0) -> None:
        self._heard(Activity(ActivityKind.SPENT, usage=usage, context=context))

    def system(self, event: Fields) -> None:
        match event.text("subtype"):
            case "api_retry":
                self._heard(Activity(ActivityKind.RETRYING, _retry(event)))
            case "status" | "thinking_tokens" | "task_progress":
                self.thought()

    def answered(self, message: Fields) -> list[str]:
        """Tell a message of the model; the words in it."""
        said = [message.text("content")]
        for block in message.items("content"):
            if block.text("type") == "text":
                said.append(block.text("text"))
            elif block.text("type") == "tool_use":
                self.call(block.text("id"), block.text("name"), block.inner("input"))
        words = [one for one in said if one]
        for one in words:
            self.said(one)
        return words

    def answer_of_tools(self, event: Fields) -> None:
        message = event.inner("message")
        if event.flag("isReplay"):
            self.taken_up += 1
            if self.taken_up > 1:
                self._heard(Activity(ActivityKind.NUDGED, _short(_text(message))))
            return
        for block in message.items("content"):
            if block.text("type") == "tool_result":
                text = _text(block)
                failed = block.flag("is_error") and not text.startswith(_EXIT_CODE)
                self.result(block.text("tool_use_id"), text, failed=failed)

    def said(self, text: str) -> None:
        self._heard(Activity(ActivityKind.SAID, _short(text)))

    def result(self, call: str, text: str, *, failed: bool = False) -> None:
        """A tool has answered the call with that id."""
        tool, asked = self._called.pop(call, ("", ""))
        self._heard(
            Activity(
                ActivityKind.RESULT,
                _short(text),
                tool,
                digest=_digest(f"{asked} {text}") if asked else "",
                failed=failed,
            )
        )

    def call(self, call: str, name: str, given: Fields) -> None:
        """A tool is called; `call` is the id by which its result will name it."""
        name = name[:BOUND]
        self.tools[name if name in self.tools or len(self.tools) < _TOOL_NAMES else _OTHERS] += 1
        self._called[call] = (name, _of_call(name, given))
        if len(self._called) > _REMEMBERED:
            del self._called[next(iter(self._called))]
        self._heard(Activity(ActivityKind.TOOL, _on_what(given), name))


def _of_call(name: str, given: Fields) -> str:
    """Equal for the same input to the same tool; empty for one that cannot be told."""
    told = {key: value for key, value in given.raw.items() if key not in _PASSING}
    try:
        return _digest(f"{name} {msgspec.json.encode(told, order='sorted').decode()}")
    except (ValueError, RecursionError):
        return ""


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _on_what(given: Fields) -> str:
    texts = (given.text(name) for name in (*_TELLING, *given.raw))
    return _short(next((text for text in texts if text), ""))


def _text(block: Fields) -> str:
    """What a block says, whose content is a text or a list of blocks."""
    parts = (one.text("text") for one in block.items("content"))
    return block.text("content") or " ".join(part for part in parts if part)


def _retry(event: Fields) -> str:
    status = event.count("error_status")
    why = " ".join(filter(None, (event.text("error"), str(status) if status else "")))
    seconds = (event.number("retry_delay_ms") or 0) / 1000
    times = f"{event.count('attempt')} of {event.count('max_retries')}"
    return f"try {times} in {seconds:.1f} s: {why}"[:BOUND]


def _short(text: str) -> str:
    # masked before it is cut: half a secret is hard to tell
    return " ".join(masking.text(text[: 4 * BOUND]).split())[:BOUND]

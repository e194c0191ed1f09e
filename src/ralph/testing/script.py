"""What a scripted endpoint says: values that know no vendor, and how they are read from JSON.

    {"turns": [{"content": [{"type": "text", "text": "Done."}]}], "subagents": {"count": […]}}

One turn answers one request of the conversation, in order. A subagent's conversation has turns of
its own: those under the first marker that occurs in the text it was opened with. The same goes for
`conversations`: a program that is started again and again gets the turns for what it was told.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
from msgspec import Struct

OK = 200
MAIN = "main"
_STATUSES = range(100, 600)


class BadModelScript(ValueError):
    """The script makes no sense; the message says where."""


class Text(Struct, frozen=True, tag="text", forbid_unknown_fields=True):
    """The model says something."""

    text: str


class Thinking(Struct, frozen=True, tag="thinking", forbid_unknown_fields=True):
    """The model thinks aloud."""

    text: str


class ToolUse(Struct, frozen=True, tag="tool_use", forbid_unknown_fields=True):
    """The model calls a tool of the agent program."""

    name: str
    input: dict[str, Any] = {}


class ClaimedUsage(Struct, frozen=True, forbid_unknown_fields=True):
    """The tokens that the answer claims to have cost."""

    input: int = 0
    output: int = 0
    cache_write: int = 0
    cache_read: int = 0


class Turn(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer to one request. An empty one is an empty answer of the model."""

    content: tuple[Text | ToolUse | Thinking, ...] = ()
    usage: ClaimedUsage = ClaimedUsage()
    stop_reason: str = ""
    """Empty: `tool_use` if a tool is called, else `end_turn`."""
    status: int = OK
    """Any other than 200 answers with an error instead of the content."""
    error: str = ""
    """The vendor's name for the error; empty: what the status usually goes with."""
    message: str = ""
    """The text of the error."""
    retry_after: float | None = None
    headers: dict[str, str] = {}
    delay: float = 0
    """Seconds before the answer begins."""
    pace: float = 0
    """Seconds between the events of a streamed answer."""
    hang: bool = False
    """Never answers; the request ends when the endpoint closes."""
    drop: int | None = None
    """Breaks the connection after so many events of the answer."""
    garbage: str | None = None
    """Sent as it is instead of the answer."""
    expect: str = ""
    """Must occur in the request, or it is answered with status 400 that names it."""
    repeat: bool = False
    """Answers every later request too; only for the last turn."""


class Script(Struct, frozen=True, forbid_unknown_fields=True):
    """What one conversation and its subagents are answered."""

    turns: tuple[Turn, ...]
    subagents: dict[str, tuple[Turn, ...]] = {}
    conversations: dict[str, tuple[Turn, ...]] = {}
    """Instead of `turns`, for conversations that were opened with the marker."""

    def marker(self, opening: str, *, subagent: bool) -> str:
        """The marker of the turns for what was opened with this text; empty: it has none."""
        markers = self.subagents if subagent else self.conversations
        return next((marker for marker in markers if marker in opening), "")

    def lists(self) -> dict[tuple[bool, str], tuple[Turn, ...]]:
        """All turns, by whether they are a subagent's and by their marker."""
        return {
            (False, ""): self.turns,
            **{(False, marker): turns for marker, turns in self.conversations.items()},
            **{(True, marker): turns for marker, turns in self.subagents.items()},
        }


def choose(turns: tuple[Turn, ...], taken: int, request: str) -> tuple[int, str]:
    """The number of the turn for a request when so many are taken, and why it cannot have it."""
    number = min(taken, len(turns) - 1)
    turn = turns[number]
    if taken > number and not turn.repeat:
        return number, f"All {len(turns)} turns are taken; this request is one more."
    if json.dumps(turn.expect, ensure_ascii=False)[1:-1] not in request:
        return number, f"Turn {number} expects `{turn.expect}` in the request."
    return number, ""


def check(script: Script, where: str = "$") -> Script:
    """The script itself; a BadScript names the place where it is wrong."""
    lists = {f"{where}.turns": script.turns}
    marked = {"subagents": script.subagents, "conversations": script.conversations}
    for kind, lists_of_kind in marked.items():
        lists |= {f"{where}.{kind}.{marker}": turns for marker, turns in lists_of_kind.items()}
        if "" in lists_of_kind:
            raise BadModelScript(f"`{where}.{kind}` has an empty marker.")
    for place, turns in lists.items():
        if not turns:
            raise BadModelScript(f"`{place}` must hold at least one turn.")
        for number, turn in enumerate(turns):
            _check_turn(turn, f"{place}[{number}]", last=number == len(turns) - 1)
    return script


def _check_turn(turn: Turn, place: str, *, last: bool) -> None:
    if turn.repeat and not last:
        raise BadModelScript(f"`{place}.repeat`: only the last turn can repeat.")
    if turn.status not in _STATUSES:
        raise BadModelScript(f"`{place}.status` must be an HTTP status, not {turn.status}.")
    if turn.status != OK and turn.content:
        raise BadModelScript(f"`{place}` has both an error status and content.")
    if min(turn.delay, turn.pace, turn.drop or 0, turn.retry_after or 0) < 0:
        raise BadModelScript(f"`{place}` has a negative time or number.")


def parse(data: bytes | str) -> dict[str, Script]:
    """Named scripts from JSON: one script, called `main`, or an object of several."""
    try:
        raw = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadModelScript(f"The script is not JSON: {error}.") from error
    if not isinstance(raw, dict) or not raw:
        raise BadModelScript(
            'A script is {"turns": [turn, …]}, or several: {"name": {"turns": …}}.'
        )
    if "turns" in raw:
        return {MAIN: _convert(raw, "$")}
    return {name: _convert(script, f"$.{name}") for name, script in raw.items()}


def _convert(raw: object, where: str) -> Script:
    try:
        script = msgspec.convert(raw, Script)
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$")
        raise BadModelScript(f"`{where}{place.rstrip('`')}`: {what}.") from error
    return check(script, where)

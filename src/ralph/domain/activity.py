from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from ralph.domain.usage import Usage


class ActivityKind(StrEnum):
    SAID = "said"
    THOUGHT = "thought"
    """A sign of life while it thinks or writes; there is no text to it."""
    TOOL = "tool"
    """It uses a tool; `text` says on what."""
    RESULT = "result"
    """A tool has answered."""
    SPENT = "spent"
    """`usage` has grown."""
    RETRYING = "retrying"
    """A request failed and is tried again by the agent itself."""
    NUDGED = "nudged"
    """It has taken up a nudge."""


class Activity(Struct, frozen=True):
    """Something a running agent does."""

    kind: ActivityKind
    text: str = ""
    """Bounded, for people."""
    tool: str = ""
    usage: Usage | None = None
    """With SPENT: all that this process has used so far, as far as it is known."""
    context: float = 0
    """With SPENT: the share of the model's context that is in use, where that is known."""
    digest: str = ""
    """With RESULT: equal for the same call with the same answer."""
    failed: bool = False
    """With RESULT: the tool could not be used. A command's exit code is an answer."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from ralph.domain.trouble import Trouble
from ralph.domain.usage import Usage


class Ended(StrEnum):
    """How a child process came to its end."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    IDLE = "idle"
    KILLED = "killed"
    """By a signal that Ralph did not send."""
    STOPPED = "stopped"
    """By Ralph, on request."""
    EXCESS = "excess"
    """By Ralph: it took more memory or processes than it may."""
    NOT_STARTED = "not_started"


class Answer(Struct, frozen=True):
    """What came back from one agent process."""

    text: str
    """What the agent said, bounded: the head and the tail of long output."""
    ended: Ended
    exit_code: int | None
    seconds: float
    usage: Usage = field(default_factory=Usage)
    log: str = ""
    """The file with the whole output, as far as the cap allows."""
    output_bytes: int = 0
    trouble: Trouble | None = None
    """What went wrong with the agent itself; None when it worked normally."""
    agent: str = ""
    """Who answered."""
    session: str = ""
    """By this name the same agent can be asked to continue where it stopped."""
    models: Mapping[str, Usage] = {}
    """The usage by model, where the agent tells."""
    calls: int = 0
    """Answers it got from its model."""
    tools: Mapping[str, int] = {}
    """How often it used which tool."""

    @property
    def error(self) -> str:
        return "" if self.trouble is None else self.trouble.message

    @property
    def worked(self) -> bool:
        """Whether the agent ran to its end by itself, whatever it achieved."""
        return self.ended is Ended.EXITED and self.exit_code == 0 and self.trouble is None

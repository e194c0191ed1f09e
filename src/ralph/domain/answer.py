from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

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
    NOT_STARTED = "not_started"


@dataclass(frozen=True, slots=True)
class Answer:
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
    error: str = ""
    """The agent's own trouble in a sentence; empty when it worked normally."""

    @property
    def worked(self) -> bool:
        """Whether the agent ran to its end by itself, whatever it achieved."""
        return self.ended is Ended.EXITED and self.exit_code == 0 and not self.error

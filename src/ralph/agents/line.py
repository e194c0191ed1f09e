"""Between the loop and an agent at work: what it does comes out, nudges go in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.domain.activity import Activity


def _ignore(_: Activity) -> None:
    pass


class Line:
    """Made by the loop for one job. An agent that can be reached connects to it while it runs."""

    def __init__(self, heard: Callable[[Activity], None] = _ignore) -> None:
        self.heard = heard
        """The agent calls this with what it does."""
        self._nudge: Callable[[str], None] | None = None
        self._interrupt: Callable[[], None] | None = None

    def connect(
        self,
        nudge: Callable[[str], None] | None = None,
        interrupt: Callable[[], None] | None = None,
    ) -> None:
        """By the agent: how it can be reached from now on; without arguments, no longer."""
        self._nudge = nudge
        self._interrupt = interrupt

    def nudge(self, text: str) -> bool:
        """Tell the running agent something; False if it cannot be told."""
        if self._nudge is None:
            return False
        self._nudge(text)
        return True

    def interrupt(self) -> bool:
        """Ask the running agent to stop where it is; False if it cannot be asked."""
        if self._interrupt is None:
            return False
        self._interrupt()
        return True

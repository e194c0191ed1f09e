"""Between the loop and an agent at work: what it does comes out, nudges go in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.domain.activity import Activity
    from ralph.process import Body, Pulse


def _ignore(_: Activity) -> None:
    pass


class Line:
    """Made by the loop for one job. An agent that can be reached connects to it while it runs."""

    def __init__(self, heard: Callable[[Activity], None] = _ignore) -> None:
        self.heard = heard
        """The agent calls this with what it does."""
        self._nudge: Callable[[str], None] | None = None
        self._interrupt: Callable[[], None] | None = None
        self._body: Body | None = None

    def attach(self, body: Body) -> None:
        """By the agent: the process that works for it."""
        self._body = body

    def connect(
        self,
        nudge: Callable[[str], None] | None = None,
        interrupt: Callable[[], None] | None = None,
    ) -> None:
        """By the agent: how it can be reached from now on; without arguments, no longer."""
        self._nudge = nudge
        self._interrupt = interrupt

    @property
    def can_nudge(self) -> bool:
        return self._nudge is not None

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

    def stop(self) -> bool:
        """End the agent's process and all that came from it; False if it has none."""
        if self._body is None:
            return False
        self._body.stop()
        return True

    def pulse(self) -> Pulse | None:
        """Signs of life of the agent's processes; None if it has none of its own."""
        return None if self._body is None else self._body.pulse()

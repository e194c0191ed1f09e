"""What the terminal would print of a run, as lines for a page."""

from __future__ import annotations

from io import StringIO

from msgspec import Struct

from ralph.ui.console import RunConsole
from ralph.ui.output import Output


class FeedLine(Struct, frozen=True):
    at: float
    text: str
    style: str = ""


class FeedOutput(Output):
    """Keeps what is printed."""

    def __init__(self) -> None:
        super().__init__(StringIO(), always=True)
        self.lines: list[FeedLine] = []

    def print(self, text: str = "", style: str = "", end: str = "\n") -> None:  # noqa: ARG002 - lines
        if text:
            self.lines.append(FeedLine(self.at, text, style))

    def taken(self) -> list[FeedLine]:
        lines, self.lines = self.lines, []
        return lines


def console() -> tuple[RunConsole, FeedOutput]:
    lines = FeedOutput()
    return RunConsole(total=0, done=(), asks=False, output=lines), lines

"""Lines on a terminal, or elsewhere."""

from __future__ import annotations

import os
import sys
import time
from typing import IO, TYPE_CHECKING

import click

from ralph.ui import width, words
from ralph.ui.words import colour

if TYPE_CHECKING:
    from collections.abc import Callable


class Output:
    """Lines in colour on a terminal, plain elsewhere."""

    def __init__(
        self, file: IO[str] | None = None, *, stamps: bool = False, always: bool = False
    ) -> None:
        self._file = file
        self.is_terminal = (file or sys.stdout).isatty()
        self.moves = self.is_terminal and os.environ.get("TERM", "dumb") != "dumb"
        """Whether its last line can be written anew."""
        self._stamps = stamps and (always or not self.is_terminal)
        self.shows_acts = always or self.is_terminal
        """Whether somebody wants to see what the agent does; the log of a run does not need it."""
        self.at = 0.0
        """The time that lines carry; 0 for now."""
        self._colour = (self.is_terminal or bool(os.environ.get("FORCE_COLOR"))) and (
            colour() is not False
        )

    def print(self, text: str = "", style: str = "", end: str = "\n") -> None:
        at = time.localtime(self.at or None)
        stamp = time.strftime("%H:%M:%S ", at) if self._stamps and text else ""
        text = self._fitted(text, len(stamp))
        *more, last = style.split() or [""]
        if self._colour and style:
            faint, strong = last == "dim", "bold" in (*more, last)
            fg = last if last not in ("dim", "bold") else None
            text = click.style(text, fg=fg, bold=strong or None, dim=faint or None)
        words.put(stamp + text + end, self._file)

    def _fitted(self, text: str, taken: int) -> str:
        """Broken between words where the terminal would break within them."""
        columns = words.columns_of(self._file or sys.stdout) if self.is_terminal else None
        return width.wrapped(text, columns, taken) if columns else text

    def live(self, told: Callable[[int], str]) -> None:
        """At the bottom of a terminal, until something is printed or it is shown anew."""
        if self.moves:
            words.live(told, self._file)

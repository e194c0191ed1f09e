"""Words of agents and plans on their way to a terminal: they may not steer it."""

from __future__ import annotations

import errno
import os
import sys

from ralph import masking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import IO

MOST = 300
"""Characters of a line that a person can still take in."""


def line(text: str, most: int = MOST) -> str:
    """The text as one line of bounded length."""
    words = " ".join(block(text).split())
    return words if len(words) <= most else f"{words[: most - 1]}…"


def block(text: str) -> str:
    """The text without secrets, with its line breaks and nothing else that moves the cursor."""
    text = masking.text(text)
    if text.isprintable():
        return text
    from ralph.people.wording import plain  # help needs no words of agents

    return plain(text.replace("\r\n", "\n").replace("\r", "\n"))


def standing(count: Mapping[str, int]) -> str:
    """How well the tasks are proven, in a line: "7 proven, 2 unproven, 1 open"."""
    kinds = ("proven", "checked", "unproven", "open")
    return ", ".join(f"{count[kind]} {kind}" for kind in kinds if count.get(kind)) or "no tasks"


def colour() -> bool | None:
    """False where people asked for plain text; None leaves it to the kind of the output."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return None if wanted else False


def put(text: str, file: IO[str] | None = None) -> None:
    """Write what a person may read. Nobody has to: the run goes on without its terminal.

    As in `ralph run | head`, or when the connection that the terminal came by is lost. What finds
    no room on a disk waits for the next line.
    """
    file = file or sys.stdout
    try:
        file.write(text)
        file.flush()
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            nobody_reads(file)


def nobody_reads(file: IO[str] | None = None) -> None:
    """The reader of our output went away: what is printed from now on goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, (file or sys.stdout).fileno())
    os.close(nowhere)

"""Words of agents and plans on their way to a terminal: they may not steer it."""

from __future__ import annotations

import errno
import os
import sys

from ralph import masking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import IO


_CLEAR = "\r\x1b[J"
"""From the start of the line: a terminal that became narrower has made two lines of it."""
_ONE_LINE = "\x1b[?7l{}\x1b[?7h\r"
"""Without going on below at the end of the line, should the terminal just have become narrower."""
USUAL_COLUMNS = 80
"""Of a terminal that does not say how wide it is."""
HERE = "edit nothing here meanwhile: it would count as the agent's work (or use --worktree)"
"""Where agents work in the user's own checkout, nobody can tell whose edits are whose."""
OLD_RED = "tests that fail already are set aside; a check that names no tests has to pass"
"""What becomes of checks that fail before any work."""
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


def again(plan: str) -> str:
    """The command that continues the work on this plan."""
    folder, _, rest = plan.partition("/")
    name, _, file = rest.partition("/")
    own = folder == ".artefacts" and file == "tasks.json"
    return f"`ralph execute {name}`" if own else "`ralph run`"


def take_over(branch: str, came_from: str) -> str:
    """How to get what is on Ralph's branch, from the branch that the user was on."""
    merge = f"`git merge {branch}`"
    if came_from:
        return f"Take it over: `git switch {came_from}`, then {merge}."
    return f"Take it over with {merge}, from your own branch."


def standing(count: Mapping[str, int]) -> str:
    """How well the tasks are proven, in a line: "7 proven, 2 unproven, 1 open"."""
    kinds = ("proven", "checked", "accepted", "unproven", "open")
    return ", ".join(f"{count[kind]} {kind}" for kind in kinds if count.get(kind)) or "no tasks"


def progress(done: int, total: int, skipped: int) -> str:
    """How far a plan has come: "29/30 complete (0 remaining, 1 skipped)"."""
    aside = f", {skipped} skipped" if skipped else ""
    return f"{done}/{total} complete ({total - done - skipped} remaining{aside})"


def span(seconds: float) -> str:
    """A time that is over: 43 s, 12 min 03 s, 1 h 02 min."""
    minutes, rest = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def minute(seconds: float) -> str:
    """A time that runs: 0:43, 12:03, 1:02:03."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def colour() -> bool | None:
    """False where people asked for plain text; None leaves it to the kind of the output."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return None if wanted else False


class _Below:
    """The last line of a terminal, as long as it is written anew again and again."""

    file: IO[str] | None = None


def live(told: Callable[[int], str], file: IO[str] | None = None) -> None:
    """Show below what was printed what is `told` in so many columns, instead of what was there.

    The cursor waits at its start, which stays its start however the terminal breaks its lines anew
    when its size changes.
    """
    file = file or sys.stdout
    columns = columns_of(file)
    if columns is None:
        return  # it is gone
    put(_ONE_LINE.format(told((columns or USUAL_COLUMNS) - 1)), file)
    _Below.file = file


def columns_of(file: IO[str]) -> int | None:
    """How wide the terminal is: 0 if it does not say, None if there is none."""
    try:
        return os.get_terminal_size(file.fileno()).columns
    except (OSError, ValueError):
        return None


def put(text: str, file: IO[str] | None = None) -> None:
    """Write what a person may read. Nobody has to: the run goes on without its terminal.

    As in `ralph run | head`, or when the connection that the terminal came by is lost. What finds
    no room on a disk waits for the next line.
    """
    below, _Below.file = _Below.file, None
    file = file or sys.stdout
    try:
        if below is not None:
            below.write(_CLEAR)
            below.flush()
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

"""What a program that gave up said was wrong.

The error is named where a line says so, with the lines around it that say so too. If a stack hangs
from it, the program ended there, and what follows is its trail: the stack, a version. Otherwise the
last words count as well, and they are all there is where no line names an error.
"""

from __future__ import annotations

import re

from ralph.reading.signature import plain

_READ = 32_000
"""Characters of the end: a usage text or a deep stack may follow the error."""
_NEAR = 12
"""Lines that are no stack: an error above them was about something else."""
_NAMES = re.compile(
    r"(?:\S+ ){0,3}[\w.$]*(?:error|exception|fatal|panic|panicked)\b", re.IGNORECASE
)
_LOG = re.compile(r"\blog of this run\b")


def cause(output: str) -> str:
    """In one line, not shortened; empty for empty output."""
    return named(output) or (told[-1].strip() if (told := _told(output)) else "")


def named(output: str) -> str:
    """The same where a line names an error, and nothing where none does."""
    told = _told(output)
    found = _naming(told)
    if not found:
        return ""
    last = len(told) - 1
    # what is announced with a colon is in the next line
    end = found[-1] + (told[found[-1]].endswith(":") and found[-1] < last)
    error = _joined([*(told[at] for at in found[:-1]), *told[found[-1] : end + 1]])
    is_the_end = end == last or any(line[0].isspace() for line in told[end + 1 :])
    return error if is_the_end else f"{error} … {told[last].strip()}"


def _told(output: str) -> list[str]:
    every = [plain(line.rstrip("\r")).rstrip() for line in output[-_READ:].split("\n")]
    return [line for line in every if line.strip() and not _LOG.search(line)]


def _naming(lines: list[str]) -> list[int]:
    """Where the last error is named. Frames of a stack are indented, and name none."""
    margin = [at for at, line in enumerate(lines) if not line[0].isspace()]
    found: list[int] = []
    for number, at in enumerate(reversed(margin)):
        if _NAMES.match(lines[at]):
            found.append(at)
        elif found or number >= _NEAR:
            break
    return found[::-1]


def _joined(lines: list[str]) -> str:
    """Without the words that all of them begin with, such as the program's name, but once."""
    rows = [line.split() for line in lines]
    shared = 0
    while len(rows) > 1 and len({tuple(row[: shared + 1]) for row in rows}) == 1:
        shared += 1
        if any(len(row) == shared for row in rows):
            break
    return " ".join((lines[0], *(" ".join(rest) for row in rows[1:] if (rest := row[shared:]))))

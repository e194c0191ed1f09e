"""Reads lines such as `GET /index 200 512`."""

from typing import NamedTuple


class Hit(NamedTuple):
    path: str
    status: int
    size: int


def parse(line):
    """The hit of a line, or nothing if it is no such line."""
    words = line.split()
    if len(words) != 4 or not words[2].isdigit():
        return None
    return Hit(words[1], int(words[2]), 0 if words[3] == "-" else int(words[3]))

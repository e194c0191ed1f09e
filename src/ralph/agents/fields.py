"""JSON that may hold anything, read without trust."""

from __future__ import annotations

import json
from typing import Any

import msgspec

_HUGE = 1e11
"""As a time it is the year 5138, as money or tokens nothing that happens."""
_whole = msgspec.json.Decoder()


class Fields:
    """A JSON object. What is missing or of another shape reads as empty."""

    def __init__(self, raw: object) -> None:
        self.raw: dict[str, Any] = raw if isinstance(raw, dict) else {}

    def __bool__(self) -> bool:
        return bool(self.raw)

    def __contains__(self, name: str) -> bool:
        return name in self.raw

    def text(self, name: str) -> str:
        value = self.raw.get(name)
        return whole_characters(value) if isinstance(value, str) else ""

    def number(self, name: str) -> float | None:
        value = self.raw.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool):
            return None
        return float(value) if 0 <= value < _HUGE else None

    def count(self, name: str) -> int:
        return int(self.number(name) or 0)

    def flag(self, name: str) -> bool:
        return self.raw.get(name) is True

    def inner(self, name: str) -> Fields:
        return Fields(self.raw.get(name))

    def items(self, name: str) -> list[Fields]:
        value = self.raw.get(name)
        return [Fields(one) for one in value] if isinstance(value, list) else []

    def texts(self, name: str) -> list[str]:
        value = self.raw.get(name)
        texts = value if isinstance(value, list) else []
        return [whole_characters(one) for one in texts if isinstance(one, str)]

    def pairs(self) -> list[tuple[str, Fields]]:
        return [(name, Fields(one)) for name, one in self.raw.items()]


def parse(line: bytes) -> object:
    """The JSON of a line; None if it is none."""
    try:
        return _whole.decode(line)
    except (ValueError, RecursionError):
        pass
    # The strict parser refuses what real agents write: broken UTF-8, half a surrogate pair.
    try:
        return json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def whole_characters(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")

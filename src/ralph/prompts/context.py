"""What an agent may know of the iterations before it: four layers, bounded together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.prompts.text import head, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph.domain.settings import PromptSettings
    from ralph.domain.state import RunState

OUTPUTS = 5
ERRORS = 5
SUCCESSES = 3

_LEFT_OUT = "- (older ones left out)"
_SIGN = "- "


_TO_RALPH = re.compile(
    r"<(escalate|escalation|checkpoint|handoff|promise)\b[^<>]*>.*?(?:</\1>|\Z)"
    r"|^[^\w\n]*(?:task \S+ (?:is )?complete\b|follow-up:)[^\n]*$",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
"""What an agent said to Ralph: questions, claims and notes that the next one gets elsewhere."""


def _words(text: str) -> str:
    return _TO_RALPH.sub("", text).strip()


class Context(Struct, frozen=True):
    """The layers, each oldest first."""

    prefix: str = ""
    """What is the same in every iteration of a run, such as the plan's description."""
    outputs: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    successes: tuple[str, ...] = ()

    @classmethod
    def of(cls, state: RunState, settings: PromptSettings, prefix: str = "") -> Context:
        """The newest entries of each layer, each cut to its bound."""

        def cut(entries: list[str], count: int) -> tuple[str, ...]:
            words = (one_line(_words(entry), settings.entry_chars) for entry in entries[-count:])
            return tuple(entry for entry in words if entry)

        # an agent's last words are its summary as well: nothing is told twice
        told = [one.strip() for one in state.successes if one.strip()]
        reported = [one for one in state.outputs if not one.strip().endswith(tuple(told))]
        return cls(
            prefix,
            cut(reported, OUTPUTS),
            cut(state.errors, ERRORS),
            cut(state.successes, SUCCESSES),
        )


class Layers(Struct, frozen=True):
    """The same as Markdown, cut to size; all four together keep to the bound."""

    prefix: str
    outputs: str
    errors: str
    successes: str

    def __len__(self) -> int:
        return len(self.prefix) + len(self.outputs) + len(self.errors) + len(self.successes)


def fit(context: Context, *, total: int, entry: int) -> Layers:
    """Cut entries to `entry` characters, then leave out the oldest until `total` holds.

    A quarter is the most that the prefix gets. The other layers take turns, newest entries first,
    so that a long layer cannot push out a short one.
    """
    prefix = head(context.prefix.strip(), total // 4)
    layers = [
        _Layer(context.errors[-ERRORS:], entry),
        _Layer(context.successes[-SUCCESSES:], entry),
        _Layer(context.outputs[-OUTPUTS:], entry),
    ]
    room = total - len(prefix) - len(layers) * (len(_LEFT_OUT) + 1)
    if room < 0:
        return Layers(prefix, "", "", "")
    while any(layer.waiting for layer in layers):
        for layer in layers:
            room -= layer.take(room)
    errors, successes, outputs = (layer.shown() for layer in layers)
    return Layers(prefix, outputs, errors, successes)


class _Layer:
    """One list of entries, filled from its newest end."""

    def __init__(self, entries: Sequence[str], limit: int) -> None:
        lines = (one_line(entry, limit) for entry in entries)
        self.waiting = [_SIGN + line for line in lines if line]
        self.kept: list[str] = []
        self.cut = False

    def take(self, room: int) -> int:
        """Keep the next entry if it fits; how much room that took."""
        if not self.waiting:
            return 0
        line = self.waiting.pop()
        if len(line) + 1 > room:
            self.waiting.clear()
            self.cut = True
            return 0
        self.kept.append(line)
        return len(line) + 1

    def shown(self) -> str:
        lines = [_LEFT_OUT, *reversed(self.kept)] if self.cut else self.kept[::-1]
        return "\n".join(lines)

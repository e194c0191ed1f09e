from __future__ import annotations

from copy import copy

HEAD = 64 << 10
TAIL = 192 << 10


class Words:
    """Text with a bounded beginning and a bounded end."""

    def __init__(self) -> None:
        self.head = ""
        self.tail = ""
        self.left_out = 0

    def add(self, text: str, *, apart: bool = True) -> None:
        """Further text, on a line of its own unless it continues what is there."""
        text = f"\n{text}" if self.head and apart else text
        room = HEAD - len(self.head)
        self.head += text[:room]
        self.tail += text[room:]
        # Cutting copies, so it is done once in a while only.
        if len(self.tail) > 2 * TAIL:
            self.left_out += len(self.tail) - TAIL
            self.tail = self.tail[-TAIL:]

    def joined(self, last: str = "") -> str:
        """What was added, and then `last`."""
        words = copy(self)
        if last:
            words.add(last)
        left_out = words.left_out + max(len(words.tail) - TAIL, 0)
        gap = f"\n[… {left_out} characters left out …]\n" if left_out else ""
        return words.head + gap + words.tail[-TAIL:]

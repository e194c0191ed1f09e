"""What an agent reports in its protocol, for every vendor; the vendors' files fill it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ralph.agents.doings import BOUND, Doings
from ralph.agents.fields import Fields, parse
from ralph.agents.words import Words
from ralph.domain.usage import Usage

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable

    from ralph.domain.activity import Activity

_NO_INPUT = Fields(None)


class Report:
    """Collects what an agent says, does and spends, in bounded memory, and passes it on."""

    def __init__(
        self, heard: Callable[[Activity], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.session = ""
        self.usage = Usage()
        self.models: dict[str, Usage] = {}
        self.calls = 0
        self.over = False
        """Whether the agent told how it ended."""
        self.failed = False
        self.error = ""
        """Its own words for what went wrong last."""
        self.words: tuple[str, ...] = ()
        """Its own names for that."""
        self.status = 0
        """The HTTP status it met."""
        self._doings = Doings(heard, clock)
        self._words = Words()
        self._message = ""
        """The beginning of what it is saying right now."""

    @property
    def text(self) -> str:
        return self._words.joined()

    @property
    def tools(self) -> Counter[str]:
        return self._doings.tools

    def said(self, text: str) -> None:
        """A whole message."""
        if text:
            self.pause()
            self._words.add(text)
            self._doings.said(text)

    def saying(self, text: str) -> None:
        """A piece of a message."""
        if text:
            self._words.add(text, apart=not self._message)
            self._message = (self._message + text)[: 4 * BOUND]
            self._doings.thought()

    def pause(self) -> None:
        """The message that came in pieces is whole."""
        if self._message:
            self._doings.said(self._message)
            self._message = ""

    def thought(self) -> None:
        self._doings.thought()

    def tool(self, call: str, name: str, given: Fields = _NO_INPUT) -> None:
        """It calls a tool."""
        self.pause()
        self._doings.call(call, name, given)

    def result(self, call: str, text: str) -> None:
        """A tool has answered."""
        self._doings.result(call, text)

    def spent(self, usage: Usage) -> None:
        """All that it has used so far."""
        if usage != self.usage:
            self.usage = usage
            self._doings.spent(usage)

    def fail(self, message: str, *words: str, status: int = 0) -> None:
        """It says that it failed; what it says later counts more."""
        inside = _service_error(message)
        self.failed = True
        self.error = inside.text("message") or message or self.error
        self.words = tuple(filter(None, (*words, inside.text("status")))) or self.words
        self.status = status or inside.count("code") or self.status

    def recover(self) -> None:
        """What went wrong before was not the end."""
        self.failed = False
        self.error, self.words, self.status = "", (), 0


def _service_error(message: str) -> Fields:
    """Some pass on what their service said as it came: JSON in the middle of a message."""
    start, end = message.find("{"), message.rfind("}")
    return Fields(parse(message[start : end + 1].encode()) if start >= 0 else None).inner("error")

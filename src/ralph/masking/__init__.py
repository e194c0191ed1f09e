"""The one masker of this process. What leaves it goes through here, each at one place:

| what | where |
| --- | --- |
| logs of agents and checks | `process/capture.py` |
| the ends of their output that are kept in memory, as text | `process/child.py`, `Finished.text` |
| what agents say and do | `agents/command.py`, `clean`, and `agents/doings.py` |
| every string of every event | `ledger/codec.py` |
| prompts | `prompts/compose.py` and the flows that write their own |
| messages to people who are away | `people/notify/courier.py` |
| the screen, JSON for scripts, crash files | `ui/words.py`, `ui/cli/common.py`, `ui/cli/main.py` |
| pages, each with the masker of its repository | `ui/web/tree.py`, `ui/web/desk.py` |

Until `use` says more, secrets are told by their looks and their names alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.policy.secrets.masker import Masker
    from ralph.policy.secrets.stream import MaskedStream

SPARED = ("untracked", "dirt")
"""Fields of events that stay as they are: files of the user's are known again by these names, and
one that is not could be lost.
"""
_SHORTEST = 8


def _by_looks() -> Masker:
    from ralph.policy.secrets.masker import Masker

    return Masker()


class _Current:
    """Made when something is first masked: most commands that only look need none."""

    def __init__(self) -> None:
        self.make: Callable[[], Masker | None] = _by_looks
        self.masker: Masker | None = None
        self.made = False

    def get(self) -> Masker | None:
        if not self.made:
            self.masker = self.make()
            self.made = True
        return self.masker


_current = _Current()


def use(make: Callable[[], Masker | None]) -> None:
    """From now on mask with what `make` gives, which is asked once; None masks nothing."""
    _current.make = make
    _current.made = False


def current() -> Masker | None:
    """The masker, made now if it was not needed before."""
    return _current.get()


def text(words: str) -> str:
    if len(words) < _SHORTEST:
        return words
    masker = _current.get()
    return words if masker is None else masker.text(words)


def body(event: bytes) -> bytes:
    """An event as JSON."""
    masker = _current.get()
    return event if masker is None else masker.body(event, SPARED)


def stream() -> MaskedStream | None:
    """For output that comes in pieces."""
    from ralph.policy.secrets.stream import MaskedStream

    masker = _current.get()
    return None if masker is None else MaskedStream(masker)

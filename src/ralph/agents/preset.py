from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from ralph.agents.errors import Who
from ralph.agents.home import HomeNeeds
from ralph.domain.settings import Speech
from ralph.domain.task import Command


class Preset(Struct, frozen=True):
    """How one make of agent is started, what it may see and what it can do."""

    command: Command
    """It reads the prompt on standard input, or speaks ACP."""
    speaks: Speech
    who: Who = Who()
    env: tuple[str, ...] = ()
    """Variables it may see besides the usual ones; keys of accounts are named by the user."""
    add: Mapping[str, str] = {}
    """Variables it gets, unless it may see yours of that name."""
    model: str = ""
    model_words: Command = ()
    """What goes before the model on its command line; none if it cannot be told there."""
    resume: Command = ()
    """The option for the session to continue; none if the agent cannot do that."""
    nudges: bool = False
    """Whether a second prompt reaches it while it works on the first (ACP)."""
    needs: HomeNeeds = HomeNeeds()
    """What it needs of the user's home between walls."""

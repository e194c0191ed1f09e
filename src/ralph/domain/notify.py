"""What a person who is away is told, and how they want to hear it."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from ralph.domain.task import Command


class Occasion(StrEnum):
    """What news can be about."""

    QUESTION = "question"
    LIMIT = "limit"
    FAILURE = "failure"
    END = "end"


class NotifySettings(Struct, frozen=True):
    on: tuple[str, ...] = tuple(Occasion)
    """What you are told of: question, limit, failure, end."""
    command: Command = ()
    """A program of yours that gets each message on standard input; it runs in your home."""
    env: tuple[str, ...] = ()
    """Names of environment variables that it may see besides the usual ones."""
    webhook: str = ""
    """An address that gets each message as JSON; ${NAME} in it is taken from the environment."""
    headers: tuple[str, ...] = ()
    """Headers for the webhook, such as "Authorization: Bearer ${HOOK_TOKEN}"."""
    desktop: bool = False
    """Show each message on this desktop, with notify-send."""
    apprise: tuple[str, ...] = ()
    """Addresses of Apprise (extra `notify`); ${NAME} in them is taken from the environment."""
    link: str = ""
    """An address that each message ends with, such as that of your dashboard."""
    group_seconds: float = 10
    """What happens within so many seconds becomes one message; 0 for a message each."""
    per_hour: int = 20
    """Messages per hour and channel; the rest goes into the next one. 0 for no limit."""


class News(Struct, frozen=True):
    """Something that a person wants to hear of, in words that may be shown."""

    occasions: tuple[Occasion, ...]
    what: str
    lines: tuple[str, ...] = ()
    task: str = ""
    question: str = ""
    """The question that it is about: once that is answered, it is no news any more."""
    options: tuple[str, ...] = ()

    @property
    def is_last(self) -> bool:
        """Whether the run is over with it."""
        return Occasion.END in self.occasions


class Parcel(Struct, frozen=True):
    """The news of one message."""

    news: tuple[News, ...]
    left_out: int = 0
    """Earlier news that there was no room for."""


class Letter(Struct, frozen=True):
    """One message, as every channel gets it."""

    title: str
    text: str
    """Without the title."""
    project: str
    """The folder that it is about."""
    news: tuple[News, ...] = ()
    link: str = ""

    @property
    def whole(self) -> str:
        return f"{self.title}\n{self.text}".rstrip() + "\n"

    @property
    def occasions(self) -> tuple[str, ...]:
        """What it is about, each once."""
        return tuple(dict.fromkeys(str(o) for one in self.news for o in one.occasions))


class DeliveryFailed(Struct, frozen=True):
    """A message did not reach a person; recorded once per channel and run."""

    channel: str
    why: str

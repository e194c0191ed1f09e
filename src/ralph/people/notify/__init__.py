"""How news reaches a person who is away: each channel by itself, beside the loop."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from ralph.domain.diagnosis import note, ok

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ralph.domain.diagnosis import Diagnosis
    from ralph.domain.notify import Letter, NotifySettings

SECONDS = 10.0
"""How long a delivery may take, by whatever channel."""
_FIX = "Put it right, then try it with `ralph notify test`."
_VARIABLE = re.compile(r"\$\{(\w+)\}")


class Channel(Protocol):
    """One way to reach a person."""

    @property
    def name(self) -> str:
        """Which one it is, without what is secret in its address."""

    def lacks(self) -> str:
        """What it needs and does not have; empty if it can be tried. Sends and starts nothing."""

    async def send(self, letter: Letter) -> str:
        """Why it did not arrive; empty if it did. May be cancelled at any time."""


def channels(
    settings: NotifySettings, root: Path, environ: Mapping[str, str]
) -> tuple[Channel, ...]:
    """All that are configured. Nothing is sent or started."""
    found: list[Channel] = []
    if settings.command:
        from ralph.people.notify.programs import CommandChannel

        found.append(CommandChannel(settings.command, settings.env, root, environ))
    if settings.webhook:
        from ralph.people.notify.webhook import WebhookChannel

        found.append(WebhookChannel(settings.webhook, settings.headers, environ))
    if settings.desktop:
        from ralph.people.notify.programs import DesktopChannel

        found.append(DesktopChannel(root, environ))
    for number, url in enumerate(settings.apprise, start=1):
        from ralph.people.notify.apprise import AppriseChannel

        found.append(AppriseChannel(url, number if len(settings.apprise) > 1 else 0, environ))
    return tuple(found)


def look(settings: NotifySettings, root: Path, environ: Mapping[str, str]) -> list[Diagnosis]:
    """Whether what is configured could work, without trying it."""
    every = channels(settings, root, environ)
    wrong = [note("notify", f"{one.name}: {why}", _FIX) for one in every if (why := one.lacks())]
    fine = [one.name for one in every if not one.lacks()]
    return ([ok("notify", ", ".join(fine))] if fine else []) + wrong


def filled_in(text: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """The text with the variables that it names, and the name of one that is not set."""
    missing = next((name for name in _VARIABLE.findall(text) if not environ.get(name)), "")
    return _VARIABLE.sub(lambda found: environ.get(found[1], ""), text), missing

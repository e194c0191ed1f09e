"""Messages to a person who is away."""

from __future__ import annotations

import asyncio
import os
import time
from typing import TYPE_CHECKING, Any

import click

from ralph import config
from ralph.domain.errors import ConfigError
from ralph.ui import wire, words
from ralph.ui.cli.common import json_option, print_json
from ralph.ui.cli.deciding import decides
from ralph.ui.trusting import trusted

if TYPE_CHECKING:
    from ralph.domain.notify import Letter
    from ralph.people.notify import Channel


@click.group()
def notify() -> None:
    """Messages to you while you are away: on a question, a limit, a failure, the end of a run.

    Where they go is set in ralph.yaml or the environment: notify.command, webhook, desktop,
    apprise.
    """


@notify.command()
@json_option
@decides()
def test(as_json: bool) -> int:
    """Send a test message through every configured channel. Exit 1 if one did not arrive."""
    from ralph.domain.notify import News, Parcel
    from ralph.people.notify import channels
    from ralph.ui.announced import link
    from ralph.ui.news import letter

    found = trusted(wire.project(to_write=False))
    settings = found.settings.notify
    ways = channels(settings, found.root, os.environ)
    if not ways:
        raise ConfigError(
            "No channel is configured: you would not be told of anything.",
            fix="Set `notify.command`, `notify.webhook`, `notify.desktop` or `notify.apprise` in\n"
            "ralph.yaml, or RALPH_NOTIFY__WEBHOOK=https://… in the environment.",
        )
    news = News((), "a test of notifications", ("If you can read this, they will reach you.",))
    message = letter(Parcel((news,)), found.root, settings.link or link(config.home(os.environ)))
    results = asyncio.run(_all(ways, message))
    if as_json:
        print_json({"channels": results})
    else:
        for one in results:
            _show(one)
    return 0 if all(one["arrived"] for one in results) else 1


async def _all(ways: tuple[Channel, ...], message: Letter) -> list[dict[str, Any]]:
    return list(await asyncio.gather(*(_try(one, message) for one in ways)))


async def _try(channel: Channel, message: Letter) -> dict[str, Any]:
    from ralph.people.notify.courier import deliver

    began = time.monotonic()
    why = await deliver(channel, message)
    seconds = round(time.monotonic() - began, 2)
    return {"channel": channel.name, "arrived": not why, "seconds": seconds, "why": why}


def _show(one: dict[str, Any]) -> None:
    sign = click.style("✓", fg="green") if one["arrived"] else click.style("✗", fg="red")
    how = f"arrived in {one['seconds']:.1f} s" if one["arrived"] else words.line(one["why"])
    click.echo(f"{sign} {words.line(one['channel'])}  {how}")

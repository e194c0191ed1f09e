"""Ask once before running anything from a repository that a person has not accepted yet."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from ralph.domain.errors import NotTrusted, RalphError
from ralph.policy import trust as policy
from ralph.ui import words
from ralph.ui.cli.common import count, me

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ralph.flows.trust import Trust
    from ralph.ui.wire import Project

MOST_LINES = 12
_COLOURS = {"+": "green", "-": "red"}


def trusted(found: Project) -> Project:
    """The project, with all that it could run accepted; a NotTrusted otherwise.

    From now on children work for it, and Ralph's own git may use what it configures.
    """
    from ralph.process.inside import work_for

    known = found.trust()
    if known.new and not known.is_given(os.environ):
        _ask(known)
    known.allow()
    work_for(found.repo.project)
    return found


def _ask(known: Trust) -> None:
    from ralph.flows.trust import refusal

    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise refusal(known.new)
    what = "has settings that can run programs with your rights or weaken a protection"
    if known.accepted:
        what = "has changed settings that can run programs with your rights"
    click.secho(f"{words.line(str(known.root))} {what}:", bold=True, err=True)
    show(known, err=True)
    if not click.confirm("Do you accept it?", default=False, err=True):
        raise NotTrusted("Nothing was run.", fix="See all of it with `ralph trust --show`.")
    known.accept(me())


def show(known: Trust, *, most: int = MOST_LINES, err: bool = False) -> None:
    """What is new, each with what was accepted before it."""
    lines = list(policy.difference(known.new, known.accepted))
    for sign, text in lines[:most]:
        click.secho(f"  {sign} {words.line(text)}", fg=_COLOURS[sign], err=err)
    if len(lines) > most:
        left = count(len(lines) - most, "line")
        click.echo(f"  … {left} more: `ralph trust --show`", err=err)


@contextmanager
def own_edit(look: Callable[[], Project]) -> Iterator[None]:
    """Ralph writes a file at a person's command: what that adds is accepted.

    What was there before and was not accepted stays so.
    """
    strange = _strange(look)
    yield
    if strange is None:
        return
    known = look().trust()
    new = [one for one in known.new if one.title not in strange]
    if new:
        titles = {one.title for one in new}
        kept = [one for one in known.accepted if one.title not in titles]
        known.accept(me(), (*kept, *new))


def _strange(look: Callable[[], Project]) -> set[str] | None:
    """What nobody has accepted yet; None if that cannot be told."""
    try:
        return {one.title for one in look().trust().new}
    except RalphError:
        return None

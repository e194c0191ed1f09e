"""Secrets out of any text, and out of what the ledger has recorded."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph import config
from ralph.domain.errors import LedgerError, NotARepository
from ralph.ui import wire, words
from ralph.ui.cli.common import count, json_option, me, print_json
from ralph.ui.cli.deciding import decides

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.event import LedgerRewritten
    from ralph.domain.settings import Settings
    from ralph.ledger.sqlite import SqliteLedger
    from ralph.policy.secrets.masker import Masker

PIECE = 64 << 10


@click.command()
@click.option("--ledger", "rewrites", is_flag=True, help="Mask what the ledger has recorded.")
@click.option("--no-copy", is_flag=True, help="With --ledger: keep no copy of the original.")
@json_option
@decides(only="rewrites")
def mask(rewrites: bool, no_copy: bool, as_json: bool) -> None:
    """Copy standard input to standard output without its secrets.

    Ralph knows the values of secret variables, of .env files here and of the agents' logins; it
    recognises others by their form or by the name they are assigned to. With --json, a line on
    standard error counts them by kind.
    """
    if no_copy and not rewrites:
        raise click.UsageError("--no-copy only applies to --ledger.")
    settings, root, project = _here()
    masker = _masker(settings, root)
    if rewrites:
        _rewrite(masker, settings, project, keep=not no_copy, as_json=as_json)
        return
    _filter(masker)
    if as_json:
        found = {"masked": masker.counts.total(), "kinds": dict(masker.counts)}
        click.echo(json.dumps(found), err=True)


def _here() -> tuple[Settings, Path, str]:
    """The settings, folder and project; outside of a repository there are only the defaults."""
    try:
        found = wire.project(to_write=False)
    except NotARepository:
        loaded = config.load(Path.cwd(), environ=os.environ)
        return loaded.settings, Path.cwd(), ""
    return found.settings, found.root, found.repo.project


def _masker(settings: Settings, root: Path) -> Masker:
    """Who asks for it wants it, whatever `safety.mask` says."""
    from ralph.masking.known import known_here
    from ralph.policy.secrets.masker import Masker

    allowed = settings.safety.mask_allow
    return Masker(known_here(settings, root, os.environ), allowed)


def _filter(masker: Masker) -> None:
    from ralph.policy.secrets.stream import MaskedStream

    stream = MaskedStream(masker)
    source, target = sys.stdin.buffer, sys.stdout.buffer
    try:
        # what is there now: the writer may be a program that goes on for hours
        while piece := os.read(source.fileno(), PIECE):
            target.write(stream.feed(piece))
            target.flush()
        target.write(stream.close())
        target.flush()
    except BrokenPipeError:
        words.nobody_reads()


def _rewrite(
    masker: Masker, settings: Settings, project: str, *, keep: bool, as_json: bool
) -> None:
    from ralph.ledger.choose import FILE
    from ralph.ledger.rewritten import Doer
    from ralph.ledger.sqlite import SqliteLedger

    if settings.ledger.direct or settings.ledger.url:
        raise LedgerError(
            "This ledger is shared with a team's database, which already has the old events.",
            fix="Change the shared secrets: they cannot be recalled. To mask this"
            " file alone, and never\nsync it again, unset RALPH_DATABASE_URL or ledger.url first.",
        )
    path = config.home(os.environ) / FILE
    if not path.exists():
        raise LedgerError(f"There is no ledger {path}.", fix="The first run creates it.")
    ledger = SqliteLedger(path)
    try:
        copy = _copy(ledger, path) if keep else None
        event, gone = ledger.mask(masker, Doer(project, "", me(), time.time()))
    finally:
        ledger.close()
    if event is None and copy is not None:
        copy.unlink()
    old = _old_copies(path)
    if not keep:
        for one in old:
            one.unlink()
    _tell(event, None if event is None else copy, old if keep else [], gone, as_json=as_json)


def _copy(ledger: SqliteLedger, path: Path) -> Path:
    target = path.with_name(f"{path.name}.unmasked-{time.strftime('%Y%m%d-%H%M%S')}")
    ledger.copy_to(target)
    return target


def _old_copies(path: Path) -> list[Path]:
    """What earlier versions left when they changed the file, and earlier rewritings."""
    found = (
        *path.parent.glob(f"{path.name}.v[0-9]*"),
        *path.parent.glob(f"{path.name}.unmasked-*"),
    )
    return sorted(found)


def _tell(
    event: LedgerRewritten | None,
    copy: Path | None,
    old: list[Path],
    gone: bool,
    *,
    as_json: bool,
) -> None:
    if as_json:
        copies = [str(one) for one in old]
        told = (
            {"masked": event.values, "events": event.events, "kinds": event.kinds} if event else {}
        )
        print_json({"masked": 0, **told, "copies": copies, "wiped": gone})
        return
    for line in _lines(event, copy, old, gone):
        click.echo(words.line(line))


def _lines(
    event: LedgerRewritten | None, copy: Path | None, old: list[Path], gone: bool
) -> Iterator[str]:
    if event is None:
        yield "The ledger contains nothing that looks like a secret."
    else:
        what = f"{count(event.values, 'secret')} in {count(event.events, 'event')}"
        yield f"{what} masked. The hashes of event {event.first} and all later ones changed;"
        yield "`ralph audit` still knows the earlier hashes, which commits refer to."
    if copy is not None:
        yield f"The original, with its secrets, is in {copy}; delete it when you can."
    for other in old:
        if other != copy:
            yield f"This copy may hold secrets too: {other}"
    if not gone:
        yield "Another program has the ledger open, so old data may remain: run this again later."

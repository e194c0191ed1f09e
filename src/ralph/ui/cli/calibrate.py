"""What Ralph would have said about your own last commits."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ralph import config, files
from ralph.domain.errors import ConfigError
from ralph.ui import wire, words
from ralph.ui.cli.common import json_option, print_json
from ralph.ui.cli.deciding import decides
from ralph.ui.trusting import own_edit, trusted
from ralph.views import proven

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ralph.flows.calibrate.advice import Looked
    from ralph.flows.calibrate.replay import Replayed

_SIGNS = {"settled": "✓", "asked": "?", "rejected": "✗", "unfit": "-"}
_STYLES = {"settled": "green", "asked": "yellow", "rejected": "red", "unfit": None}
_SAID = {"rejected": "sent back", "unfit": "cannot tell"}
MOST_TESTS = 5


@click.command()
@click.option(
    "--commits", type=click.IntRange(1, 500), default=10, metavar="N", help="How many commits."
)
@click.option("--verify", "checks", multiple=True, metavar="CMD", help="A check; repeatable.")
@click.option("--apply", "applies", is_flag=True, help="Write the suggested settings.")
@json_option
@decides(only="applies")
def calibrate(commits: int, checks: tuple[str, ...], applies: bool, as_json: bool) -> None:
    """Try the verdict on your last commits: what would be settled, asked about, sent back, and why.

    Each commit is treated as the work of an honest agent, with its message as the task. No model is
    called, and nothing in your repository changes: all happens in a clone elsewhere, with copies of
    your dependencies. Ends with what a proof costs here, suggested settings, and a conclusion.
    """
    from ralph.domain.task import shell
    from ralph.flows.calibrate import advice
    from ralph.flows.calibrate.looking import look

    found = trusted(wire.project(to_write=False))
    commands = tuple(map(shell, checks)) or wire.project_commands(found)
    if not commands:
        raise ConfigError(
            f"Nothing can be tried in {found.root}: no check is configured or detected.",
            fix="Give `--verify CMD`, or set `verification.commands` in ralph.yaml.",
        )
    found.state_dir.mkdir(parents=True, exist_ok=True)
    tell = (lambda _: None) if as_json else (lambda text: click.echo(words.line(text)))
    told = (lambda _: None) if as_json else _show_row
    with tempfile.TemporaryDirectory(prefix="calibrate-", dir=found.state_dir) as folder:
        looked = asyncio.run(
            look(found.repo, found.settings, commands, Path(folder), commits, tell, told)
        )
    file = found.root / advice.FILE
    before = (files.read(file) or b"").decode("utf-8", "replace")
    wanted = advice.suggested(looked, found.settings.verification)
    after = advice.with_settings(before, wanted) if wanted else before
    if applies and after != before:
        with own_edit(partial(wire.project, to_write=False)):
            _apply(found.root, file, before, after)
    if as_json:
        shown = view(looked, advice.difference(before, after), advice.sentence(looked))
        print_json(shown | {"settings": wanted})
        return
    _show(looked)
    if wanted:
        _show_settings(wanted, advice.difference(before, after), applies=applies)
    click.secho(f"\n{advice.sentence(looked)}", bold=True)


def _apply(root: Path, file: Path, before: str, after: str) -> None:
    import os

    files.write(file, after)
    try:
        config.load(root, environ=os.environ, flags={})
    except ConfigError:
        files.write(file, before)
        raise


def _show_row(row: Replayed) -> None:
    said = _SAID.get(row.outcome.value, row.outcome.value)
    level = f", {row.level}" if row.outcome.value == "settled" else ""
    unproven = ", unproven" if row.untested and row.outcome.value == "settled" else ""
    sign = click.style(_SIGNS[row.outcome.value], fg=_STYLES[row.outcome.value])
    subject = words.line(row.subject, 60)
    click.echo(
        f"  {sign} {row.commit[:10]}  {row.seconds:5.1f} s  {said}{level}{unproven}: {subject}"
    )
    if row.outcome.value != "settled":
        click.echo(f"      {words.line(_why(row), 200)}")


def _why(row: Replayed) -> str:
    """The reason; for a check that fails on its own, also what it says is wrong."""
    failure = row.verdict.failure
    if row.outcome.value != "unfit" or failure is None:
        return row.why
    from ralph.reading.cause import cause  # many patterns, and most commits pass

    said = cause(failure.tail)
    return f"{row.why}: {said}" if said else row.why


def _show_settings(
    wanted: Mapping[str, list[str] | float], difference: str, *, applies: bool
) -> None:
    click.secho("\nSuggested settings", bold=True)
    if not difference:
        for key, value in wanted.items():
            click.echo(f"  verification.{key}: {value}")
        click.echo("  Add this to ralph.yaml by hand: Ralph does not edit sections in braces.")
        return
    click.echo("\n".join(f"  {line}" for line in difference.splitlines()))
    click.echo(f"  {'Written.' if applies else 'Write this with `ralph calibrate --apply`.'}")


def _show(looked: Looked) -> None:
    click.secho("\nResult", bold=True)
    kinds = ("settled", "asked", "rejected", "unfit")
    counted = Counter(row.outcome.value for row in looked.rows)
    parts = [f"{counted[kind]} {_SAID.get(kind, kind)}" for kind in kinds if counted[kind]]
    click.echo(f"  {', '.join(parts)}")
    settled = [row for row in looked.rows if row.outcome.value == "settled"]
    if settled:
        levels = proven.counted(proven.kind(row.level, row.untested, "") for row in settled)
        click.echo(f"  of those settled: {words.standing(levels)}")
    for kind, number in looked.reasons:
        click.echo(f"  {kind}: {number}")
    if looked.cost is not None and looked.first_cost is not None:
        click.echo(
            f"  a verdict takes as long as {looked.cost:.1f} runs of the checks "
            f"({looked.first_cost:.1f} with the base); one run takes {looked.suite:.1f} s"
        )
    _listed("Flaky tests", looked.flaky)
    _listed("Names that change from run to run", looked.moving)
    _listed("Needed by the checks, but ignored by git", looked.carried)
    for note in looked.notes:
        click.echo(f"  ! {words.line(note)}")


def _listed(title: str, names: tuple[str, ...]) -> None:
    if names:
        more = f" and {len(names) - MOST_TESTS} more" if len(names) > MOST_TESTS else ""
        click.echo(f"  {title}: {', '.join(map(words.line, names[:MOST_TESTS]))}{more}")


def view(looked: Looked, difference: str, sentence: str) -> dict[str, Any]:
    from ralph.domain.task import shown
    from ralph.views.proven import fact_view

    return {
        "commands": [shown(one) for one in looked.commands],
        "suite_seconds": round(looked.suite, 3),
        "commits": [
            {
                "commit": row.commit,
                "subject": row.subject,
                "outcome": row.outcome.value,
                "level": row.level.value,
                "unproven": row.untested,
                "why": row.why,
                "kinds": list(row.kinds),
                "facts": [fact_view(one) for one in row.verdict.facts],
                "seconds": round(row.seconds, 3),
                "base_seconds": round(row.base_seconds, 3),
            }
            for row in looked.rows
        ],
        "cost_in_suites": looked.cost and round(looked.cost, 2),
        "cost_with_base": looked.first_cost and round(looked.first_cost, 2),
        "flaky": list(looked.flaky),
        "moving_names": list(looked.moving),
        "missing_files": list(looked.carried),
        "notes": list(looked.notes),
        "suggested": difference,
        "sentence": sentence,
    }

"""What an agent did and what came of the checks, afterwards or as it happens."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from ralph.domain.errors import RalphError
from ralph.repo import lock
from ralph.ui import printed, words
from ralph.ui.cli.common import json_option, print_json, to_steer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ralph.domain.iteration import IterationRecord
    from ralph.ledger.journal import Journal
    from ralph.ui.console import RunConsole
    from ralph.ui.wire import Project

FOLLOW_SECONDS = 0.5
LINES = 10
"""The last lines of a trial that are shown."""


@click.command()
@click.option("--iteration", type=int, metavar="N", help="Which iteration; the newest by default.")
@click.option("--prompt", is_flag=True, help="Show the prompt the agent got.")
@click.option("--raw", is_flag=True, help="Everything that was printed, as it was.")
@click.option("--follow", "-f", is_flag=True, help="Go on as long as the run does.")
@json_option
def logs(iteration: int | None, prompt: bool, raw: bool, follow: bool, as_json: bool) -> None:
    """Show what the agent did in an iteration, and what the checks printed."""
    from ralph.views import records as recording

    found = to_steer()
    journal = found.journal()
    number = iteration or journal.state.iteration
    events = list(journal.ledger.of_iteration(journal.project, number))
    record = recording.collect(events).get(number)
    if record is None and not follow:
        journal.ledger.close()
        raise RalphError(
            f"There is no iteration {number}." if number else "Nothing has run here yet.",
            fix="`ralph status` shows the last iteration." if number else "Start with `ralph run`.",
        )
    if as_json:
        print_json(None if record is None else views_of(record))
    elif record is not None and (raw or prompt):
        _raw(found, record, prompt=prompt, follow=follow)
    else:
        console = _console()
        for one in events:
            console(one)
        if follow:
            _follow(found, journal, console)
        elif record is not None:
            _show_files(found, record)
    journal.ledger.close()


def views_of(record: IterationRecord) -> dict[str, object]:
    from ralph.views.status import record_view

    return record_view(record)


def _console() -> RunConsole:
    from ralph.ui.console import RunConsole
    from ralph.ui.output import Output

    return RunConsole(total=0, done=(), asks=False, output=Output(stamps=True, always=True))


def _show_files(found: Project, record: IterationRecord) -> None:
    """What the agent printed, if that is for people; then the checks, and what they were for."""
    folder = found.root / found.settings.logs.dir
    name = f"iteration-{record.iteration}"
    for path in printed.logs_of(folder, record.iteration):
        if printed.is_plain(path):
            click.echo(f"# {path.name}")
            _dump(path)
    for path in sorted(folder.glob(f"{name}-*.log"), key=lambda one: (len(one.name), one.name)):
        told = explained(path.stem.removeprefix(f"{name}-"))
        click.echo(f"# {path.name}{f' · {told}' if told else ''}")
        _dump(path, LINES if told else 0)
    click.echo("Everything that was printed: `ralph logs --raw`.")


def explained(trial: str) -> str:
    """What this trial was to show; nothing for the checks on the work itself."""
    from ralph.proof.experiments import EXPERIMENTS

    trial = trial.split("-", 1)[1] if trial[:1] == "r" and trial[1:2].isdigit() else trial
    known = {start: text for one in EXPERIMENTS for start, text in one.trials.items()}
    return known.get(max(filter(trial.startswith, known), key=len, default=""), "")


def _raw(found: Project, record: IterationRecord, *, prompt: bool, follow: bool) -> None:
    folder, name = found.root / found.settings.logs.dir, f"iteration-{record.iteration}"
    text = found.root / ".ralph" / "prompts" / f"{name}.md" if prompt else folder / f"{name}.txt"
    ended = words.line(f"{record.outcome or 'running'} {record.why}")
    click.echo(f"# iteration {record.iteration} · {words.line(record.task)} · {ended}")
    if follow:
        for piece in _growing(text):
            click.echo(words.block(piece), nl=False)
    _dump(text)
    retries = text.parent.glob(f"{text.stem}-r*{text.suffix}")
    checks = () if prompt else folder.glob(f"{name}-*.log")
    for more in (*sorted(retries), *sorted(checks)):
        click.echo(f"# {more.name}")
        _dump(more)


def _dump(path: Path, most: int = 0) -> None:
    """A file, or so many of its last lines."""
    if not path.is_file():
        click.echo(f"({path} is gone: logs of the last `logs.keep_iterations` iterations are kept)")
        return
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        if most:
            last = words.block(file.read()).rstrip().splitlines()[-most:]
            click.echo("\n".join(f"  {line}" for line in last))
            return
        while piece := file.readline(printed.PIECE):
            click.echo(words.block(piece), nl=False)
    click.echo()


def _growing(path: Path) -> Iterator[str]:
    """What is added to a file, until Ctrl-C."""
    while not path.is_file():
        time.sleep(FOLLOW_SECONDS)
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        while True:
            piece = file.readline(printed.PIECE)
            if piece:
                yield piece
            else:
                time.sleep(FOLLOW_SECONDS)


def _follow(found: Project, journal: Journal, console: RunConsole) -> None:
    """Over all iterations, until the run ends."""
    if not lock.holder(found.repo.common_dir):
        click.echo("No run is at work here.")
    journal.watch(console)
    said = printed.Printed(found.root / found.settings.logs.dir)

    def show() -> None:
        console.out.at = time.time()  # when it was seen: nobody else knows when it was printed
        for line in said.new(journal.state.iteration):
            console.out.print(f"    {line}", "dim")

    while lock.holder(found.repo.common_dir):
        show()
        time.sleep(FOLLOW_SECONDS)
        if journal.ledger.changed():
            show()
            journal.refresh()
    journal.refresh()

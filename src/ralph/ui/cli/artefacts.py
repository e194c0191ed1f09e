"""A project of its own under `.artefacts/NAME`: interview, execute."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from ralph.domain.errors import PlanError, RalphError, UsageError
from ralph.loop.run import Asked
from ralph.repo import lock
from ralph.ui import wire, words
from ralph.ui.cli import run as loop
from ralph.ui.cli.deciding import decides
from ralph.ui.trusting import trusted

if TYPE_CHECKING:
    from ralph.flows.artefacts.execute import Execution
    from ralph.flows.artefacts.folder import Folder
    from ralph.flows.artefacts.interview import Amended
    from ralph.flows.artefacts.shelf import Repair, Shelf
    from ralph.loop.run import Run
    from ralph.ui.wire import Project

_AGENT = click.option("--agent", metavar="NAME", help="The agent to use, such as claude.")
_COMMAND = click.option(
    "--agent-command", metavar="CMD", help="A command of your own as the agent."
)
_LINGER = click.option(
    "--linger",
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="How long an agent may keep running after it wrote done.md.",
)


@click.command()
@click.argument("name")
@click.option(
    "--rounds", type=click.IntRange(1), metavar="N", help="Number of rounds; 3 by default."
)
@_AGENT
@_COMMAND
@click.option("--answers", metavar="FILE", help="Read your answers from FILE; needs no terminal.")
@_LINGER
@decides()
def interview(
    name: str,
    rounds: int | None,
    agent: str | None,
    agent_command: str | None,
    answers: str | None,
    linger: float | None,
) -> None:
    """Have an agent ask you about .artefacts/NAME/spec.md, round after round.

    It amends the spec with what you say; in the last round it writes tasks.json, for
    `ralph execute NAME`. An interrupted interview continues at the round it was in.
    """
    from ralph.agents import choose
    from ralph.flows.artefacts.asking import Alone, AtTerminal
    from ralph.flows.artefacts.folder import SPEC
    from ralph.flows.artefacts.interview import Interview

    flags = {k: v for k, v in loop.chain_flags(agent, agent_command).items() if v is not None}
    found = trusted(wire.project(flags, to_write=False))
    folder = _folder(found, name)
    folder.require(SPEC, f"Create it with `ralph init {name}`, then describe your project in it.")
    who = choose(found.settings)
    who.check()
    given = _answers(answers)
    folder.keep_out_of_git()
    lent = found.state_dir / "lent"
    alone = Alone(who, folder, found.settings, found.repo, lent, given, linger)
    talk = Interview(
        folder,
        ask=alone if answers else AtTerminal(who, folder, linger),
        mend=alone,
        tell=_show_round,
        begin=lambda number, total: click.secho(f"Round {number} of {total}", bold=True),
        templates=found.settings.prompts.templates,
    )
    findings = talk.run(rounds)
    for one in findings:
        click.secho(f"  {one.task}: {words.line(one.problem)}. {one.fix}", fg="yellow")
    click.echo(f"The tasks are in {folder.plan}. Check them, then run `ralph execute {name}`.")


def _answers(file: str | None) -> str:
    from ralph.process.foreground import has_terminal

    if file is None and not has_terminal():
        raise UsageError(
            "An interview needs a terminal.", fix="Run it in a terminal, or give --answers FILE."
        )
    if file is None:
        return ""
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error


_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def _show_round(over: Amended) -> None:
    if over.note:
        click.echo(f"  ! {over.note}")
    if not over.diff:
        click.echo(f"Round {over.round} of {over.rounds} is done. The spec is unchanged.")
        return
    click.echo(f"Round {over.round} of {over.rounds} is done. The spec changed:")
    for line in over.diff.splitlines():
        click.secho(f"  {words.block(line)}", fg=_COLOURS.get(line[:1]))


@click.command()
@click.argument("name")
@click.option("--iterations", type=click.IntRange(1), metavar="N", help="Stop after N.")
@_AGENT
@_COMMAND
@click.option("--verify", multiple=True, metavar="CMD", help="A check; repeatable.")
@_LINGER
@click.option("--json", "as_json", is_flag=True, help="Print events as JSON lines.")
@decides()
def execute(
    name: str,
    iterations: int | None,
    agent: str | None,
    agent_command: str | None,
    verify: tuple[str, ...],
    linger: float | None,
    as_json: bool,
) -> int:
    """Work on the tasks in .artefacts/NAME/tasks.json, one agent after another.

    Ends when all tasks are completed, when one has used up its max_attempts, or at a limit.
    results.md says what was done, what remains and why. Without a check, configured or detected,
    the agent's word counts, and results.md says so.
    """
    flags: dict[str, object] = {
        "loop.max_iterations": iterations,
        **loop.chain_flags(agent, agent_command),
        "verification.commands": list(verify) or None,
    }
    given = {k: v for k, v in flags.items() if v is not None}
    found = trusted(wire.project(given, to_write=False))
    folder = _folder(found, name)
    running: list[Execution] = []
    try:
        return _execute(found, folder, running, linger=linger, as_json=as_json)
    except RalphError as error:
        _say_in_results(folder, running, error.what)
        raise
    except KeyboardInterrupt:
        _say_in_results(folder, running, "Stopped by Ctrl-C.")
        raise


def _execute(
    found: Project, folder: Folder, running: list[Execution], *, linger: float | None, as_json: bool
) -> int:
    from ralph.flows.artefacts.execute import Execution, clear, fitted
    from ralph.flows.artefacts.shelf import Shelf

    shelf = Shelf(folder, found.state_dir / "artefacts" / folder.name)
    with lock.hold(lock.path_in(found.repo.common_dir)):
        repairs = _opened(found, shelf, as_json=as_json)
        clear(shelf)
    settings = fitted(found.settings, shelf)
    found = replace(found, loaded=replace(found.loaded, settings=settings))

    def attach(run: Run) -> Run:
        running.append(Execution(run, shelf, repairs, linger))
        return running[-1].changed()

    code = loop.execute(found, folder.plan, Asked(word=True), as_json=as_json, attach=attach)
    where = f"{folder.key}/results.md says what was done and what remains."
    click.echo(f"    {where}", err=as_json)
    return code


def _opened(found: Project, shelf: Shelf, *, as_json: bool) -> list[Repair]:
    """Restore the good state, also after Ralph was killed while an agent worked."""
    journal = found.journal()
    opened, plan = journal.state.open_iteration, journal.state.run.plan
    journal.ledger.close()
    own = opened is not None and plan == shelf.folder.plan
    repairs = shelf.open(opened.iteration if opened and own else 0)
    for one in repairs:
        kept = f" (kept as {one.kept})" if one.kept else ""
        click.echo(f"  ! repaired {one.path}: {words.line(one.why)}{kept}", err=as_json)
    return repairs


def _folder(found: Project, name: str) -> Folder:
    from ralph.flows.artefacts.folder import Folder

    folder = Folder.of(found.root, name)
    if not folder.path.is_dir():
        raise PlanError(
            f"There is no project {folder.key}.", fix=f"Create it with `ralph init {name}`."
        )
    return folder


def _say_in_results(folder: Folder, running: list[Execution], why: str) -> None:
    from ralph.flows.artefacts.folder import RESULTS
    from ralph.flows.artefacts.results import without_run

    if not running:
        folder.write(RESULTS, without_run(folder.name, why))
    elif not running[0].written:
        running[0].write(why)

"""The review loop from the command line."""

from __future__ import annotations

import random
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph.domain.errors import RepoError, UsageError
from ralph.ledger.ids import new_id
from ralph.repo import lock
from ralph.ui import wire, words
from ralph.ui.cli.common import count, print_json
from ralph.ui.cli.deciding import decides
from ralph.ui.trusting import trusted

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from ralph.domain.review import Limits, Review, ReviewScope
    from ralph.flows.review.bench import ReviewBench
    from ralph.ui.wire import Project

OWN = "command"
"""What an agent given by --agent-command is called."""
_INTERRUPTED = 130


@click.command()
@click.argument("paths", nargs=-1)
@click.option("--diff", "base", metavar="BASE", default="", help="Only what differs from BASE.")
@click.option("--section", metavar="HEADING", default="", help="Only the part under this heading.")
@click.option("--workflow", metavar="NAME", help="Which roles review: document, code or your own.")
@click.option("--no-fix", is_flag=True, help="Only review: nothing in your folder changes.")
@click.option("--resume", is_flag=True, help="Continue the unfinished review.")
@click.option("--fresh", is_flag=True, help="Forget an unfinished review and start over.")
@click.option("--rounds", type=click.IntRange(1), default=3, metavar="N", help="At most N rounds.")
@click.option(
    "--max-minutes",
    type=click.FloatRange(0, min_open=True),
    default=30,
    metavar="N",
    help="Stop after N minutes.",
)
@click.option("--max-cost", type=click.FloatRange(0), metavar="USD", help="Stop at this cost.")
@click.option(
    "--jobs", type=click.IntRange(1), default=2, metavar="N", help="How many agents at a time."
)
@click.option("--agent", metavar="NAME", help="The agent that reviews and fixes.")
@click.option("--agent-command", metavar="CMD", help="A command of your own as the agent.")
@click.option("--verify", multiple=True, metavar="CMD", help="A check; repeatable.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@decides()
def review(  # noqa: PLR0917 - click passes one argument per option
    paths: tuple[str, ...],
    base: str,
    section: str,
    workflow: str | None,
    no_fix: bool,
    resume: bool,
    fresh: bool,
    rounds: int,
    max_minutes: float,
    max_cost: float | None,
    jobs: int,
    agent: str | None,
    agent_command: str | None,
    verify: tuple[str, ...],
    as_json: bool,
) -> int:
    """Have PATHs, or the changes since BASE, reviewed by agents with different roles.

    Another agent tries to refute each finding; what stands is fixed and verified, and the fix is
    reviewed again. Exit 0 if nothing severe is left, 4 at a limit, 5 if a person has to decide.
    """
    from ralph.domain.review import Limits

    given = {
        "agent": OWN if agent_command else agent,
        f"agents.{OWN}.command": agent_command,
        "verification.commands": list(verify) or None,
        "loop.max_cost": max_cost,
    }
    flags = {key: value for key, value in given.items() if value is not None}
    found = trusted(wire.project(flags, to_write=False))
    limits = Limits(rounds=rounds, minutes=max_minutes, cost=found.settings.loop.max_cost)
    if resume and (paths or base or fresh):
        raise UsageError("--resume takes no paths, --diff or --fresh.", fix="Leave them out.")
    wanted = None if resume else _scope(found, paths, base, section, workflow, fix=not no_fix)
    with lock.hold(lock.path_in(found.repo.common_dir)):
        if not no_fix:
            found.repo.check()
            _refuse_half_a_run(found)
        bench = _bench(found, jobs, as_json=as_json)
        return _carry_out(bench, _beginning(bench, wanted, limits, fresh=fresh), as_json=as_json)


def _scope(
    found: Project,
    paths: tuple[str, ...],
    base: str,
    section: str,
    workflow: str | None,
    *,
    fix: bool,
) -> ReviewScope:
    from ralph.domain.review import ReviewScope
    from ralph.flows.review import roles
    from ralph.flows.review.scope import relative

    if not paths and not base:
        raise UsageError(
            "There is nothing to review.", fix="Give files or folders, or `--diff main`."
        )
    names = relative(found.repo, paths, Path.cwd())
    if section and not names:
        raise UsageError("--section needs a document.", fix="Give its path too.")
    return ReviewScope(workflow or roles.usual(names), names, base, section, fix)


def _refuse_half_a_run(found: Project) -> None:
    """A killed run has to be recovered first: a review would hide what it left behind."""
    from ralph.loop.recover import crashed

    journal = found.journal()
    try:
        half = crashed(journal.state)
    finally:
        journal.ledger.close()
    if half:
        raise RepoError(
            "The last `ralph run` was interrupted and left unfinished work.",
            fix="Continue with `ralph run` first, or only review with `--no-fix`.",
        )


def _bench(found: Project, jobs: int, *, as_json: bool) -> ReviewBench:
    from ralph.agents import chain
    from ralph.checks.commands import Checker
    from ralph.flows.review.bench import ReviewBench
    from ralph.loop.prepare import require_one

    agents = chain(found.settings)
    require_one(agents)
    log_cap = int(found.settings.logs.max_output_mb * (1 << 20))

    def tell(line: str) -> None:
        text = words.line(line.lstrip())
        click.echo(f"  {text}" if line.startswith(" ") else text, err=as_json)

    return ReviewBench(
        settings=found.settings,
        repo=found.repo,
        folder=found.state_dir / "review",
        agents=agents,
        checker=Checker(found.settings.verification, found.root, log_cap=log_cap),
        commands=wire.project_commands(found) or (),
        clock=time.time,
        jitter=random.random,
        tell=tell,
        outlay=wire.outlay(found, "review"),
        side_by_side=jobs,
    )


def _beginning(
    bench: ReviewBench, wanted: ReviewScope | None, limits: Limits, *, fresh: bool
) -> Callable[[], Coroutine[None, None, Review]]:
    """What opens the review; called once an event loop runs."""
    from ralph.flows.review import begin

    async def start() -> Review:
        if wanted is None:
            return begin.resumed(bench)
        name = new_id().rpartition("-")[2][-8:]
        if fresh:
            await begin.clear(bench)
            return begin.fresh(bench, wanted, limits, name)
        return begin.chosen(bench, wanted, limits, name)

    return start


def _carry_out(
    bench: ReviewBench, start: Callable[[], Coroutine[None, None, Review]], *, as_json: bool
) -> int:
    import asyncio

    from ralph.flows.review import report
    from ralph.process import Guard, sweep_orphans

    async def go() -> Review:
        from ralph.flows.review.rounds import run

        began = await start()
        if began.last_updated:
            bench.tell(f"Continuing review {began.id}: round {began.round}, {began.phase}.")
        return await run(bench, began)

    with Guard():
        sweep_orphans()
        try:
            ended = asyncio.run(_until_told(go()))
        except (KeyboardInterrupt, asyncio.CancelledError):
            click.echo("Interrupted. Continue with `ralph review --resume`.", err=True)
            return _INTERRUPTED
    path = report.write(bench.root, ended)
    if as_json:
        print_json(report.as_json(ended))
    else:
        _show(ended, path, bench.root)
    return ended.ending.exit_code if ended.ending else 0


async def _until_told(work: Coroutine[None, None, Review]) -> Review:
    """Ended by TERM or HUP as by Ctrl-C: the agents too, and what was answered is kept."""
    import asyncio

    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, task.cancel)
    return await task


def _show(ended: Review, path: Path, root: Path) -> None:
    from ralph.flows.review import report

    if ended.ending is None:
        return
    left = report.left(ended)
    metrics = ended.metrics
    numbers = (
        count(metrics.total_issues_found, "finding"),
        f"{metrics.total_issues_fixed} fixed",
        f"{len(left)} left",
        f"{metrics.total_issues_refuted} refuted",
    )
    click.echo(f"{report.WORDS[ended.ending].capitalize()}: {', '.join(numbers)}.")
    for one in left:
        place = f" ({one.remark.path})" if one.remark.path else ""
        click.echo(words.line(f"  {one.id} {one.remark.severity}: {one.remark.title}{place}"))
    if ended.commits:
        click.echo(f"{count(len(ended.commits), 'commit')} on {ended.fixing.branch}, not merged.")
    if left:
        click.echo(f"The rest, as a plan: {report.FOLLOW_UPS}")
    click.echo(f"Report: {path.relative_to(root)}")
    if not sys.stdout.isatty():  # for agents and hooks; a person has read it in words above
        click.echo(ended.ending.signal)

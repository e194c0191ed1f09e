"""From another terminal: pause, resume, stop, retry, skip, a word to the agent at work."""

from __future__ import annotations

import click

from ralph.ui import steering
from ralph.ui.cli.common import me, to_steer
from ralph.ui.cli.completion import one_task
from ralph.ui.cli.deciding import decides


@click.command()
@decides()
def pause() -> None:
    """Pause a running loop after its current iteration. The process stays and waits."""
    click.echo(steering.pause(to_steer(), me()))


@click.command()
@decides()
def resume() -> None:
    """Resume a loop that is paused or waits for a usage limit."""
    click.echo(steering.resume(to_steer(), me()))


@click.command()
@click.option("--now", is_flag=True, help="Stop the agent as well; its work is kept in salvage.")
@decides()
def stop(now: bool) -> None:
    """Stop a running loop after its current iteration."""
    click.echo(steering.stop(to_steer(), me(), now=now))


@click.command()
@one_task
@click.option("--feedback", default="", metavar="TEXT", help="What the next agent should know.")
@click.option("--fresh", is_flag=True, help="Without its unfinished work, which stays in salvage.")
@decides()
def retry(task_id: str, feedback: str, fresh: bool) -> None:
    """Retry a task: its failures are forgotten, your feedback goes into the prompt."""
    found = to_steer()
    click.echo(steering.retry(found, me(), task_id, feedback, fresh=fresh))


@click.command()
@one_task
@click.option("--why", default="", metavar="TEXT", help="Your reason, for the record.")
@decides()
def skip(task_id: str, why: str) -> None:
    """Skip a task. This is recorded at once, and in the plan with the next commit."""
    click.echo(steering.skip(to_steer(), me(), task_id, why))


@click.command()
@click.argument("text", nargs=-1, required=True)
@decides()
def nudge(text: tuple[str, ...]) -> None:
    """Tell the agent at work something, in its own context: `ralph nudge "Use v2 of the API"`."""
    click.echo(steering.nudge(to_steer(), me(), " ".join(text)))


@click.command()
@decides()
def handoff() -> None:
    """Have the agent at work hand its task over to a fresh one now."""
    click.echo(steering.handoff(to_steer(), me()))

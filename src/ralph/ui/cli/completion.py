"""Completion of commands, options, tasks and agents in your shell."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ralph.domain.errors import RalphError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.ui.wire import Project

C = TypeVar("C", bound="Callable[..., Any]")

VARIABLE = "_RALPH_COMPLETE"
"""What the shell sets to ask for completions."""


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what your shell needs to complete commands, options, tasks and agents.

    For bash put `eval "$(ralph completion bash)"` into ~/.bashrc, for zsh the same with zsh into
    ~/.zshrc; for fish `ralph completion fish | source` into ~/.config/fish/config.fish.
    """
    from click.shell_completion import get_completion_class

    group = click.get_current_context().find_root().command
    made = get_completion_class(shell)
    if made is not None:
        click.echo(made(group, {}, "ralph", VARIABLE).source())


def tasks(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """The tasks of the plan whose ids begin so."""

    def ids(found: Project) -> list[str]:
        journal = found.journal()
        try:
            return [task.id for task in found.read_plan(None, journal.state).tasks]
        finally:
            journal.ledger.close()

    return _beginning(begun, ids)


def agents(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """The agents whose names begin so."""
    from ralph.agents import known

    return _beginning(begun, lambda found: known(found.settings))


def _beginning(begun: str, names: Callable[[Project], Any]) -> list[str]:
    from ralph.ui import wire

    try:
        every = names(wire.project(to_write=False))
    except RalphError:
        return []  # there is nothing here to choose from, and nobody to tell
    return [name for name in every if name.startswith(begun)]


def one_task(command: C) -> C:
    """A command about one task, which is named as an argument or by --task."""

    @click.argument("named", required=False, metavar="ID", shell_complete=tasks)
    @click.option("--task", "given", metavar="ID", help="The task.", shell_complete=tasks)
    @wraps(command)
    def chosen(named: str | None, given: str | None, **more: Any) -> Any:  # noqa: ANN401 - the command's own
        if not (named or given) or (named and given and named != given):
            raise click.UsageError("Name one task, such as `US-001`.")
        return command(task_id=named or given, **more)

    return chosen  # type: ignore[return-value] # the same command, with its task chosen

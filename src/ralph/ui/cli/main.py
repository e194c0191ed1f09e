"""One program, its commands imported when they are used; one place turns errors into exit codes."""

from __future__ import annotations

import importlib
import io
import os
import sys

import click

from ralph import __version__, files, masking
from ralph.domain.errors import RalphError
from ralph.ui import words

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("ralph.ui.cli.start:demo", "See the whole loop in a throw-away repository."),
    "init": ("ralph.ui.cli.start:init", "Write PRD.json, PROMPT.md and ralph.yaml."),
    "plan": ("ralph.ui.cli.bring:plan", "Have an agent draft a plan from a brief."),
    "import": ("ralph.ui.cli.bring:import_", "Import a plan from another tool."),
    "lint": ("ralph.ui.cli.start:lint", "Check the plan: what makes a task unfit."),
    "interview": (
        "ralph.ui.cli.artefacts:interview",
        "Have an agent question you about a spec and write its tasks.",
    ),
    "execute": ("ralph.ui.cli.artefacts:execute", "Work on the tasks of an interview."),
    "run": ("ralph.ui.cli.run:run", "Work on the plan until it is done."),
    "review": (
        "ralph.ui.cli.review:review",
        "Review files or changes, fix the findings, review again.",
    ),
    "status": ("ralph.ui.cli.look:status", "Show the plan, the next task and the last iteration."),
    "watch": (
        "ralph.ui.cli.watch:watch",
        "Watch the run on a full screen, and steer it with keys.",
    ),
    "health": (
        "ralph.ui.cli.health:health",
        "Show how the running agent is doing, and the circuit breaker.",
    ),
    "serve": (
        "ralph.ui.cli.serve:serve",
        "Show all runs in a browser, live; answer questions there.",
    ),
    "logs": ("ralph.ui.cli.logs:logs", "Show what an agent did and what the checks printed."),
    "report": ("ralph.ui.cli.report:report", "Show what happened, task by task."),
    "pr": ("ralph.ui.cli.pull:pr", "Open a pull request for Ralph's branch, with `gh`."),
    "tokens": ("ralph.ui.cli.cost:tokens", "Show tokens by task, project, model, agent or day."),
    "cost": ("ralph.ui.cli.cost:cost", "Show costs, budgets and the forecast."),
    "checkpoint": (
        "ralph.ui.cli.checkpoint:checkpoint",
        "What the next agent starts from: create, list, show, verify.",
    ),
    "audit": (
        "ralph.ui.cli.audit:audit",
        "Show who changed which task, when, and on what evidence.",
    ),
    "pause": ("ralph.ui.cli.steer:pause", "Pause a running loop after its current iteration."),
    "resume": ("ralph.ui.cli.steer:resume", "Resume a paused loop."),
    "stop": ("ralph.ui.cli.steer:stop", "Stop a running loop after its current iteration."),
    "retry": ("ralph.ui.cli.steer:retry", "Retry a task, with your feedback."),
    "skip": ("ralph.ui.cli.steer:skip", "Skip a task."),
    "nudge": ("ralph.ui.cli.steer:nudge", "Tell the agent at work something."),
    "handoff": ("ralph.ui.cli.steer:handoff", "Have the agent at work hand over now."),
    "revert": ("ralph.ui.cli.undo:revert", "Go back to an earlier iteration's commit."),
    "squash": ("ralph.ui.cli.undo:squash", "Squash the commits of the branch into one."),
    "salvage": ("ralph.ui.cli.undo:salvage", "Work that was set aside: list, show, restore."),
    "inbox": ("ralph.ui.cli.inbox:inbox", "List the questions that wait for you."),
    "answer": ("ralph.ui.cli.inbox:answer", "Answer a question from the inbox."),
    "flow": ("ralph.ui.cli.flow:flow", "Run browser flows against the current folder."),
    "baseline": ("ralph.ui.cli.flow:baseline", "Accept new pictures for browser flows."),
    "sync": ("ralph.ui.cli.sync:sync", "Share what happened with the team's database."),
    "hooks": ("ralph.ui.cli.hooks:hooks", "Ralph inside Claude Code: install, uninstall, status."),
    "notify": ("ralph.ui.cli.notify:notify", "Try how messages reach you while you are away."),
    "gc": ("ralph.ui.cli.gc:gc", "Remove what nobody needs any more; never your work."),
    "mask": ("ralph.ui.cli.mask:mask", "Filter secrets out of text."),
    "doctor": ("ralph.ui.cli.doctor:doctor", "Check that a run has everything it needs."),
    "calibrate": (
        "ralph.ui.cli.calibrate:calibrate",
        "Show what Ralph would have said about your last commits.",
    ),
    "conformance": (
        "ralph.ui.cli.conformance:conformance",
        "Run misbehaving agents against Ralph or another harness.",
    ),
    "trust": ("ralph.ui.cli.trust:trust", "Accept what this repository may run on your machine."),
    "completion": (
        "ralph.ui.cli.completion:completion",
        "Print what your shell needs to complete commands.",
    ),
    "config": (
        "ralph.ui.cli.start:config",
        "Show every setting, its value and where it came from.",
    ),
}


GROUPS = {
    "Begin": ("demo", "init", "plan", "import", "lint", "doctor", "calibrate", "trust", "config"),
    "Work": ("run", "review", "interview", "execute", "pr"),
    "Look": (
        *("status", "watch", "serve", "logs", "report", "audit", "health"),
        *("tokens", "cost", "checkpoint"),
    ),
    "Steer": (
        *("inbox", "answer", "pause", "resume", "stop", "retry", "skip", "nudge", "handoff"),
    ),
    "Undo": ("revert", "squash", "salvage", "gc"),
    "More": (
        *("flow", "baseline", "sync", "hooks", "notify", "mask", "conformance", "completion"),
    ),
}
"""The commands as `ralph --help` shows them."""


class LazyGroup(click.Group):
    """Imports a command's module only when the command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] == "help" and args[1:2] != ["--help"]:
            args = [*args[1:], "--help"] if args[1:] else ["--help"]
            if len(args) == 1:
                click.echo(ctx.get_help())
                ctx.exit()
        if args[0] not in COMMANDS and not ctx.resilient_parsing:
            from difflib import get_close_matches

            close = " or ".join(f"`ralph {one}`" for one in get_close_matches(args[0], COMMANDS, 2))
            told = f"Did you mean {close}?" if close else "See them all with `ralph --help`."
            ctx.fail(f"There is no command {words.line(args[0], 40)!r}. {told}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        widest = max(map(len, COMMANDS))
        for title, names in GROUPS.items():
            with formatter.section(title):
                rows = [(name.ljust(widest), COMMANDS[name][1]) for name in names]
                formatter.write_dl(rows)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-C", "directory", metavar="DIR", help="Work in DIR, as in git.")
@click.version_option(__version__, prog_name="ralph", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context, directory: str | None) -> None:
    """Give coding agents one task at a time, prove each result, commit it, take the next.

    The agent claims, Ralph proves. Start with `ralph demo`, or `ralph init` in your repository.
    """
    context.color = words.colour()
    if directory:
        try:
            os.chdir(directory)
        except OSError as error:
            raise click.BadParameter(f"{directory}: {error.strerror}", param_hint="-C") from error


def enter(arguments: list[str]) -> int:
    """Run the command line: 1 an error the user can fix, 2 usage, 3 a bug, 130 interrupted."""
    _accept_any_character()
    out = sys.stdout
    try:
        result = cli.main(arguments, prog_name="ralph", standalone_mode=False)
    except SystemExit:
        # click leaves a changed stream behind when the reader went away (`ralph report | head`):
        # there is nobody left to tell, and nothing is wrong
        if sys.stdout is out:
            raise
        words.nobody_reads()
        return 0
    except (click.exceptions.Exit, click.ClickException, click.Abort, KeyboardInterrupt) as error:
        return _clicks(error)
    except RalphError as error:
        say_error(error)
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - the one place where a bug is caught and reported
        return _unforeseen(error, arguments)
    return result if isinstance(result, int) else 0


def _accept_any_character() -> None:
    """What the terminal's encoding lacks is escaped; it must not end a run."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _clicks(error: BaseException) -> int:
    """What click itself has to say."""
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()  # nobody asked for anything yet: that is no mistake
        return 2
    if isinstance(error, click.ClickException):
        say_error(RalphError(_without_jargon(error.format_message()), fix=_usage(error)))
        return 2 if isinstance(error, click.UsageError) else 1
    return 130


def _without_jargon(text: str) -> str:
    """Numbers are numbers, whatever click calls its kinds of them."""
    for kind, name in _NUMBERS.items():
        text = text.replace(f"is not a valid {kind}.", f"is not {name}.")
    return text


_NUMBERS = {
    "float range": "a number",
    "float": "a number",
    "integer range": "a whole number",
    "integer": "a whole number",
}


def _usage(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    if context is None:
        return ""
    return f"{context.get_usage().rstrip('.')}. See `{context.command_path} --help`."


def say_error(error: RalphError) -> None:
    lines = [words.line(line) for line in str(error).strip().splitlines()[:3]]
    mark = click.style("error: ", fg="red", bold=True)
    click.echo(mark + (lines[0] if lines else type(error).__name__), err=True, color=words.colour())
    for line in lines[1:]:
        click.echo(f"  {line}", err=True)


def _unforeseen(error: Exception, arguments: list[str]) -> int:
    """A disk that is full or read-only can show up anywhere; all else is a bug."""
    if isinstance(error, OSError) and files.can_be_mended(error):
        say_error(files.explain(error, error.filename or "a file"))
        return 1
    return bug(error, arguments)


def bug(error: Exception, arguments: list[str]) -> int:
    """Write down everything a report needs, and say where."""
    import platform
    import traceback

    from ralph import config

    report = "\n".join(
        [
            f"ralph {__version__}, Python {platform.python_version()}, {platform.platform()}",
            f"arguments: {arguments}",
            "",
            *traceback.format_exception(error),
        ]
    )
    try:
        path = config.home(os.environ) / "crashes" / f"crash-{os.getpid()}.txt"
        files.write(path, masking.text(report))
        where = str(path)
    except RalphError:
        where = "standard error, because the file could not be written"
        click.echo(words.block(report), err=True)
    what = words.line(f"{type(error).__name__}: {error}")
    click.echo(f"error: this is a bug in Ralph ({what}).", err=True)
    click.echo(f"  The details are in {where}; please report them.", err=True)
    click.echo(
        "  Nothing is lost. Start it again to continue from the last recorded step.", err=True
    )
    return 3

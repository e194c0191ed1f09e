"""What happened, task by task, and what proves it: on the terminal, as a page or as Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ralph import files
from ralph.domain.errors import RalphError, UsageError
from ralph.ui import wire
from ralph.ui.cli.common import json_option, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph.ui.wire import Project

STANDARD_OUTPUT = "-"


@click.command()
@click.argument("plan", required=False)
@click.option("--run", "name", metavar="ID", help="An earlier run, by the beginning of its id.")
@click.option("--all", "every_run", is_flag=True, help="All runs of this repository together.")
@click.option(
    "--html",
    is_flag=False,
    flag_value="",
    metavar="[FILE]",
    help="Write one self-contained page; into .ralph/ without FILE.",
)
@click.option(
    "--md",
    is_flag=False,
    flag_value=STANDARD_OUTPUT,
    metavar="[FILE]",
    help="Write Markdown; to standard output without FILE.",
)
@click.option("--pr", is_flag=True, help="Print the text of a pull request.")
@json_option
def report(
    plan: str | None,
    name: str | None,
    every_run: bool,
    html: str | None,
    md: str | None,
    pr: bool,
    as_json: bool,
) -> None:
    """Show what the last run came to: finished tasks and what proves them, commits, figures.

    Also what is parked or waits, and why. --html makes a page of it to read in the morning.
    """
    if name and every_run:
        raise click.UsageError("--run is one run, --all are all of them.")
    if sum((html is not None, md is not None, pr, as_json)) > 1:
        raise click.UsageError("Give one of --html, --md, --pr and --json.")
    from ralph.ui.report import sentences
    from ralph.ui.report.gather import gather

    found = wire.project(to_write=False)
    # a pull request is about the branch, whichever runs worked on it
    contents, lines = gather(found, plan, name, every_run=every_run or (pr and not name))
    if as_json:
        print_json(contents)
        return
    is_file = html is not None or md is not None or pr
    if is_file and sentences.is_empty(contents):
        raise RalphError(sentences.NOTHING_YET, fix=sentences.HOW_TO_START)
    if html is not None:
        _write_page(found, contents, lines, html)
    elif md is not None:
        _write_words(contents, lines, md)
    elif pr:
        from ralph.ui.report import pull

        click.echo(pull.body(contents), nl=False)
    else:
        from ralph.ui.report.text import show

        show(contents, lines)


def _write_page(found: Project, contents: dict[str, Any], lines: Sequence[str], given: str) -> None:
    from ralph.ui.report.gather import differences
    from ralph.ui.report.page import page

    text = page(contents, differences(found, contents), lines)
    if not given:
        folder = found.root / ".ralph"
        files.keep_out_of_git(folder)
        given = str(folder / f"report-{contents['run'] or 'all'}.html")
    _put(text, given, "Open it in a browser.")


def _write_words(contents: dict[str, Any], lines: Sequence[str], given: str) -> None:
    from ralph.ui.report import markdown, sentences

    text = markdown.document(contents, lines)
    _put(text if given == STANDARD_OUTPUT else f"{text}\n<!-- {sentences.MARK} -->\n", given)


def _put(text: str, given: str, more: str = "") -> None:
    """Into a file that is new, or was a report before: nothing else is ever overwritten."""
    if given == STANDARD_OUTPUT:
        click.echo(text, nl=False)
        return
    from ralph.ui.report.sentences import MARK

    target = Path.cwd() / given
    before = files.read(target)
    if before is not None and MARK.encode() not in before:
        raise UsageError(
            f"{given} exists, and is no report of Ralph's.", fix="Choose another name for the file."
        )
    files.write(target, text, durable=False)
    click.echo(f"The report is in {target}. {more}".strip())

"""The report for a terminal."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import click

from ralph.ui import words
from ralph.ui.cli.common import count
from ralph.ui.cli.look import SIGNS, level_of, named
from ralph.ui.report import numbers
from ralph.ui.report import sentences as say
from ralph.ui.report.evidence import proof_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

SHOWN = 50
"""Iterations that the report lists for people; `--json` has them all."""
NARROW = 40
"""Columns below which a terminal breaks the lines itself."""


def show(contents: dict[str, Any], lines: Sequence[str]) -> None:
    if say.is_empty(contents):
        _bold(say.NOTHING_YET)
        _put(say.HOW_TO_START)
        return
    _show_tasks(contents)
    _show_work(contents)
    _show_follow_ups(contents["follow_ups"])
    _bold("\nHow it went")
    for line in (*numbers.figures(contents["metrics"]), *numbers.spent(contents), *lines):
        _put(line, 2)


def _put(text: str, indent: int = 0, *, colour: str | None = None) -> None:
    """A line; on a terminal that is narrower than it, more than one, broken between words."""
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    start = " " * indent
    if columns > NARROW and len(text) + indent > columns:
        text = textwrap.fill(
            text,
            columns - 1,
            initial_indent=start,
            subsequent_indent=f"{start}    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        click.secho(text, fg=colour)
        return
    click.secho(f"{start}{text}", fg=colour)


def _bold(text: str) -> None:
    click.secho(text, bold=True)


def _show_tasks(contents: dict[str, Any]) -> None:
    tasks, unsure = contents["tasks"], contents["not_verified"]
    _bold(f"{words.line(contents['goal'])} · {say.ended(contents)}")
    _show_run(contents)
    _bold(f"\n{words.standing(tasks['standing'])}")
    _bold(f"Done: {tasks['done']}/{tasks['total']}")
    for row in tasks["completed"]:
        proof = (
            f"{level_of(row)} · {row['commit'][:10]}" if row["commit"] else "according to the plan"
        )
        sign = say.sign(row)
        _put(f"{sign} {named(row)}  ({proof})", 2, colour="green" if sign == "✓" else "yellow")
        for line in proof_lines(row["proof"]) if row["proof"] else ():
            _put(line, 6)
    if unsure:
        _bold("\nNot verified")
    for one in unsure:
        criterion = f"{words.line(one['criterion'])}: " if one["criterion"] else ""
        _put(f"? {words.line(one['task'])}  {criterion}{words.line(one['why'])}", 2)
    if tasks["open"]:
        _bold("\nNot done")
    tries = say.tries_of(contents)
    for row in tasks["open"]:
        why = words.line(say.why_open(row, tries.get(row["id"], ()), contents["questions"]))
        _put(f"{SIGNS[row['status']]} {named(row)}  ({row['status']}: {why})", 2)


def _show_run(contents: dict[str, Any]) -> None:
    """When it was, what it cost, why it ended, and where its work is."""
    branch = contents["branch"]
    parts = [f"run {contents['run']}", contents["started_at"]]
    if not contents["run"]:
        parts = [count(len(contents["runs"]), "run")]
    elif contents["completed_at"]:
        parts.append(f"took {words.minute(contents['duration_seconds'])}")
    _put(" · ".join([*parts, numbers.cost(contents)]), 2)
    _put(f"branch {branch} · {words.line(contents['why']) or 'no end yet'}", 2)
    if contents["commits"]:
        there = contents["came_from"]
        merged = contents["merged"]
        _put(f"merged into {there}" if merged else words.take_over(branch, there), 2)
    for one in contents["salvage"]:
        what = f"{one['task']}, iteration {one['iteration']}" if one["task"] else one["why"]
        _put(f"kept: {words.line(what)}: {one['ref']}", 2)


def _show_work(contents: dict[str, Any]) -> None:
    if contents["commits"]:
        _bold("\nCommits")
    for commit in contents["commits"]:
        number = commit["iteration"]
        _put(f"{commit['commit'][:10]}  iteration {number}  {words.line(commit['task'])}", 2)
    first = contents["review"][:1]
    if first and first[0]["look"] != "briefly":
        _bold("\nLook first")
        _put(f"{words.line(first[0]['task'])}: {words.line('; '.join(first[0]['why']))}", 2)
    if contents["iterations"]:
        _bold("\nIterations")
    for record in contents["iterations"][-SHOWN:]:
        _put(told(record), 2)
    if len(contents["iterations"]) > SHOWN:
        _put(f"(the last {SHOWN} of {len(contents['iterations'])}; `--json` has all)", 2)


def told(record: dict[str, Any]) -> str:
    """One iteration in a line: what came of it, and what a person said to its question."""
    sign = {"success": "✓", "failed": "✗", "blocked": "?"}.get(record["outcome"], "·")
    answer = words.line(record["answer"])
    more = f"; {record['question']} answered: {answer}" if answer else ""
    why = words.line(record["why"], 120) or "not ended"
    return f"{sign} {record['iterationId']:>3}  {words.line(record['taskId'])}  {why}{more}"


def _show_follow_ups(entries: list[dict[str, Any]]) -> None:
    if entries:
        _bold("\nFollow-up tasks suggested by agents")
    for entry in entries:
        origin = f"{words.line(entry['task'])}, iteration {entry['iteration']}"
        _put(f"· {words.line(entry['title'])}  ({origin})", 2)
        if entry["text"]:
            _put(words.line(entry["text"]), 4)

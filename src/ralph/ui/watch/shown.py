"""What the panes show: pure functions of what the ledger tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from ralph.domain.question import Question
from ralph.ui import words
from ralph.ui.below import Moment
from ralph.ui.cli.inbox import question_lines
from ralph.ui.cli.look import SIGNS, STYLES, level_of, named
from ralph.ui.report.evidence import proof_lines
from ralph.ui.report.text import told
from ralph.views import proven
from ralph.views.status import record_view

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ralph.domain.iteration import IterationRecord
    from ralph.domain.task import Task

TASKS, EVENTS, TASK, QUESTIONS = PANES = ("tasks", "events", "task", "questions")
NARROW, WIDE = 70, 140
"""Columns: below the first there is room for one pane, from the second on for three."""
MOST_LINES = 2000
"""Of a difference, or of what happened."""
_DIFF = {"+": "green", "-": "red", "@": "cyan", "d": "bold"}
_TITLES = {TASKS: "Tasks", EVENTS: "Events", TASK: "Task", QUESTIONS: "Questions"}


class StyledLine(NamedTuple):
    """A line and its style, by the names that `Output` knows."""

    text: str
    style: str = ""
    stamp: str = ""
    """When it was, if that matters."""


class Sighting(Struct, frozen=True):
    """What one look at the ledger told."""

    headline: str
    moment: Moment
    rows: tuple[dict[str, Any], ...] = ()
    questions: tuple[Question, ...] = ()
    new: tuple[StyledLine, ...] = ()
    """What happened since the last look."""
    at_hand: str = ""
    """The task that an agent works on, or that is being checked."""
    seq: int = 0
    """The last event that was seen."""


def visible(columns: int, chosen: str) -> tuple[str, ...]:
    """The panes that are shown side by side when this one is wanted."""
    if columns < NARROW:
        return (chosen,)
    if columns < WIDE:
        return (TASKS, EVENTS if chosen == TASKS else chosen)
    return (TASKS, EVENTS, chosen if chosen in (TASK, QUESTIONS) else TASK)


def title(pane: str, questions: int) -> str:
    return f"{_TITLES[pane]} {questions}" if pane == QUESTIONS and questions else _TITLES[pane]


def task_line(row: dict[str, Any], at_hand: str) -> StyledLine:
    """A task as the status shows it; the one at hand has a sign of its own."""
    if row["id"] == at_hand:
        return StyledLine(f"▶ {named(row)}", "bold")
    detail = f"  ({level_of(row)})" if row["status"] == "done" and row["commit"] else ""
    return StyledLine(f"{SIGNS[row['status']]} {named(row)}{detail}", STYLES.get(row["status"], ""))


def question_line(question: Question) -> StyledLine:
    return StyledLine(f"{question.id} {words.line(question.task)}: {words.line(question.summary)}")


def details(
    row: dict[str, Any],
    task: Task | None,
    records: Sequence[IterationRecord],
    questions: Iterable[Question] = (),
) -> Iterator[StyledLine]:
    """What is known of a task, the evidence first; its difference comes after that."""
    yield StyledLine(named(row), "bold")
    why = words.line(row["why"])
    yield StyledLine(f"{row['status']}: {why}" if why else row["status"])
    for line in words.block(task.description).splitlines() if task is not None else ():
        yield StyledLine(line, "dim")
    for question in questions:
        yield StyledLine("")
        yield from (StyledLine(line, "magenta") for line in question_lines(question))
    yield from _evidence(row, task, records)
    if records:
        yield StyledLine("")
        yield StyledLine("Iterations", "bold")
    for record in records:
        yield StyledLine(f"  {words.block(told(record_view(record)))}")


def _evidence(
    row: dict[str, Any], task: Task | None, records: Sequence[IterationRecord]
) -> Iterator[StyledLine]:
    """Of the commit, or of the last attempt that was checked; before that, what is asked for."""
    checked = [one for one in records if one.commit == row["commit"] and one.commit]
    checked = checked or [one for one in records if one.verdict.results]
    criteria = task.criteria if task is not None else ()
    if checked:
        proof = proven.proof(checked[-1], criteria)
        level = level_of(row) if row["commit"] else f"iteration {checked[-1].iteration}"
        yield StyledLine("")
        yield StyledLine(f"Evidence · {level}", "bold")
        yield from (StyledLine(f"  {line}") for line in proof_lines(proof))
    elif criteria:
        yield StyledLine("")
        yield StyledLine("Acceptance", "bold")
        yield from (StyledLine(f"  ? {words.line(one)}") for one in criteria)


def difference(text: str, new: Sequence[str] = ()) -> Iterator[StyledLine]:
    """A difference in colours; `new` are files that nobody has added."""
    lines = words.block(text).splitlines()
    if not lines and not new:
        return
    yield StyledLine("")
    yield StyledLine("Difference", "bold")
    yield from (StyledLine(f"new: {words.line(name)}", "green") for name in new[:MOST_LINES])
    for line in lines[:MOST_LINES]:
        yield StyledLine(line[: words.MOST].replace("\t", "    "), _DIFF.get(line[:1], ""))
    if len(lines) > MOST_LINES:
        yield StyledLine(f"({len(lines) - MOST_LINES} more lines)", "dim")

"""Questions to people, and their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ralph.domain.errors import UsageError
from ralph.domain.moment import iso
from ralph.domain.question import Choice, Reply
from ralph.ui import steering, words
from ralph.ui.cli.common import json_option, me, print_json, to_steer
from ralph.ui.cli.deciding import decides

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.question import Question
    from ralph.domain.state import OpenQuestion


@click.command()
@json_option
def inbox(as_json: bool) -> None:
    """List the questions that wait for you."""
    journal = to_steer().journal()
    opened = list(journal.state.questions.values())
    journal.ledger.close()
    if as_json:
        print_json([_view(one) for one in opened])
        return
    if not opened:
        click.echo("No questions are waiting.")
    for one in opened:
        _show(one.question)


@click.command()
@click.argument("question_id", metavar="ID")
@click.argument("option", type=click.IntRange(1, 9), required=False)
@click.option("--text", metavar="TEXT", help="Guidance in your own words.")
@click.option("--skip", is_flag=True, help="Skip the task.")
@click.option("--retry", is_flag=True, help="Try again without guidance.")
@click.option("--abort", is_flag=True, help="Stop the loop.")
@decides()
def answer(
    question_id: str, option: int | None, text: str | None, skip: bool, retry: bool, abort: bool
) -> None:
    """Answer question ID with one of its options (1-9), or in another way."""
    reply = _reply(option, text, skip=skip, retry=retry, abort=abort)
    click.echo(steering.answer(to_steer(), me(), question_id, reply))


def _reply(option: int | None, text: str | None, *, skip: bool, retry: bool, abort: bool) -> Reply:
    given: list[Reply] = []
    if option is not None:
        given.append(Reply(Choice.OPTION, option=option))
    if text is not None and not text.strip():
        raise UsageError("The text is empty.", fix="Say what the next agent should know.")
    if text is not None:
        given.append(Reply(Choice.GUIDANCE, text=text))
    flags = ((skip, Choice.SKIP), (retry, Choice.RETRY), (abort, Choice.ABORT))
    given += [Reply(choice) for flag, choice in flags if flag]
    if len(given) != 1:
        raise UsageError("Give one answer: a number, --text, --skip, --retry or --abort.")
    return given[0]


def _view(opened: OpenQuestion) -> dict[str, Any]:
    question = opened.question
    return {
        "id": question.id,
        "task": question.task,
        "kind": question.kind,
        "summary": question.summary,
        "context": question.context,
        "options": list(question.options),
        "question": question.question,
        "iteration": question.iteration,
        "salvage": question.salvage,
        "asked_at": iso(opened.at),
    }


def _show(question: Question) -> None:
    first, *rest = question_lines(question)
    click.secho(first, bold=True)
    for line in rest:
        click.echo(line)
    many = len(question.options)
    numbers = {0: "", 1: "1 | "}.get(many, f"1-{many} | ")
    click.echo(f"  ralph answer {question.id} ({numbers}--text T | --skip | --retry | --abort)\n")


def question_lines(question: Question) -> Iterator[str]:
    """All of a question, the first line to be seen from afar."""
    yield f"{question.id} · {words.line(question.task)} · {question.kind}"
    yield f"  {words.line(question.summary)}"
    for line in words.block(question.context).splitlines():
        yield f"    {line}"
    for number, option in enumerate(question.options, 1):
        yield f"  {number}. {words.line(option)}"
    if question.question:
        yield f"  {words.line(question.question)}"
    if question.salvage:
        yield f"  work so far: {question.salvage}"

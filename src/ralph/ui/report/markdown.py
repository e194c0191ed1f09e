"""The report as Markdown: the page without its charts, with commands in the place of changes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ralph.ui import money, words
from ralph.ui.report import meanings, numbers
from ralph.ui.report import sentences as say
from ralph.ui.report import steps as do
from ralph.ui.report.evidence import proof_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_CODE = re.compile(r"(`[^`|]+`)")
_MEANING = re.compile(r"([\\`*_{}\[\]<>#|~])")
_REFERENCE = re.compile(r"(?<=[@#])(?=\w)|(?<=\bGH)(?=-\d)", re.IGNORECASE)
_HIDDEN = "\u2060"
"""Joins words, and is not seen. It keeps text from calling people or closing issues."""


def plain(text: str) -> str:
    """Somebody's text in a line, where it means nothing but itself; what is in ` ` stays code."""
    parts = _CODE.split(words.line(text))
    return "".join(one if n % 2 else _bare(one) for n, one in enumerate(parts))


def _bare(text: str) -> str:
    return _MEANING.sub(r"\\\1", _REFERENCE.sub(_HIDDEN, text))


def code(text: str) -> str:
    """Text as code, whatever marks are in it."""
    bare = words.line(text)
    fence = "`" * (max(map(len, re.findall("`+", bare)), default=0) + 1)
    space = " " if "`" in bare else ""
    return f"{fence}{space}{bare}{space}{fence}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def cell(text: str) -> str:
    """Code in a table: a bar would end the cell even there."""
    return code(text.replace("|", "\u2502"))


def document(contents: dict[str, Any], lines: Sequence[str]) -> str:
    """All of it; `lines` tell about budgets."""
    parts = [
        _head(contents),
        _asked(contents),
        _tasks(contents),
        unverified(contents),
        _decisions(contents),
        review(contents),
        _cost(contents, lines),
        _salvage(contents),
        _follow_ups(contents),
        _undo(contents),
    ]
    text = "\n".join(line for part in parts for line in part).rstrip()
    return "\n".join((text, *_words(text))).rstrip() + "\n"


def _head(contents: dict[str, Any]) -> Iterator[str]:
    yield f"# {plain(contents['goal'])}\n"
    yield f"**{say.ended(contents)}.** {plain(say.headline(contents))}\n"
    about = f"{numbers.when(contents)} · branch {code(contents['branch'])}"
    yield f"{about} · {plain(say.worker(contents))}\n"
    yield "## What to do now\n"
    for number, step in enumerate(do.steps(contents), 1):
        yield f"{number}. {plain(step.text)}"
        yield from (f"   - {plain(text)}: {code(does)}" for text, does in step.choices)
        if step.commands:
            yield from _commands(step.commands, "   ")
    yield ""


def _commands(given: Iterable[str], indent: str = "") -> Iterator[str]:
    yield ""
    yield f"{indent}```console"
    yield from (f"{indent}{words.line(one)}" for one in given)
    yield f"{indent}```"
    yield ""


def _asked(contents: dict[str, Any]) -> Iterator[str]:
    yield "## What was asked\n"
    if contents["about"]:
        yield f"{plain(contents['about'])}\n"
    for one in contents["asked"]:
        yield f"- **{plain(one['id'])}** {plain(one['title'])}"
        yield from (f"  - {plain(criterion)}" for criterion in one["criteria"])
    yield ""


def _tasks(contents: dict[str, Any]) -> Iterator[str]:
    tasks = contents["tasks"]
    yield "## Tasks\n"
    yield f"{words.standing(tasks['standing'])}.\n"
    for row in tasks["completed"]:
        kind = say.kind_of(row).value if row["proof"] else "done in the plan"
        yield f"- {say.sign(row)} **{plain(row['id'])}** {plain(row['title'])}: {kind}"
        yield f"  - {plain(say.sure(row))}"
        if row["proof"]:
            yield from (f"  - {plain(line)}" for line in proof_lines(row["proof"]))
    tries = say.tries_of(contents)
    for row in tasks["open"]:
        why = plain(say.why_open(row, tries.get(row["id"], ()), contents["questions"]))
        yield f"- **{plain(row['id'])}** {plain(row['title'])}: {say.state(row)}; {why}"
    yield ""


def unverified(contents: dict[str, Any]) -> Iterator[str]:
    yield "## Not verified\n"
    found = say.unverified(contents)
    yield f"{say.NOT_SHOWN}\n" if found else f"{say.NOTHING_OPEN}\n"
    for names, what in found:
        yield f"- **{plain(say.some(names))}**"
        yield from (f"  - {plain(one)}" for one in what)
    yield ""


def _decisions(contents: dict[str, Any]) -> Iterator[str]:
    if not contents["questions"] and not contents["decisions"]:
        return
    yield "## Questions and decisions\n"
    for number, one in enumerate(contents["questions"]):
        yield f"- **{one['id']}** waits for you: {plain(say.asked(one))}"
        if number >= do.MOST_QUESTIONS:
            yield from (f"  - {plain(text)}: {code(does)}" for text, does in do.choices(one))
    for one in contents["decisions"]:
        about = plain(f"{one['task'] or 'The plan'}: {one['what']} by {one['by']}")
        answer = f": {plain(one['answer'])}" if one["answer"] else ""
        yield f"- {about}{answer}"
    yield ""


def review(contents: dict[str, Any], most: int | None = None) -> Iterator[str]:
    """Riskiest first."""
    found = contents["review"]
    yield "## Review, riskiest first\n" if found else "## Review\n"
    if not found:
        yield "There is nothing to review: no work was committed.\n"
        return
    for number, one in enumerate(found[:most], 1):
        why = "; ".join(one["why"]) or "nothing stands out"
        yield f"{number}. **{plain(one['task'])}**: {plain(why)} ({say.size(one)})"
        yield f"   {code(do.difference(one))}"
    yield ""


def _cost(contents: dict[str, Any], lines: Sequence[str]) -> Iterator[str]:
    yield "## Cost and time\n"
    for line in (*numbers.spent(contents), *numbers.figures(contents["metrics"]), *lines):
        yield f"- {plain(line)}"
    yield ""
    yield from table(
        ("task", "attempts", "time", "cost"),
        (
            (
                plain(one["task"]),
                str(one["iterations"]),
                words.span(one["seconds"]),
                money.dollars(one["cost_usd"], estimated=one["estimated"]),
            )
            for one in contents["spending"]
        ),
    )


def _salvage(contents: dict[str, Any]) -> Iterator[str]:
    if contents["salvage"]:
        yield "## Set aside\n"
    waiting = contents["questions"]
    for one in contents["salvage"]:
        yield f"- {plain(say.set_aside(one, waiting))} {code(do.restoring(one)[1])}"
    yield ""


def _follow_ups(contents: dict[str, Any]) -> Iterator[str]:
    if contents["follow_ups"]:
        yield "## Follow-up tasks suggested by agents\n"
    for one in contents["follow_ups"]:
        text = f": {plain(one['text'])}" if one["text"] else ""
        yield f"- **{plain(one['title'])}** ({plain(one['task'])}){text}"
    yield ""


def _undo(contents: dict[str, Any]) -> Iterator[str]:
    yield "## Undo, and other commands\n"
    for step in do.undoing(contents):
        yield f"- {plain(step.text)}: {', '.join(code(one) for one in step.commands)}"
    yield ""


def _words(text: str) -> Iterator[str]:
    yield "\n## What the words mean\n"
    for word, meaning in meanings.explained(text):
        yield f"- **{word}**: {meaning}"

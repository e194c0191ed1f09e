"""What agents did and what checks printed, with a search over all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.ui.cli.logs import explained
from ralph.ui.web import feed, files
from ralph.ui.web.pages.shell import document
from ralph.ui.web.parts import address, field, link, moment, nothing, section, state, table
from ralph.ui.web.tree import el
from ralph.views import records as recording

if TYPE_CHECKING:
    from ralph.domain.iteration import IterationRecord
    from ralph.ui.web.desk import ReadingDesk
    from ralph.ui.web.tree import Element, Inside

LISTED = 50
"""Iterations that the page lists; the search finds older ones."""
OUTCOMES = {"success": ("good", "✓"), "failed": ("bad", "✗"), "blocked": ("ask", "?")}


def page(desk: ReadingDesk, asked: dict[str, str]) -> str:
    words, number = asked.get("q", "").strip(), _number(asked.get("iteration", ""))
    parts: list[Inside] = [_form(desk, words)]
    if words:
        parts.append(_found(desk, words))
    elif number:
        parts += _iteration(desk, number)
    else:
        parts.append(_list(desk))
    title = f"Iteration {number}" if number and not words else "Logs"
    return document(title, *parts, clean=desk.clean, desk=desk, page="logs")


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0  # noqa: PLR2004 - digits


def _form(desk: ReadingDesk, words: str) -> Element:
    asked = field("Search the logs", "q", "search", under="logs", value=words, maxlength=200)
    button = el("button", "Search", type="submit")
    where = address(desk.project, "logs")
    return el("form", asked, button, method="get", action=where, role="search", class_="row")


def _list(desk: ReadingDesk) -> Element:
    kinds = ("IterationStarted", "IterationEnded", "Settled")
    newest = desk.journal.newest(kinds, LISTED * 3)
    records = list(recording.collect(newest).values())[::-1][:LISTED]
    rows = [_row(desk, one) for one in records]
    head = ("Iteration", "Task", "Outcome", "Began", "Why")
    inside = table(head, rows, "Iterations") if rows else nothing("Nothing has run here yet.")
    return section("Iterations", inside, name="iterations")


def _row(desk: ReadingDesk, one: IterationRecord) -> tuple[Inside, ...]:
    number = link(str(one.iteration), address(desk.project, "logs", iteration=one.iteration))
    task = link(one.task, address(desk.project, "task", id=one.task))
    return number, task, outcome(one), moment(one.started_at), one.why or "-"


def outcome(one: IterationRecord) -> Element:
    word = one.outcome or "running"
    tone, sign = OUTCOMES.get(word, ("plain", "•"))
    return state(str(word), tone, sign)


def _found(desk: ReadingDesk, words: str) -> Element:
    folder = desk.logs()
    hits, whole = files.search(folder, words) if folder else ([], True)
    rows: list[tuple[Inside, ...]] = [
        (
            link(one.name, address(desk.project, "logs", iteration=one.iteration)),
            str(one.number),
            el("code", one.line.strip()),
        )
        for one in hits
    ]
    note = None if whole else el("p", "There may be more in older logs.")
    inside = table(("Log", "Line", "Text"), rows, "What was found") if rows else None
    none = None if rows else nothing("No log that is still there holds these words.")
    return section(f"{len(hits)} found", note, inside, none, name="found")


def _iteration(desk: ReadingDesk, number: int) -> list[Inside]:
    events = list(desk.ledger.of_iteration(desk.project, number))
    record = recording.collect(events).get(number)
    if record is None:
        return [nothing(f"There is no iteration {number}.")]
    console, lines = feed.console()
    for one in events:
        console(one)
    told = "\n".join(line.text for line in lines.taken())
    head = el(
        "p",
        outcome(record),
        " ",
        link(record.task, address(desk.project, "task", id=record.task)),
        f" {record.title}",
    )
    folder = desk.logs()
    logs = files.of_iteration(folder, number) if folder else []
    return [
        head,
        section("What happened", el("pre", told, tabindex="0"), name="happened"),
        section(
            "What was printed",
            *(printed(number, log) for log in logs),
            None if logs else nothing("Nothing that is kept: see `logs.keep_iterations`."),
            name="printed",
        ),
    ]


def printed(number: int, log: files.Log) -> Element:
    """A file as it was printed; of trials also what they were for."""
    is_agent = log.name.endswith(".txt")
    trial = log.name.removeprefix(f"iteration-{number}-").rpartition(".")[0]
    told = "What the agent printed." if is_agent else explained(trial)
    is_short = not log.text.startswith("{") if is_agent else not told
    cut = el("p", f"{log.left_out:,} bytes before this are not shown.") if log.left_out else None
    return el(
        "details",
        el("summary", el("code", log.name), f" {told or 'The checks on the work itself.'}"),
        cut,
        el("pre", log.text, tabindex="0"),
        open=is_short,
        class_="log",
    )

"""A repository's run: what needs somebody, what goes on, and the tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ralph.domain.decision import StopReason
from ralph.ui import words
from ralph.ui.money import dollars
from ralph.ui.web.parts import (
    action,
    address,
    field,
    link,
    moment,
    more,
    nothing,
    section,
    since,
    state,
    table,
)
from ralph.ui.web.tree import el
from ralph.views import proven
from ralph.views.status import ENDINGS

if TYPE_CHECKING:
    from ralph.domain.question import Question
    from ralph.ui.web.desk import ReadingDesk
    from ralph.ui.web.tree import Element, Inside

MOST_TASKS = 200
"""Tasks in one table; the graph's page has them all."""
_STYLES = {"green": "good", "red": "bad", "yellow": "warn", "magenta": "ask", "cyan": "busy"}


def regions(desk: ReadingDesk) -> dict[str, Element]:
    return {
        "needs": _needs(desk),
        "now": _now(desk),
        "feed": _feed(desk),
        "tasks": _tasks(desk),
    }


def counts_of(desk: ReadingDesk) -> dict[str, int]:
    rows = desk.rows()
    found = {"total": len(rows), "done": 0, "skipped": 0}
    for row in rows:
        found[row["status"]] = found.get(row["status"], 0) + 1
    return found


def bar(counts: dict[str, int]) -> Element | None:
    if not counts["total"]:
        return None
    text = words.progress(counts["done"], counts["total"], counts["skipped"])
    return el(
        "p",
        el("progress", value=counts["done"], max=counts["total"], aria_label="Finished tasks"),
        el("span", text, class_="count"),
        class_="bar",
    )


def standing_of(desk: ReadingDesk) -> tuple[str, str, str]:
    """How the run is, in a word, with its tone and sign."""
    run = desk.state.run
    if desk.holder is not None:
        if run.paused and desk.state.open_iteration is None:
            return "paused", "warn", "‖"
        if run.paused or run.stop:
            return f"{'pauses' if run.paused else 'stops'} after this iteration", "warn", "‖"
        return ("waiting", "warn", "…") if run.waits else ("running", "busy", "▶")
    if run.id and not run.ended_at:
        return "interrupted", "bad", "!"
    if run.reason is None:
        return "not started", "faint", "○"
    good = run.reason in (StopReason.GOAL_ACHIEVED, StopReason.ONCE)
    return ENDINGS[run.reason], "good" if good else "warn", "✓" if good else "■"


def _needs(desk: ReadingDesk) -> Element:
    """One line, whether somebody is needed or not: what arrives pushes nothing aside."""
    why = desk.trouble.rstrip(".")
    note = el("p", f"There are no controls: {why}.", class_="note") if why else None
    opened = list(desk.state.questions.values())
    if not opened:
        return section("Needs you", note, nothing("Nothing waits for you."), name="needs")
    first = opened[0].question
    many = f"{len(opened)} questions for you" if len(opened) > 1 else "A question for you"
    head = el("summary", state(many, "ask", "?"), f" {first.summary or first.question}")
    each = [_question(desk, one.question, one.at) for one in opened]
    asked = el("details", head, *each, id="asked", open=True)
    return section("Needs you", note, asked, name="needs", data_count=len(opened))


def _question(desk: ReadingDesk, question: Question, at: float) -> Element:
    name = f"q-{question.id}"
    of_task = address(desk.project, "task", id=question.task)
    return el(
        "article",
        el("h3", question.summary or question.question or question.id),
        el(
            "p",
            f"{question.id} · ",
            link(question.task, of_task) if question.task else None,
            f" · {question.kind} · ",
            moment(at),
            class_="faint",
        ),
        el("pre", question.context.strip(), tabindex="0") if question.context.strip() else None,
        el("p", question.question) if question.question else None,
        el("p", f"Work so far: {question.salvage}", class_="faint") if question.salvage else None,
        _answers(desk, question, name) if desk.found else None,
        id=name,
        class_="question",
    )


def _answers(desk: ReadingDesk, question: Question, name: str) -> Element:
    asked = {"question": question.id}
    options = [
        action(desk, "answer", option, **asked, option=number)
        for number, option in enumerate(question.options, 1)
    ]
    own = action(
        desk, "answer", "Answer",
        field("In your own words", "text", under=name, required=True, maxlength=10_000),
        **asked, choice="guidance",
    )  # fmt: skip
    called = {"retry": "Try again", "skip": "Skip the task", "abort": "Stop the loop"}
    rest = [action(desk, "answer", text, **asked, choice=one) for one, text in called.items()]
    return el(
        "div",
        el("div", *options, class_="choices"),
        own,
        more("Other answers", el("div", *rest, class_="choices"), name=f"{name}-more"),
        class_="answers",
    )


def _now(desk: ReadingDesk) -> Element:
    current, run = desk.state, desk.state.run
    word, tone, sign = standing_of(desk)
    opened = current.open_iteration if desk.holder else None
    lines: list[Inside] = [
        el("p", state(word, tone, sign), class_="standing"),
        bar(counts_of(desk)),
    ]
    at_work: list[Inside] = ["No agent is at work."]
    if opened is not None:
        attempt = f" · attempt {opened.attempt}" if opened.attempt > 1 else ""
        task = link(opened.task, address(desk.project, "task", id=opened.task))
        at_work = [task, f" {opened.title}{attempt}"]
    if desk.holder:
        lines.append(el("p", *at_work, class_="at-work"))
    lines.append(el("dl", *_facts(desk), class_="facts"))
    if not desk.holder and run.why and run.reason is not StopReason.GOAL_ACHIEVED:
        lines.append(el("p", run.why))
    if not desk.holder and run.id and run.reason is not StopReason.GOAL_ACHIEVED:
        lines.append(el("p", f"Continue it in a terminal with {words.again(run.plan)}."))
    controls = _controls(desk) if desk.holder and desk.found else None
    return section("Now", *lines, controls, name="now")


def _facts(desk: ReadingDesk) -> list[Element]:
    run = desk.state.run
    spent = (run.usage + run.running).cost_usd
    facts: list[tuple[str, Inside]] = [
        ("Branch", run.branch or "-"),
        ("Agent", run.agent or "-"),
        ("Iteration", str(desk.state.iteration or "-")),
        ("Spent", "unknown" if spent is None else dollars(spent)),
    ]
    if desk.holder:
        phase: Inside = el("span", str(run.phase), " ", since(run.phase_at)) if run.phase else "-"
        facts += [("Phase", phase), ("Health", str(run.health))]
        facts += [("Running", since(run.started_at)), ("Waits for", run.waits or "-")]
    elif run.ended_at:
        facts += [("Ended", moment(run.ended_at))]
    return [el("div", el("dt", name), el("dd", value)) for name, value in facts]


def _controls(desk: ReadingDesk) -> Element:
    run = desk.state.run
    first = [
        action(desk, "resume", "Resume", tone="main")
        if run.paused
        else action(desk, "pause", "Pause after this iteration"),
        None if run.stop else action(desk, "stop", "Stop after this iteration"),
    ]
    word = field("A word to the agent at work", "text", under="nudge", required=True,
                 maxlength=10_000)  # fmt: skip
    rest = more(
        "More",
        action(desk, "nudge", "Tell it", word),
        action(desk, "handoff", "Have it hand over to a fresh agent"),
        action(desk, "stop", "Stop now", tone="bad", now="yes"),
        name="more-controls",
    )
    return el("div", el("div", *first, class_="choices"), rest, class_="controls")


def _tasks(desk: ReadingDesk) -> Element:
    rows = desk.rows()
    shown = rows
    note = None
    if len(rows) > MOST_TASKS:
        shown = [row for row in rows if row["status"] not in ("done", "skipped")][:MOST_TASKS]
        note = el(
            "p",
            f"The first {len(shown)} open tasks of {len(rows)} are shown. ",
            link("All of them", address(desk.project, "graph")),
        )
    opened = desk.state.open_iteration if desk.holder else None
    at_work = opened.task if opened is not None else ""
    body = [_row(desk, row, at_work) for row in shown]
    head = ("State", "Task", "Title", "Proof or reason")
    inside = table(head, body, "Tasks") if body else nothing("The plan has no tasks to show.")
    return section("Tasks", note, inside, name="tasks")


def _row(desk: ReadingDesk, row: dict[str, Any], at_work: str) -> tuple[Inside, ...]:
    word = "at work" if row["id"] == at_work else row["status"]
    where = link(row["id"], address(desk.project, "task", id=row["id"]))
    proof = proof_of(row)
    return state(word), where, row["title"], el("span", proof, class_="cut", title=proof)


def proof_of(row: dict[str, Any]) -> str:
    """How well a task is proven, or why it is not done."""
    if row["status"] != "done":
        return str(row["why"]) or "-"
    if not row["commit"]:
        return "according to the plan"
    kind = proven.kind(row["level"], row["unproven"], row["accepted_by"])
    by = f" by {row['accepted_by']}" if row["accepted_by"] else ""
    level = "" if row["level"] in (kind, "accepted") else f" ({row['level']})"
    return f"{kind}{by}{level} · {row['commit'][:10]}"


def _feed(desk: ReadingDesk) -> Element:
    lines = [
        el(
            "li",
            el("span", moment(line.at), class_="at"),
            el("span", line.text.strip(), class_=_tone(line.style)),
            class_="deep" if line.text.startswith("    ") else None,
        )
        for line in desk.feed
    ]
    inside = el("ol", *lines, class_="feed", tabindex="0", aria_label="Events, the newest last")
    return section("What happens", inside, name="feed")


def _tone(style: str) -> str:
    last = style.rsplit(maxsplit=1)[-1] if style else ""
    return _STYLES.get(last, "faint" if last == "dim" else "plain")

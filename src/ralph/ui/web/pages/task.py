"""A task: each criterion with its evidence, then the diff, the trials and the attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ralph.domain.event import IterationStarted
from ralph.domain.evidence import COVERED
from ralph.ui.web import files
from ralph.ui.web.pages import logs, run
from ralph.ui.web.pages.shell import document
from ralph.ui.web.parts import (
    action,
    address,
    field,
    link,
    moment,
    more,
    nothing,
    section,
    state,
    table,
)
from ralph.ui.web.tree import el
from ralph.views import proven
from ralph.views import records as recording

if TYPE_CHECKING:
    from ralph.domain.iteration import IterationRecord
    from ralph.domain.task import Task
    from ralph.ui.web.desk import ReadingDesk
    from ralph.ui.web.tree import Element, Inside

ATTEMPTS = 20
MOST_DIFF = 200_000
MET = {True: ("met", "good", "✓"), False: ("not met", "bad", "✗"), None: ("open", "ask", "?")}
COMMIT = frozenset("0123456789abcdef")


def page(desk: ReadingDesk, asked: dict[str, str]) -> str:
    name = asked.get("id", "")
    plan = desk.plan()
    task = plan.by_id.get(name) if plan is not None else None
    records = _records(desk, name)
    row = next((one for one in desk.rows() if one["id"] == name), None)
    title = task.title if task else records[-1].title if records else ""
    if not title:
        return document("No such task", nothing("Neither the plan nor the ledger has this task."),
                        clean=desk.clean, desk=desk)  # fmt: skip
    shown = _shown(records, row)
    return document(
        f"{name} {title}",
        _standing(desk, row),
        _controls(desk, name, row),
        _criteria(task, shown),
        _diff(desk, shown),
        _trials(desk, shown),
        _attempts(desk, records),
        clean=desk.clean,
        desk=desk,
        page="task",
    )


def _records(desk: ReadingDesk, name: str) -> list[IterationRecord]:
    """Of its newest attempts, oldest first. A verdict names the iteration and not the task."""
    numbers = [
        one.event.iteration
        for one in desk.ledger.of_task(desk.project, name)
        if isinstance(one.event, IterationStarted)
    ]
    found: dict[int, IterationRecord] = {}
    for number in numbers[-ATTEMPTS:]:
        found |= recording.collect(desk.ledger.of_iteration(desk.project, number))
    return list(found.values())


def _shown(records: list[IterationRecord], row: dict[str, Any] | None) -> IterationRecord | None:
    """What landed, or the last attempt."""
    landed = [
        one for one in records if row is not None and one.commit and one.commit == row["commit"]
    ]
    return (landed or records or [None])[-1]  # type: ignore[list-item]


def _standing(desk: ReadingDesk, row: dict[str, Any] | None) -> Element:
    if row is None:
        return el("p", "The plan of today does not have it.")
    name = row["question"]
    asked = link(f"Answer {name}", f"{address(desk.project)}#q-{name}") if name else None
    return el("p", state(row["status"]), f" {run.proof_of(row)} ", asked)


def _controls(desk: ReadingDesk, name: str, row: dict[str, Any] | None) -> Element | None:
    if desk.found is None or row is None:
        return None
    feedback = field("What the next agent should know", "feedback", under="retry",
                     maxlength=10_000)  # fmt: skip
    fresh = field("without its unfinished work", "fresh", "checkbox", under="retry", value="yes")
    why = field("Why", "why", under="skip", maxlength=1_000)
    skip = action(desk, "skip", "Skip it", why, tone="bad", task=name)
    return el(
        "div",
        more("Try it again", action(desk, "retry", "Try it again", feedback, fresh, task=name)),
        more("Skip it", skip) if row["status"] not in ("done", "skipped") else None,
        class_="controls",
    )


def _criteria(task: Task | None, shown: IterationRecord | None) -> Element:
    if shown is None:
        every = [(state("open", "ask", "?"), one) for one in task.criteria] if task else []
        known = table(("Met", "Criterion"), every, "Criteria") if every else None
        none = None if every else nothing("The plan names no criteria.")
        return section("Criteria", known, none, name="criteria")
    proof = proven.proof(shown, task.criteria if task is not None else ())
    rows = [_criterion(one) for one in proof["criteria"]]
    told: list[Element] = []
    if proof["tests_that_show_it"]:
        tests = el("ul", *(el("li", el("code", one)) for one in proof["tests_that_show_it"][:50]))
        told.append(el("div", el("h3", "Tests that fail without the change"), tests))
    if proof["facts"]:
        facts = [el("li", el("b", one["weight"]), f" {one['text']}") for one in proof["facts"]]
        told.append(el("div", el("h3", "Facts"), el("ul", *facts)))
    if proof["notes"]:
        told.append(el("div", el("h3", "Notes"), el("ul", *(el("li", n) for n in proof["notes"]))))
    head = ("Met", "Criterion", "Evidence")
    inside = table(head, rows, "Criteria") if rows else nothing("The plan names no criteria.")
    why = el("p", f"Verdict of iteration {shown.iteration}: {shown.verdict.why or shown.why}")
    return section("Criteria and their evidence", inside, why, *told, name="criteria")


def _criterion(one: dict[str, Any]) -> tuple[Inside, ...]:
    met = MET[one["passed"]] if one["how"] != COVERED else ("covered", "plain", "·")
    digest = f" · output {one['outputSha256'][:12]}" if one["outputSha256"] else ""
    return state(*met), one["criterion"], f"{one['how'] or 'a person must check'}{digest}"


def _diff(desk: ReadingDesk, shown: IterationRecord | None) -> Element | None:
    if shown is None or not shown.commit:
        return None
    text = _text(desk, shown.base, shown.commit)
    title = f"Diff {shown.base[:10]}..{shown.commit[:10]}"
    if text is None:
        return section(title, nothing("These commits are not in the repository."), name="diff")
    # masked as a whole: a key may have several lines
    lines = [el("span", f"{one}\n", class_=_kind(one)) for one in desk.clean(text).splitlines()]
    body = el("pre", *lines, tabindex="0", class_="diff")
    return section(title, el("p", f"{len(shown.files)} files"), body, name="diff")


def _text(desk: ReadingDesk, base: str, commit: str) -> str | None:
    """Runs nothing that the repository could name: no textconv, no external diff."""
    if desk.found is None or not (COMMIT.issuperset(base) and COMMIT.issuperset(commit)):
        return None
    how = ("--no-ext-diff", "--no-textconv", "--no-color", "--stat", "--patch", "--no-renames")
    done = desk.found.repo.git.ask("diff", *how, base, commit, "--")
    if done.code:
        return None
    text = done.out[:MOST_DIFF].decode("utf-8", "replace")
    return f"{text}\n… cut here" if len(done.out) > MOST_DIFF else text


def _kind(line: str) -> str | None:
    if line.startswith(("+++", "---", "diff ", "index ", "@@")):
        return "at"
    return {"+": "plus", "-": "minus"}.get(line[:1])


def _trials(desk: ReadingDesk, shown: IterationRecord | None) -> Element | None:
    folder = desk.logs()
    if shown is None or folder is None:
        return None
    found = [
        one for one in files.of_iteration(folder, shown.iteration) if one.name.endswith(".log")
    ]
    inside = [logs.printed(shown.iteration, one) for one in found]
    none = nothing("There are no logs of trials.")
    return section("Trials", *(inside or [none]), name="trials")


def _attempts(desk: ReadingDesk, records: list[IterationRecord]) -> Element:
    rows: list[tuple[Inside, ...]] = [
        (
            link(str(one.iteration), address(desk.project, "logs", iteration=one.iteration)),
            logs.outcome(one),
            one.agent,
            moment(one.started_at),
            one.why or "-",
        )
        for one in reversed(records)
    ]
    head = ("Iteration", "Outcome", "Agent", "Began", "Why")
    inside = table(head, rows, "Attempts") if rows else nothing("Nobody has worked on it yet.")
    return section("Attempts", inside, name="attempts")

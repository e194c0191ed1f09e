"""The parts of the page below its first screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ralph.ui import money, words
from ralph.ui.cli.common import count
from ralph.ui.report import charts, meanings
from ralph.ui.report import sentences as say
from ralph.ui.report import steps as do
from ralph.ui.report.evidence import proof_lines
from ralph.ui.report.html import badge, commands, details, joined, listed, prose, table, tag
from ralph.views.proven import BY_THE_PLAN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ralph.ui.report.html import Html

MOST_ROWS = 300
"""Of one list; `ralph report --json` has them all."""
FEW = 8
"""Tasks whose criteria are shown without being asked for."""


def bounded(rows: Sequence[Any]) -> tuple[Sequence[Any], Html | None]:
    more = len(rows) - MOST_ROWS
    note = f"{more} more are in `ralph report --json`."
    return rows[:MOST_ROWS], tag("p", note, cls="quiet") if more > 0 else None


def asked(contents: dict[str, Any]) -> Html:
    given, more = bounded(contents["asked"])
    if not given:
        return tag("p", f"{contents['goal']} (plan {contents['plan']})")
    items = [
        [
            tag("strong", f"{one['id']} "),
            one["title"],
            listed(one["criteria"]) if one["criteria"] else None,
        ]
        for one in given
    ]
    about = tag("p", prose(contents["about"])) if contents["about"] else None
    whole = count(len(contents["asked"]), "task")
    summary = f"{whole} of {contents['plan']}, each with what it must fulfil"
    return joined([about, details(summary, listed(items), more, opened=len(items) <= FEW)])


def tasks(contents: dict[str, Any]) -> Html:
    every = contents["tasks"]
    if not every["total"]:
        return tag("p", "The plan cannot be read just now, and no task of it was finished.")
    tries = say.tries_of(contents)
    done, more_done = bounded(every["completed"])
    left, more_left = bounded(every["open"])
    rows = [_done_row(row, tries) for row in done] + [_open_row(row, tries) for row in left]
    return joined(
        [
            charts.levels(every["standing"]),
            table("Every task, and what came of it", ("Task", "Result", "Why"), rows),
            more_done,
            more_left,
        ]
    )


def _named(row: dict[str, Any]) -> list[Html]:
    return [tag("strong", row["id"]), tag("div", row["title"])]


def _done_row(row: dict[str, Any], tries: dict[str, list[dict[str, Any]]]) -> list[Any]:
    if row["proof"] is None:
        return [_named(row), badge("checked", "done in the plan"), f"{BY_THE_PLAN}."]
    kind = say.kind_of(row)
    return [
        _named(row),
        badge(kind.value, f"✓ {kind.value}"),
        [
            tag("div", meanings.MEANINGS[kind]),
            details("Evidence", listed([tag("span", o) for o in proof_lines(row["proof"])])),
            _history(tries.get(row["id"], [])),
        ],
    ]


def _open_row(row: dict[str, Any], tries: dict[str, list[dict[str, Any]]]) -> list[Any]:
    sign = "?" if row["status"] == "parked" else "·"
    mine = tries.get(row["id"], [])
    return [
        _named(row),
        badge(row["status"] if row["status"] == "parked" else "open", f"{sign} {say.state(row)}"),
        [tag("div", say.why_open(row, mine)), _history(mine, every=True)],
    ]


def _history(records: Sequence[dict[str, Any]], *, every: bool = False) -> Html | None:
    """The attempts, unless there was only the one that is told of already."""
    if len(records) < (1 if every else 2):
        return None
    items = [tag("span", say.attempt(record)) for record in records[-20:]]
    return details(f"{count(len(records), 'attempt')} in this report", listed(items, "ol"))


def unverified(contents: dict[str, Any]) -> Html:
    found, more = bounded(say.unverified(contents))
    if not found:
        return tag("p", say.NOTHING_OPEN)
    items = [[tag("strong", say.some(names)), listed(what)] for names, what in found]
    lead = tag("p", "It is finished, but shown by no check, no test and no person:")
    return joined([lead, listed(items), more])


def decisions(contents: dict[str, Any]) -> Html:
    waiting = [part for one in contents["questions"] for part in _question(one)]
    made, more = bounded(contents["decisions"])
    items = [
        [
            tag("strong", f"{one['task'] or 'The plan'}: {one['what']}"),
            f" by {one['by']}, {say.clock(one['at'])}. ",
            tag("span", f"Asked: {one['asked']}. ") if one["asked"] else None,
            tag("span", f"Decided: {one['answer']}") if one["answer"] else None,
        ]
        for one in made
    ]
    return joined(
        [
            waiting or tag("p", "No question waits for you."),
            tag("h3", "Decided by people") if items else None,
            listed(items) if items else tag("p", "No person decided anything.", cls="quiet"),
            more,
        ]
    )


def _question(one: dict[str, Any]) -> Iterator[Html]:
    about = f" about {one['task']}" if one["task"] else ""
    yield tag("h3", f"{one['id']}{about} waits for you: {one['summary']}")
    yield tag("p", f"Asked at {say.clock(one['asked_at'])}.", cls="quiet")
    if one["context"]:
        yield tag("blockquote", prose(one["context"]))
    if one["question"]:
        yield tag("p", tag("strong", one["question"]))
    yield chosen(do.choices(one))
    answer = f"ralph answer {one['id']}"
    others = f"Or `{answer} --retry`, `{answer} --skip` (leave the task out), `{answer} --abort`."
    yield tag("p", others, cls="quiet")


def chosen(given: Sequence[tuple[str, str]]) -> Html:
    """What can be chosen, each with the command that does it."""
    return listed([[tag("code", does, cls="inline"), f" {text}"] for text, does in given])


def cost(contents: dict[str, Any], lines: Sequence[str]) -> Html:
    rows, more = bounded(contents["spending"])
    shown = [
        [
            one["task"],
            str(one["iterations"]),
            words.span(one["seconds"]),
            "unknown"
            if one["cost_usd"] is None
            else money.dollars(one["cost_usd"], estimated=one["estimated"]),
            f"{one['tokens']:,}" if one["tokens"] else "unknown",
        ]
        for one in rows
    ]
    head = ("Task", "Attempts", "Time", "Cost", "Tokens")
    return joined(
        [
            [tag("p", line[:1].upper() + line[1:]) for line in say.spent(contents)],
            charts.costs(contents["spending"]),
            charts.times(contents["spending"]),
            table("The same in numbers", head, shown) if shown else None,
            more,
            tag("h3", "How it went"),
            listed([*say.figures(contents["metrics"]), *lines]),
        ]
    )


def salvage(contents: dict[str, Any]) -> Html:
    found, more = bounded(contents["salvage"])
    if not found:
        return tag("p", "Nothing was set aside.")
    lead = "Ralph throws no work away. What it took out of the way is kept, and this gets it back:"
    items = [[tag("span", say.set_aside(one)), commands(do.restoring(one))] for one in found]
    return joined([tag("p", lead), listed(items), more])


def follow_ups(contents: dict[str, Any]) -> Html:
    found, more = bounded(contents["follow_ups"])
    if not found:
        return tag("p", "Agents suggested none.")
    lead = "Agents suggested these tasks. Nobody works on them unless you put them into the plan."
    items = [
        [
            tag("strong", one["title"]),
            f" ({one['task']}, iteration {one['iteration']}) ",
            prose(one["text"]),
        ]
        for one in found
    ]
    return joined([tag("p", lead), listed(items), more])


def undo(contents: dict[str, Any]) -> Html:
    steps = [[tag("span", f"{one.text}:"), commands(one.commands)] for one in do.undoing(contents)]
    many = count(len(contents["commits"]), "commit")
    who = "This run" if contents["run"] else "The runs"
    if contents["commits"]:
        told = f"{who} made {many} on {contents['branch']}. Merging brings all that is on it:"
        merge = [
            tag("p", told),
            commands(do.merging(contents)),
            tag("p", "Or open a pull request:"),
            commands(("ralph pr --dry-run", "ralph pr")),
        ]
    else:
        merge = [tag("p", "There is nothing to merge: this run committed no work.")]
    return joined([merge, listed(steps)])


def glossary() -> Html:
    return tag("dl", [(tag("dt", word), tag("dd", text)) for word, text in meanings.explained()])

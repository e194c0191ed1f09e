"""The parts of the page below its first screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ralph.ui import money, words
from ralph.ui.report import charts, meanings, numbers
from ralph.ui.report import sentences as say
from ralph.ui.report import steps as do
from ralph.ui.report.html import (
    bounded,
    commands,
    details,
    joined,
    linked,
    listed,
    prose,
    table,
    tag,
    term,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ralph.ui.report.html import Html


_COUNTED = ("attempt", "rollback")


def unverified(contents: dict[str, Any]) -> Html | None:
    found, more = bounded(say.unverified(contents))
    if not found:
        return None
    items = [[tag("strong", say.some(names)), listed(what)] for names, what in found]
    return joined([tag("p", say.NOT_SHOWN), listed(items), more])


def decisions(contents: dict[str, Any]) -> Html | None:
    asked = enumerate(contents["questions"])
    waiting = [part for n, one in asked for part in _question(one, told=n < do.MOST_QUESTIONS)]
    made, more = bounded(contents["decisions"])
    items = [
        [
            tag("strong", f"{one['task'] or 'The plan'}: {one['what']}"),
            f" by {one['by']}, {numbers.clock(one['at'])}. ",
            tag("span", f"Asked: {say.sentence(one['asked'])} ") if one["asked"] else None,
            tag("span", f"Decided: {one['answer']}") if one["answer"] else None,
        ]
        for one in made
    ]
    if not waiting and not items:
        return None
    decided = [tag("h3", "Decided by people"), listed(items)] if items else None
    return joined([waiting, decided, more])


def _question(one: dict[str, Any], *, told: bool) -> Iterator[Html]:
    """Its answers only if they are not `told` above."""
    about = f" about {one['task']}" if one["task"] else ""
    yield tag("h3", f"{one['id']}{about} waits for you: {say.asked(one)}")
    why = f" {one['summary']}" if one["fails"] else ""
    yield tag("p", f"Asked at {numbers.clock(one['asked_at'])}.{why}", cls="quiet")
    if one["context"]:
        yield tag("blockquote", prose(one["context"]))
    if one["question"]:
        yield tag("p", tag("strong", one["question"]))
    if not told:
        yield chosen(do.choices(one))
    answer = f"ralph answer {one['id']}"
    above = " above" * told
    others = f"Besides the answers{above}: `{answer} --retry` (try again as it is), "
    ends = f"`{answer} --skip` (leave the task out), `{answer} --abort` (end the run)."
    yield tag("p", f"{others}{ends}", cls="quiet")


def chosen(given: Sequence[tuple[str, str]]) -> Html:
    """What can be chosen, each with the command that does it."""
    return listed([[tag("code", does, cls="inline"), f" {text}"] for text, does in given])


def cost(contents: dict[str, Any], lines: Sequence[str]) -> Html:
    rows, more = bounded(contents["spending"])
    shown = [
        [
            one["task"],
            [str(one["iterations"]), _more_agents(one)],
            words.span(one["seconds"]),
            "unknown"
            if one["cost_usd"] is None
            else money.dollars(one["cost_usd"], estimated=one["estimated"]),
            f"{one['tokens']:,}" if one["tokens"] else "unknown",
        ]
        for one in rows
    ]
    of_run = " in this run" if contents["run"] else ""
    head = ("Task", f"Attempts{of_run}", "Time", "Cost", "Tokens")
    return joined(
        [
            [
                tag("p", linked(line[:1].upper() + line[1:], _COUNTED))
                for line in numbers.spent(contents)
            ],
            charts.costs(contents["spending"]),
            charts.times(contents["spending"]),
            details("In numbers", table("By task", head, shown)) if shown else None,
            more,
            listed(
                [*(linked(one, _COUNTED) for one in numbers.figures(contents["metrics"])), *lines]
            ),
        ]
    )


def _more_agents(row: dict[str, Any]) -> str | None:
    return f" ({row['agents']} agents)" if row["agents"] > row["iterations"] else None


def salvage(contents: dict[str, Any]) -> Html | None:
    found, more = bounded(contents["salvage"])
    if not found:
        return None
    asking = contents["questions"]
    how = " is kept. The first command shows it, the second brings it back:"
    lead = ["Work that was ", term("salvage", "set aside"), how]
    items = [
        [tag("span", say.set_aside(one, asking)), commands(do.restoring(one))] for one in found
    ]
    return joined([tag("p", lead), listed(items), more])


def follow_ups(contents: dict[str, Any]) -> Html | None:
    found, more = bounded(contents["follow_ups"])
    if not found:
        return None
    lead = "In the words of agents, unchecked. Nobody works on these unless you write them into "
    items = [[tag("strong", f"{one['title']} "), _origin(one), prose(one["text"])] for one in found]
    return joined([tag("p", f"{lead}{contents['plan']}."), listed(items), more])


def _origin(one: dict[str, Any]) -> str:
    return f"(while it worked on {one['task']}) "


def undo(contents: dict[str, Any]) -> Html:
    steps = [(one.text, one.commands[0]) for one in do.undoing(contents)]
    if contents["commits"]:
        pull = ("shows the pull request that `ralph pr` would open", "ralph pr --dry-run")
        return chosen((pull, *steps))
    none = "There is nothing to merge: this run committed no work."
    return joined([tag("p", none), chosen(steps)])


def glossary(body: str) -> Html | None:
    """The words that the page links to."""
    used = [(w, text) for w, text in meanings.WORDS.items() if f'href="#word-{w}"' in body]
    items = [(tag("dt", word, id=f"word-{word}"), tag("dd", text)) for word, text in used]
    return tag("dl", items) if used else None

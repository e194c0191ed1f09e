"""All repositories of this home, those that need somebody first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.ui.money import dollars
from ralph.ui.web.pages.run import bar, counts_of, standing_of
from ralph.ui.web.parts import address, link, moment, nothing, section, since, state, table
from ralph.ui.web.tree import el
from ralph.ui.words import line

if TYPE_CHECKING:
    from ralph.ledger.sync_mirror import Team
    from ralph.ui.web.desk import ReadingDesk
    from ralph.ui.web.house import House
    from ralph.ui.web.tree import Element


def version(house: House) -> object:
    return house.team(), [(desk.project, desk.version) for desk in house.desks()]


def regions(house: House) -> dict[str, Element]:
    found = {"repositories": _repositories(house)}
    team = house.team()
    return found if team is None else {**found, "team": _team(house.organisation, team)}


def _team(organisation: str, team: Team) -> Element:
    """What other machines did; their runs are steered over there."""
    head = "machine", "project", "now", "runs", "settled", "cost", "last event"
    newest_first = sorted(team.members, key=lambda member: -member.newest)
    rows = [
        (
            line(one.host or one.origin[:12], 30),
            line(one.name, 30),
            state("running", "busy", "▶") if one.running else state("idle", "faint"),
            f"{one.runs:,}",
            f"{one.settled:,}",
            dollars(one.cost),
            moment(one.newest),
        )
        for one in newest_first
    ]
    shown = table(head, rows, "Other machines") if rows else nothing("No other machine yet.")
    told = f"{organisation} at {team.place}, as `ralph sync` last read it: "
    return section("Team", shown, el("p", told, moment(team.at), class_="faint"), name="team")


def _repositories(house: House) -> Element:
    cards = [_card(desk) for desk in house.desks()]
    inside = el("ul", *cards, class_="cards") if cards else nothing("Nothing has run here yet.")
    return section("Repositories", inside, name="repositories")


def _card(desk: ReadingDesk) -> Element:
    run, counts = desk.state.run, counts_of(desk)
    word, tone, sign = standing_of(desk)
    waiting = len(desk.state.questions)
    asks = f"{waiting} question{'s' * (waiting != 1)} for you"
    spent = desk.state.metrics.usage.cost_usd
    # the texts of a card are of one repository each: they pass its own masker here
    return el(
        "li",
        el("h3", link(desk.clean(desk.name), address(desk.project))),
        el("p", state(word, tone, sign), state(asks, "ask", "?") if waiting else None),
        el("p", desk.clean(run.goal), class_="goal"),
        bar(counts),
        el(
            "p",
            since(run.started_at) if desk.holder else moment(run.ended_at or run.started_at),
            "" if spent is None else f" · {dollars(spent)}",
            class_="faint",
        ),
        id=f"at-{desk.project}",
    )

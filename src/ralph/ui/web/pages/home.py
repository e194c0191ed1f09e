"""All repositories of this home, those that need somebody first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.ui.money import dollars
from ralph.ui.web.pages.run import bar, counts_of, standing_of
from ralph.ui.web.parts import address, link, moment, nothing, section, since, state
from ralph.ui.web.tree import el

if TYPE_CHECKING:
    from ralph.ui.web.desk import ReadingDesk
    from ralph.ui.web.house import House
    from ralph.ui.web.tree import Element


def version(house: House) -> object:
    return [(desk.project, desk.version) for desk in house.desks()]


def regions(house: House) -> dict[str, Element]:
    return {"repositories": _repositories(house)}


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

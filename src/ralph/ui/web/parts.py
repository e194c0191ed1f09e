"""What several pages are made of."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from ralph.ui.console import clock
from ralph.ui.web.tree import el

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ralph.ui.web.desk import ReadingDesk
    from ralph.ui.web.tree import Element, Inside

SIGNS = {
    "done": "✓",
    "ready": "○",
    "at work": "▶",
    "parked": "?",
    "skipped": "-",
    "waiting": "…",
}
"""A state is a sign and a word; its colour only repeats them."""
TONES = {
    "done": "good",
    "at work": "busy",
    "parked": "ask",
    "ready": "plain",
    "waiting": "faint",
    "skipped": "faint",
}


def address(project: str, page: str = "", **about: object) -> str:
    """Names may hold anything: they are quoted here, and nowhere else."""
    asked = f"?{urlencode({k: str(v) for k, v in about.items()})}" if about else ""
    return f"/p/{quote(project, safe='')}{f'/{page}' if page else ''}{asked}"


def link(text: str, href: str, **more: object) -> Element:
    return el("a", text, href=href, **more)


def state(word: str, tone: str = "", sign: str = "") -> Element:
    """A state in a word, with a sign before it."""
    sign = sign or SIGNS.get(word, "•")
    mark = el("span", sign, class_="sign", aria_hidden="true")
    return el("span", mark, word, class_=f"state {tone or TONES.get(word, 'plain')}")


def section(title: str, *inside: Inside, name: str, **more: object) -> Element:
    """A part of a page with its heading. The names of regions are the ids of such parts."""
    head = el("h2", title, id=f"{name}-title")
    return el("section", head, *inside, id=name, aria_labelledby=f"{name}-title", **more)


def moment(at: float) -> Element:
    day = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
    return el("time", clock(at), datetime=day)


def since(at: float) -> Element:
    """How long ago; the script counts on, so that the server need not."""
    return el("time", f"since {clock(at)}", class_="since", data_since=int(at))


def table(head: Sequence[str], rows: Iterable[Sequence[Inside]], caption: str) -> Element:
    """On a narrow screen each row becomes a card, whose lines have the names of the columns."""
    body = [
        el("tr", *(el("td", one, data_name=name) for name, one in zip(head, row, strict=True)))
        for row in rows
    ]
    return el(
        "table",
        el("caption", caption, class_="hidden"),
        el("thead", el("tr", *(el("th", one, scope="col") for one in head))),
        el("tbody", *body),
    )


def field(label: str, name: str, kind: str = "text", **more: object) -> Element:
    where = f"{more.pop('under', '')}-{name}"
    if kind == "checkbox":
        box = el("input", type="checkbox", name=name, id=where)
        return el("label", box, f" {label}", for_=where, class_="tick")
    control = el("input", type=kind, name=name, id=where, autocomplete="off", **more)
    return el("p", el("label", label, for_=where), control, class_="field")


def action(
    desk: ReadingDesk, what: str, label: str, *fields: Inside, tone: str = "", **fixed: object
) -> Element:
    """A form whose button asks for something. `fixed` goes with it as it is."""
    hidden = [el("input", type="hidden", name=k, value=v) for k, v in fixed.items()]
    button = el("button", label, type="submit", class_=tone or None)
    return el(
        "form", *hidden, *fields, button, method="post", action=address(desk.project, f"do/{what}")
    )


def more(label: str, *inside: Inside, name: str = "") -> Element:
    """What is there when it is asked for."""
    return el("details", el("summary", label), *inside, class_="more", id=name or None)


def nothing(text: str) -> Element:
    return el("p", text, class_="nothing")

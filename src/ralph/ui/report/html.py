"""Pieces of a page. What is not a piece is text: it is masked, cleaned and escaped here."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from ralph.ui import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LONG = 2_000
"""Characters of one text that a page shows; beyond that it is cut."""
MOST_ROWS = 300
"""Of one list; `ralph report --json` has them all."""
_CODE = re.compile(r"`([^`]+)`")
_ALONE = {"meta": "", "link": "", "rect": "/"}
"""Elements without anything in them, and how they end: those of SVG are closed."""


class Html(str):
    """Text that is a part of a page as it stands. Only this module and constants make it."""

    __slots__ = ()


Child: TypeAlias = "str | Iterable[Child] | None"


def tag(_name: str, *children: Child, **attributes: str | float | bool | None) -> Html:
    """An element. `cls` is its class; an underscore in a name stands for a hyphen."""
    told = "".join(_attribute(key, value) for key, value in attributes.items())
    if _name in _ALONE:
        return Html(f"<{_name}{told}{_ALONE[_name]}>")
    return Html(f"<{_name}{told}>{joined(children)}</{_name}>")


def _attribute(name: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = "class" if name == "cls" else name.replace("_", "-")
    if value is True:
        return f" {name}"
    return f' {name}="{_clean(str(value))}"'


def joined(children: Child) -> Html:
    """One after the other."""
    if children is None:
        return Html("")
    if isinstance(children, Html):
        return children
    if isinstance(children, str):
        return Html(_CODE.sub(r"<code>\1</code>", _clean(children)))
    return Html("".join(joined(one) for one in children))


def _clean(text: str) -> str:
    """Masked and escaped; a space at its beginning or end parts it from what stands beside it."""
    before, after = text[:1] == " ", text[-1:] == " "
    return f"{' ' * before}{escape(words.line(text, LONG))}{' ' * after}"


def prose(text: str) -> Html:
    """Text with its line breaks."""
    return tag("span", kept(words.block(text).strip(), LONG), cls="prose")


def kept(text: str, most: int) -> Html:
    """Text that is masked and clean already, with its spaces."""
    more = len(text) - most
    return Html(escape(text if more <= 0 else f"{text[:most]}… ({more:,} more characters)"))


def commands(given: Iterable[str]) -> Html:
    """Each on a line of its own, and selected as a whole."""
    return tag("div", [command(one) for one in given], cls="commands")


def command(text: str) -> Html:
    return tag("code", Html(_clean(text)), cls="command")


def section(name: str, title: str, *children: Child) -> Html:
    heading = tag("h2", title, id=f"{name}-title")
    return tag("section", heading, *children, id=name, aria_labelledby=f"{name}-title")


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[Child]]) -> Html:
    """The first cell of a row names it."""
    top = tag("tr", [tag("th", one, scope="col") for one in head])
    body = [
        tag("tr", tag("th", row[0], scope="row"), [tag("td", cell) for cell in row[1:]])
        for row in rows
    ]
    whole = tag("table", tag("caption", caption), tag("thead", top), tag("tbody", body))
    return tag("div", whole, cls="wide", tabindex=0, role="region", aria_label=caption)


def listed(items: Iterable[Child], name: str = "ul", **attributes: str) -> Html:
    return tag(name, [tag("li", one) for one in items], **attributes)


def details(summary: Child, *children: Child, opened: bool = False) -> Html:
    return tag("details", tag("summary", summary), *children, open=opened)


def term(word: str, text: str = "") -> Html:
    """A word that the page explains at its end: what is linked is explained there."""
    return tag("a", text or word, href=f"#word-{word}", cls="term")


def linked(text: str, known: Iterable[str]) -> list[Html | str]:
    """A sentence of ours in which each of these words leads to its meaning."""
    found = re.split(rf"\b({'|'.join(known)})(?=s?\b)", text)
    return [term(one) if n % 2 else one for n, one in enumerate(found)]


def bounded(rows: Sequence[Any]) -> tuple[Sequence[Any], Html | None]:
    """As many as a page can hold, and a note of the others."""
    more = len(rows) - MOST_ROWS
    note = f"{more} more are in `ralph report --json`."
    return rows[:MOST_ROWS], tag("p", note, cls="quiet") if more > 0 else None


def badge(kind: str, text: Child) -> Html:
    """A word that stands out; its colour says nothing that the word does not."""
    return tag("span", text, cls=f"badge {kind}")

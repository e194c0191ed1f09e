"""What a page consists of. The same elements become HTML for the first look and JSON for updates.

Text is only ever text: it is escaped here, and the script makes text nodes of it.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Clean: TypeAlias = Callable[[str], str]

_VOID = frozenset({"input", "br", "hr", "meta", "link"})
_OURS = frozenset(
    (
        *("class", "id", "name", "type", "method", "for", "href", "src", "action"),
        *("d", "viewBox", "datetime", "data-live", "data-since"),
    )
)
"""Attributes without words of anybody else, but for addresses, which are quoted where made."""


class Element(Struct, frozen=True):
    tag: str
    attributes: tuple[tuple[str, str], ...] = ()
    children: tuple[Element | str, ...] = ()


Inside: TypeAlias = "Element | str | None"


def el(tag: str, *inside: Inside, **attributes: object) -> Element:
    """`class_` and `for_` are written with a line below, `aria_label` means `aria-label`."""
    named = tuple(
        (name.rstrip("_").replace("_", "-"), "" if value is True else str(value))
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    return Element(tag, named, tuple(one for one in inside if one is not None and one != ""))


def text_of(tree: Element | str) -> str:
    return tree if isinstance(tree, str) else "".join(map(text_of, tree.children))


def to_html(tree: Element | str, clean: Clean) -> str:
    return "".join(_html(tree, clean))


def _html(tree: Element | str, clean: Clean) -> Iterator[str]:
    if isinstance(tree, str):
        yield html.escape(clean(tree), quote=False)
        return
    yield f"<{tree.tag}"
    for name, value in tree.attributes:
        shown = value if name in _OURS else clean(value)
        yield f' {name}="{html.escape(shown)}"'
    yield ">"
    for child in tree.children:
        yield from _html(child, clean)
    if tree.tag not in _VOID:
        yield f"</{tree.tag}>"


def to_wire(tree: Element | str, clean: Clean) -> object:
    """`[tag, {attributes}, children…]`, or the text itself."""
    if isinstance(tree, str):
        return clean(tree)
    named = {name: v if name in _OURS else clean(v) for name, v in tree.attributes}
    return [tree.tag, named, *(to_wire(child, clean) for child in tree.children)]

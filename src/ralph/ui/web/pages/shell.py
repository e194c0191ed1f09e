"""What is around every page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph import __version__
from ralph.ui.web.parts import address, link
from ralph.ui.web.tree import el, to_html

if TYPE_CHECKING:
    from ralph.ui.web.desk import ReadingDesk
    from ralph.ui.web.tree import Clean, Element, Inside

PAGES = (
    ("", "Run"),
    ("graph", "Graph"),
    ("figures", "Figures"),
    ("health", "Health"),
    ("logs", "Logs"),
    ("history", "History"),
)


def document(
    title: str,
    *inside: Inside,
    clean: Clean,
    desk: ReadingDesk | None = None,
    page: str = "",
    live: str = "",
) -> str:
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", f"{title} · Ralph"),
        el("link", rel="icon", href="/static/ralph.svg"),
        el("link", rel="stylesheet", href="/static/ralph.css"),
        el("script", src="/static/ralph.js", defer=True),
    )
    body = el(
        "body",
        link("Skip to the content", "#main", class_="skip"),
        _header(desk, page),
        el("main", el("h1", title), _without_script(), *inside, id="main", tabindex="-1"),
        el("p", id="told", class_="told", role="status", aria_live="polite"),
        el("footer", f"Ralph {__version__}"),
        data_live=live or None,
    )
    return "<!doctype html>\n" + to_html(el("html", head, body, lang="en"), clean)


def _without_script() -> Element:
    return el("noscript", el("p", "Without JavaScript you can read here, but not decide."))


def _header(desk: ReadingDesk | None, page: str) -> Element:
    places: list[Element] = []
    if desk is not None:
        places = [
            el("li", link(text, address(desk.project, name), aria_current=_current(name == page)))
            for name, text in PAGES
        ]
    return el(
        "header",
        link("Ralph", "/", class_="brand"),
        el("nav", el("ul", *places), aria_label="This repository") if places else None,
        el("span", class_="line", id="line", role="status"),
    )


def _current(here: bool) -> str | None:
    return "page" if here else None


def sign_in(clean: Clean) -> bytes:
    return document(
        "Open the link",
        el("p", "`ralph serve` printed a link that ends in a token. Open it, or paste the token."),
        el(
            "form",
            el("p", el("label", "Token", for_="token"), el("input", id="token", name="token",
                type="password", autocomplete="off", required=True), class_="field"),
            el("button", "Sign in", type="submit"),
            id="sign-in", method="post", action="/session",
        ),
        el("p", "Each start of `ralph serve` has a new token: an older link has ended with it."),
        clean=clean,
    ).encode()  # fmt: skip


def failure(title: str, why: str, clean: Clean) -> str:
    back = el("p", link("All repositories", "/"))
    return document(title, el("p", why), back, clean=clean)

"""The report as one file: nothing is fetched, nothing runs, and it can be mailed or kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ralph.ui import words
from ralph.ui.report import meanings, numbers, tasks
from ralph.ui.report import sections as parts
from ralph.ui.report import sentences as say
from ralph.ui.report import steps as do
from ralph.ui.report.html import Html, commands, joined, linked, listed, section, tag
from ralph.ui.report.style import CSS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ralph.repo.patch import FilePatch

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)


def _what_this_is(contents: dict[str, Any]) -> str:
    checks = say.checks(contents)
    how = f" ({', '.join(checks)})" if checks else ""
    return (
        f"Ralph gave each task to a fresh AI coding agent, checked the result itself{how} and "
        "committed only what passed. This page tells what came of it."
    )


_PLACES = {
    "tasks": "Tasks",
    "unverified": "Not verified",
    "decisions": "Questions and decisions",
    "follow-ups": "Follow-ups",
    "cost": "Cost and time",
    "salvage": "Set aside",
    "undo": "Undo, and other commands",
    "words": "What the words mean",
}
"""The parts of the page. One with nothing in it is left out."""


def page(
    contents: dict[str, Any], diffs: Mapping[str, Sequence[FilePatch]], lines: Sequence[str]
) -> str:
    """The whole file; `lines` tell about budgets."""
    filled = _filled(contents, diffs, lines)
    top = [_header(contents), _now(contents)]
    if (meant := parts.glossary(joined([top, [*filled.values()]]))) is not None:
        filled["words"] = meant
    shown = [section(name, _PLACES[name], part) for name, part in filled.items()]
    body = [
        tag("a", "Skip to what to do now", href="#now", cls="skip"),
        top[0],
        tag("main", top[1], _contents(contents, filled), shown),
        _footer(contents),
    ]
    whole = f"{_head(contents)}\n<body>{joined(body)}</body>"
    return f'<!doctype html>\n<html lang="en">\n{whole}\n</html>\n'


def _head(contents: dict[str, Any]) -> Html:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="generator", content=say.MARK),
        tag("link", rel="icon", href="data:,"),
        tag("title", f"{contents['goal']}: {say.headline(contents)}"),
        tag("style", Html(CSS)),
    )


def _header(contents: dict[str, Any]) -> Html:
    every = not contents["run"]
    runs = f"Report of all runs of Ralph here: {len(contents.get('runs', ()))}"
    about = [
        f"{numbers.when(contents)}{' (the last run)' * every}",
        f"branch {contents['branch']}",
        f"plan {contents['plan']}",
        say.worker(contents),
    ]
    told = linked(say.headline(contents), meanings.MEANINGS)
    return tag(
        "header",
        tag("p", runs if every else "Report of a run of Ralph", cls="quiet"),
        tag("h1", contents["goal"]),
        tag(
            "p",
            tag("strong", f"{say.ended(contents)}. "),
            told,
            cls="lead",
        ),
        tag("p", " · ".join(about), cls="quiet"),
        tag("p", _what_this_is(contents), cls="quiet"),
    )


def _now(contents: dict[str, Any]) -> Html:
    steps = [
        [
            tag("span", one.text),
            [" (see ", tag("a", _PLACES[one.more], href=f"#{one.more}"), ")"] if one.more else None,
            parts.chosen(one.choices) if one.choices else commands(one.commands),
        ]
        for one in do.steps(contents)
    ]
    what = listed(steps, "ol") if steps else tag("p", "Nothing: all is done, and nothing waits.")
    safe = "Ralph merges nothing by itself, and nothing is lost: what was set aside is kept."
    where = f"The commands are for a terminal in {contents['root']}. {safe}"
    return section("now", "What to do now", tag("p", where, cls="quiet"), what)


def _contents(contents: dict[str, Any], filled: Mapping[str, Html]) -> Html:
    numbers = {
        "unverified": sum(len(what) for _, what in say.unverified(contents)),
        "decisions": len(contents["questions"]) + len(contents["decisions"]),
        "tasks": contents["tasks"]["total"],
        "salvage": len(contents["salvage"]),
        "follow-ups": len(contents["follow_ups"]),
    }
    links = [
        tag("a", f"{title} ({numbers[name]})" if name in numbers else title, href=f"#{name}")
        for name, title in _PLACES.items()
        if name in filled
    ]
    return tag("nav", listed(links), aria_label="On this page")


def _filled(
    contents: dict[str, Any], diffs: Mapping[str, Sequence[FilePatch]], lines: Sequence[str]
) -> dict[str, Html]:
    every = {
        "tasks": tasks.tasks(contents, diffs),
        "unverified": parts.unverified(contents),
        "decisions": parts.decisions(contents),
        "follow-ups": parts.follow_ups(contents),
        "cost": parts.cost(contents, lines),
        "salvage": parts.salvage(contents),
        "undo": parts.undo(contents),
    }
    return {name: part for name, part in every.items() if part is not None}


def _footer(contents: dict[str, Any]) -> Html:
    run = f"run {contents['run']}" if contents["run"] else f"{len(contents['runs'])} runs"
    made = f"Made by Ralph at {numbers.clock(contents['made_at'])} from what it recorded"
    return tag("footer", words.line(f"{made}: {run}. The same as text: `ralph report`."))

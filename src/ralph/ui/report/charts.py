"""Charts, drawn by hand: bars in percent of the width, so that their words keep their size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ralph.ui import money, words
from ralph.ui.report.html import tag
from ralph.ui.report.meanings import MEANINGS
from ralph.views.proven import ProofKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ralph.ui.report.html import Html

MOST_BARS = 20
_ROW, _BAR = 40, 12
"""Pixels from one bar to the next, and of a bar."""
_WIDE_ENOUGH = 8
"""Per cent from which on a number fits into its part of a bar."""


def levels(standing: Mapping[str, int]) -> Html:
    """All tasks as one bar, by how well they are proven."""
    total = sum(standing.values())
    parts, x = [], 0.0
    for kind in (*ProofKind, "open"):
        share = 100 * standing.get(kind, 0) / max(1, total)
        if share:
            parts.append(_part(kind, standing[kind], x, share))
            x += share
    told = words.standing(standing)
    drawn = tag("svg", parts, role="img", aria_label=f"{total} tasks: {told}", height=28)
    signs = [f"{standing[k]} {k}" for k in (*MEANINGS, "open") if standing.get(k)]
    return tag("figure", drawn, tag("figcaption", f"From left to right: {', '.join(signs)}"))


def _part(kind: str, number: int, x: float, share: float) -> list[Html]:
    bar = tag(
        "rect", x=f"{x:.2f}%", y=2, width=f"{max(share - 0.4, 0.3):.2f}%", height=24, cls=kind
    )
    if share < _WIDE_ENOUGH:
        return [bar]
    at = f"{x + share / 2:.2f}%"
    return [bar, tag("text", str(number), x=at, y=19, text_anchor="middle", cls="inside")]


def costs(rows: Sequence[dict[str, Any]]) -> Html | None:
    """What each task cost, the dearest first; nothing where no agent told."""
    known = [row for row in rows if row["cost_usd"]]
    known.sort(key=lambda row: -row["cost_usd"])
    most = max((row["cost_usd"] for row in known), default=0)
    bars = [
        (row["task"], money.dollars(row["cost_usd"], estimated=row["estimated"]),
         [("cost", row["cost_usd"] / most)])
        for row in known[:MOST_BARS]
    ]  # fmt: skip
    return _figure("Cost by task", bars, len(known)) if bars else None


def times(rows: Sequence[dict[str, Any]]) -> Html | None:
    """How long each task took, and how much of that its agents worked."""
    known = sorted((row for row in rows if row["seconds"]), key=lambda row: -row["seconds"])
    most = max((row["seconds"] for row in known), default=0)
    bars = []
    for row in known[:MOST_BARS]:
        agent = min(row["agent_seconds"], row["seconds"])
        shares = [("agent", agent / most), ("rest", (row["seconds"] - agent) / most)]
        told = f"{words.span(row['seconds'])}, of which the agent {words.span(agent)}"
        bars.append((row["task"], told, shares))
    key = [
        *(tag("span", cls="key agent"), "the agent at work, "),
        *(tag("span", cls="key rest"), "checks and the rest"),
    ]
    return _figure("Time by task", bars, len(known), key) if bars else None


def _figure(
    title: str,
    bars: Sequence[tuple[str, str, list[tuple[str, float]]]],
    of: int,
    key: Sequence[str] = (),
) -> Html:
    drawn: list[Html] = []
    for number, (name, told, shares) in enumerate(bars):
        top, x = number * _ROW, 0.0
        label = f"{words.line(name, 30)}: {told}"
        drawn.append(tag("text", label, x=0, y=top + 16))
        drawn.append(tag("rect", x=0, y=top + 22, width="100%", height=_BAR, cls="trough"))
        for kind, share in shares:
            width = f"{100 * share:.2f}%"
            drawn.append(tag("rect", x=f"{x:.2f}%", y=top + 22, width=width, height=_BAR, cls=kind))
            x += 100 * share
    told = "; ".join(f"{name}: {text}" for name, text, _ in bars)
    more = f" The {len(bars)} highest of {of}." if of > len(bars) else ""
    image = tag("svg", drawn, role="img", aria_label=f"{title}. {told}", height=len(bars) * _ROW)
    return tag("figure", tag("figcaption", f"{title}.{more} ", list(key)), image)

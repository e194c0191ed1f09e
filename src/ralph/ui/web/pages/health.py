"""How the agent is, what Ralph did about it, and the circuit breaker: as `ralph health` has it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ralph.domain.settings import HealthSettings
from ralph.ui.cli.health import health_view
from ralph.ui.web.pages.shell import document
from ralph.ui.web.parts import nothing, section, state, table
from ralph.ui.web.tree import el

if TYPE_CHECKING:
    from ralph.ui.web.desk import ReadingDesk

TONES = {"healthy": "good", "degraded": "warn", "stuck": "warn"}
SIGNS = {"healthy": "✓", "degraded": "!", "stuck": "!"}


def page(desk: ReadingDesk, asked: dict[str, str]) -> str:  # noqa: ARG001 - like all pages
    current = desk.state
    seen = list(desk.ledger.of_iteration(desk.project, current.iteration))
    settings = desk.found.settings.health if desk.found else HealthSettings()
    pid = desk.holder.pid if desk.holder else None
    view = health_view(current, seen, settings, time.time(), pid)
    word = str(view["health"])
    facts = [
        ("Iteration", str(view["iteration"] or "-")),
        ("Task", view["task"] or "-"),
        ("Since", view["since"] or "-"),
        ("Why", view["why"] or "-"),
        ("Last activity", view["last_activity"] or "-"),
        ("Last progress", view["last_progress"] or "-"),
        ("Reminders", str(view["nudges"])),
        ("Context in use", f"{view['context']:.0%}" if view["context"] else "unknown"),
    ]
    breaker = view["breaker"]
    about = f"{breaker['failures']} failures in a row; it opens at {breaker['threshold']}."
    who = "The agent at work" if view["running"] else "The last agent"
    done = [(one["at"], str(one["level"]), one["why"]) for one in view["interventions"]]
    return document(
        "Health",
        section(
            who,
            el("p", state(word, TONES.get(word, "bad"), SIGNS.get(word, "✗"))),
            el("dl", *(el("div", el("dt", k), el("dd", v)) for k, v in facts), class_="facts"),
            name="agent",
        ),
        section(
            "What Ralph did",
            table(("At", "What", "Why"), done, "What Ralph did") if done else nothing("Nothing."),
            name="done",
        ),
        section(
            "Circuit breaker",
            el(
                "p", state(str(breaker["state"]), "good" if breaker["state"] == "closed" else "bad")
            ),
            el("p", about if breaker["threshold"] else "It is switched off."),
            name="breaker",
        ),
        clean=desk.clean,
        desk=desk,
        page="health",
    )

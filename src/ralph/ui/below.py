"""The run in a line: what is said below the log, and what of it fits."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.state import RunPhase
from ralph.ui.width import cut, width
from ralph.ui.words import line, minute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.state import RunState

BETWEEN = " · "
BAR = 5
"""Signs of the bar of progress."""
_LEAST_DOING = 12
"""Columns below which it is not worth saying what the agent does."""
_SHORT = {RunPhase.AGENT: "at work"}
"""Phases, where there is little room."""


class Moment(Struct, frozen=True):
    """What can be said of a run at one moment."""

    done: int
    total: int
    task: str = ""
    phase: str = ""
    elapsed: float = 0
    """Seconds of the phase."""
    countdown: str = ""
    """Instead of task and phase, while the run waits."""
    spent: float | None = None
    limit: float = 0
    """US dollars; 0 for none."""
    upcoming: str = ""
    """The task that comes next."""
    questions: int = 0
    doing: str = ""
    """What the agent did last, or why the run waits."""


def moment(
    state: RunState,
    now: float,
    *,
    done: int,
    total: int,
    limit: float = 0,
    upcoming: str = "",
    doing: str = "",
    countdown: str = "",
) -> Moment:
    run, opened = state.run, state.open_iteration
    return Moment(
        done,
        total,
        task=line(opened.task) if opened is not None else "",
        phase=run.phase or "",
        elapsed=max(0.0, now - run.phase_at) if run.phase else 0,
        countdown=countdown,
        spent=(run.usage + run.running).cost_usd,
        limit=limit,
        upcoming=line(upcoming),
        questions=len(state.questions),
        doing=doing,
    )


def told(now: Moment, columns: int) -> str:
    """The line, in so many columns.

    What goes first where there is little room is what can be seen elsewhere too: what the agent
    does, what comes next, the limit. What stays is what a person may have to act on.
    """
    whole: dict[str, str] = {name: text for name, text in _parts(now) if text}
    for name, shorter in (("", ""), *_shorter(now)):
        if name in whole:
            whole[name] = shorter
        text = _joined(whole)
        if width(text) <= columns:
            return _with_doing(text, now, columns)
    return cut(_joined(whole), columns)


def _joined(parts: dict[str, str]) -> str:
    return BETWEEN.join(filter(None, parts.values()))


def _parts(now: Moment) -> Iterator[tuple[str, str]]:
    """All of it, in the order in which it is said."""
    if now.countdown:
        yield "countdown", now.countdown
    else:
        yield "task", now.task
        yield "phase", now.phase
        yield "elapsed", minute(now.elapsed) if now.phase else ""
    yield "bar", f"{bar(now.done, now.total)} {now.done}/{now.total}" if now.total else ""
    yield "spent", _spent(now, now.limit)
    yield "next", f"next {now.upcoming}" if now.upcoming else ""
    yield "questions", f"{now.questions} question{'s' * (now.questions != 1)}" * bool(now.questions)


def _shorter(now: Moment) -> Iterator[tuple[str, str]]:
    """What becomes shorter or goes away, one after the other, until the rest fits."""
    yield "next", ""
    yield "spent", _spent(now, 0)
    yield "bar", f"{now.done}/{now.total}"
    yield "phase", _SHORT.get(RunPhase(now.phase), now.phase) if now.phase else ""
    yield "questions", f"{now.questions}?"
    yield "spent", ""
    yield "task", cut(now.task, 16)
    yield "bar", ""
    yield "elapsed", ""


def _spent(now: Moment, limit: float) -> str:
    if not now.spent:
        return ""
    return f"${now.spent:.2f} of ${limit:g}" if limit else f"${now.spent:.2f}"


def _with_doing(text: str, now: Moment, columns: int) -> str:
    left = columns - width(text) - len(BETWEEN)
    if not now.doing or left < _LEAST_DOING:
        return text
    return f"{text}{BETWEEN}{cut(line(now.doing), left)}"


def bar(done: int, total: int, columns: int = BAR) -> str:
    full = columns * done // max(1, total)
    # what stands for it on a full screen has no encoding: there every character can be shown
    is_rich = (getattr(sys.stdout, "encoding", "utf-8") or "").lower().startswith("utf")
    sign, space = ("▓", "░") if is_rich else ("#", "-")
    return f"{sign * full}{space * (columns - full)}"

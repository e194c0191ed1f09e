"""When a fresh agent takes over a task, and what it gets to know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.checkpoint import HandoffTrigger
from ralph.domain.settings import HandoffSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ralph.domain.checkpoint import Checkpoint
    from ralph.domain.state import TaskState

HANDED_OVER = "the task is handed over"
"""Why unfinished work is not verified."""
MOST_CHARS = 6_000
"""Of a continuation prompt."""
SECTION_CHARS = 750
"""Of one list in it: all of them together stay below the bound."""
ITEM_CHARS = 300
MOST_HANDOFFS = 10
"""In a row; one more counts as a failed attempt."""
MOST_IDLE_HANDOFFS = 3
"""Handoffs in a row that leave the same tree: they lead nowhere."""


class HandoffFacts(Struct, frozen=True):
    """What is known of the agent at work."""

    context: float = 0
    """The share of its context that is in use."""
    errors: int = 0
    """In a row."""
    budget: float = 0
    """The share of the budget that is spent."""
    minutes: float = 0
    """How long it has worked."""
    phase_complete: bool = False
    """It says that another phase follows now."""
    requested: bool = False
    """It asks to be relieved itself."""
    fired: frozenset[HandoffTrigger] = frozenset()
    """What has been acted on already and holds still: see `HandoffProtocol.fired`."""


class Crossing(Struct, frozen=True):
    """A trigger, with what was seen and the threshold that it has passed."""

    trigger: HandoffTrigger
    value: float
    threshold: float
    why: str
    of_run: bool = False
    """It is about the whole run, and no fresh agent follows in it."""


class HandoffProtocol:
    """Says when an agent hands its task over, each trigger once per crossing.

    The caller keeps what has fired and gives it back with the next facts.
    """

    def __init__(self, settings: HandoffSettings | None = None) -> None:
        self.settings = settings or HandoffSettings()

    def should_handoff(self, facts: HandoffFacts) -> HandoffTrigger | None:
        """The first trigger that holds and has not fired yet."""
        found = self.crossing(facts)
        return None if found is None else found.trigger

    def crossing(self, facts: HandoffFacts) -> Crossing | None:
        """The same, with its value, its threshold and words for people."""
        fresh = (one for one in self._crossings(facts) if one.trigger not in facts.fired)
        return next(fresh, None)

    def fired(
        self, facts: HandoffFacts, trigger: HandoffTrigger | None = None
    ) -> frozenset[HandoffTrigger]:
        """What has fired once `trigger` was acted on; what no longer holds may fire again."""
        return self.holding(facts) & (facts.fired | ({trigger} if trigger else set()))

    def holding(self, facts: HandoffFacts) -> frozenset[HandoffTrigger]:
        """All that hold now: with an agent's start they are no news, such as a budget's share."""
        return frozenset(one.trigger for one in self._crossings(facts))

    def generate_continuation_prompt(self, checkpoint: Checkpoint) -> str:
        """What the next agent gets to know of the work so far; nothing if there is nothing."""
        return continuation_prompt(checkpoint)

    def _crossings(self, facts: HandoffFacts) -> Iterator[Crossing]:
        limits = self.settings
        if facts.phase_complete:
            yield Crossing(HandoffTrigger.PHASE_COMPLETE, 1, 1, "a phase of the work is complete")
        if facts.requested:
            yield Crossing(HandoffTrigger.EXPLICIT_REQUEST, 1, 1, "the agent asked for it")
        if 0 < limits.context < facts.context:
            why = f"{facts.context:.0%} of its context is in use (handoff.context)"
            yield Crossing(HandoffTrigger.CONTEXT_THRESHOLD, facts.context, limits.context, why)
        if 0 < limits.errors <= facts.errors:
            why = f"{facts.errors} errors in a row (handoff.errors)"
            yield Crossing(HandoffTrigger.ERROR_THRESHOLD, facts.errors, limits.errors, why)
        if 0 < limits.budget < facts.budget:
            why = f"{facts.budget:.0%} of the budget is spent (handoff.budget)"
            yield Crossing(HandoffTrigger.TOKEN_BUDGET, facts.budget, limits.budget, why)
        if 0 < limits.minutes <= facts.minutes:
            why = f"it has worked for {facts.minutes:.0f} minutes (handoff.minutes)"
            yield Crossing(HandoffTrigger.TIMEOUT, facts.minutes, limits.minutes, why)


def endless(known: TaskState, tree: str) -> str:
    """Why one more handoff, with this tree, is a failed attempt; empty if it is none."""
    if known.handoffs + 1 >= MOST_HANDOFFS:
        return f"it was handed over {known.handoffs + 1} times in a row"
    idle = [*known.handoff_trees, tree][-MOST_IDLE_HANDOFFS:]
    if len(idle) == MOST_IDLE_HANDOFFS and len(set(idle)) == 1:
        return f"it was handed over {len(idle)} times in a row without a change"
    return ""


def continuation_prompt(checkpoint: Checkpoint) -> str:
    """The checkpoint as a fresh agent reads it, bounded."""
    state, context, recovery = checkpoint.state, checkpoint.context, checkpoint.recovery
    blocked = [f"{one.item}: {one.reason}" if one.reason else one.item for one in state.blocked]
    sections = (
        _section("Completed", state.completed, newest=True),
        _section("Pending", state.pending),
        _section("Blocked", blocked),
        _section("Key decisions", context.decisions, newest=True),
        _section("Assumptions", context.assumptions, newest=True),
        _section("Constraints", context.constraints, newest=True),
        _section("Next steps", recovery.next_steps),
    )
    told = [_opening(checkpoint), *(section for section in sections if section)]
    return "\n\n".join(told)[:MOST_CHARS]


def _opening(checkpoint: Checkpoint) -> str:
    made = checkpoint.metadata
    who = _cut(made.agent, 80) or "unknown"
    lines = [
        f"Last agent: {who}, iteration {made.iteration}, attempt {made.attempt}.",
        f"Why it stopped: {_cut(made.why)}",
        f"Phase: {checkpoint.state.phase}.",
        *([f"Checkpoint: {_cut(made.id, 80)}"] if made.id else []),
    ]
    return "\n".join(lines)


def _section(title: str, items: Sequence[str], *, newest: bool = False) -> str:
    """One list from its beginning, or its newest end; what does not fit is counted."""
    lines = [f"- {_cut(item)}" for item in (reversed(items) if newest else items)]
    room = SECTION_CHARS - len(title) - 30
    kept: list[str] = []
    while len(kept) < len(lines) and len(lines[len(kept)]) < room:
        room -= len(lines[len(kept)]) + 1
        kept.append(lines[len(kept)])
    if left := len(lines) - len(kept):
        kept.append(f"- (and {left} {'earlier' if newest else 'more'})")
    return "\n".join([f"### {title}", "", *(reversed(kept) if newest else kept)]) if kept else ""


def _cut(text: str, most: int = ITEM_CHARS) -> str:
    words = " ".join(text.split())
    return words if len(words) <= most else f"{words[: most - 1]}…"

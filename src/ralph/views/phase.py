"""What a run is doing at the moment, and since when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain import event as e
from ralph.domain.state import RunPhase

if TYPE_CHECKING:
    from ralph.domain.state import RunState

_BEGINS: dict[type[e.Event], RunPhase | None] = {
    e.RunStarted: RunPhase.PREPARING,
    e.IterationStarted: RunPhase.AGENT,
    e.AgentSwitched: RunPhase.AGENT,
    e.AskedAgain: RunPhase.AGENT,
    e.AgentActed: RunPhase.AGENT,
    e.AgentFinished: RunPhase.CHECKING,
    e.Verified: RunPhase.SETTLING,
    e.IterationEnded: None,
    e.Decided: None,
    e.Recovered: None,
    e.RunEnded: None,
}


def follow(state: RunState, recorded: e.Recorded) -> None:
    kind = type(recorded.event)
    if kind in _BEGINS and state.run.phase is not _BEGINS[kind]:
        state.run.phase, state.run.phase_at = _BEGINS[kind], recorded.at

"""Follow-up tasks from claims to the list that a person sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.claim import MOST_FOLLOW_UPS, title_key
from ralph.domain.state import CollectedFollowUp

if TYPE_CHECKING:
    from ralph.domain.event import Claimed, Recorded
    from ralph.domain.state import RunState

KEPT_FOLLOW_UPS = 100
"""The newest; the ledger has them all."""


def collect(state: RunState, _: Recorded, event: Claimed) -> None:
    """Keep the follow-up tasks of these claims whose titles are new."""
    for claim in event.claims:
        if claim.follow_up is None:
            continue
        title, text = claim.follow_up.title, claim.follow_up.text
        if _has_room(state, event.iteration) and not _is_known(state, title):
            state.follow_ups.append(CollectedFollowUp(event.iteration, claim.task, title, text))
            del state.follow_ups[:-KEPT_FOLLOW_UPS]


def _has_room(state: RunState, iteration: int) -> bool:
    # An agent that is asked again within an iteration claims twice.
    return sum(one.iteration == iteration for one in state.follow_ups) < MOST_FOLLOW_UPS


def _is_known(state: RunState, title: str) -> bool:
    key = title_key(title)
    return any(title_key(one.title) == key for one in state.follow_ups)

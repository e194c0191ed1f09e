from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from ralph.domain.checkpoint import Contribution

MOST_FOLLOW_UPS = 20
"""That one iteration may suggest; the first ones count."""

_ORNAMENT = str.maketrans("", "", "*_`\"'")


class ClaimKind(StrEnum):
    TASK_DONE = "task_done"
    ALL_DONE = "all_done"
    ESCALATE = "escalate"
    BLOCKED = "blocked"
    FOLLOW_UP = "follow_up"
    HANDOFF = "handoff"


class EscalationKind(StrEnum):
    STUCK = "stuck"
    DEVIATION = "deviation"


class Escalation(Struct, frozen=True):
    """What the agent asks of a person."""

    kind: EscalationKind
    summary: str
    context: str = ""
    options: tuple[str, ...] = ()
    question: str = ""


class FollowUp(Struct, frozen=True):
    """A task that the agent suggests. It is never run by itself: a person decides about it."""

    title: str
    text: str = ""


def title_key(title: str) -> str:
    """The title without its case, spacing, emphasis and last full stop: equal for the same task."""
    return " ".join(title.translate(_ORNAMENT).casefold().split()).rstrip(" .!")


class Claim(Struct, frozen=True):
    """What the agent says. It changes nothing by itself."""

    kind: ClaimKind
    task: str = ""
    evidence: str = ""
    """The words or the edit that made the claim."""
    escalation: Escalation | None = None
    follow_up: FollowUp | None = None


class Claims(Struct, frozen=True):
    """All that was read from one agent's output and edits; an escalation beats the rest."""

    all: tuple[Claim, ...] = ()
    contribution: Contribution = field(default_factory=Contribution)
    """What it says for the agent that takes over."""

    @property
    def escalation(self) -> Escalation | None:
        return next((c.escalation for c in self.all if c.escalation is not None), None)

    def says_done(self, task: str) -> bool:
        """Whether the agent claims this task (or everything) to be done."""
        if self.escalation is not None:
            return False
        return any(
            claim.kind is ClaimKind.ALL_DONE
            or (claim.kind is ClaimKind.TASK_DONE and claim.task == task)
            for claim in self.all
        )

    @property
    def says_all_done(self) -> bool:
        return any(claim.kind is ClaimKind.ALL_DONE for claim in self.all)

    @property
    def asks_to_hand_over(self) -> bool:
        return any(claim.kind is ClaimKind.HANDOFF for claim in self.all)

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ClaimKind(StrEnum):
    TASK_DONE = "task_done"
    ALL_DONE = "all_done"
    ESCALATE = "escalate"
    BLOCKED = "blocked"


class EscalationKind(StrEnum):
    STUCK = "stuck"
    DEVIATION = "deviation"


@dataclass(frozen=True, slots=True)
class Escalation:
    """What the agent asks of a person."""

    kind: EscalationKind
    summary: str
    context: str = ""
    options: tuple[str, ...] = ()
    question: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """What the agent says. It changes nothing by itself."""

    kind: ClaimKind
    task: str = ""
    evidence: str = ""
    """The words or the edit that made the claim."""
    escalation: Escalation | None = None


@dataclass(frozen=True, slots=True)
class Claims:
    """All that was read from one agent's output and edits; an escalation beats the rest."""

    all: tuple[Claim, ...] = ()

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

"""What a fresh agent continues from after one that was ended or killed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.checkpoint import Checkpoint

if TYPE_CHECKING:
    from ralph.ledger.checkpoints import CheckpointService


class Recovery(Struct, frozen=True):
    """The last checkpoint that can be believed, and what the next agent is told."""

    checkpoint: Checkpoint
    prompt: str
    damaged: tuple[str, ...] = ()
    """Newer checkpoints of the same task that were passed over."""


class RecoveryService:
    """Finds what there is to continue from."""

    def __init__(self, checkpoints: CheckpointService) -> None:
        self._checkpoints = checkpoints

    def recover(self, task: str | None = None) -> Recovery | None:
        """For this task, or for whatever was worked on last; None if there is nothing."""
        found = self._checkpoints.get_latest_checkpoint(task)
        if found is None:
            return None
        prompt = self._checkpoints.generate_continuation_prompt(found)
        return Recovery(found, prompt, tuple(self._damaged_after(found, task)))

    def _damaged_after(self, found: Checkpoint, task: str | None) -> list[str]:
        newer = []
        for stored in self._checkpoints.list_checkpoints():
            made = stored.checkpoint.metadata
            if made.id == found.metadata.id:
                break
            if not stored.valid and task in (None, made.task):
                newer.append(made.id)
        return newer

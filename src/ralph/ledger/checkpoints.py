"""Checkpoints are events: durable, chained and synced like all others, each with its own hash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.attended import CheckpointSaved
from ralph.domain.checkpoint import Checkpoint
from ralph.domain.errors import LedgerError
from ralph.ledger import codec
from ralph.ledger.ids import new_id
from ralph.policy.checkpoint import Stamp, derive, is_valid
from ralph.policy.handoff import continuation_prompt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ralph.ledger.journal import Journal
    from ralph.policy.checkpoint import Work

KIND = CheckpointSaved.__name__
LOOKS = (4, 64, 1024, None)
"""How many are looked through at a time, newest first: mostly it is one of the first."""


class StoredCheckpoint(Struct, frozen=True):
    """A checkpoint as the ledger has it, and whether it is what was written."""

    checkpoint: Checkpoint
    valid: bool


class CheckpointService:
    """Makes, finds and proves the checkpoints of one project."""

    def __init__(
        self, journal: Journal, clock: Callable[[], float], new_id: Callable[[], str] = new_id
    ) -> None:
        self._journal = journal
        self._clock = clock
        self._new_id = new_id

    def prepare(self, work: Work, before: Checkpoint | None = None) -> CheckpointSaved:
        """The event, to be written together with others: one wait for the disk for all."""
        stamp = Stamp(self._new_id(), self._journal.project, self._clock())
        made = derive(work, self._journal.state, before, stamp)
        saved = CheckpointSaved(work.iteration, work.task, made)
        stored = codec.decode(KIND, codec.encode(saved))  # as it will be read, without secrets
        return stored if isinstance(stored, CheckpointSaved) else saved

    def create_checkpoint(self, work: Work) -> Checkpoint:
        """One that is on the disk when this returns, with what holds of the task's last one."""
        saved = self.prepare(work, self.get_latest_checkpoint(work.task))
        self._journal.record(saved)
        return saved.checkpoint

    def get_latest_checkpoint(self, task: str | None = None) -> Checkpoint | None:
        """The newest valid one, of this task or of any; damaged ones are passed over."""
        for most in LOOKS:
            found = [seen.checkpoint for seen in self._newest(most) if seen.valid]
            for checkpoint in found:
                if task is None or self._is_of(checkpoint, task):
                    return checkpoint
        return None

    def generate_continuation_prompt(self, checkpoint: Checkpoint) -> str:
        """What the next agent gets to know of the work so far."""
        return continuation_prompt(checkpoint)

    def list_checkpoints(self, most: int | None = None) -> list[StoredCheckpoint]:
        """The newest first, damaged ones too."""
        return list(self._newest(most))

    def get_checkpoint(self, name: str) -> Checkpoint:
        """The one whose id begins like this; a LedgerError if there is none or it is damaged."""
        every = self._newest(None) if name else ()
        found = [seen for seen in every if seen.checkpoint.metadata.id.startswith(name)]
        if len(found) != 1:
            what = "No checkpoint begins with" if not found else "More than one begins with"
            raise LedgerError(f"{what} {name!r}.", fix="List them with `ralph checkpoint list`.")
        if not found[0].valid:
            raise LedgerError(
                f"The checkpoint {found[0].checkpoint.metadata.id} is damaged: "
                "its contents do not have the hash that was written with them.",
                fix="See the latest valid one with `ralph checkpoint show`.",
            )
        return found[0].checkpoint

    def verify(self) -> list[StoredCheckpoint]:
        """Those that are damaged; a LedgerBroken if the chain they stand in is."""
        self._journal.ledger.verify()
        return [seen for seen in self._newest(None) if not seen.valid]

    def _is_of(self, checkpoint: Checkpoint, task: str) -> bool:
        """Another branch may have a task of the same name."""
        branch = self._journal.state.run.branch
        return checkpoint.metadata.task == task and checkpoint.recovery.branch == branch

    def _newest(self, most: int | None) -> Iterator[StoredCheckpoint]:
        ledger, project = self._journal.ledger, self._journal.project
        for recorded in ledger.of_kinds(project, (KIND,), most, newest_first=True):
            event = recorded.event
            if isinstance(event, CheckpointSaved):
                yield StoredCheckpoint(event.checkpoint, is_valid(event.checkpoint))

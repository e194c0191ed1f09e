"""Iteration records from events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain import event as e
from ralph.domain.attended import CheckpointSaved, HealthChanged
from ralph.domain.iteration import IterationRecord

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph.domain.checkpoint import Checkpoint

KINDS = (
    "IterationStarted",
    "AgentFinished",
    "Claimed",
    "PutBack",
    "Verified",
    "Settled",
    "IterationEnded",
    "Escalated",
    "Answered",
    "Salvaged",
    "CheckpointSaved",
    "HealthChanged",
)
"""The events a record is made from."""


def collect(events: Iterable[e.Recorded]) -> dict[int, IterationRecord]:
    records: dict[int, IterationRecord] = {}
    for recorded in events:
        add(records, recorded)
    return records


def add(records: dict[int, IterationRecord], recorded: e.Recorded) -> None:
    """Bring the record of the event's iteration up to date."""
    event = recorded.event
    if isinstance(event, e.IterationStarted):
        records[event.iteration] = _started(recorded, event)
        return
    if isinstance(event, e.Answered):
        _answer(records, event)
        return
    number = _iteration_of(event)
    old = records.get(number)
    if old is not None:
        records[number] = _with(old, recorded)


def _answer(records: dict[int, IterationRecord], event: e.Answered) -> None:
    for number in reversed(records):
        if records[number].question == event.question:
            reply = event.reply
            said = f"option {reply.option}" if reply.option else reply.text or reply.choice
            records[number] = replace(records[number], answer=said, answered_by=event.by)
            return


def _iteration_of(event: e.Event) -> int:
    if isinstance(event, e.Escalated):
        return event.question.iteration
    number = getattr(event, "iteration", 0)
    return number if isinstance(number, int) else 0


def _started(recorded: e.Recorded, event: e.IterationStarted) -> IterationRecord:
    return IterationRecord(
        iteration=event.iteration,
        run=recorded.run,
        task=event.task,
        title=event.title,
        attempt=event.attempt,
        agent=event.agent,
        trigger=event.trigger,
        started_at=recorded.at,
        base=event.base,
        guided=event.guided,
    )


def _with(record: IterationRecord, recorded: e.Recorded) -> IterationRecord:  # noqa: C901, PLR0911 - one per event
    match recorded.event:
        case e.AgentFinished() as event:
            return replace(
                record,
                agent_ended=event.ended,
                agent_exit=event.exit_code,
                agent_seconds=record.agent_seconds + event.seconds,
                usage=record.usage + event.usage,
                command=event.command,
                models=tuple(event.models),
                session=event.session,
                log=event.log,
                prompt=event.prompt,
                prefix_hash=event.prefix_hash,
                error=event.error,
                agent=event.agent or record.agent,
                trouble=event.trouble.value if event.trouble else "",
            )
        case e.Claimed() as event:
            return replace(record, claims=record.claims + event.claims)
        case e.PutBack() as event:
            return replace(record, put_back=(*record.put_back, event.path))
        case e.Verified() as event:
            return replace(
                record,
                verdict=event.verdict,
                level=event.verdict.level,
                tree=event.verdict.tree,
                untested=event.verdict.untested,
            )
        case e.Settled() as event:
            return replace(
                record,
                commit=event.commit,
                level=event.level,
                untested=event.untested,
                accepted_by=event.accepted_by,
            )
        case e.IterationEnded() as event:
            return replace(
                record,
                ended_at=recorded.at,
                outcome=event.outcome,
                why=event.why,
                files=event.files,
                tree=event.tree or record.tree,
                feedback=event.feedback,
                summary=event.summary,
                handoff=event.handoff or "",
            )
        case e.Escalated() as event if event.question.task in ("", record.task):
            return replace(record, question=event.question.id)
        case e.Salvaged() as event:
            return replace(record, salvage=event.ref)
        case CheckpointSaved() as event:
            return _with_checkpoint(record, event.checkpoint)
        case HealthChanged() as event:
            return replace(record, health=event.now.value)
        case _:
            return record


def _with_checkpoint(record: IterationRecord, checkpoint: Checkpoint) -> IterationRecord:
    return replace(
        record,
        checkpoint=checkpoint.metadata.id,
        phase=checkpoint.state.phase.value,
        completed=checkpoint.state.completed,
        pending=checkpoint.state.pending,
    )

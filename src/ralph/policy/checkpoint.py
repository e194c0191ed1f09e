"""Checkpoints: made from what is known at the end of an iteration, and proven by their hash."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from ralph.domain.checkpoint import (
    BlockedItem,
    Checkpoint,
    CheckpointMetadata,
    CheckpointMetrics,
    ContextSummary,
    Contribution,
    ExecutionPhase,
    ExecutionState,
    RecoveryInfo,
)
from ralph.domain.usage import Usage
from ralph.policy.handoff import continuation_prompt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph.domain.state import RunState

MOST_ITEMS = 20
"""Of one list; the newest are kept."""
ITEM_CHARS = 300
"""Of one entry."""
_REPAIR = "Repair what a check found: "
_LOOK = "Look at what is there already, then continue with "
_DECIDED = "A person decided: "


class Work(Struct, frozen=True):
    """What came of one agent's work on a task."""

    task: str
    iteration: int
    attempt: int
    agent: str = ""
    why: str = ""
    """Why it stopped."""
    criteria: tuple[str, ...] = ()
    """Of the task."""
    done: bool = False
    handed_over: bool = False
    failing: str = ""
    """What a check found, if one did."""
    question: str = ""
    """What a person has to decide first, if anything."""
    commit: str = ""
    """The last verified commit."""
    salvage: str = ""
    metrics: CheckpointMetrics = field(default_factory=CheckpointMetrics)
    said: Contribution = field(default_factory=Contribution)


class Stamp(Struct, frozen=True):
    """Which checkpoint it is, and when it was made."""

    id: str
    project: str
    at: float


def derive(work: Work, state: RunState, before: Checkpoint | None, stamp: Stamp) -> Checkpoint:
    """The checkpoint of this moment: what the agent says, what earlier ones said, what Ralph saw.

    `before` is the last one of the same task: what holds of it is taken over.
    """
    made = Checkpoint(
        metadata=CheckpointMetadata(
            id=stamp.id,
            project=stamp.project,
            run=state.run.id,
            task=work.task,
            agent=work.agent,
            iteration=work.iteration,
            attempt=work.attempt,
            at=stamp.at,
            why=_cut(work.why),
        ),
        state=_execution(work, before),
        context=_context(work, state, before),
        metrics=work.metrics,
        recovery=_recovery(work, state, before),
    )
    if made.state.phase is not ExecutionPhase.COMPLETE:
        prompt = continuation_prompt(made)
        made = replace(made, recovery=replace(made.recovery, continuation_prompt=prompt))
    return seal(made)


def untold(
    made: Checkpoint, criteria: Iterable[str], guidance: Iterable[str], *, failing: bool
) -> Checkpoint | None:
    """What of it the next agent does not read elsewhere in its prompt; None if that is nothing.

    The prompt has the criteria, what a person decided and, if it was `failing`, the last failure.
    What a person decided overrides what the agent waited for, and what it wanted next.
    """
    decided = {_cut(f"{_DECIDED}{words}") for words in guidance}
    own = (_REPAIR, _LOOK) if failing else ()
    steps = (step for step in made.recovery.next_steps if not (decided or step.startswith(own)))
    state = replace(
        made.state,
        pending=() if made.state.pending == _joined(criteria) else made.state.pending,
        blocked=() if decided else made.state.blocked,
    )
    decisions = tuple(one for one in made.context.decisions if one not in decided)
    left = replace(
        made,
        metadata=replace(made.metadata, id=""),
        state=state,
        context=replace(made.context, decisions=decisions),
        recovery=replace(made.recovery, next_steps=tuple(steps)),
    )
    context, recovery = left.context, left.recovery
    said = state.completed or state.pending or state.blocked or recovery.next_steps
    given = context.decisions or context.assumptions or context.constraints
    return left if said or given or not failing else None


def seal(checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint as it will be read again, with its hash."""
    # A whole number in a float's place and half a character come back changed: the way there and
    # back is gone before the hash is taken.
    stored = _decoder.decode(_encoded(checkpoint))
    return replace(stored, sha256=digest(stored))


def is_valid(checkpoint: Checkpoint) -> bool:
    """Whether it is what was sealed."""
    return checkpoint.sha256 == digest(checkpoint)


def digest(checkpoint: Checkpoint) -> str:
    return sha256(canonical(checkpoint)).hexdigest()


def canonical(checkpoint: Checkpoint) -> bytes:
    """All but the hash, and no field that has its default: later fields change no old hash."""
    plain: dict[str, Any] = msgspec.to_builtins(replace(checkpoint, sha256=""))
    usage = plain.get("metrics", {}).get("usage", {})
    for name, default in _NO_USAGE.items():
        if name in usage and usage[name] == default and type(usage[name]) is type(default):
            del usage[name]
    return _dumped(plain)


_NO_USAGE: dict[str, Any] = msgspec.to_builtins(Usage())
_decoder = msgspec.json.Decoder(Checkpoint)


def _encoded(checkpoint: Checkpoint) -> bytes:
    try:
        return msgspec.json.encode(checkpoint)
    except UnicodeEncodeError:
        return _dumped(msgspec.to_builtins(checkpoint))


def _dumped(plain: dict[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(plain)
    except UnicodeEncodeError:
        import json  # an agent's output may hold half a character, which no text can

        return json.dumps(plain, ensure_ascii=False).encode("utf-8", "replace")


def _execution(work: Work, before: Checkpoint | None) -> ExecutionState:
    said, last = work.said, before.state if before else ExecutionState()
    if work.done:
        every = _joined(last.completed, said.completed, work.criteria)
        return ExecutionState(ExecutionPhase.COMPLETE, every)
    completed = _joined(last.completed, said.completed)
    finished = set(completed)
    pending = said.pending or last.pending or work.criteria
    asked = (BlockedItem(work.task, _cut(work.question)),) if work.question else ()
    return ExecutionState(
        phase=_phase(work, before),
        completed=completed,
        pending=_joined(item for item in pending if _cut(item) not in finished),
        blocked=(said.blocked or asked)[:MOST_ITEMS],
    )


def _phase(work: Work, before: Checkpoint | None) -> ExecutionPhase:
    """Complete is only what a verdict has settled."""
    said = work.said.phase
    if said is not None and said is not ExecutionPhase.COMPLETE:
        return said
    if work.handed_over:
        return ExecutionPhase.HANDOFF
    if work.failing:
        return ExecutionPhase.TESTING
    last = before.state.phase if before else ExecutionPhase.HANDOFF
    return ExecutionPhase.IMPLEMENTING if last is ExecutionPhase.HANDOFF else last


def _context(work: Work, state: RunState, before: Checkpoint | None) -> ContextSummary:
    said, last = work.said, before.context if before else ContextSummary()
    guidance = [f"{_DECIDED}{words}" for words in state.known(work.task).guidance]
    return ContextSummary(
        decisions=_joined(last.decisions, said.decisions, guidance),
        assumptions=_joined(last.assumptions, said.assumptions),
        constraints=_joined(last.constraints, said.constraints),
    )


def _recovery(work: Work, state: RunState, before: Checkpoint | None) -> RecoveryInfo:
    commit = work.commit or state.verified or state.run.base
    last = max(state.commits, default=0)
    return RecoveryInfo(
        branch=state.run.branch,
        commit=commit,
        salvage=work.salvage,
        rollback=f"ralph revert --iteration {work.iteration if work.done else last}",
        next_steps=() if work.done else _next_steps(work, before),
    )


def _next_steps(work: Work, before: Checkpoint | None) -> tuple[str, ...]:
    if work.said.next_steps:
        return _joined(work.said.next_steps)
    if work.question:
        return (_cut(f"Wait for a person's answer: {work.question}"),)
    if work.failing:
        return (_cut(f"{_REPAIR}{work.failing}"),)
    if before and before.recovery.next_steps:
        return before.recovery.next_steps
    return (f"{_LOOK}{work.task}.",)


def _joined(*lists: Iterable[str]) -> tuple[str, ...]:
    """Each entry once, cut to size; the newest where there are too many."""
    every = dict.fromkeys(_cut(item) for items in lists for item in items)
    return tuple(item for item in every if item)[-MOST_ITEMS:]


def _cut(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= ITEM_CHARS else f"{words[: ITEM_CHARS - 1]}…"

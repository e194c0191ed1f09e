"""Prompt and read: what the agent is told, and what it said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph import files, masking
from ralph.domain.claim import Claim, ClaimKind, Claims
from ralph.domain.errors import DirtyTree
from ralph.domain.event import (
    Claimed,
    Noted,
    RolledBack,
)
from ralph.domain.task import Status
from ralph.loop import guard
from ralph.loop.accepted import AcceptedWork, brought_back
from ralph.loop.attempt import Again, Attempt
from ralph.loop.keeping import checkpoint_of, continuation
from ralph.loop.planning import release
from ralph.policy.decide import NO_CHANGE, UNCHANGED
from ralph.policy.stuck import repeated
from ralph.prompts.compose import Bundle
from ralph.prompts.compose import compose as write_prompt
from ralph.prompts.context import Context
from ralph.prompts.notes import additions, agents_md, scratchpad

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.answer import Answer
    from ralph.domain.plan import Plan
    from ralph.domain.settings import Settings
    from ralph.domain.state import RunState
    from ralph.domain.task import Task
    from ralph.loop.house import House

SAME_AGAIN = 2
"""The same failure so often in a row asks the next agent for a diagnosis first."""


def begin(house: House, plan: Plan, task: Task) -> Attempt:
    """Make the workspace ready for this task and write down that it starts."""
    fresh = house.state.holding != task.id
    if fresh:
        _make_room(house, task)
    known = replace(house.state.known(task.id))
    attempt = Attempt(
        iteration=house.state.iteration + 1,
        task=task,
        plan=plan,
        number=known.attempts + 1,
        base=house.workspace.head(),
        began=house.clock(),
        feedback=known.feedback,
        checkpoint=checkpoint_of(house.checkpoints, known, task.id),
        accepted=known.accepted,
    )
    house.orchestrator.begin_iteration(
        task.id,
        task.title,
        base=attempt.base,
        agent=AcceptedWork.name if attempt.accepted else house.agent().name,
        guided=bool(known.guidance),
        fix_only=known.fix_only,
    )
    if fresh and known.salvage and not known.accepted:
        _bring_back(house, task, known.salvage)
    return attempt


def _make_room(house: House, task: Task) -> None:
    """Another task's work leaves the workspace; a person's stays and stops the run."""
    if house.state.holding:
        release(house, f"{task.id} comes first")
    else:
        changed = house.workspace.foreign_changes()
        if changed:
            raise DirtyTree(
                f"Someone changed {', '.join(changed[:3])} in {house.workspace.root}.",
                fix="Commit or stash it, then `ralph run` goes on.",
            )


def _bring_back(house: House, task: Task, ref: str) -> None:
    """The task's own unfinished work, if it still fits what was done since."""
    if not brought_back(house.workspace, ref):
        why = "its kept work conflicts with what was done since"
        house.journal.record(RolledBack(task.id, house.workspace.head(), why, ref))


def compose(house: House, attempt: Attempt) -> str:
    """The one bounded prompt for this attempt."""
    bundle = bundle_for(
        house.root, house.workspace.root, house.settings, house.state, attempt.plan, attempt.task
    )
    resumed = attempt.number > 1 or attempt.retry > 0
    bundle = replace(
        bundle,
        checks=house.commands_for(attempt.task),
        feedback=attempt.feedback,
        continuation=continuation(attempt.checkpoint),
        fix_only=bundle.fix_only or attempt.again is Again.FAILED,
        missing_claim=attempt.again is Again.UNCLAIMED,
        missing_test=attempt.again is Again.UNTESTED,
        attempt=attempt.number,
        branch=house.workspace.branch,
        diff_stat=house.workspace.diff_stat(attempt.base) if resumed else "",
    )
    prompt = write_prompt(bundle, house.settings.prompts, house.templates)
    if house.brief is None:
        return prompt
    return masking.text(f"{house.brief(attempt)}\n\n---\n\n{prompt}")


def bundle_for(
    root: Path, workspace: Path, settings: Settings, state: RunState, plan: Plan, task: Task
) -> Bundle:
    """What any agent is told about this task, before the details of an attempt."""
    known = state.known(task.id)
    leaves = plan.leaves()
    done = [leaf.status for leaf in leaves].count(Status.COMPLETED)
    own = files.read(root / settings.prompts.file)
    return Bundle(
        task=task,
        plan_title=plan.title,
        progress=f"{done}/{len(leaves)} complete",
        prompt_md=None if own is None else own.decode("utf-8", "replace"),
        guidance=tuple(known.guidance),
        feedback=known.feedback,
        fix_only=known.fix_only,
        diagnostic=state.looping or repeated(known.signatures) >= SAME_AGAIN,
        no_change=known.signatures[-1:] in ([NO_CHANGE], [UNCHANGED]),
        attempt=known.attempts + 1,
        context=Context.of(state, settings.prompts, plan.description),
        patterns=tuple(state.patterns),
        agents_md=agents_md(workspace),
        scratchpad=scratchpad(workspace, settings.memory),
        allowed_commands=settings.safety.allowed_commands,
        salvage=known.abandoned,
        progress_file=settings.memory.progress_file,
        scratchpad_file=settings.memory.scratchpad,
    )


def read(house: House, attempt: Attempt, answer: Answer) -> Claims:
    """What the agent says, in words and in edits. What was not its to change is put back."""
    from ralph.reading.analyse import analyse, ticked  # many patterns, needed by the first answer

    settings = house.settings
    guard.clear(house, attempt)
    prompt = files.read(house.workspace.root / settings.prompts.file) or b""
    found = analyse(
        answer.text,
        attempt.task.id,
        promise=settings.loop.completion_promise,
        known=frozenset(attempt.plan.by_id),
    )
    said = found.all
    if ticked(prompt.decode("utf-8", "replace")) and prompt != house.prompt_before():
        said += (Claim(ClaimKind.ALL_DONE, evidence=f"ticked in {settings.prompts.file}"),)
    _take_notes(house, attempt)
    if said:
        house.journal.later(Claimed(attempt.iteration, said))
    edits = guard.put_back(house, attempt)
    if edits:
        house.journal.later(Claimed(attempt.iteration, edits))
    return Claims(said + edits, found.contribution)


def _take_notes(house: House, attempt: Attempt) -> None:
    """Read what the agent added to progress.md into the ledger."""
    now = (files.read(house.progress_file()) or b"").decode("utf-8", "replace")
    if now == house.progress:
        return
    added = additions(house.progress, now)
    if added.text or added.patterns:
        house.journal.record(Noted(attempt.iteration, added.text, added.patterns))


def once_more(attempt: Attempt, again: Again, feedback: str, answer: Answer) -> Attempt:
    return replace(
        attempt,
        retry=attempt.retry + 1,
        again=again,
        asked=attempt.asked | {again},
        feedback=feedback,
        agent=answer.agent,
        session=answer.session,
    )

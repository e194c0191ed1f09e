"""Prompt and read: what the agent is told, and what it said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph import files, masking
from ralph.domain.claim import Claim, ClaimKind, Claims
from ralph.domain.event import (
    AskedAgain,
    Claimed,
    Noted,
    RolledBack,
)
from ralph.domain.task import Status
from ralph.loop import guard
from ralph.loop.accepted import AcceptedWork, brought_back
from ralph.loop.iteration import Again, Heard, Iteration
from ralph.loop.keeping import checkpoint_of, continuation, handing_over
from ralph.loop.planning import make_room, marked, own_edits
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
    from ralph.loop.run import Run

SAME_AGAIN = 2
"""The same failure so often in a row asks the next agent for a diagnosis first."""


def begin(run: Run, plan: Plan, task: Task) -> Iteration:
    """Make the workspace ready for this task and write down that it starts."""
    fresh = run.state.holding != task.id or run.state.known(task.id).fresh
    if fresh:
        again = run.state.holding == task.id
        make_room(run, "a person wants it begun anew" if again else f"{task.id} comes first")
    known, began = replace(run.state.known(task.id)), run.clock()
    base, checkpoint = run.workspace.head(), checkpoint_of(run.checkpoints, known, task.id)
    edits = run.state.edits
    if fresh:
        edits = own_edits(run, marked(run, {task.id: Status.COMPLETED})[0])
    started = run.life.begin_iteration(
        task.id,
        task.title,
        base=base,
        agent=AcceptedWork.name if known.accepted else run.agent().name,
        guided=bool(known.guidance),
        fix_only=known.fix_only,
        edits=edits,
    )
    if fresh and known.salvage and not (known.accepted or known.fresh):
        _bring_back(run, task, known.salvage)
    return Iteration(
        number=started.iteration,
        task=task,
        plan=plan,
        attempt=started.attempt,
        base=base,
        onto=edits or base,
        began=began,
        before=guard.take(run),
        feedback=known.feedback,
        checkpoint=checkpoint,
        accepted=known.accepted,
    )


def _bring_back(run: Run, task: Task, ref: str) -> None:
    """The task's own unfinished work, if it still fits what was done since."""
    if not brought_back(run.workspace, ref):
        why = "its kept work conflicts with what was done since"
        run.journal.record(RolledBack(task.id, run.workspace.head(), why, ref))


def compose(run: Run, iteration: Iteration) -> str:
    """The one bounded prompt for this attempt."""
    bundle = bundle_for(
        run.root, run.workspace.root, run.settings, run.state, iteration.plan, iteration.task
    )
    resumed = iteration.attempt > 1 or iteration.retry > 0
    passes = iteration.again in (Again.UNCLAIMED, Again.UNTESTED)
    left = None if passes else iteration.checkpoint
    bundle = replace(
        bundle,
        checks=run.commands_for(iteration.task),
        feedback=iteration.feedback,
        continuation=continuation(left, iteration.task, bundle.guidance, iteration.feedback),
        fix_only=(bundle.fix_only or iteration.again is Again.FAILED) and not passes,
        diagnostic=bundle.diagnostic and not passes,
        no_change=bundle.no_change and iteration.again is None,
        missing_claim=iteration.again is Again.UNCLAIMED,
        missing_test=iteration.again is Again.UNTESTED,
        attempt=iteration.attempt,
        branch=run.workspace.branch,
        diff_stat=run.workspace.diff_stat(iteration.base) if resumed else "",
    )
    prompt = write_prompt(bundle, run.settings.prompts, run.templates)
    if run.flow.brief is None:
        return prompt
    return masking.text(f"{run.flow.brief(iteration)}\n\n---\n\n{prompt}")


def bundle_for(
    root: Path, workspace: Path, settings: Settings, state: RunState, plan: Plan, task: Task
) -> Bundle:
    """What any agent is told about this task, before the details of an attempt."""
    known = state.known(task.id)
    leaves = plan.leaves()
    done = [leaf.status for leaf in leaves].count(Status.COMPLETED)
    own = files.read(root / settings.prompts.file)
    context = Context.of(state, settings.prompts, plan.description)
    if known.feedback and state.last_task == task.id and state.last_why in state.errors[-1:]:
        context = replace(context, errors=context.errors[:-1])  # the feedback says it at length
    return Bundle(
        task=task,
        plan_title=plan.title,
        progress=f"{done}/{len(leaves)} complete",
        last=not any(leaf.is_open and leaf.id != task.id for leaf in leaves),
        prompt_md=None if own is None else own.decode("utf-8", "replace"),
        guidance=tuple(known.guidance),
        feedback=known.feedback,
        fix_only=known.fix_only,
        diagnostic=state.looping or repeated(known.signatures) >= SAME_AGAIN,
        no_change=known.signatures[-1:] in ([NO_CHANGE], [UNCHANGED]),
        attempt=known.attempts + 1,
        context=context,
        patterns=tuple(state.patterns),
        agents_md=agents_md(workspace),
        scratchpad=scratchpad(workspace, settings.memory),
        allowed_commands=settings.safety.allowed_commands,
        salvage="" if known.abandoned == known.salvage else known.abandoned,
        progress_file=settings.memory.progress_file,
        scratchpad_file=settings.memory.scratchpad,
    )


def read(run: Run, iteration: Iteration, answer: Answer) -> Heard:
    """What the agent says, in words and in edits. What was not its to change is put back."""
    from ralph.reading.analyse import analyse, ticked  # many patterns, needed by the first answer

    settings = run.settings
    guard.clear(run, iteration)
    prompt = files.read(run.workspace.root / settings.prompts.file) or b""
    found = analyse(
        answer.text,
        iteration.task.id,
        promise=settings.loop.completion_promise,
        known=frozenset(iteration.plan.by_id),
    )
    said, before = found.all, iteration.before.protected.get(settings.prompts.file)
    if ticked(prompt.decode("utf-8", "replace")) and prompt != before:
        said += (Claim(ClaimKind.ALL_DONE, evidence=f"ticked in {settings.prompts.file}"),)
    _take_notes(run, iteration)
    if said:
        run.journal.later(Claimed(iteration.number, said))
    edits = guard.put_back(run, iteration)
    if edits:
        run.journal.later(Claimed(iteration.number, edits))
    claims = Claims(said + edits, found.contribution)
    run.journal.refresh()  # a person may have asked for a handoff meanwhile
    return Heard(answer, claims, handing_over(run, iteration, answer, claims))


def _take_notes(run: Run, iteration: Iteration) -> None:
    """Read what the agent added to progress.md into the ledger."""
    now = (files.read(run.progress_file()) or b"").decode("utf-8", "replace")
    if now == run.notebook.text:
        return
    added = additions(run.notebook.text, now)
    if added.text or added.patterns:
        run.journal.record(Noted(iteration.number, added.text, added.patterns))


_ASKED_FOR = {
    Again.FAILED: "the checks failed (loop.verification_retries)",
    Again.UNCLAIMED: "the work passes, but nobody said that it is done",
    Again.UNTESTED: "the work passes, but no test shows it",
}


def once_more(
    run: Run, iteration: Iteration, again: Again, feedback: str, answer: Answer
) -> Iteration:
    """The same, with what its agent is asked once more for."""
    run.journal.record(AskedAgain(iteration.number, iteration.task.id, _ASKED_FOR[again]))
    return replace(
        iteration,
        before=guard.take(run),
        retry=iteration.retry + 1,
        again=again,
        asked=iteration.asked | {again},
        feedback=feedback,
        agent=answer.agent,
        session=answer.session,
    )

"""Status and report: views of the state and the iteration records, as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ralph.domain.decision import Outcome, StopReason
from ralph.domain.moment import iso
from ralph.domain.state import LoopState
from ralph.domain.status import IterationResult, LoopConfig, LoopStatus
from ralph.domain.task import Status
from ralph.domain.verdict import Level
from ralph.policy.select import parked, ready, waiting
from ralph.views import proven

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ralph.domain.iteration import IterationRecord
    from ralph.domain.plan import Plan
    from ralph.domain.settings import Settings
    from ralph.domain.state import RunState

_FAILED = (Outcome.FAILED, Outcome.BUDGET_EXCEEDED, Outcome.BLOCKED)
SHOWN_ITERATIONS = 100
"""Iterations that status.json lists; the report and the ledger have them all."""

_ENDED_AS = {
    StopReason.GOAL_ACHIEVED: LoopState.COMPLETED,
    StopReason.ONCE: LoopState.COMPLETED,
    StopReason.EXPLICIT_STOP: LoopState.TERMINATED,
    StopReason.INTERRUPTED: LoopState.TERMINATED,
    StopReason.WAITING_FOR_PERSON: LoopState.PAUSED,
}


ENDINGS = {
    StopReason.EXPLICIT_STOP: "Stopped on request",
    StopReason.GOAL_ACHIEVED: "Done",
    StopReason.CIRCUIT_BREAKER_OPEN: "Stopped: the circuit breaker is open",
    StopReason.HEALTH_FAILURE: "Stopped: the agent is not healthy",
    StopReason.CONSECUTIVE_ERRORS: "Stopped: too many failures in a row",
    StopReason.BUDGET_EXHAUSTED: "Stopped: the budget is used up",
    StopReason.MAX_ATTEMPTS: "Stopped: a task has used up its attempts",
    StopReason.MAX_ITERATIONS: "Stopped: the limit of iterations is reached",
    StopReason.MAX_DURATION: "Stopped: the time is up",
    StopReason.NO_PROGRESS: "Stopped: no progress",
    StopReason.USAGE_LIMIT: "Stopped: the agent's usage limit is reached",
    StopReason.DISK_FULL: "Stopped: the disk is nearly full",
    StopReason.AGENT_UNAVAILABLE: "Stopped: no agent can work",
    StopReason.WAITING_FOR_PERSON: "Waiting for you",
    StopReason.ONCE: "Stopped after one iteration",
    StopReason.INTERRUPTED: "Interrupted",
    StopReason.ERROR: "Stopped by an error",
}
"""How a run's end is told to people."""


def loop_state(state: RunState) -> LoopState:
    run = state.run
    if not run.id:
        return LoopState.INITIALIZING
    if run.reason is not None:
        return _ENDED_AS.get(run.reason, LoopState.FAILED)
    if run.paused:
        return LoopState.PAUSED
    if run.stop:
        return LoopState.COMPLETING
    if run.handoff is not None or (state.open_iteration is None and _handed_over(state)):
        return LoopState.HANDOFF
    return LoopState.RUNNING if run.iterations else LoopState.INITIALIZING


def _handed_over(state: RunState) -> bool:
    return state.known(state.last_task).handoff is not None


def going_on(state: RunState, now: float) -> dict[str, Any]:
    """What a run that is alive does at this moment."""
    run, opened = state.run, state.open_iteration
    return {
        "task": opened.task if opened is not None else "",
        "title": opened.title if opened is not None else "",
        "attempt": opened.attempt if opened is not None else 0,
        "phase": run.phase or "",
        "phase_seconds": round(max(0.0, now - run.phase_at), 1) if run.phase else 0,
        "seconds": round(max(0.0, now - run.started_at), 1),
        "cost_usd": (run.usage + run.running).cost_usd,
    }


def loop_config(settings: Settings, agent: str = "") -> LoopConfig:
    loop = settings.loop
    return LoopConfig(
        max_iterations=loop.max_iterations,
        max_cost=loop.max_cost,
        max_duration_minutes=loop.max_minutes,
        context_threshold=settings.handoff.context,
        max_consecutive_errors=loop.max_failures,
        agent_type=agent,
        model=settings.claude.model,
    )


def loop_status(
    state: RunState, project: str, records: Sequence[IterationRecord], settings: Settings
) -> LoopStatus:
    """The contents of status.json."""
    run = state.run
    return LoopStatus(
        loop_id=run.id,
        task_id=state.last_task,
        project_id=project,
        state=loop_state(state),
        goal=run.goal,
        config=loop_config(settings, run.agent),
        current_iteration=run.iterations,
        iterations=tuple(iteration_result(r) for r in records[-SHOWN_ITERATIONS:]),
        total_input_tokens=run.usage.input_tokens,
        total_output_tokens=run.usage.output_tokens,
        total_cost=run.usage.cost_usd or 0.0,
        started_at=iso(run.started_at),
        completed_at=iso(run.ended_at),
        termination_reason=run.reason or "",
        last_checkpoint_id=state.checkpoint,
        errors=tuple(state.errors),
    )


def iteration_result(record: IterationRecord) -> IterationResult:
    done = record.outcome == Outcome.SUCCESS
    return IterationResult(
        iteration=record.iteration,
        agent_id=f"{record.agent}-{record.run}-{record.iteration}",
        started_at=iso(record.started_at),
        completed_at=iso(record.ended_at),
        phase=record.phase or ("complete" if done else "implementing"),
        completed_items=record.completed or ((record.task,) if done else ()),
        pending_items=record.pending or (() if done else (record.task,)),
        errors=(record.why,) if record.outcome in _FAILED and not record.handoff else (),
        checkpoint_id=record.checkpoint,
        handoff_trigger=record.handoff,
        input_tokens=record.usage.input_tokens,
        output_tokens=record.usage.output_tokens,
        cost=record.usage.cost_usd or 0.0,
        health_state=record.health,
    )


def record_view(record: IterationRecord) -> dict[str, Any]:
    """The contents of iteration-<n>.json."""
    return {
        "iterationId": record.iteration,
        "taskId": record.task,
        "title": record.title,
        "attempt": record.attempt,
        "run": record.run,
        "trigger": record.trigger,
        "startedAt": iso(record.started_at),
        "endedAt": iso(record.ended_at),
        "agent": {
            "name": record.agent,
            "ended": record.agent_ended,
            "exitCode": record.agent_exit,
            "seconds": round(record.agent_seconds, 3),
            "error": record.error,
            "trouble": record.trouble,
            "command": record.command,
            "models": list(record.models),
            "session": record.session,
            "output": record.log,
            "prompt": record.prompt,
            "prefixHash": record.prefix_hash,
        },
        "baseCommit": record.base,
        "resultCommit": record.commit,
        "level": record.level,
        "claims": [{"kind": c.kind, "task": c.task, "evidence": c.evidence} for c in record.claims],
        "verification": [proven.check_view(check) for check in record.verdict.results],
        "facts": [proven.fact_view(one) for one in record.verdict.facts],
        "testsThatShowIt": list(record.verdict.shown),
        "unproven": record.untested,
        "evidence": [proven.evidence_view(one) for one in record.verdict.evidence],
        "notes": list(record.verdict.notes),
        "putBack": list(record.put_back),
        "filesChanged": list(record.files),
        "outcome": record.outcome,
        "why": record.why,
        "feedback": record.feedback,
        "summary": record.summary,
        "question": record.question,
        "answer": record.answer,
        "answeredBy": record.answered_by,
        "salvage": record.salvage,
        "checkpoint": record.checkpoint,
        "phase": record.phase,
        "handoff": record.handoff,
        "usage": {
            "inputTokens": record.usage.input_tokens,
            "outputTokens": record.usage.output_tokens,
            "cacheWriteTokens": record.usage.cache_write_tokens,
            "cacheReadTokens": record.usage.cache_read_tokens,
            "costUsd": record.usage.cost_usd,
        },
    }


def task_rows(state: RunState, plan: Plan) -> list[dict[str, Any]]:
    """Every task that runs, with where it stands and why."""
    held = parked(state)
    reasons = {entry.task.id: entry.why for entry in waiting(plan, held)}
    now_ready = {task.id for task in ready(plan, held)}
    rows = []
    for task in plan.leaves():
        known = state.known(task.id)
        stands, why = _stands(task.status, task.id in held, task.id in now_ready)
        if known.skipped and task.is_open:  # the next commit writes it into the plan
            stands = "skipped"
        if stands == "skipped":
            why = known.left_out or known.skipped or why
        rows.append(
            {
                "id": task.id,
                "title": task.title,
                "status": stands,
                "why": state.questions[known.question].question.summary
                if known.question in state.questions
                else reasons.get(task.id, why),
                "attempts": known.attempts,
                "commit": known.commit if task.is_done else "",
                "level": known.level if task.is_done else "none",
                "unproven": known.untested and task.is_done,
                "accepted_by": known.accepted_by if task.is_done else "",
                "question": known.question,
            }
        )
    return rows


def standing(rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    """How well these tasks are proven, and how many are left."""
    done = [row for row in rows if row["status"] == "done"]
    kinds = (proven.kind(row["level"], row["unproven"], row["accepted_by"]) for row in done)
    skipped = sum(row["status"] == "skipped" for row in rows)
    return proven.counted(kinds) | {"open": len(rows) - len(done) - skipped}


def _settled_rows(records: Iterable[IterationRecord]) -> list[dict[str, Any]]:
    """The tasks that landed, where the plan they belonged to is another one by now."""
    return [
        {
            "id": one.task,
            "title": one.title,
            "status": "done",
            "why": "",
            "attempts": one.attempt,
            "commit": one.commit,
            "level": one.level,
            "unproven": one.untested,
            "accepted_by": one.accepted_by,
            "question": "",
        }
        for one in records
        if one.commit
    ]


def _item_rows(records: Sequence[IterationRecord]) -> list[dict[str, Any]]:
    """What a loop without a plan says of its goal, in its last iteration: nothing proves it."""
    last = records[-1] if records else None
    told = [(one, "done") for one in last.completed] if last is not None else []
    told += [(one, "open") for one in last.pending] if last is not None else []
    usual = {
        "why": "",
        "attempts": 0,
        "commit": "",
        "unproven": False,
        "accepted_by": "",
        "question": "",
    }
    return [
        {"id": one, "title": one, "status": stands}
        | usual
        | {"level": (Level.CLAIMED if stands == "done" else Level.NONE).value}
        for one, stands in told
    ]


def _stands(status: Status, held: bool, is_ready: bool) -> tuple[str, str]:
    if status is Status.COMPLETED:
        return "done", ""
    if status is Status.SKIPPED:
        return "skipped", "skipped"
    if held:
        return "parked", "waiting for an answer"
    if is_ready:
        return "ready", ""
    return "waiting", f"the plan says {status}" if status is not Status.OPEN else ""


def _with_proofs(
    rows: list[dict[str, Any]], plan: Plan | None, records: Sequence[IterationRecord]
) -> list[dict[str, Any]]:
    """The rows of finished tasks, each with what proves it; None where only the plan says so."""
    landed = {record.commit: record for record in records if record.commit}
    criteria = {task.id: task.criteria for task in plan.tasks} if plan is not None else {}
    for row in rows:
        record = landed.get(row["commit"])
        row["proof"] = record and proven.proof(record, criteria.get(row["id"], ()))
    return rows


def report(
    state: RunState,
    project: str,
    plan: Plan | None,
    records: Iterable[IterationRecord],
    about: RunState | None = None,
) -> dict[str, Any]:
    """The contents of report.json: commits, finished tasks, what is left and why.

    `about` is one run alone: then iterations, commits, times and figures are those of that run.
    """
    metrics, run = (about or state).metrics, (about or state).run
    every = list(records)
    listed = [one for one in every if about is None or one.run == run.id]
    here = (run.plan, run.branch) == (state.run.plan, state.run.branch)
    rows = task_rows(state, plan) if plan is not None and here else _settled_rows(listed)
    rows = rows or _item_rows(listed)
    done = _with_proofs([row for row in rows if row["status"] == "done"], plan, every)
    landed = {r.iteration: r for r in listed if r.commit}
    return {
        "project_id": project,
        "run": run.id,
        "goal": run.goal,
        "plan": run.plan,
        "branch": run.branch,
        "state": loop_state(state),
        "termination_reason": run.reason or "",
        "why": run.why,
        "started_at": iso(run.started_at),
        "completed_at": iso(run.ended_at),
        "duration_seconds": round(max(0.0, run.ended_at - run.started_at), 1),
        "base": run.base,
        "salvage": [
            {"iteration": r.iteration, "task": r.task, "ref": r.salvage}
            for r in listed
            if r.salvage and not r.commit
        ],
        "tasks": {
            "total": len(rows),
            "done": len(done),
            "standing": standing(rows),
            "completed": done,
            "open": [row for row in rows if row["status"] != "done"],
        },
        "not_verified": [one for row in done for one in proven.not_verified(row)],
        "commits": [
            {
                "iteration": number,
                "task": record.task,
                "commit": state.commits.get(number, record.commit),
                "level": record.level.value,
            }
            for number, record in landed.items()
            if number in state.commits or not here
        ],
        "questions": [
            {"id": name, "task": q.question.task, "summary": q.question.summary}
            for name, q in state.questions.items()
        ],
        "follow_ups": [
            {"iteration": f.iteration, "task": f.task, "title": f.title, "text": f.text}
            for f in state.follow_ups
        ],
        "metrics": {
            "iterations": metrics.iterations,
            "successes": metrics.successes,
            "failures": metrics.failures,
            "errors": metrics.errors,
            "checkpoints": metrics.checkpoints,
            "git_checkpoints": metrics.git_checkpoints,
            "rollbacks": metrics.rollbacks,
            "success_rate": round(metrics.successes / max(1, metrics.iterations), 4),
            "verified_share": round(len(landed) / max(1, len(listed)), 4),
            "iterations_per_task": round(len(listed) / len(landed), 2) if landed else None,
            "seconds_to_recovery": round(metrics.recovery_seconds / metrics.recoveries, 1)
            if metrics.recoveries
            else None,
            "elapsed_seconds": round(metrics.working, 1),
            "input_tokens": metrics.usage.input_tokens,
            "output_tokens": metrics.usage.output_tokens,
            "cost_usd": metrics.usage.cost_usd,
        },
        "iterations": [record_view(r) for r in listed],
    }

"""What a person wants to know the morning after: the report, and what only the events can tell."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ralph.domain import event as e
from ralph.domain.attended import AgentSpent
from ralph.domain.iteration import ACCEPTED
from ralph.domain.moment import iso
from ralph.domain.question import QuestionKind
from ralph.reading.signature import assertion
from ralph.views import economics, records, runs, trail
from ralph.views.economics import By
from ralph.views.status import report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ralph.domain.iteration import IterationRecord
    from ralph.domain.plan import Plan
    from ralph.domain.state import OpenQuestion, RunState

KINDS = (
    *runs.KINDS,
    *("TaskSkipped", "TaskRetried", "PlanEditApplied", "Reverted", "Squashed", "Waited"),
)
"""The events that all this is made from."""
_BY_PEOPLE = (
    e.Answered | e.TaskSkipped | e.TaskRetried | e.PlanEditApplied | e.Reverted | e.Squashed
)

_BEGUN = e.IterationStarted
_TOLD = e.AgentFinished | AgentSpent


def contents(
    state: RunState, project: str, plan: Plan | None, events: Sequence[e.Recorded], run: str = ""
) -> dict[str, Any]:
    """The report of one run, or of all of them."""
    about = runs.alone(events, run) if run else None
    every = records.collect(events)
    mine = [one for one in events if run in ("", one.run)]
    found = report(state, project, plan, every.values(), about)
    here = (found["plan"], found["branch"]) == (state.run.plan, state.run.branch)
    started = [one.event for one in events if isinstance(one.event, e.RunStarted)]
    on_branch = {
        one.run
        for one in events
        if isinstance(one.event, e.RunStarted) and one.event.branch == found["branch"]
    }
    came_from = (s.came_from for s in reversed(started) if s.branch == found["branch"])
    return found | {
        "came_from": next(filter(None, came_from), ""),
        "origin": state.origin if here else found["base"],
        "agent": (about or state).run.agent,
        "last_seen_at": iso(mine[-1].at) if mine else "",
        "waited_seconds": round(sum(w.seconds for w in _of(mine, e.Waited)), 1),
        "landed": [*state.commits] if here else [],
        "about": plan.description if plan is not None and here else "",
        "asked": _asked(plan) if here else [],
        "questions": _questions(state.questions if here else _elsewhere(state, found["branch"])),
        "decisions": list(_decisions(events, run)),
        "salvage": list(_salvage(mine, every, state if here else None)),
        "spent": _spent(mine),
        "spent_ever": _spent([one for one in events if one.run in on_branch]),
        "spending": _spending(mine, [one for one in every.values() if run in ("", one.run)]),
    }


def _of(events: Sequence[e.Recorded], kind: type[Any]) -> Iterator[Any]:
    return (one.event for one in events if isinstance(one.event, kind))


def _asked(plan: Plan | None) -> list[dict[str, Any]]:
    """The plan as it stands, without what became of it."""
    return [
        {
            "id": task.id,
            "title": task.title,
            "description": task.description,
            "criteria": list(task.criteria),
        }
        for task in (plan.leaves() if plan is not None else ())
    ]


def _elsewhere(state: RunState, branch: str) -> dict[str, OpenQuestion]:
    """What waits on another branch than the last run's."""
    feature = state.features.get(branch)
    return feature.questions if feature is not None else {}


def _questions(waiting: dict[str, OpenQuestion]) -> list[dict[str, Any]]:
    """Those that wait for a person, with all that is needed to answer."""
    return [
        {
            "id": name,
            "task": opened.question.task,
            "kind": opened.question.kind.value,
            "summary": opened.question.summary,
            "context": opened.question.context,
            "question": opened.question.question,
            "options": list(opened.question.options),
            "iteration": opened.question.iteration,
            "salvage": opened.question.salvage,
            "fails": assertion(opened.question.context)
            if opened.question.kind is QuestionKind.FAILED
            else "",
            "asked_at": iso(opened.at),
        }
        for name, opened in waiting.items()
    ]


def _decisions(events: Sequence[e.Recorded], run: str) -> Iterator[dict[str, Any]]:
    """What people decided in this run, before it since the last one, or later of what it asked."""
    asked = {r.event.question.id: r for r in events if isinstance(r.event, e.Escalated)}
    by_place = {recorded.seq: recorded for recorded in events}
    first, last = _span(events, run)
    for change in trail.trail(events):
        event = by_place[change.seq].event
        if not isinstance(event, _BY_PEOPLE):
            continue
        of = asked.get(event.question) if isinstance(event, e.Answered) else None
        if not first <= change.seq <= last and (of is None or of.run != run):
            continue
        yield {
            "task": change.task,
            "what": change.what,
            "question": event.question if isinstance(event, e.Answered) else "",
            "asked": of.event.question.summary if of and isinstance(of.event, e.Escalated) else "",
            "answer": change.why,
            "by": change.by,
            "at": iso(change.at),
        }


def _span(events: Sequence[e.Recorded], run: str) -> tuple[int, int]:
    """From the end of the run before this one to its own last event; all of them without a run."""
    mine = [one.seq for one in events if run in ("", one.run)]
    if not run or not mine:
        return 0, mine[-1] if mine else 0
    ends = (r.seq for r in events if isinstance(r.event, e.RunEnded) and r.seq < mine[0])
    return max(ends, default=0), mine[-1]


def _salvage(
    events: Sequence[e.Recorded], every: dict[int, IterationRecord], state: RunState | None
) -> Iterator[dict[str, Any]]:
    """Work that was set aside and is on no branch by itself, each once."""
    told: set[str] = set()
    for recorded in events:
        match recorded.event:
            case e.Salvaged(ref=ref, why=why, task=task, iteration=number):
                pass
            case e.Reverted(salvage=ref, iteration=last):
                why, task, number = f"what came after iteration {last}, before a revert", "", 0
            case e.Squashed(salvage=ref):
                why, task, number = "the commits before they were squashed", "", 0
            case _:
                continue
        record = every.get(number)
        if ref in told or (task and record is not None and record.commit):
            continue
        told.add(ref)
        done = bool(task and state is not None and state.known(task).commit)
        yield {"iteration": number, "task": task, "ref": ref, "why": why, "done_since": done}


def _spent(events: Sequence[e.Recorded]) -> dict[str, Any]:
    """What all agents used, killed ones included."""
    every = economics.total(economics.records(events))
    begun = {
        (one.run, one.event.iteration)
        for one in events
        if isinstance(one.event, _BEGUN) and one.event.agent != ACCEPTED
    }
    told = {(one.run, one.event.iteration) for one in events if isinstance(one.event, _TOLD)}
    silent = len(begun - told)  # killed, or at work and not heard of yet
    ended = (one for one in events if isinstance(one.event, e.AgentFinished))
    again = Counter((one.run, getattr(one.event, "iteration", 0)) for one in ended)
    return {
        "cost_usd": every.usage.cost_usd,
        "estimated": every.usage.estimated,
        "tokens": every.usage.tokens,
        "agents": every.agents + silent,
        "iterations": len(begun),
        "asked_again": again.total() - len(again),
        "without_figures": every.without_figures + silent,
    }


def _spending(
    events: Sequence[e.Recorded], listed: Sequence[IterationRecord]
) -> list[dict[str, Any]]:
    """Cost and time by task, in the order in which they were begun."""
    used = {row.key: row for row in economics.group(economics.records(events), By.TASK)}
    tried: dict[str, list[IterationRecord]] = {}
    for one in listed:
        tried.setdefault(one.task, []).append(one)
    rows = []
    for name in dict.fromkeys((*tried, *used)):
        tries, row = tried.get(name, []), used.get(name)
        rows.append(
            {
                "task": name,
                "title": tries[-1].title if tries else "",
                "iterations": len(tries),
                "agents": row.agents if row else 0,
                "seconds": round(sum(max(0.0, t.ended_at - t.started_at) for t in tries), 1),
                "agent_seconds": round(sum(one.agent_seconds for one in tries), 1),
                "cost_usd": row.usage.cost_usd if row else None,
                "estimated": bool(row and row.usage.estimated),
                "tokens": row.usage.tokens if row else 0,
            }
        )
    return rows

"""Histories of events for tests of what is computed from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from ralph.domain import attended as a
from ralph.domain import event as e
from ralph.domain.activity import ActivityKind
from ralph.domain.answer import Ended
from ralph.domain.attended import HandoffRequested, HostRefused, NudgeRequested
from ralph.domain.budget import BudgetAction, Scope
from ralph.domain.checkpoint import Checkpoint, CheckpointMetadata, HandoffTrigger
from ralph.domain.claim import Claim, ClaimKind, FollowUp
from ralph.domain.decision import Action, Outcome, StopReason, Trigger
from ralph.domain.health import HealthState, InterventionLevel
from ralph.domain.notify import DeliveryFailed
from ralph.domain.question import Choice, Question, QuestionKind, Reply
from ralph.domain.task import Kind
from ralph.domain.trouble import TroubleKind
from ralph.domain.usage import Usage
from ralph.domain.verdict import Level, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

TASKS = ("A", "B", "C")

tasks = st.sampled_from(TASKS)
words = st.sampled_from(("", "one", "two", "three"))
numbers = st.integers(1, 6)
seconds = st.floats(0, 1_000)
refs = st.sampled_from(("", "refs/ralph/salvage/x", "refs/ralph/salvage/y"))
questions = st.builds(
    Question,
    id=numbers.map(lambda n: f"Q{n}"),
    task=tasks,
    kind=st.sampled_from(QuestionKind),
    summary=words,
    options=st.sampled_from(((), ("first", "second"))),
    iteration=numbers,
    salvage=refs,
)
replies = st.builds(Reply, st.sampled_from(Choice), option=st.integers(0, 3), text=words)
usages = st.builds(
    Usage,
    input_tokens=st.integers(0, 100),
    output_tokens=st.integers(0, 100),
    cost_usd=st.none() | st.floats(0, 3),
)
follow_ups = st.builds(
    Claim,
    kind=st.just(ClaimKind.FOLLOW_UP),
    task=tasks,
    follow_up=st.builds(FollowUp, title=words, text=words),
)

checkpoints = st.builds(
    Checkpoint,
    metadata=st.builds(
        CheckpointMetadata,
        id=words,
        project=words,
        run=words,
        task=tasks,
        agent=words,
        iteration=numbers,
        attempt=numbers,
        at=seconds,
        why=words,
    ),
)

PARTS: dict[type[e.Event], st.SearchStrategy[e.Event]] = {
    e.RunStarted: st.builds(
        e.RunStarted,
        plan=st.just("PRD.json"),
        goal=words,
        branch=st.sampled_from(("ralph/one", "ralph/two")),
        base=words,
        agent=words,
        workspace=st.just("/w"),
        worktree=st.booleans(),
        pid=numbers,
        host=words,
        version=words,
    ),
    e.RunEnded: st.builds(e.RunEnded, st.sampled_from(StopReason), why=words, exit_code=st.just(0)),
    e.PauseRequested: st.builds(e.PauseRequested, by=words),
    e.ResumeRequested: st.builds(e.ResumeRequested, by=words),
    e.StopRequested: st.builds(e.StopRequested, by=words, now=st.booleans()),
    e.BaseChecked: st.builds(e.BaseChecked, commit=words, passed=st.booleans()),
    e.IterationStarted: st.builds(
        e.IterationStarted,
        iteration=numbers,
        task=tasks,
        title=words,
        attempt=numbers,
        base=words,
        trigger=st.sampled_from(Trigger),
        agent=words,
    ),
    e.AgentFinished: st.builds(
        e.AgentFinished,
        iteration=numbers,
        task=tasks,
        ended=st.sampled_from(Ended),
        exit_code=st.none() | st.integers(0, 2),
        seconds=seconds,
        output_bytes=numbers,
        tail=words,
        usage=usages,
        agent=words,
        trouble=st.none() | st.sampled_from(TroubleKind),
        until=seconds,
    ),
    e.AgentActed: st.builds(
        e.AgentActed, iteration=numbers, kind=st.sampled_from(ActivityKind), text=words
    ),
    e.AskedAgain: st.builds(e.AskedAgain, iteration=numbers, task=words, why=words),
    e.AgentSwitched: st.builds(
        e.AgentSwitched, iteration=numbers, agent=words, to=words, why=words
    ),
    e.Claimed: st.builds(
        e.Claimed, iteration=numbers, claims=st.lists(follow_ups, max_size=3).map(tuple)
    ),
    e.PutBack: st.builds(e.PutBack, iteration=numbers, path=words, why=words),
    e.PlanEditApplied: st.builds(e.PlanEditApplied, salvage=refs),
    e.Verified: st.builds(
        e.Verified,
        iteration=numbers,
        verdict=st.builds(
            Verdict,
            passed=st.booleans(),
            level=st.sampled_from(Level),
            why=words,
            commit=words,
            tree=words,
        ),
    ),
    e.AboutToCommit: st.builds(
        e.AboutToCommit,
        iteration=numbers,
        task=tasks,
        commit=words,
        tree=words,
        branch=words,
        base=words,
    ),
    e.Settled: st.builds(
        e.Settled,
        iteration=numbers,
        task=tasks,
        commit=words,
        level=st.sampled_from(Level),
        kind=st.sampled_from(Kind),
        area=words,
    ),
    e.IterationEnded: st.builds(
        e.IterationEnded,
        iteration=numbers,
        task=tasks,
        outcome=st.sampled_from(Outcome),
        why=words,
        seconds=seconds,
        tree=words,
        signature=words,
        feedback=words,
        summary=words,
        agent_failed=st.booleans(),
        fix_only=st.booleans(),
        looping=st.booleans(),
        held=st.booleans(),
        counts=st.booleans(),
    ),
    e.Decided: st.builds(e.Decided, iteration=numbers, action=st.sampled_from(Action), why=words),
    e.Waited: st.builds(e.Waited, seconds=seconds, why=words),
    e.Escalated: st.builds(e.Escalated, question=questions),
    e.Answered: st.builds(
        e.Answered, question=numbers.map(lambda n: f"Q{n}"), reply=replies, by=words
    ),
    e.TaskSkipped: st.builds(e.TaskSkipped, task=tasks, why=words, by=words),
    e.TaskRetried: st.builds(e.TaskRetried, task=tasks, feedback=words, by=words),
    e.PlanMarked: st.builds(e.PlanMarked, tasks=st.lists(tasks, max_size=2).map(tuple)),
    e.Salvaged: st.builds(
        e.Salvaged, ref=refs, commit=words, why=words, task=st.just("") | tasks, iteration=numbers
    ),
    e.RolledBack: st.builds(e.RolledBack, task=tasks, to=words, why=words, salvage=refs),
    e.Reverted: st.builds(
        e.Reverted,
        iteration=st.integers(0, 6),
        to=words,
        salvage=refs,
        reopened=st.lists(tasks, max_size=2, unique=True).map(tuple),
        by=words,
    ),
    e.Squashed: st.builds(
        e.Squashed, commit=words, salvage=refs, tasks=st.lists(tasks).map(tuple), by=words
    ),
    e.CommandRefused: st.builds(
        e.CommandRefused, command=words, task=tasks, iteration=numbers, by=words
    ),
    HandoffRequested: st.builds(HandoffRequested, task=tasks, by=words),
    NudgeRequested: st.builds(NudgeRequested, task=tasks, text=words, by=words),
    HostRefused: st.builds(HostRefused, iteration=numbers, host=words),
    DeliveryFailed: st.builds(DeliveryFailed, channel=words, why=words),
    e.Recovered: st.builds(e.Recovered, iteration=numbers, task=tasks, how=words),
    e.Noted: st.builds(
        e.Noted, iteration=numbers, text=words, patterns=st.lists(words, max_size=3).map(tuple)
    ),
    e.LedgerRewritten: st.builds(
        e.LedgerRewritten,
        by=words,
        values=numbers,
        events=numbers,
        first=numbers,
        head=words,
        earlier=words,
        kinds=st.dictionaries(words, numbers, max_size=2),
    ),
    e.CheckpointMade: st.builds(e.CheckpointMade, iteration=numbers, ref=refs, commit=words),
    a.CheckpointSaved: st.builds(
        a.CheckpointSaved, iteration=numbers, task=tasks, checkpoint=checkpoints
    ),
    a.AgentSpent: st.builds(
        a.AgentSpent, iteration=numbers, task=tasks, usage=usages, context=st.floats(0, 1)
    ),
    a.HealthChanged: st.builds(
        a.HealthChanged,
        iteration=numbers,
        task=tasks,
        before=st.sampled_from(HealthState),
        now=st.sampled_from(HealthState),
        why=words,
    ),
    a.Intervened: st.builds(
        a.Intervened,
        iteration=numbers,
        task=tasks,
        level=st.sampled_from(InterventionLevel),
        why=words,
    ),
    a.HandoffAsked: st.builds(
        a.HandoffAsked,
        iteration=numbers,
        task=tasks,
        trigger=st.sampled_from(HandoffTrigger),
        value=st.floats(0, 1),
        threshold=st.floats(0, 1),
        why=words,
    ),
    a.BudgetNoticed: st.builds(
        a.BudgetNoticed,
        scope=st.sampled_from(Scope),
        action=st.sampled_from(BudgetAction),
        used=st.floats(0, 10),
        limit=st.floats(0, 10),
        why=words,
    ),
}
"""How to make one of each kind of event."""

events: st.SearchStrategy[e.Event] = st.sampled_from(list(PARTS)).flatmap(lambda kind: PARTS[kind])


def recorded(events_: Iterable[e.Event], *, after: int = 0, run: str = "r1") -> list[e.Recorded]:
    """The events with places in a ledger, a second apart."""
    return [
        e.Recorded(
            seq=number,
            at=1_000.0 + number,
            project="p",
            run=run,
            event=event,
            prev=f"h{number - 1}",
            hash=f"h{number}",
        )
        for number, event in enumerate(events_, after + 1)
    ]


histories: st.SearchStrategy[list[e.Recorded]] = st.lists(events, max_size=25).map(recorded)

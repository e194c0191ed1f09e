"""The audit trail: who or what changed which task, when, and with which evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ralph.domain import event as e
from ralph.domain.attended import HandoffRequested, HostRefused, NudgeRequested
from ralph.domain.decision import Outcome
from ralph.domain.iteration import ACCEPTED, IterationRecord
from ralph.domain.question import QuestionKind
from ralph.views import records as recording

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ralph.domain.question import Question

RALPH = "ralph"
KINDS = (
    *recording.KINDS,
    "RunStarted",
    "TaskSkipped",
    "TaskRetried",
    "PlanMarked",
    "PlanEditApplied",
    "RolledBack",
    "Reverted",
    "Squashed",
    "CommandRefused",
    "HostRefused",
    "NudgeRequested",
    "HandoffRequested",
    "Recovered",
)
"""The events a trail is made from."""


class Change(Struct, frozen=True, kw_only=True):
    """Something that became of one task."""

    task: str
    what: str
    by: str = RALPH
    """The agent, the person, or Ralph itself."""
    why: str = ""
    commit: str = ""
    iteration: int = 0
    record: IterationRecord | None = None
    """Of the iteration, with its evidence; only where it was settled."""
    seq: int = 0
    at: float = 0
    run: str = ""
    branch: str = ""


def trail(events: Iterable[e.Recorded]) -> Iterator[Change]:
    """Every change of a task, oldest first."""
    reader = _TrailReader()
    for recorded in events:
        seq, at, run = recorded.seq, recorded.at, recorded.run
        for change in reader.take(recorded):
            branch = reader.branches.get(run, "")
            yield replace(change, seq=seq, at=at, run=run, branch=branch)


class _TrailReader:
    """Remembers what later events refer to."""

    def __init__(self) -> None:
        self.branches: dict[str, str] = {}
        self._records: dict[int, IterationRecord] = {}
        self._questions: dict[str, Question] = {}

    def take(self, recorded: e.Recorded) -> Iterator[Change]:
        recording.add(self._records, recorded)
        match recorded.event:
            case e.RunStarted() as event:
                self.branches[recorded.run] = event.branch
            case e.Settled() | e.IterationEnded() | e.PutBack() as event:
                yield from self._by_iteration(event)
            case e.Escalated(question):
                self._questions[question.id] = question
                yield self._asked(question)
            case e.Answered() as event:
                yield self._answered(event)
            case _:
                yield from _steered(recorded.event)

    def _by_iteration(self, event: e.Settled | e.IterationEnded | e.PutBack) -> Iterator[Change]:
        number = event.iteration
        record = self._records.get(number)
        agent = record.agent if record is not None and record.agent != ACCEPTED else RALPH
        agent = agent or "an agent"
        match event:
            case e.Settled():
                yield Change(
                    task=event.task,
                    what=f"settled as {event.level}{', unproven' * event.untested}",
                    by=event.accepted_by or agent,
                    commit=event.commit,
                    iteration=number,
                    record=record,
                )
            case e.IterationEnded() if event.outcome not in (Outcome.SUCCESS, Outcome.BLOCKED):
                what = f"attempt {event.outcome}"
                yield Change(task=event.task, what=what, by=agent, why=event.why, iteration=number)
            case e.PutBack() if record is not None:
                why = f"{event.path}: {event.why}"
                yield Change(task=record.task, what="put back", why=why, iteration=number)
            case _:
                pass

    def _asked(self, question: Question) -> Change:
        record = self._records.get(question.iteration)
        of_agent = question.kind in (QuestionKind.STUCK, QuestionKind.DEVIATION)
        return Change(
            task=question.task,
            what=f"asked about, {question.id}",
            by=(record.agent or "an agent") if of_agent and record is not None else RALPH,
            why=question.summary,
            iteration=question.iteration,
        )

    def _answered(self, event: e.Answered) -> Change:
        question = self._questions.get(event.question)
        reply = event.reply
        options = question.options if question is not None else ()
        chosen = options[reply.option - 1 : reply.option] if reply.option else ()
        return Change(
            task=question.task if question is not None else "",
            what=f"answered, {event.question}",
            by=event.by,
            why=reply.text or (chosen[0] if chosen else reply.choice.value),
        )


def _steered(event: e.Event) -> Iterator[Change]:
    """What people did with commands, and what Ralph did by itself."""
    match event:
        case e.TaskSkipped():
            yield Change(task=event.task, what="skipped", by=event.by, why=event.why)
        case e.TaskRetried():
            yield Change(task=event.task, what="to be tried again", by=event.by, why=event.feedback)
        case NudgeRequested() | HandoffRequested():
            told = event.text if isinstance(event, NudgeRequested) else "to hand over"
            yield Change(task=event.task, what="agent told", by=event.by, why=told)
        case e.RolledBack():
            yield Change(task=event.task, what="rolled back", why=event.why, commit=event.to)
        case e.Recovered():
            number = event.iteration
            yield Change(task=event.task, what="recovered", why=event.how, iteration=number)
        case e.CommandRefused():
            yield Change(
                task=event.task,
                what=f"refused `{event.command}`",
                by=event.by or "an agent",
                why="it is for people, and was called from inside a run",
                iteration=event.iteration,
            )
        case HostRefused():
            why = "it is not a model's host, and not in safety.hosts"
            yield Change(task="", what=f"blocked {event.host}", why=why, iteration=event.iteration)
        case e.PlanMarked() | e.Reverted() | e.Squashed() | e.PlanEditApplied():
            yield from _of_the_plan(event)
        case _:
            pass


def _of_the_plan(
    event: e.PlanMarked | e.Reverted | e.Squashed | e.PlanEditApplied,
) -> Iterator[Change]:
    match event:
        case e.PlanEditApplied():
            yield Change(task="", what="an edit of the plan applied", why=event.salvage)
        case e.PlanMarked():
            for task in event.tasks:
                yield Change(task=task, what="written into the plan", commit=event.commit)
        case e.Reverted():
            why = f"back to iteration {event.iteration}"
            for task in event.reopened:
                what = "reopened by a revert"
                yield Change(task=task, what=what, by=event.by, why=why, commit=event.to)
        case e.Squashed():
            for task in event.tasks:
                yield Change(task=task, what="squashed", by=event.by, commit=event.commit)

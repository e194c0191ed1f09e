"""The trace of a run: a span for what lasts, with the times that the ledger has of it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from opentelemetry.context import Context
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import (
    Link,
    SpanContext,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from ralph.domain import event as e
from ralph.domain.attended import AgentSpent
from ralph.domain.decision import Outcome, StopReason, exit_code
from ralph.domain.iteration import ACCEPTED
from ralph.domain.usage import Usage
from ralph.domain.verdict import UNTRIED
from ralph.telemetry import attributes as told

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.trace import Span, Tracer

    from ralph.domain.state import RunInfo, RunState
    from ralph.telemetry.attributes import Attributes

_BAD = (Outcome.FAILED, Outcome.BUDGET_EXCEEDED)
_FAILED, _LIMIT = exit_code(StopReason.ERROR), exit_code(StopReason.MAX_ITERATIONS)


class RunIds(RandomIdGenerator):
    """A run's trace and its first span get their ids from the run's: a later run can name them."""

    def __init__(self, run: str) -> None:
        self._trace, self._root = ids_of(run)
        self._rooted = False

    def generate_trace_id(self) -> int:
        return self._trace

    def generate_span_id(self) -> int:
        if self._rooted:
            return super().generate_span_id()
        self._rooted = True
        return self._root


def ids_of(run: str) -> tuple[int, int]:
    digest = hashlib.sha256(run.encode()).digest()
    return int.from_bytes(digest[:16]), int.from_bytes(digest[16:24])


class RunTrace:
    """Hears every event of one run."""

    def __init__(self, tracer: Tracer, state: Callable[[], RunState]) -> None:
        self._tracer = tracer
        self._state = state
        self._before = state().run
        self._run: Span | None = None
        self._iteration: Span | None = None
        self._last = 0.0
        self._forget()

    def _forget(self) -> None:
        """Of an iteration before."""
        self._usage, self._verdict = Usage(), UNTRIED
        self._trouble, self._since = "", 0.0
        """Why its agent failed itself, and when the phase began that it is in."""

    def __call__(self, recorded: e.Recorded) -> None:
        event, at = recorded.event, recorded.at
        self._last = at
        match event:
            case e.RunStarted():
                self._begin(recorded.run, event, at)
            case e.IterationStarted():
                self._forget()
                self._since = at
                self._iteration = self._span("ralph.iteration", at, told.of_iteration(event))
            case e.AgentFinished():
                self._agent(event, at)
            case AgentSpent(ended=True):
                self._usage += event.usage
            case e.Verified():
                self._checked(event, at)
            case e.Settled():
                self._settled(event, at)
            case e.IterationEnded():
                self._end_iteration(event, at)
            case e.RunEnded():
                self._end(event, at)
            case _:
                self._happened(event, at)

    def close(self) -> None:
        """End what no event has ended: an error did."""
        for span in (self._iteration, self._run):
            if span is not None:
                _fail(span, StopReason.ERROR)
                span.end(_nanoseconds(self._last))
        self._iteration = self._run = None

    def _begin(self, run: str, event: e.RunStarted, at: float) -> None:
        self._run = self._tracer.start_span(
            "ralph.run",
            Context(),
            attributes=told.of_run(run, event),
            links=_links(self._before, event.branch),
            start_time=_nanoseconds(at),
        )

    def _span(self, name: str, start: float, attributes: Attributes) -> Span:
        """A part of the iteration; without one, of the run."""
        parent = self._iteration or self._run
        context = Context() if parent is None else set_span_in_context(parent, Context())
        return self._tracer.start_span(
            name, context, attributes=attributes, start_time=_nanoseconds(start)
        )

    def _agent(self, event: e.AgentFinished, at: float) -> None:
        start, self._since = max(self._since, at - event.seconds), at
        if event.agent == ACCEPTED:
            return
        self._usage += event.usage
        span = self._span("ralph.agent", start, told.of_agent(event))
        self._trouble = event.trouble.value if event.trouble is not None else ""
        if self._trouble or event.exit_code:
            _fail(span, self._trouble or f"exit code {event.exit_code}")
        span.end(_nanoseconds(at))

    def _checked(self, event: e.Verified, at: float) -> None:
        start, self._since = self._since, at
        self._verdict = event.verdict
        if not event.verdict.commit:
            return  # there was nothing to be checked
        span = self._span("ralph.checking", start, told.of_verdict(event.verdict))
        if not event.verdict.passed:
            _fail(span, told.against(event.verdict))
        span.end(_nanoseconds(at))

    def _settled(self, event: e.Settled, at: float) -> None:
        landed: Attributes = {"ralph.level": event.level.value, "ralph.commit": event.commit}
        self._span("ralph.settling", self._since, landed).end(_nanoseconds(at))
        if self._iteration is not None:
            self._iteration.set_attributes(landed)

    def _end_iteration(self, event: e.IterationEnded, at: float) -> None:
        span, self._iteration = self._iteration, None
        if span is None:
            return
        span.set_attribute("ralph.outcome", event.outcome.value)
        span.set_attributes(told.of_all(self._usage))
        if event.outcome in _BAD:
            _fail(span, self._why(event.outcome))
        elif event.outcome is Outcome.SUCCESS:
            span.set_status(StatusCode.OK)
        span.end(_nanoseconds(at))

    def _why(self, outcome: Outcome) -> str:
        """Why an iteration failed, in a word."""
        if self._verdict.commit and not self._verdict.passed:
            return told.against(self._verdict)
        return self._trouble or outcome.value

    def _end(self, event: e.RunEnded, at: float) -> None:
        span, self._run = self._run, None
        if span is None:
            return
        run = self._state().run
        span.set_attributes(
            {
                "ralph.reason": event.reason.value,
                "ralph.exit_code": event.exit_code,
                "ralph.iterations": run.iterations,
                "ralph.tasks.completed": run.completed,
                **told.of_all(run.usage),
            }
        )
        if event.exit_code in (_FAILED, _LIMIT):
            _fail(span, event.reason)
        elif event.exit_code == 0:
            span.set_status(StatusCode.OK)
        span.end(_nanoseconds(at))

    def _happened(self, event: e.Event, at: float) -> None:
        span, moment = self._iteration or self._run, told.of_moment(event)
        if span is not None and moment is not None:
            span.add_event(*moment, timestamp=_nanoseconds(at))


def _links(before: RunInfo, branch: str) -> list[Link]:
    """To the run that this one goes on with."""
    if not before.id or before.branch != branch or before.reason is StopReason.GOAL_ACHIEVED:
        return []
    trace, span = ids_of(before.id)
    flags = TraceFlags(TraceFlags.SAMPLED)
    return [Link(SpanContext(trace, span, is_remote=True, trace_flags=flags))]


def _fail(span: Span, why: str) -> None:
    span.set_attribute("error.type", str(why))
    span.set_status(Status(StatusCode.ERROR, str(why)))


def _nanoseconds(at: float) -> int:
    return int(at * 1_000_000_000)

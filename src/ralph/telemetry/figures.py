"""The metrics of a run, counted from its events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain import event as e
from ralph.domain.attended import AgentSpent
from ralph.domain.iteration import ACCEPTED
from ralph.telemetry.attributes import name

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.metrics import Meter

    from ralph.domain.state import RunState
    from ralph.domain.usage import Usage

_SECONDS = (1, 5, 10, 30, 60, 120, 300, 600, 1200, 2400, 5400)


class RunFigures:
    """Hears every event of one run."""

    def __init__(self, meter: Meter, state: Callable[[], RunState]) -> None:
        self._state = state
        self._since = 0.0
        self._iterations = meter.create_counter(
            "ralph.iterations", "{iteration}", "Iterations that ended"
        )
        self._settled = meter.create_counter("ralph.tasks.settled", "{task}", "Tasks that landed")
        self._tokens = meter.create_counter("ralph.tokens", "{token}", "Tokens that agents used")
        self._cost = meter.create_counter("ralph.cost", "USD", "What agents cost, where known")
        self._agent = meter.create_histogram(
            "ralph.agent.duration",
            "s",
            "How long an agent worked",
            explicit_bucket_boundaries_advisory=_SECONDS,
        )
        self._checking = meter.create_histogram(
            "ralph.checking.duration",
            "s",
            "How long a candidate was checked",
            explicit_bucket_boundaries_advisory=_SECONDS,
        )
        self._questions = meter.create_gauge(
            "ralph.questions.open", "{question}", "Questions that wait for a person"
        )

    def __call__(self, recorded: e.Recorded) -> None:
        event = recorded.event
        match event:
            case e.AgentFinished():
                self._since = recorded.at
                self._finished(event)
            case AgentSpent(ended=True):
                self._spent(event.usage, event.agent)
            case e.Verified() if event.verdict.commit:
                took = max(0.0, recorded.at - self._since)
                self._checking.record(took, {"ralph.verdict.passed": event.verdict.passed})
            case e.Settled():
                self._settled.add(1, {"ralph.level": event.level.value})
            case e.IterationEnded():
                self._iterations.add(1, {"ralph.outcome": event.outcome.value})
            case e.RunStarted() | e.Escalated() | e.Answered():
                self._questions.set(len(self._state().questions))
            case _:
                pass

    def _finished(self, event: e.AgentFinished) -> None:
        if event.agent != ACCEPTED:
            self._agent.record(event.seconds, {"gen_ai.agent.name": name(event.agent)})
            self._spent(event.usage, event.agent)

    def _spent(self, usage: Usage, agent: str) -> None:
        who = {"gen_ai.agent.name": name(agent)}
        kinds = {
            "input": usage.input_tokens,
            "output": usage.output_tokens,
            "cache_read": usage.cache_read_tokens,
            "cache_write": usage.cache_write_tokens,
        }
        for kind, tokens in kinds.items():
            if tokens:
                self._tokens.add(tokens, {**who, "ralph.token.kind": kind})
        if usage.cost_usd:
            self._cost.add(usage.cost_usd, who)

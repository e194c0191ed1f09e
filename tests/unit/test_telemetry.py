"""What a collector is told of events, and where it may be."""

from __future__ import annotations

import asyncio
import sys
import types
import typing
from enum import Enum
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ralph.domain import event as e
from ralph.domain.answer import Ended
from ralph.domain.decision import Outcome, StopReason, Trigger
from ralph.domain.errors import ConfigError
from ralph.domain.state import RunState
from ralph.domain.usage import Usage
from ralph.domain.verdict import Level, Verdict
from ralph.policy.trust import powerful
from ralph.telemetry import desk
from ralph.telemetry.attributes import name
from ralph.telemetry.figures import RunFigures
from ralph.telemetry.spans import RunIds, RunTrace, ids_of
from ralph.telemetry.target import Target, target
from ralph.views.fold import apply

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

HERE = "http://127.0.0.1:4318"
WORDS = "some words that nobody else may read"
IDS = {
    *("id", "task", "plan", "branch", "agent", "to", "salvage", "ref", "commit", "models"),
    *("question", "run"),
}
"""Fields that hold names or ids: these are told."""


class Listening:
    """A trace and figures in this process, and the state that a run would have."""

    def __init__(self, run: str = "r1", state: RunState | None = None) -> None:
        self.run, self.state, self.seq = run, state or RunState(), 0
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider(id_generator=RunIds(run), shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.reader = InMemoryMetricReader()
        meter = MeterProvider([self.reader], shutdown_on_exit=False).get_meter("test")
        self.trace = RunTrace(provider.get_tracer("test"), lambda: self.state)
        self.figures = RunFigures(meter, lambda: self.state)

    def hear(self, at: float, *events: e.Event) -> None:
        for event in events:
            self.seq += 1
            recorded = e.Recorded(self.seq, at, "p", self.run, event)
            apply(self.state, recorded)
            self.trace(recorded)
            self.figures(recorded)

    def spans(self) -> dict[str, ReadableSpan]:
        return {span.name: span for span in self.exporter.get_finished_spans()}


def begun(branch: str = "ralph/x") -> e.RunStarted:
    return e.RunStarted("PRD.json", "goal", branch, "b", "own", "/w", False, 1, "h", "0")


def started(number: int = 1) -> e.IterationStarted:
    return e.IterationStarted(number, "T1", "title", 1, "b", Trigger.INITIAL, "own")


def finished(seconds: float = 30, **more: Any) -> e.AgentFinished:
    return e.AgentFinished(1, "T1", Ended.EXITED, 0, seconds, 0, WORDS, agent="own", **more)


def ended(outcome: Outcome) -> e.IterationEnded:
    return e.IterationEnded(1, "T1", outcome, WORDS, 60)


def test_spans_last_as_long_as_the_ledger_says_whenever_they_are_sent() -> None:
    here = Listening()
    here.hear(1000, begun())
    here.hear(2000, started())
    here.hear(2100, finished(30))
    verdict = Verdict(passed=True, level=Level.GREEN, why="", commit="c")
    here.hear(2160, e.Verified(1, verdict))
    here.hear(2161, e.Settled(1, "T1", "c", Level.GREEN), ended(Outcome.SUCCESS))
    here.hear(9000, e.RunEnded(StopReason.GOAL_ACHIEVED, "", 0))

    lasted = {
        name.removeprefix("ralph."): (one.start_time or 0, one.end_time or 0)
        for name, one in here.spans().items()
    }
    assert {name: (a // 10**9, b // 10**9) for name, (a, b) in lasted.items()} == {
        "agent": (2070, 2100),
        "checking": (2100, 2160),
        "settling": (2160, 2161),
        "iteration": (2000, 2161),
        "run": (1000, 9000),
    }


@pytest.mark.parametrize(
    ("outcome", "verdict", "usage", "why"),
    [
        (Outcome.FAILED, Verdict(False, Level.NONE, WORDS, "c", tests_failed=2), {}, "rejected"),
        (Outcome.FAILED, Verdict(False, Level.NONE, WORDS), {}, "failed"),
        (Outcome.BUDGET_EXCEEDED, Verdict(False, Level.NONE, WORDS), {}, "budget_exceeded"),
    ],
)
def test_why_an_iteration_failed_is_a_word(
    outcome: Outcome, verdict: Verdict, usage: dict[str, Any], why: str
) -> None:
    here = Listening()
    here.hear(1, begun(), started(), finished(1, **usage), e.Verified(1, verdict), ended(outcome))

    status = here.spans()["ralph.iteration"].status
    assert (status.is_ok, status.description) == (False, why)
    assert ("ralph.checking" in here.spans()) is bool(verdict.commit)


def test_an_error_leaves_no_span_open() -> None:
    here = Listening()
    here.hear(5, begun(), started())
    here.trace.close()

    assert {"ralph.run", "ralph.iteration"} == set(here.spans())
    assert not here.spans()["ralph.run"].status.is_ok


def test_a_run_that_goes_on_is_linked_to_the_one_before() -> None:
    killed = Listening("r1")
    killed.hear(1, begun(), started())
    after = Listening("r2", killed.state)
    after.hear(2, begun())
    after.trace.close()
    elsewhere = Listening("r3", killed.state)
    elsewhere.hear(3, begun("ralph/y"))
    elsewhere.trace.close()

    [link] = after.spans()["ralph.run"].links
    assert (link.context.trace_id, link.context.span_id) == ids_of("r1")
    assert elsewhere.spans()["ralph.run"].links == ()


@pytest.mark.parametrize("kind", e.EVENTS.values(), ids=e.EVENTS)
def test_nothing_but_names_ids_kinds_and_figures_is_told(kind: type[e.Event]) -> None:
    here = Listening()
    here.hear(1, begun(), started())
    recorded = e.Recorded(3, 2, "p", "r1", _made(kind))
    here.trace(recorded)
    here.figures(recorded)
    here.trace.close()

    told = str([span.to_json() for span in here.exporter.get_finished_spans()])
    assert WORDS not in told + str(here.reader.get_metrics_data())


def _made(kind: Any) -> Any:
    """A value of this type with words in every text that is no name."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        hints = typing.get_type_hints(kind)
        return kind(
            **{name: "T9" if name in IDS and t is str else _made(t) for name, t in hints.items()}
        )
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind))
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _made(arguments[0])
    if origin in (tuple, list):
        return origin((_made(arguments[0]),))
    if origin is dict:
        return {"T9": _made(arguments[1])}
    return {str: WORDS, int: 7, float: 7.0, bool: True}[kind]


def test_names_have_no_secrets_no_folders_and_an_end() -> None:
    assert name("plans/PRD.json") == "plans/PRD.json"
    assert name("/home/ada/plans/PRD.json") == "PRD.json"
    assert name("~/plans/PRD.json") == "PRD.json"
    assert name("a\x1b[31m\nb") == "a [31m b"
    assert "ghp_" not in name("task ghp_16C7e42F292c6912E7710c838347Ae178B4a")
    assert len(name("x" * 999)) == 200


def test_unknown_tokens_are_not_none() -> None:
    here = Listening()
    here.hear(1, begun(), started(), finished(usage=Usage(cost_usd=1.5)))

    spent = here.spans()["ralph.agent"].attributes or {}
    assert spent["ralph.cost.usd"] == 1.5
    assert "gen_ai.usage.input_tokens" not in spent


@pytest.mark.parametrize(
    ("setting", "environ", "expected"),
    [
        (HERE, {}, (f"{HERE}/v1/traces", f"{HERE}/v1/metrics")),
        (f"{HERE}/", {}, (f"{HERE}/v1/traces", f"{HERE}/v1/metrics")),
        (
            HERE,
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://b"},
            (f"{HERE}/v1/traces", f"{HERE}/v1/metrics"),
        ),
        (
            "environment",
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "https://b/otlp/"},
            ("https://b/otlp/v1/traces", "https://b/otlp/v1/metrics"),
        ),
        ("environment", {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c/in"}, ("http://c/in", "")),
    ],
)
def test_where_it_goes(setting: str, environ: dict[str, str], expected: tuple[str, str]) -> None:
    found = target(setting, environ)

    assert (found.traces, found.metrics) == expected


@pytest.mark.parametrize(
    ("setting", "environ", "what"),
    [
        ("environment", {}, "OTEL_EXPORTER_OTLP_ENDPOINT is not set"),
        ("environment", {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "http/protobuf"),
        ("true", {}, "telemetry.otlp is not the address"),
        ("127.0.0.1:4318", {}, "telemetry.otlp is not the address"),
        ("http://ada:secret@b:99999", {}, "telemetry.otlp is not the address"),
        ("environment", {"OTEL_EXPORTER_OTLP_ENDPOINT": "b"}, "OTEL_EXPORTER_OTLP_ENDPOINT is not"),
    ],
)
def test_what_is_no_collector(setting: str, environ: dict[str, str], what: str) -> None:
    with pytest.raises(ConfigError, match=what) as caught:
        target(setting, environ)

    assert caught.value.fix
    assert "secret" not in str(caught.value)


def test_no_password_is_shown() -> None:
    assert "secret" not in target("https://ada:secret@b:4318", {}).shown


def test_a_repository_needs_trust_for_it() -> None:
    assert powerful({"telemetry.otlp": HERE}, {"telemetry.otlp": ""}, ["telemetry.otlp"])


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ralph.telemetry.collector", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with (
        pytest.raises(ConfigError) as caught,
        desk.desk_for(Target(HERE, HERE), "r1", RunState, lambda _: None),
    ):
        pass

    assert "pip install '.[otel]'" in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 3


def test_a_variable_that_the_library_cannot_use_is_no_crash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "0")
    with (
        pytest.raises(ConfigError, match="schedule_delay_millis"),
        desk.desk_for(Target(HERE, HERE), "r1", RunState, lambda _: None),
    ):
        pass


def test_an_end_that_takes_too_long_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ralph.telemetry.collector.Collector.end", lambda *_: False)
    said: list[str] = []
    with desk.desk_for(Target("", ""), "r1", RunState, said.append) as one:
        asyncio.run(one.finish())

    assert len(said) == 1
    assert "took too long" in said[0]

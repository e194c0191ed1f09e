"""Spans and metrics of real runs, as a collector on loopback gets them."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.collector import Receiver, told
from tests.support.project import BLOCK, FINISH, Project, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BOUND = 2.5
"""What a collector in trouble may cost the end of a run, in seconds."""
RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "Task $RALPH_TASK_ID complete. The tea is ready.",
    "total_cost_usd": 0.25,
    "usage": {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 300},
}
AGENT = f"""\
if [ $n = 1 ]; then
touch broken; echo x >> ralph.yaml
cat <<END
{json.dumps(RESULT)}
END
exit 0
fi
rm -f broken
if [ $n = 3 ]; then
{BLOCK}exit 0
fi
{FINISH}"""


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, Receiver]]:
    """A failure, its repair and a question; then its answer and the rest, in another run."""
    project = Project(
        tmp_path_factory.mktemp("evening"),
        2,
        agent=AGENT,
        verify="test ! -e broken || { echo the door is broken; exit 1; }",
        settings={"telemetry": {"otlp": "environment"}},
    )
    with Receiver() as receiver:
        env = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.address,
            "OTEL_EXPORTER_OTLP_HEADERS": "x-key=abc",
        }
        first = project.run(env=env)
        assert first.code == 5, first.out + first.err
        where = f"telemetry goes to {receiver.address} (telemetry.otlp: ralph.yaml:3)"
        assert first.out.count(where) == 1
        assert project.ralph("answer", "Q1", "1").code == 0
        assert project.run(env=env).code == 0
        yield project, receiver


def outline(receiver: Receiver, trace: bytes) -> list[tuple[str, str]]:
    """Each span with the one above it, both by name and number."""
    spans = [span for span in receiver.spans() if span.trace_id == trace]
    names = {b"": ""}
    for span in spans:
        number = told(span.attributes).get("ralph.iteration")
        own = f"{span.name} {number}" if number else span.name
        names[span.span_id] = own.removeprefix("ralph.")
    return [(names[span.parent_span_id], names[span.span_id]) for span in spans]


def test_each_run_is_a_trace_and_what_lasts_is_a_span(evening: tuple[Project, Receiver]) -> None:
    _, receiver = evening
    roots = [span for span in receiver.spans() if not span.parent_span_id]
    first, second = (span.trace_id for span in roots)

    assert outline(receiver, first) == [
        ("", "run"),
        ("run", "iteration 1"),
        ("iteration 1", "agent"),
        ("iteration 1", "checking"),
        ("run", "iteration 2"),
        ("iteration 2", "agent"),
        ("iteration 2", "checking"),
        ("iteration 2", "settling"),
        ("run", "iteration 3"),
        ("iteration 3", "agent"),
    ]
    assert [name for above, name in outline(receiver, second) if above == "run"] == ["iteration 4"]
    assert [link.trace_id for link in roots[1].links] == [first]
    assert [link.span_id for link in roots[1].links] == [roots[0].span_id]


def test_spans_carry_ids_figures_and_how_it_ended(evening: tuple[Project, Receiver]) -> None:
    project, receiver = evening
    run, one, agent, checking, two, *_ = receiver.spans()
    commits = project.git("log", "--reverse", "--format=%H", "main..ralph/journey").split()
    settled = project.events("Settled")

    whole = told(run.attributes)
    assert whole["ralph.plan"] == "PRD.json"
    assert whole["ralph.branch"] == "ralph/journey"
    assert (whole["ralph.reason"], whole["ralph.exit_code"]) == ("waiting_for_person", 5)
    assert whole["ralph.tokens"] == 420
    failed = told(one.attributes)
    assert (failed["ralph.task.id"], failed["ralph.task.attempt"]) == ("US-001", 1)
    assert (failed["ralph.outcome"], failed["error.type"]) == ("failed", "check_failed")
    assert one.status.code == checking.status.code == 2
    assert told(checking.attributes)["ralph.trials"] >= 1
    spent = told(agent.attributes)
    assert spent["gen_ai.usage.input_tokens"] == 400
    assert spent["gen_ai.usage.output_tokens"] == 20
    assert spent["ralph.cost.usd"] == 0.25
    repaired = told(two.attributes)
    assert (repaired["ralph.outcome"], two.status.code) == ("success", 1)
    assert repaired["ralph.commit"] == settled[0]["commit"] == commits[0]
    assert repaired["ralph.level"] == settled[0]["level"]


def test_what_does_not_last_is_an_event_of_a_span(evening: tuple[Project, Receiver]) -> None:
    _, receiver = evening
    moments = {
        (told(span.attributes).get("ralph.iteration", 0), event.name): told(event.attributes)
        for span in receiver.spans()
        for event in span.events
    }

    assert (1, "ralph.put_back") in moments
    asked = moments[3, "ralph.question"]
    assert (asked["ralph.question.id"], asked["ralph.question.kind"]) == ("Q1", "deviation")


def test_times_are_those_of_the_ledger(evening: tuple[Project, Receiver]) -> None:
    project, receiver = evening
    at = _at(project, "IterationStarted", "IterationEnded")
    ends = [
        nanoseconds / 1e9
        for span in receiver.spans()
        if span.name == "ralph.iteration"
        for nanoseconds in (span.start_time_unix_nano, span.end_time_unix_nano)
    ]

    assert ends == pytest.approx(at, rel=0, abs=1e-5)


def _at(project: Project, *kinds: str) -> list[float]:
    """When these events happened, in order."""
    with closing(sqlite3.connect(project.home / "ledger.db")) as db:
        rows = db.execute("SELECT kind, at FROM events ORDER BY seq").fetchall()
    return [at for kind, at in rows if kind in kinds]


def test_metrics_count_what_happened(evening: tuple[Project, Receiver]) -> None:
    _, receiver = evening
    [first, *_] = _by_run(receiver)

    assert first["ralph.iterations"] == {("failed",): 1, ("success",): 1, ("blocked",): 1}
    assert sum(first["ralph.tasks.settled"].values()) == 1
    assert first["ralph.tokens"] == {
        ("command", "input"): 100,
        ("command", "output"): 20,
        ("command", "cache_read"): 300,
    }
    assert first["ralph.cost"] == {("command",): 0.25}
    assert first["ralph.agent.duration"] == {("command",): 3}
    assert first["ralph.checking.duration"] == {("False",): 1, ("True",): 1}
    assert first["ralph.questions.open"] == {(): 1}


def _by_run(receiver: Receiver) -> Iterator[dict[str, Any]]:
    for path, body in list(receiver.bodies):
        if path == "/v1/metrics":
            alone = Receiver.__new__(Receiver)
            alone.bodies = [(path, body)]
            yield alone.figures()


def test_no_sentence_no_path_and_no_word_of_an_agent_leaves(
    evening: tuple[Project, Receiver],
) -> None:
    project, receiver = evening
    sent = b"".join(body for _, body in receiver.bodies)

    for text in (
        "The tea is ready",
        "Write the file",
        "the door is broken",
        "The old API",
        str(project.root),
        str(project.folder),
        "x-key",
    ):
        assert text.encode() not in sent, text
    assert all(one["x-key"] == "abc" for one in receiver.headers)
    assert receiver.resource()["service.name"] == "ralph"


@pytest.mark.parametrize("status", [500, None], ids=["answers 500", "hangs"])
def test_a_collector_in_trouble_does_not_touch_the_run(tmp_path: Path, status: int | None) -> None:
    often = {"OTEL_BSP_SCHEDULE_DELAY": "20", "OTEL_METRIC_EXPORT_INTERVAL": "20"}
    project = Project(tmp_path, 2)
    with Receiver(status) as receiver:
        done = project.run(env={**often, **receiver.env})
        waited = time.time() - _at(project, "RunEnded")[0]

    assert receiver.headers, "it was not even tried"
    assert done.code == 0
    assert project.passed() == ["US-001", "US-002"]
    assert done.out.count("telemetry does not reach") == 1
    assert waited < BOUND + 2


def test_of_a_killed_run_there_is_what_was_sent_and_the_next_one_is_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
    with Receiver() as receiver:
        waits = f"if [ $n = 2 ]; then exec sleep 60; fi\n{FINISH}"
        settings = {"telemetry": {"otlp": receiver.address}}
        project = Project(tmp_path, 2, agent=waits, settings=settings)
        with project.start() as killed:
            wait_until(lambda: len(project.calls()) == 2, "the second agent")
            wait_until(lambda: "ralph.iteration" in _names(receiver), "the first iteration")
            killed.kill()
        [sent] = {span.trace_id for span in receiver.spans()}
        assert project.run().code == 0

    [root] = [span for span in receiver.spans() if span.name == "ralph.run"]
    assert root.trace_id != sent
    assert [link.trace_id for link in root.links] == [sent]


def _names(receiver: Receiver) -> list[str]:
    return [span.name for span in receiver.spans()]


def test_a_collector_that_is_not_there_is_said_once(tmp_path: Path) -> None:
    with Receiver() as gone:
        pass
    done = Project(tmp_path).run(env=gone.env)

    assert done.code == 0
    said = f"telemetry does not reach {gone.address}: no connection (ConnectionError)"
    assert done.out.count(said) == 1


def test_the_environment_alone_switches_nothing_on(tmp_path: Path) -> None:
    with Receiver() as receiver:
        done = Project(tmp_path).run(env={"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.address})

    assert done.code == 0
    assert receiver.headers == []


def test_a_cloned_repository_cannot_switch_it_on(tmp_path: Path) -> None:
    with Receiver() as receiver:
        project = Project(tmp_path, settings={"telemetry": {"otlp": receiver.address}})
        done = project.run(env={"RALPH_TRUST": "0"})

    assert done.code == 1
    assert "telemetry.otlp" in done.err
    assert receiver.headers == []
    assert project.calls() == []

"""A running Claude Code is nudged, interrupted and kept within its budget."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.claude_job import FOR_EVER, Desk, when

from ralph.agents.claude import ClaudeAgent
from ralph.agents.line import Line
from ralph.domain.activity import ActivityKind
from ralph.domain.answer import Ended
from ralph.domain.trouble import TroubleKind as K
from ralph.testing import ClaimedUsage as Tokens
from ralph.testing import Endpoint, Script, Text, Turn, call, say

if TYPE_CHECKING:
    from ralph.domain.activity import Activity


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path, monkeypatch)


def lives(pid: str) -> bool:
    return Path(f"/proc/{int(pid)}").exists()


def test_a_nudge_reaches_the_next_request(desk: Desk) -> None:
    def nudge(line: Line, activity: Activity) -> None:
        if activity.kind is ActivityKind.TOOL:
            assert line.nudge("Use tabs, please.")
            (desk.workspace / "nudged").touch()

    wait = call("Bash", command="until [ -e nudged ]; do sleep 0.05; done")
    done = desk.run(Script((wait, say("Seen.", expect="Use tabs, please."))), meanwhile=nudge)
    assert done.problems == ()
    assert done.answer.worked
    assert [activity.text for activity in done.of(ActivityKind.NUDGED)] == ["Use tabs, please."]


def test_a_nudge_during_the_last_answer_gets_an_answer_of_its_own(desk: Desk) -> None:
    told: list[bool] = []

    def nudge(line: Line, activity: Activity) -> None:
        if activity.kind is ActivityKind.SPENT and not told:
            told.append(line.nudge("And the tests?"))

    turns = (
        Turn((Text("The code is done."),), Tokens(1000, 10), pace=0.1),
        say("The tests too.", Tokens(1000, 10), expect="And the tests?"),
    )
    done = desk.run(Script(turns), meanwhile=nudge)
    assert done.problems == ()
    assert (done.answer.worked, told) == (True, [True])
    assert done.answer.text == "The code is done.\nThe tests too."
    assert done.answer.usage.input_tokens == 2000


def test_an_interrupt_in_a_command(desk: Desk) -> None:
    def interrupt(line: Line, activity: Activity) -> None:
        if activity.kind is ActivityKind.TOOL:
            when((desk.workspace / "begun").exists, line.interrupt)

    loop = call("Bash", Tokens(1000, 10), command=f"echo $$ > pid; mv pid begun; {FOR_EVER}")
    done = desk.run(Script((loop,)), meanwhile=interrupt)
    assert (done.answer.ended, done.answer.trouble) == (Ended.STOPPED, None)
    assert not done.answer.worked
    assert done.answer.usage.cost_usd == pytest.approx(0.0042, abs=1e-9)
    assert not done.answer.usage.estimated
    assert not lives((desk.workspace / "begun").read_text())


def test_an_answer_that_is_broken_off_was_paid_for(desk: Desk) -> None:
    def interrupt(line: Line, activity: Activity) -> None:
        if activity.kind is ActivityKind.SPENT:
            line.interrupt()

    long = Turn((Text("x" * 400), Text("more")), Tokens(10_000, 5000, 200, 300), pace=0.2)
    done = desk.run(Script((long,)), meanwhile=interrupt)
    assert (done.answer.ended, done.answer.trouble) == (Ended.STOPPED, None)
    assert done.answer.usage.estimated
    assert done.answer.usage.input_tokens == 10_000
    assert done.answer.usage.cost_usd is not None
    assert done.answer.usage.cost_usd >= (10_000 * 4 + 200 * 5 + 300 * 0.2) / 1e6


def test_a_budget_ends_it_while_it_works(desk: Desk) -> None:
    long = Turn((Text("Half"), Text("an answer")), Tokens(1_000_000, 10), pace=0.2)
    turns = (call("Bash", Tokens(1000, 10), command="true"), long)
    done = desk.run(Script(turns), budget_usd=1)
    assert done.trouble is K.BUDGET
    assert done.answer.error.startswith("Claude Code was stopped: it used up its budget ($1.00).")
    assert done.answer.usage.estimated
    assert done.answer.usage.cost_usd == pytest.approx(4, rel=0.01)


def test_a_budget_that_an_answer_exceeds_at_its_end(desk: Desk) -> None:
    turns = (call("Bash", Tokens(10, 100_000), command="true"), say("Never."))
    done = desk.run(Script(turns), budget_usd=1)
    assert done.trouble is K.BUDGET
    assert done.answer.usage.cost_usd == pytest.approx(2, rel=0.01)
    assert len(done.requests) == 1


def test_cancelling_leaves_nothing_behind(desk: Desk) -> None:
    script = Script((call("Bash", command=f"echo $$ > pid; mv pid begun; {FOR_EVER}"),))
    begun = desk.workspace / "begun"

    async def cancelled() -> Line:
        line = Line()
        task = asyncio.create_task(ClaudeAgent(desk.settings).run(desk.job(), line))
        when(begun.exists, task.cancel)
        with pytest.raises(asyncio.CancelledError):
            await task
        return line

    with Endpoint({"main": script}) as endpoint:
        desk.see(endpoint.environment("main"))
        line = asyncio.run(cancelled())
    assert not lives(begun.read_text())
    assert not line.nudge("Anyone there?")
    assert not line.interrupt()

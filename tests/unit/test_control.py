from __future__ import annotations

import asyncio
import os
import signal

import pytest

from ralph.domain import event as e
from ralph.domain.errors import LedgerError
from ralph.domain.question import Choice, Question, QuestionKind, Reply
from ralph.ledger.journal import Journal
from ralph.ledger.memory import MemoryLedger
from ralph.loop import control as module
from ralph.loop.control import Control, Interrupted

RUN = e.RunStarted("PRD.json", "Plan", "ralph/plan", "base", "agent", "/w", False, 7, "h", "1")
QUESTION = Question("Q1", "A", QuestionKind.STUCK, "What now?")


@pytest.fixture(autouse=True)
def look_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.005)


class Bench:
    """A loop's control, and the ledger as another process sees it."""

    def __init__(self) -> None:
        self.ledger = MemoryLedger()
        self.journal = Journal(self.ledger, "p", "r", lambda: 0.0)
        self.journal.record(RUN)
        self.other = Journal(self.ledger.peer(), "p", "r", lambda: 0.0)
        self.told: list[str] = []
        self.control = Control(self.journal, told=self.told.append)


@pytest.fixture
def bench() -> Bench:
    return Bench()


async def forever(log: list[str] | None = None) -> str:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        if log is not None:
            log.append("stopped cleanly")
        raise
    return "never"


async def stop_asked(bench: Bench) -> None:
    asked = asyncio.Event()
    bench.journal.watch(lambda _: asked.set())
    await asked.wait()
    assert bench.journal.state.run.stop


def test_work_that_ends_by_itself_gives_its_result(bench: Bench) -> None:
    async def work() -> int:
        return 7

    assert asyncio.run(bench.control.watching(work())) == 7


def test_an_error_of_the_work_reaches_the_caller(bench: Bench) -> None:
    async def work() -> None:
        raise LedgerError("gone")

    with pytest.raises(LedgerError, match="gone"):
        asyncio.run(bench.control.watching(work()))


def test_one_ctrl_c_lets_the_iteration_finish_and_a_second_leaves(bench: Bench) -> None:
    ended: list[str] = []

    async def main() -> None:
        with bench.control.signals():
            work = asyncio.ensure_future(bench.control.watching(forever(ended)))
            os.kill(os.getpid(), signal.SIGINT)
            await stop_asked(bench)
            assert not work.done()
            os.kill(os.getpid(), signal.SIGINT)
            await work

    with pytest.raises(Interrupted):
        asyncio.run(main())
    assert (bench.journal.state.run.stop, ended) == ("Ctrl-C", ["stopped cleanly"])
    assert "again to leave now" in bench.told[0]
    assert bench.control.code == 130


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_term_and_hang_up_leave_at_once(bench: Bench, number: signal.Signals) -> None:
    # the tests themselves may run under `nohup`, which ignores it
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

    async def main() -> None:
        with bench.control.signals():
            os.kill(os.getpid(), number)
            await bench.control.watching(forever())

    with pytest.raises(Interrupted):
        asyncio.run(main())
    assert bench.control.code == 130
    assert not bench.journal.state.run.stop


def test_the_handlers_go_with_the_loop(bench: Bench) -> None:
    before = signal.getsignal(signal.SIGTERM)

    async def main() -> None:
        with bench.control.signals():
            assert signal.getsignal(signal.SIGTERM) != before

    asyncio.run(main())
    assert signal.getsignal(signal.SIGTERM) == before


def test_stop_now_from_another_process_ends_the_work(bench: Bench) -> None:
    bench.other.record(e.StopRequested("ada", now=True))
    with pytest.raises(Interrupted):
        asyncio.run(bench.control.watching(forever()))
    assert bench.control.code == 6


def test_a_plain_stop_from_another_process_waits_for_the_work(bench: Bench) -> None:
    async def work() -> str:
        await stop_asked(bench)
        return "finished"

    bench.other.record(e.StopRequested("ada"))
    assert asyncio.run(bench.control.watching(work())) == "finished"


def test_a_look_that_fails_ends_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = asyncio.Event()

    def changed() -> bool:
        looked.set()
        raise LedgerError("locked")

    monkeypatch.setattr(bench.ledger, "changed", changed)

    async def work() -> str:
        await looked.wait()
        await asyncio.sleep(0)
        return "finished"

    assert asyncio.run(bench.control.watching(work())) == "finished"


def test_sleep_ends_early_when_a_person_stops(bench: Bench) -> None:
    bench.other.record(e.StopRequested("ada"))
    asyncio.run(asyncio.wait_for(bench.control.sleep(1_000), 10))


def test_sleep_is_left_at_once(bench: Bench) -> None:
    bench.other.record(e.StopRequested("ada", now=True))
    with pytest.raises(Interrupted):
        asyncio.run(bench.control.sleep(1_000))


def test_a_pause_lasts_until_someone_resumes(bench: Bench) -> None:
    async def main() -> float:
        bench.journal.record(e.PauseRequested("ada"))
        pausing = asyncio.ensure_future(bench.control.pause())
        await asyncio.sleep(0.02)
        assert not pausing.done()
        bench.other.record(e.ResumeRequested("ada"))
        return await asyncio.wait_for(pausing, 10)

    assert asyncio.run(main()) > 0


def test_a_pause_ends_with_a_stop(bench: Bench) -> None:
    bench.journal.record(e.PauseRequested("ada"))
    bench.other.record(e.StopRequested("ada"))
    asyncio.run(asyncio.wait_for(bench.control.pause(), 10))


# Waiting for a person


def test_an_answer_at_the_terminal_is_given_back(bench: Bench) -> None:
    bench.journal.record(e.Escalated(QUESTION))

    async def person() -> Reply:
        return Reply(Choice.RETRY)

    assert asyncio.run(bench.control.asking(person(), "Q1")) == Reply(Choice.RETRY)


def test_a_question_answered_elsewhere_is_not_waited_for(bench: Bench) -> None:
    bench.journal.record(e.Escalated(QUESTION))
    bench.other.record(e.Answered("Q1", Reply(Choice.SKIP), "ada"))
    assert asyncio.run(bench.control.asking(forever(), "Q1")) is None


def test_who_stops_the_run_is_not_asked_any_more(bench: Bench) -> None:
    ended: list[str] = []
    bench.journal.record(e.Escalated(QUESTION))
    bench.other.record(e.StopRequested("ada"))
    assert asyncio.run(bench.control.asking(forever(ended), "Q1")) is None
    assert ended == ["stopped cleanly"]


def test_leaving_now_leaves_a_question_too(bench: Bench) -> None:
    bench.journal.record(e.Escalated(QUESTION))
    bench.other.record(e.StopRequested("ada", now=True))
    with pytest.raises(Interrupted):
        asyncio.run(bench.control.asking(forever(), "Q1"))

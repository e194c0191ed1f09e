from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from ralph.domain.activity import Activity, ActivityKind
from ralph.domain.answer import Answer, Ended
from ralph.domain.errors import LedgerError
from ralph.domain.settings import HealthSettings
from ralph.domain.trouble import Trouble, TroubleKind
from ralph.loop.health import pace
from ralph.loop.ports import Order
from ralph.loop.watch import LOOK_SECONDS, Watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.agents.line import Line
    from ralph.process import Pulse

SAID = Activity(ActivityKind.SAID, "hello")
WHOLE = Answer("", Ended.EXITED, 0, 1)


class Body:
    """Stands for the process of an agent."""

    def __init__(self) -> None:
        self.stopped = asyncio.Event()

    def stop(self) -> None:
        self.stopped.set()

    def pulse(self) -> Pulse | None:
        return None


class Says:
    """A watcher that gives these orders, one at each look."""

    def __init__(self, *orders: Order | Exception | None) -> None:
        self.orders = list(orders)
        self.heard_of: list[Activity] = []
        self.looks = 0

    def heard(self, activity: Activity, now: float) -> None:
        self.heard_of.append(activity)

    def look(self, now: float) -> Order | None:
        self.looks += 1
        found = self.orders.pop(0) if self.orders else None
        if isinstance(found, Exception):
            raise found
        return found


def watched(
    watcher: Says, nudge: Callable[[str], None] | None = None, *, interrupt: bool = False
) -> Watch:
    """An agent that says hello once and then waits for its end."""

    async def work(line: Line, body: Body) -> None:
        line.attach(body)
        line.connect(nudge, body.stop if interrupt else None)
        line.heard(SAID)
        await asyncio.wait_for(body.stopped.wait(), 5)

    async def go() -> Watch:
        watch = Watch(lambda _: None, every=0.005)
        watch.watchers.append(watcher)
        await watch.beside(work(watch.line, Body()))
        return watch

    return asyncio.run(go())


@pytest.mark.parametrize("interrupt", [True, False])
def test_watchers_hear_look_tell_and_end(*, interrupt: bool) -> None:
    told: list[str] = []
    watcher = Says(Order(text="wrap up"), None, Order(stop=True, why="enough"))
    watch = watched(watcher, told.append, interrupt=interrupt)
    assert watcher.heard_of == [SAID]
    assert told == ["wrap up"]
    assert watch.ended == Order(stop=True, why="enough")


def test_after_an_end_nobody_looks_any_more() -> None:
    watcher = Says(Order(stop=True), Order(text="too late"))
    watched(watcher)
    assert watcher.looks == 1


def test_what_cannot_be_written_down_ends_the_agent_and_is_raised() -> None:
    with pytest.raises(LedgerError, match="the disk is full"):
        watched(Says(LedgerError("the disk is full")))


@pytest.mark.parametrize(
    ("order", "answer", "expected"),
    [
        (None, WHOLE, WHOLE),
        # it finished by itself before the end reached it
        (Order(stop=True, why="x", trouble=TroubleKind.STUCK), WHOLE, WHOLE),
        (
            Order(stop=True, why="x", trouble=TroubleKind.STUCK),
            Answer("", Ended.KILLED, 137, 1, trouble=Trouble(TroubleKind.KILLED, "killed")),
            Answer("", Ended.STOPPED, 137, 1, trouble=Trouble(TroubleKind.STUCK, "x")),
        ),
        (
            Order(stop=True, why="x"),
            Answer("", Ended.STOPPED, 130, 1, trouble=Trouble(TroubleKind.EXIT, "odd")),
            Answer("", Ended.STOPPED, 130, 1),
        ),
    ],
)
def test_the_answer_says_who_ended_the_agent(
    order: Order | None, answer: Answer, expected: Answer
) -> None:
    async def go() -> Answer:
        watch = Watch(lambda _: None)
        watch.ended = order
        return watch.told(answer)

    assert asyncio.run(go()) == expected


def test_looks_are_a_second_apart_unless_thresholds_are_shorter() -> None:
    assert pace(HealthSettings(), 5) == LOOK_SECONDS
    assert pace(HealthSettings(nudge_minutes=0.01), 5) == pytest.approx(0.2)

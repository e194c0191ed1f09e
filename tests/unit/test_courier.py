"""Messages under way beside a loop: never waited for long, never raising."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from ralph.domain import event as e
from ralph.domain.notify import Letter, News, NotifySettings, Occasion, Parcel
from ralph.people.notify import courier
from ralph.people.notify.courier import NewsDesk, deliver

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

GROUP = 0.05


class PlayedChannel:
    """Notes what it is sent, and answers as the test wants."""

    name = "played"

    def __init__(self, *answers: str, seconds: float = 0, error: Exception | None = None) -> None:
        self.got: list[str] = []
        self.answers = list(answers)
        self.seconds = seconds
        self.error = error

    def lacks(self) -> str:
        return ""

    async def send(self, letter: Letter) -> str:
        self.got.append(letter.title)
        await asyncio.sleep(self.seconds)
        if self.error is not None:
            raise self.error
        return self.answers.pop(0) if self.answers else ""


def named(parcel: Parcel) -> Letter:
    return Letter("+".join(one.what for one in parcel.news), "", "/project", parcel.news)


def told(what: str, occasion: Occasion = Occasion.QUESTION, question: str = "") -> News:
    return News((occasion,), what, question=question)


class House:
    def __init__(
        self,
        *channels: PlayedChannel,
        is_open: Callable[[str], bool] = lambda _: True,
        group_seconds: float = GROUP,
    ) -> None:
        self.failed: list[tuple[str, str]] = []
        wanted = NotifySettings(on=("question", "end"), group_seconds=group_seconds)
        self.desk = NewsDesk(
            channels,
            wanted,
            lambda _: told("an event"),
            named,
            is_open,
            lambda *one: self.failed.append(one),
        )


def test_what_comes_together_is_one_message_for_each_channel() -> None:
    one, other = PlayedChannel(), PlayedChannel()

    async def go() -> None:
        house = House(one, other)
        house.desk.put(told("a"))
        house.desk.put(told("b"))
        house.desk.put(told("unwanted", Occasion.FAILURE))
        await asyncio.sleep(GROUP * 2)
        assert one.got == other.got == ["a+b"]
        house.desk(e.Recorded(1, 0, "p", "r", e.PauseRequested("ada")))
        await house.desk.finish()

    asyncio.run(go())
    assert one.got == other.got == ["a+b", "an event"]


def test_the_end_of_a_run_waits_for_no_group() -> None:
    channel = PlayedChannel()

    async def go() -> None:
        house = House(channel, group_seconds=100)
        house.desk.put(told("a"))
        await asyncio.sleep(0)
        house.desk.put(told("over", Occasion.END))
        await asyncio.sleep(GROUP / 2)
        assert channel.got == ["a+over"]
        await house.desk.finish()

    asyncio.run(go())
    assert channel.got == ["a+over"]


def test_a_failure_is_said_once_and_its_news_go_with_the_next() -> None:
    channel = PlayedChannel("refused", "refused again")

    async def go() -> House:
        house = House(channel)
        house.desk.put(told("a"))
        await asyncio.sleep(GROUP * 2)
        house.desk.put(told("b"))
        await asyncio.sleep(GROUP * 2)
        await house.desk.finish()
        return house

    house = asyncio.run(go())
    assert channel.got == ["a", "a+b", "a+b"]
    assert house.failed == [("played", "refused")]


def test_a_channel_that_hangs_keeps_neither_the_others_nor_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(courier, "FINISH_SECONDS", 0.1)
    hangs, works = PlayedChannel(seconds=100), PlayedChannel()

    async def go() -> House:
        house = House(hangs, works, group_seconds=0)
        house.desk.put(told("a"))
        await asyncio.sleep(GROUP)
        house.desk.put(told("over", Occasion.END))
        began = time.monotonic()
        await house.desk.finish()
        assert time.monotonic() - began < 1
        assert len(asyncio.all_tasks()) == 1, "nothing is left under way"
        return house

    house = asyncio.run(go())
    assert works.got == ["a", "over"]
    assert hangs.got == ["a"]
    assert house.failed == [("played", "no answer before the run ended")]


def test_one_delivery_has_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(courier, "SECONDS", 0.02)
    why = asyncio.run(deliver(PlayedChannel(seconds=100), named(Parcel((told("a"),)))))
    assert why == "no answer within 0.02 seconds"


def test_a_channel_with_a_bug_changes_nothing() -> None:
    broken, works = PlayedChannel(error=RuntimeError("a bug")), PlayedChannel()

    async def go() -> None:
        house = House(broken, works, group_seconds=0)
        house.desk.put(told("a"))
        await asyncio.sleep(GROUP)
        house.desk.put(told("over", Occasion.END))
        await house.desk.finish()

    asyncio.run(go())
    assert works.got == ["a", "over"]


def test_a_question_that_was_answered_before_it_was_told_is_not_told() -> None:
    channel = PlayedChannel()

    async def go() -> None:
        house = House(channel, is_open=lambda question: question == "Q2")
        house.desk.put(told("answered", question="Q1"))
        await asyncio.sleep(GROUP * 2)
        house.desk.put(told("open", question="Q2"))
        await house.desk.finish()

    asyncio.run(go())
    assert channel.got == ["open"]


def test_what_leaves_is_masked_and_so_is_what_comes_back() -> None:
    secret = "gh" + "p_" + "a1B2" * 9
    letters: list[Letter] = []

    class TellingChannel(PlayedChannel):
        async def send(self, letter: Letter) -> str:
            letters.append(letter)
            return f"\x1b[2Jno entry for {secret}\nwith that"

    why = asyncio.run(deliver(TellingChannel(), Letter(f"t {secret}", f"x {secret}", "/p")))
    assert secret not in letters[0].whole
    assert why == "no entry for [masked: github token] with that"

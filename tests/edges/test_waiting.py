"""Work in threads that nobody can end."""

from __future__ import annotations

import asyncio
import contextlib
import time

import pytest

from ralph.process.waiting import give_up, in_thread


def test_who_is_cancelled_leaves_when_the_thread_is_over() -> None:
    over: list[str] = []

    def slow() -> None:
        time.sleep(0.3)
        over.append("the thread")

    async def leaves() -> list[str]:
        task = asyncio.ensure_future(in_thread(slow))
        await asyncio.sleep(0.05)
        await give_up(task)
        assert task.cancelled()
        return list(over)

    assert asyncio.run(leaves()) == ["the thread"]


def test_who_is_told_twice_to_leave_still_waits_for_what_it_gives_up() -> None:
    """A check that is ended takes a while to end, and its checkout is not free before that."""
    over: list[str] = []

    async def slow_to_end() -> None:
        try:
            await asyncio.sleep(9)
        finally:
            ending = asyncio.ensure_future(asyncio.sleep(0.2))
            while not ending.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.shield(ending)
            over.append("the check")

    async def tries() -> None:
        check = asyncio.ensure_future(slow_to_end())
        try:
            await asyncio.wait((check,))
        finally:
            await give_up(check)

    async def gives_up() -> list[str]:
        trial = asyncio.ensure_future(tries())
        await asyncio.sleep(0.05)
        await give_up(trial)
        assert trial.cancelled()
        return list(over)

    assert asyncio.run(gives_up()) == ["the check"]


def test_what_comes_of_it_is_told() -> None:
    async def asks() -> int:
        return await in_thread(lambda: 42)

    async def fails() -> None:
        await in_thread(lambda: 1 / 0)

    assert asyncio.run(asks()) == 42
    with pytest.raises(ZeroDivisionError):
        asyncio.run(fails())

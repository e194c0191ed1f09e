"""Work in threads that nobody can end."""

from __future__ import annotations

import asyncio
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


def test_what_comes_of_it_is_told() -> None:
    async def asks() -> int:
        return await in_thread(lambda: 42)

    async def fails() -> None:
        await in_thread(lambda: 1 / 0)

    assert asyncio.run(asks()) == 42
    with pytest.raises(ZeroDivisionError):
        asyncio.run(fails())

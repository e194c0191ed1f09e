"""Which ignored files a check may need, and how few of them will do."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from ralph.proof.lacking import LARGEST, candidates, needed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def test_caches_and_what_is_carried_anyway_are_left_out(tmp_path: Path) -> None:
    for name in ("src/_version.py", "built/a", ".venv/x", "__pycache__/a.pyc", "a.log"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    listed = ["src/_version.py", "built/", ".venv/", "__pycache__/", "a.log", "gone.txt"]
    assert candidates(tmp_path, listed, [".venv"]) == ("built", "src/_version.py")


def test_what_is_large_or_younger_than_an_agent_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "small").write_text("x")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(LARGEST + 1)
    assert candidates(tmp_path, ["small", "large"], []) == ("small",)
    assert candidates(tmp_path, ["small"], [], before=time.time() - 60) == ()
    assert candidates(tmp_path, ["small"], [], before=time.time() + 60) == ("small",)


@given(st.sets(st.integers(0, 11), min_size=1), st.integers(1, 12))
def test_no_more_than_is_needed(wanted: set[int], size: int) -> None:
    paths = [str(number) for number in range(max(size, max(wanted) + 1))]
    asked: list[Sequence[str]] = []

    async def helps(some: Sequence[str]) -> bool:
        asked.append(some)
        return {str(number) for number in wanted} <= set(some)

    found = asyncio.run(needed(paths, helps))
    assert set(found) == {str(number) for number in wanted}
    assert len(asked) <= 4 * len(paths)

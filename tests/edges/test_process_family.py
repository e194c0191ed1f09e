"""Nobody is taken for gone while the process is still there."""

from __future__ import annotations

import subprocess
from itertools import islice
from typing import TYPE_CHECKING

from ralph.process import family, table

if TYPE_CHECKING:
    import pytest

    from ralph.process.table import ProcessEntry


def test_one_that_is_found_no_more_is_waited_for_as_long_as_it_lives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(family, "send", lambda _one, _number: None)
    child = subprocess.Popen(["sleep", "300"])
    try:
        one = table.entry(child.pid)
        assert one is not None
        looks: list[list[ProcessEntry]] = [[one], [one]]
        rounds = family.kill(lambda: looks.pop() if looks else [])
        assert len(list(islice(rounds, 4))) == 4
    finally:
        child.kill()
        child.wait()
    assert list(rounds) == []

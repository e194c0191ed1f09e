"""Disks that run full at any point: it says so, loses nothing, and goes on when there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.chance import FULL, seeded
from tests.support.complaints import FINISHED, MISTAKE, assert_nothing_lost
from tests.support.full_disk import PLACES, STORIES, careful, run_out_of_space

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.torture, pytest.mark.timeout(3600)]

MOST = 800
"""Kilobytes with which the run comes to its end."""


@pytest.mark.parametrize("place", PLACES)
def test_any_level(tmp_path: Path, place: str) -> None:
    chance = seeded()
    for number in range(40 if FULL else 2):
        project = careful(tmp_path / f"{number}")
        left = chance.randrange(MOST // 4) * 4
        print(f"{left} kB left")  # noqa: T201 - shown with a failure
        run_out_of_space(project, place, left)
        assert_nothing_lost(project, STORIES)


@pytest.mark.parametrize("place", PLACES)
def test_the_levels_make_a_difference(tmp_path: Path, place: str) -> None:
    """With no room it fails and with enough it does not: what is between is worth a look."""
    assert run_out_of_space(careful(tmp_path / "none"), place, 0) == MISTAKE
    assert run_out_of_space(careful(tmp_path / "enough"), place, 4 * MOST) == FINISHED

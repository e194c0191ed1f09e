"""Caches outside of a checkout: every trial finds those of the base, and changes none of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from ralph.checks import caches
from ralph.checks.caches import Caches, binds, folder_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """With caches that the checks of a base have left."""
    place = tmp_path / "checkout"
    place.mkdir()
    mine = Caches(place)
    mine.restore()
    (live(place) / "kept").write_text("by the base", encoding="utf-8")
    (live(place) / "deep").mkdir()
    (live(place) / "deep" / "too").write_text("by the base", encoding="utf-8")
    mine.keep()
    return place


def live(checkout: Path) -> Path:
    return folder_of(checkout) / "live" / "jest"


def test_there_is_a_place_for_each_from_the_start(tmp_path: Path) -> None:
    mine = Caches(tmp_path / "checkout")
    mine.restore()
    assert mine.is_empty
    places = dict(binds(tmp_path / "checkout", "/home/me"))
    assert places[str(folder_of(tmp_path / "checkout") / "live" / "home")] == "/home/me/.cache"
    assert len(places) == 2


@pytest.mark.parametrize("again", [True, False])
def test_what_a_trial_did_is_undone(checkout: Path, *, again: bool) -> None:
    mine = Caches(checkout)
    mine.restore()
    (live(checkout) / "kept").write_text("by an agent", encoding="utf-8")
    (live(checkout) / "new").symlink_to("/etc")
    (live(checkout) / "deep" / "too").unlink()
    later = mine if again else Caches(checkout)  # another run knows nothing of what was copied
    later.restore()
    assert (live(checkout) / "kept").read_text(encoding="utf-8") == "by the base"
    assert (live(checkout) / "deep" / "too").read_text(encoding="utf-8") == "by the base"
    assert not (live(checkout) / "new").is_symlink()


def test_a_folder_in_the_place_of_a_file_is_undone_too(checkout: Path) -> None:
    mine = Caches(checkout)
    mine.restore()
    (live(checkout) / "kept").unlink()
    (live(checkout) / "kept").mkdir()
    (live(checkout) / "deep" / "too").unlink()
    (live(checkout) / "deep").rmdir()
    mine.restore()
    assert (live(checkout) / "kept").read_text(encoding="utf-8") == "by the base"
    assert (live(checkout) / "deep" / "too").exists()


def test_what_cannot_be_copied_is_not_kept_and_stops_nobody(checkout: Path) -> None:
    mine = Caches(checkout)
    mine.restore()
    os.mkfifo(live(checkout) / "pipe")
    mine.keep()
    mine.restore()
    assert mine.is_empty
    assert not list(live(checkout).iterdir())


def test_any_name_can_be_kept(checkout: Path) -> None:
    mine = Caches(checkout)
    mine.restore()
    odd = os.fsencode(live(checkout)) + b"/\xff\n"
    with open(odd, "wb"):  # noqa: PTH123 - no text has this name
        pass
    mine.keep()
    for again in (mine, Caches(checkout)):
        again.restore()
        assert os.path.lexists(odd)


def test_what_is_too_much_to_copy_is_not_kept(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = Caches(checkout)
    mine.restore()
    monkeypatch.setattr(caches, "LARGEST", 10)
    mine.keep()
    mine.restore()
    assert mine.is_empty
    assert not list(live(checkout).iterdir())


def test_jest_has_the_users_number_in_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for number, name in ((0, "jest_0"), (1000, "jest_rs"), (35, "jest_z"), (36, "jest_10")):
        monkeypatch.setattr(os, "getuid", lambda number=number: number)
        assert [place.rpartition("/")[2] for _, place in caches.places("")][1] == name

"""Comparing pictures, without a browser."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageDraw

from ralph.checks.browser import image
from ralph.checks.browser.running import _short

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ralph.checks.browser.image import Box
    from ralph.checks.browser.result import Comparison

SIZE = (200, 100)
WHITE = (255, 255, 255)
BLACK = (0, 0, 0)


class Studio:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def picture(
        self,
        name: str,
        *shapes: tuple[Box, tuple[int, int, int]],
        size: tuple[int, int] = SIZE,
        masks: Iterable[Box] = (),
    ) -> Path:
        """A white page with coloured boxes on it."""
        drawn = Image.new("RGB", size, WHITE)
        for (left, top, right, bottom), colour in shapes:
            ImageDraw.Draw(drawn).rectangle((left, top, right - 1, bottom - 1), fill=colour)
        file = io.BytesIO()
        drawn.save(file, "PNG")
        path = self.folder / f"{name}.png"
        image.save(file.getvalue(), masks, path)
        return path

    def compare(self, before: Path, now: Path, tolerance: float = 0) -> Comparison:
        return image.compare(before, now, self.folder / "difference.png", tolerance)


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    return Studio(tmp_path)


def test_equal_pictures(studio: Studio) -> None:
    shapes = (((10, 10, 50, 50), BLACK), ((60, 10, 90, 50), (0, 0, 200)))
    compared = studio.compare(studio.picture("a", *shapes), studio.picture("b", *shapes))
    assert compared.passed
    assert (compared.share, compared.pixels, compared.why) == (0, 0, "")


def test_what_moved_counts_where_it_was_and_where_it_is(studio: Studio) -> None:
    before = studio.picture("a", ((10, 10, 30, 30), BLACK))
    now = studio.picture("b", ((10, 50, 30, 70), BLACK))
    compared = studio.compare(before, now)
    assert compared.pixels == 2 * 20 * 20
    assert compared.share == pytest.approx(0.04)
    assert compared.why == "differs in 4.00% of its pixels (0.00% allowed)"


def test_a_move_by_one_pixel_is_seen(studio: Studio) -> None:
    before = studio.picture("a", ((10, 10, 30, 30), BLACK))
    now = studio.picture("b", ((11, 10, 31, 30), BLACK))
    assert studio.compare(before, now).pixels == 40


@pytest.mark.parametrize(("tolerance", "passed"), [(0.039, False), (0.04, True), (1, True)])
def test_tolerance_is_a_share_of_the_pixels(studio: Studio, tolerance: float, passed: bool) -> None:
    before = studio.picture("a", ((10, 10, 30, 30), BLACK))
    now = studio.picture("b", ((10, 50, 30, 70), BLACK))
    assert studio.compare(before, now, tolerance).passed is passed


def test_an_edge_that_is_smoothed_differently_does_not_count(studio: Studio) -> None:
    edge = (30, 10, 31, 30)
    before = studio.picture("a", ((10, 10, 30, 30), BLACK), (edge, (120, 120, 120)))
    now = studio.picture("b", ((10, 10, 30, 30), BLACK), (edge, (180, 180, 180)))
    assert studio.compare(before, now).pixels == 0


def test_a_faint_line_that_is_new_counts(studio: Studio) -> None:
    line = (10, 40, 190, 41)
    before = studio.picture("a")
    now = studio.picture("b", (line, (210, 210, 210)))
    assert studio.compare(before, now).pixels == 180
    assert studio.compare(now, before).pixels == 180


def test_a_shade_that_nobody_sees_does_not_count(studio: Studio) -> None:
    before = studio.picture("a", ((0, 0, 200, 100), (250, 250, 250)))
    now = studio.picture("b", ((0, 0, 200, 100), (240, 245, 250)))
    assert studio.compare(before, now).pixels == 0


def test_masks_of_both_pictures_hide_parts_of_both(studio: Studio) -> None:
    """A clock was short on the baseline and is long now: both its boxes are left out."""
    before = studio.picture("a", ((10, 10, 90, 20), BLACK), masks=[(10, 10, 90, 20)])
    now = studio.picture("b", ((10, 10, 30, 20), BLACK), masks=[(10, 10, 30, 20)])
    assert studio.compare(before, now).pixels == 0
    assert studio.compare(now, before).pixels == 0
    bare = studio.picture("c", ((10, 10, 90, 20), BLACK))
    assert studio.compare(bare, now).pixels > 0


def test_a_masked_part_is_not_kept(studio: Studio) -> None:
    path = studio.picture("a", ((10, 10, 20, 20), BLACK), masks=[(0, 0, 50, 50), (9, 9, 9, 40)])
    with Image.open(path) as kept:
        assert kept.getpixel((15, 15)) != BLACK


def test_another_size_fails_whatever_the_tolerance(studio: Studio) -> None:
    before = studio.picture("a")
    now = studio.picture("b", size=(200, 130))
    compared = studio.compare(before, now, 1)
    assert not compared.passed
    assert compared.why == "is 200 by 130, its baseline 200 by 100"
    assert compared.pixels == 200 * 30


def test_the_difference_is_red_on_pale(studio: Studio) -> None:
    before = studio.picture("a", ((10, 10, 30, 30), BLACK), ((100, 10, 120, 30), BLACK))
    now = studio.picture("b", ((10, 10, 30, 30), BLACK))
    studio.compare(before, now)
    with Image.open(studio.folder / "difference.png") as difference:
        assert difference.getpixel((110, 20)) == (220, 20, 40)
        assert difference.getpixel((20, 20)) == (153, 153, 153)


@pytest.mark.parametrize(
    "data", [b"", b"version https://git-lfs.github.com/spec/v1\n", b"\x89PNG\r\n\x1a\n1234"]
)
def test_a_baseline_that_is_no_picture(studio: Studio, data: bytes) -> None:
    broken = studio.folder / "broken.png"
    broken.write_bytes(data)
    with pytest.raises(image.NotAPicture):
        studio.compare(broken, studio.picture("b"))


@pytest.mark.parametrize("about", ["[", "7", '[[1, 2], ["a", 1, 2, 3]]', "[[1, 2, 3, null]]"])
def test_masks_that_someone_else_wrote(studio: Studio, about: str) -> None:
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    info.add_text("ralph-masks", about)
    path = studio.folder / "a.png"
    Image.new("RGB", SIZE, WHITE).save(path, pnginfo=info)
    assert studio.compare(path, studio.picture("b")).passed


def test_a_mask_that_nobody_sees_hides_nothing(studio: Studio) -> None:
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    info.add_text("ralph-masks", "[[0, 0, 200, 100]]")
    path = studio.folder / "a.png"
    Image.new("RGB", SIZE, WHITE).save(path, pnginfo=info)
    assert studio.compare(path, studio.picture("b", ((0, 0, 50, 50), BLACK))).pixels == 2500


def test_the_browser_s_folder_has_a_short_name() -> None:
    assert _short("/var/tmp") == "/var/tmp"
    assert _short("/home/somebody/with/a/very/long/name/of/a/folder") == "/tmp"

"""Compares pictures of pages. Needs Pillow, so only the child with the browser imports it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import msgspec
from PIL import Image, ImageChops, ImageDraw, ImageFilter, PngImagePlugin

from ralph.checks.browser.result import Comparison

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right, bottom."""

STRONG = 96
"""A pixel that differs by more (of 255, in one colour) always counts."""
WEAK = 16
"""One that differs by less never counts. Between the two it counts unless it looks like the edge
of a letter that was smoothed differently: its colour then lies between those of its neighbours."""

_MASKS = "ralph-masks"
_MASK_COLOUR = (214, 204, 232)
_MISSING_COLOUR = (255, 0, 255)
_MARK_COLOUR = (220, 20, 40)
_NEIGHBOURS = 3


class NotAPicture(Exception):
    """The file is no picture that can be read."""


def save(data: bytes, boxes: Iterable[Box], path: Path) -> None:
    """Keep a screenshot with its masked parts painted over, and where they are."""
    import io

    picture = Image.open(io.BytesIO(data)).convert("RGB")
    kept = list(boxes)
    _paint(picture, kept)
    about = PngImagePlugin.PngInfo()
    about.add_text(_MASKS, msgspec.json.encode(kept).decode())
    picture.save(path, "PNG", pnginfo=about)


def compare(before: Path, now: Path, difference: Path, tolerance: float) -> Comparison:
    """`now` against `before`; what differs is painted red into the file `difference`."""
    (old, old_boxes), (new, new_boxes) = _load(before), _load(now)
    why = "" if old.size == new.size else f"is {_size(new)}, its baseline {_size(old)}"
    old, new = _widened(old, new)
    # a masked part may have another size today: what either picture masks is left out of both
    for picture in (old, new):
        _paint(picture, [*old_boxes, *new_boxes])
    differs = _differing(old, new)
    pixels = differs.histogram()[255]
    share = pixels / (old.width * old.height)
    _marked(old, differs).save(difference, "PNG")
    if not why and share > tolerance:
        why = f"differs in {share:.2%} of its pixels ({tolerance:.2%} allowed)"
    return Comparison(not why, share, pixels, tolerance, why)


def _load(path: Path) -> tuple[Image.Image, list[Box]]:
    try:
        with Image.open(path, formats=("PNG",)) as file:
            file.load()
            picture, about = file.convert("RGB"), file.info.get(_MASKS)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise NotAPicture(str(error)) from error
    return picture, [box for box in _boxes(about) if _is_painted(picture, box)]


def _boxes(about: object) -> list[Box]:
    """Masks as another run of ours wrote them; anyone may have changed the file since."""
    try:
        return msgspec.json.decode(about if isinstance(about, str) else "[]", type=list[Box])
    except msgspec.MsgspecError:
        return []


def _is_painted(picture: Image.Image, box: Box) -> bool:
    """Whether a person sees the mask too: one that is only written down would hide anything."""
    left, top = max(box[0], 0), max(box[1], 0)
    right, bottom = min(box[2], picture.width), min(box[3], picture.height)
    if right <= left or bottom <= top:
        return False
    colours = picture.crop((left, top, right, bottom)).getcolors(1)
    return colours is not None and colours[0][1] == _MASK_COLOUR


def _size(picture: Image.Image) -> str:
    return f"{picture.width} by {picture.height}"


def _widened(*pictures: Image.Image) -> list[Image.Image]:
    """All of the same size; what one lacks has a colour that no page has."""
    size = (max(one.width for one in pictures), max(one.height for one in pictures))
    wide = []
    for number, picture in enumerate(pictures):
        colour = _MISSING_COLOUR if number else tuple(255 - part for part in _MISSING_COLOUR)
        canvas = Image.new("RGB", size, colour)
        canvas.paste(picture, (0, 0))
        wide.append(canvas)
    return wide


def _paint(picture: Image.Image, boxes: Iterable[Box]) -> None:
    draw = ImageDraw.Draw(picture)
    for left, top, right, bottom in boxes:
        if right > left and bottom > top:
            draw.rectangle((left, top, right - 1, bottom - 1), fill=_MASK_COLOUR)


def _differing(old: Image.Image, new: Image.Image) -> Image.Image:
    """White where the two differ, else black."""
    gap = _largest(ImageChops.difference(old, new))
    weak = _above(gap, WEAK)
    if weak.getbbox() is None:
        return weak
    outside = ImageChops.lighter(_outside(old, new), _outside(new, old))
    return ImageChops.lighter(_above(gap, STRONG), ImageChops.darker(weak, outside))


def _outside(neighbours: Image.Image, picture: Image.Image) -> Image.Image:
    """White where a pixel's colour does not lie between those around it in the other picture."""
    low = neighbours.filter(ImageFilter.MinFilter(_NEIGHBOURS))
    high = neighbours.filter(ImageFilter.MaxFilter(_NEIGHBOURS))
    beyond = ImageChops.lighter(
        ImageChops.subtract(low, picture), ImageChops.subtract(picture, high)
    )
    return _above(_largest(beyond), WEAK)


def _largest(picture: Image.Image) -> Image.Image:
    """The largest of the three colours of each pixel."""
    red, green, blue = picture.split()
    return ImageChops.lighter(red, ImageChops.lighter(green, blue))


def _above(picture: Image.Image, level: int) -> Image.Image:
    return picture.point([0] * (level + 1) + [255] * (255 - level))


def _marked(old: Image.Image, differs: Image.Image) -> Image.Image:
    """The baseline in pale grey, with what differs in red and wide enough to be seen."""
    pale = Image.blend(old.convert("L").convert("RGB"), Image.new("RGB", old.size, "white"), 0.6)
    pale.paste(_MARK_COLOUR, (0, 0), differs.filter(ImageFilter.MaxFilter(_NEIGHBOURS)))
    return pale

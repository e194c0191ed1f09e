"""An expected value in the text of a test, and what may stand in its place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

Value: TypeAlias = str | bytes | int | float | bool | None


class Edit(Struct, frozen=True, order=True):
    """Other text for a part of a text."""

    start: int
    end: int
    new: str
    part: bool = False
    """Whether it is said to be in something: that may hold more than anybody sees."""


class Expectation(Struct, frozen=True):
    """A literal that something is compared with, and another for it."""

    test: str
    """The name of the test that holds it."""
    edit: Edit
    silence: tuple[Edit, ...] = ()
    """What keeps the other tests of the file from being run again."""

    def of(self, text: str) -> str:
        return text[self.edit.start : self.edit.end]

    def is_beside(self, other: Expectation) -> bool:
        """Whether another test holds the other one, and neither is a part of the other."""
        apart = self.edit.end <= other.edit.start or other.edit.end <= self.edit.start
        return apart and self.test != other.test


def put_into(text: str, expectations: Sequence[Expectation]) -> str:
    """A file with all of these, and without the tests that none of them is in."""
    silenced = set.intersection(*(set(one.silence) for one in expectations))
    for one in sorted((*(one.edit for one in expectations), *silenced), reverse=True):
        text = text[: one.start] + one.new + text[one.end :]
    return text


def other(value: Value) -> Value:
    """Another value of the kind, as near as one can be."""
    if isinstance(value, bool):
        return not value
    if value is None:
        return True
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        near = float(other_text(repr(value))) if math.isfinite(value) else 0.0
        return near if near != value and math.isfinite(near) else value / 2
    if isinstance(value, bytes):
        return other_text(value.decode("latin-1")).encode("latin-1")
    return other_text(value)


def no_part(text: str) -> str:
    """Something that is not in what this is a part of."""
    return f"{text} zqx"


def other_text(text: str) -> str:
    """A last digit becomes its neighbour, everything else gets a letter more."""
    last = text[-1:]
    if last in tuple("0123456789"):
        return text[:-1] + ("8" if last == "9" else str(int(last) + 1))
    return f"{text}x"

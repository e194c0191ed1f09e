"""What is said about a program is not the program."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.proof.program import does_the_same

BEFORE = """\
def half(number, least=0):
    return max(number / 2, least)


class Box:
    size = 1

    async def fill(self):
        return self.size
"""
SAID = '''\
"""Halves."""

from __future__ import annotations

from typing import Any


def half(number: float, least: float = 0) -> float:
    """The half of it.

    >>> half(4)
    2.0
    """
    # but not too little
    return max(number / 2, least)


class Box:
    """A box."""

    size = 1
    """How much it holds."""

    async def fill(self: Any) -> int:
        """How much is in it."""
        return self.size
'''


def test_words_and_types_do_nothing() -> None:
    assert does_the_same("a.py", BEFORE, SAID)


@pytest.mark.parametrize(
    ("old", "new"),
    [("/ 2", "/ 3"), ("least=0", "least=1"), ("size = 1", "size = 2"), ("max(", "min(")],
)
def test_a_change_of_the_program(old: str, new: str) -> None:
    assert not does_the_same("a.py", BEFORE, BEFORE.replace(old, new))


def test_what_cannot_be_read_was_changed() -> None:
    assert not does_the_same("a.js", "x", "x")
    assert not does_the_same("a.py", "x = 1", "x = (")


@given(st.text(), st.text())
def test_no_text_is_too_odd(before: str, after: str) -> None:
    does_the_same("a.py", before, after)

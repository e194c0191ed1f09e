"""What is said about a program is not the program."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.proof.languages import language_of

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


def does_the_same(path: str, before: str, after: str) -> bool:
    language = language_of(path)
    assert language is not None
    return language.does_the_same(before, after)


def test_words_and_types_do_nothing() -> None:
    assert does_the_same("a.py", BEFORE, SAID)


@pytest.mark.parametrize(
    ("old", "new"),
    [("/ 2", "/ 3"), ("least=0", "least=1"), ("size = 1", "size = 2"), ("max(", "min(")],
)
def test_a_change_of_the_program(old: str, new: str) -> None:
    assert not does_the_same("a.py", BEFORE, BEFORE.replace(old, new))


def test_what_cannot_be_read_was_changed() -> None:
    assert not does_the_same("a.js", "x(", "x(")
    assert not does_the_same("a.py", "x = 1", "x = (")


@pytest.mark.parametrize(
    ("path", "before", "after", "same"),
    [
        ("a.js", "let x = 1 // one\n", "/* two */\nlet x  = 1", True),
        ("a.js", "let x = 1", "let x = 2", False),
        ("a.ts", "let x = 1", "let x: number = 1", True),
        ("a.ts", "interface A { b: string }", "interface A { b: number }", True),
        ("a.ts", "const f = (a: string) => a", "const f = (a: string) => a + 1", False),
        ("a.go", "package a\n// one\nvar X = 1\n", "package a\n\nvar X = 1\n", True),
        ("a.go", "package a\nvar X = 1\n", "package a\nvar X = 2\n", False),
    ],
)
def test_in_languages_with_a_grammar(path: str, before: str, after: str, same: bool) -> None:
    assert does_the_same(path, before, after) is same


@pytest.mark.parametrize(
    ("path", "before", "after", "words"),
    [
        ("a.py", "def f(a):\n    return a\n", 'def f(a):\n    "Says."\n    return a # b\n', True),
        ("a.py", "def f(a):\n    return a\n", "def f(a: int) -> int:\n    return a\n", False),
        ("a.py", "x = (", "x = (", False),
        ("a.ts", "let x = 1", "let x = 1 // one", True),
        ("a.ts", "let x = 1", "let x: number = 1", False),
        ("a.rb", "a", "a", False),
    ],
)
def test_types_are_no_words(path: str, before: str, after: str, words: bool) -> None:
    language = language_of(path)
    assert (language is not None and language.differs_in_words(before, after)) is words


@given(st.text(), st.text())
def test_no_text_is_too_odd(before: str, after: str) -> None:
    does_the_same("a.py", before, after)

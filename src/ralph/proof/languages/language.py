"""What proof has to know of a language: where its tests and functions are, and how they look.

One file per language, behind one Protocol. Every method has an answer here that changes nothing:
what a language cannot tell it leaves so, and whoever asks does without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ralph.proof.languages.expectation import Expectation
    from ralph.proof.languages.shape import Part


class Modules(Protocol):
    """The files of a repository by every name that an import may have for them."""

    def imported(self, file: str, line: str) -> Iterator[str]: ...


class Imports(Struct, frozen=True):
    """How files name each other, line by line: rather too much than too little."""

    line: str
    """The lines that import, as git looks for them."""
    hidden: str
    """Signs that more is imported than the lines say."""
    modules: Callable[[Iterable[str]], Modules]
    beside: Callable[[str], Iterable[str]] = lambda _: ()
    """What is loaded with a file without being named in it."""


class Language(Protocol):
    name: ClassVar[str]
    endings: ClassVar[tuple[str, ...]]
    imports: ClassVar[Imports | None] = None
    """None if nobody can say who uses a file: then everybody may."""

    # its tests

    def source_of(self, test: str, text: str) -> str:
        """One test, by the last part of its name; nothing if it is not found."""
        del test, text
        return ""

    def asserted(self, text: str, test: str = "") -> Iterable[str]:
        """What is asserted in one test, or in all of them: a line each."""
        del text, test
        return ()

    def asserts(self, test: str, text: str) -> bool:
        """Whether a test looks at anything. True if nobody can say."""
        del test, text
        return True

    def skips_itself(self, test: str, text: str) -> bool:
        """Whether a test is left out wherever it is run; not if it depends on what is there."""
        del test, text
        return False

    def content(self, text: str) -> Iterable[str]:
        """What some source of tests is about: its values, and what it calls, as `name()`."""
        del text
        return ()

    def expectations(self, text: str, before: str, red: Collection[str]) -> Iterator[Expectation]:
        """Literals that something is compared with, in tests that are new, changed or were red."""
        del text, before, red
        yield from ()

    def changed_tests(self, text: str, before: str) -> tuple[str, ...] | None:
        """The tests that are new or changed; None if more than tests was changed."""
        del text, before
        return None

    def fresh(self, text: str, before: str) -> str:
        """What a file of tests has that it had not: new and changed tests, tables, helpers.

        All of it if nobody can say. What is only imported is not used.
        """
        del before
        return text

    def fits(self, name: str, test: str) -> bool:
        """Whether a result of this name came from a test that is called so in its source."""
        del name, test
        return False

    # its source

    def around(self, text: str, lines: Collection[int]) -> Iterable[str]:
        """The functions and classes that these lines are in."""
        del text, lines
        return ()

    def new(self, text: str, before: str) -> tuple[str, ...]:
        """The names of functions that were not there before."""
        del text, before
        return ()

    def values(self, tests: str) -> tuple[str, str]:
        """What emptied functions return, two ways: of a type, if the tests ask for one."""
        del tests
        return "", ""

    def hollowed(
        self, text: str, before: str, value: str, tests: str, only: Collection[str]
    ) -> str | None:
        """With changed functions that return this at once; None where more than these was changed.

        A new constant that the tests do not name is a part of the functions. With `only` the
        functions of these names are emptied, and no others.
        """
        del text, before, value, tests, only
        return None

    def undoubled(self, text: str, before: str, value: str, tests: str) -> str:
        """Only the changed functions that the tests put something else in the place of."""
        del before, value, tests
        return text

    def shape(self, text: str) -> Part | None:
        """What a program does, in the words that rules are written in; None if nobody can say."""
        del text
        return None

    def does_the_same(self, before: str, after: str) -> bool:
        """Whether two states of a file differ in comments, descriptions and types alone."""
        del before, after
        return False

    def differs_in_words(self, before: str, after: str) -> bool:
        """Whether two states of a file differ in comments and descriptions, and not in types."""
        del before, after
        return False

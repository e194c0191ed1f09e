"""What proof has to know of a runner of tests. One file each, behind one Protocol.

What a runner cannot do it says by leaving it out here: then nobody asks for it, and the verdict's
notes say what was not tried for want of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Protocol

from ralph.domain.tests import SEPARATOR
from ralph.proof.runners.words import NAMED, choosing, options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from ralph.domain.task import Command
    from ralph.domain.tests import TestReport
    from ralph.proof.runners.recognise import Recognised
    from ralph.proof.runners.words import Around

    Printed = Callable[[bytes, Path], TestReport | None]

WORD = r"(?:^|[\s('\"/@-])"
"""What stands before the name of a program."""
SCRIPTS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".jsx", ".tsx")
"""Files of JavaScript and TypeScript."""
_IN_PATTERNS = re.compile(r"[.*+?^${}()|\[\]\\/]")


class TestRunner(Protocol):
    """One file in this folder and one entry in `RUNNERS`. What is left out is not possible."""

    __test__: ClassVar[bool] = False

    name: ClassVar[str]
    also: ClassVar[tuple[str, ...]] = ()
    """What else its reports may be called, after their format."""
    started: ClassVar[re.Pattern[str]]
    """A line of a command that starts it, or may."""

    # what it reports

    language: ClassVar[str] = ""
    """What we load into the user's programs so that it reports: python, node or nothing."""
    prints: ClassVar[tuple[Printed, ...]] = ()
    """What reads its output, if that is a report."""
    junit_files: ClassVar[tuple[str, ...]] = ()
    """Where it writes JUnit's XML anyway."""
    tells_its_end: ClassVar[bool] = False
    """Whether a report without problems is complete, even while the runner is still there."""
    loads_apart: ClassVar[bool] = False
    """Whether it loads each file of tests by itself: one cannot change what another sees."""
    starts_each: ClassVar[bool] = False
    """Whether it starts anew for every file: that is most of what short tests take."""

    def asked(self, command: Command) -> Command:
        """The same command, told to report, where there is no other way to a report."""
        return command

    def unloaded(self, known: Recognised, env: Mapping[str, str], scratch: Path) -> dict[str, str]:
        """What to add to the environment where nothing of ours can be loaded."""
        del known, env, scratch
        return {}

    def written(self, scratch: Path, folder: Path) -> TestReport | None:
        """What it wrote beside its output because of us."""
        del scratch, folder
        return None

    def junit(self, known: Recognised) -> tuple[str, ...]:
        """The files of JUnit's XML that are to be read."""
        return self.junit_files if self.name in known.runners else ()

    def plain(self, output: bytes) -> bytes:
        """The output as it would be without us."""
        return output

    # how it is told which tests to run

    programs: ClassVar[tuple[str, ...]] = ()
    """How it is started; `-m NAME` for a module of Python's."""
    endings: ClassVar[tuple[str, ...]] = ()
    """Files of tests that can be named to it; none if it cannot be told which to run."""
    any_ending: ClassVar[bool] = False
    """Whether other files in which it found tests can be named to it as well."""
    words: ClassVar[tuple[str, ...]] = ()
    """Its own words before all others: `run`."""
    with_value: ClassVar[tuple[str, ...]] = ()
    """Options whose value is the next word."""
    alone: ClassVar[tuple[str, ...]] = ()
    """Options that stand alone, as far as a file may come after them."""
    ends_early: ClassVar[tuple[str, ...]] = ()
    """What makes it end at the first test that fails: then nothing is known of the others."""
    first: ClassVar[tuple[str, ...]] = ()
    """What says that files follow."""
    named: ClassVar[str] = ""
    """The option that takes a pattern of the names of tests."""
    measures: ClassVar[re.Pattern[str] | None] = None
    """A word that asks for coverage, which of some tests alone tells nothing and takes its time."""
    unmeasured: ClassVar[tuple[str, ...]] = ()
    """What says that it is not to be measured, although it was asked for."""

    def begins(self, words: Sequence[str]) -> int:
        """How many of the words after its program are its own; -1 if it runs no tests."""
        return len(self.words) if tuple(words[: len(self.words)]) == self.words else 0

    def narrowed(
        self, given: Sequence[str], tests: Sequence[str], around: Around
    ) -> list[str] | None:
        """Its arguments for these files, or tests in them (`FILE::NAME`), instead of the given.

        None if nobody can say how that is written.
        """
        kept = options(given, self, around)
        return None if kept is None else self.told(self._not_measured(kept, around), tests)

    def _not_measured(self, given: list[str], around: Around) -> list[str]:
        """These options without coverage."""
        asking = self.measures
        kept = [one for one in given if not (asking and asking.fullmatch(one))]
        asked = kept != given or (self.unmeasured and self.measures_always(around.text))
        return [*kept, *self.unmeasured] if asked else kept

    def measures_always(self, text: Callable[[str], str]) -> bool:
        """Whether settings ask for coverage; `text` is what a file holds."""
        del text
        return False

    def told(self, kept: list[str], tests: Sequence[str]) -> list[str] | None:
        """These options, and the tests."""
        files = dict.fromkeys(one.partition(NAMED)[0] for one in tests)
        if any(NAMED in one for one in tests):
            if not self.named or any(map(choosing, kept)):
                return None
            kept = [*kept, *(f"{self.named}={one}" for one in self.patterns(tests))]
        return [*kept, *self.first, *files]

    def patterns(self, tests: Iterable[str]) -> list[str]:
        """What matches the names of these tests: all titles, one after the other."""
        return either(" ".join(one) for one in titles(tests))

    # a test that must fail

    def canary(self, name: str, sample: str, mark: str) -> str | None:
        """A file of such a test, beside one of this name and text; None if nobody knows how."""
        del name, sample, mark
        return None

    def canary_within(self, name: str, sample: str, mark: str) -> str | None:
        """The same file with such a test in it; None if nobody knows how."""
        del name, sample, mark
        return None


def titles(tests: Iterable[str]) -> list[list[str]]:
    """The titles of each test, from the outside in."""
    return [one.partition(NAMED)[2].split(SEPARATOR) for one in tests]


def either(names: Iterable[str]) -> list[str]:
    """A pattern that any of these names fits."""
    return ["|".join(_IN_PATTERNS.sub(r"\\\g<0>", name) for name in names)]

"""Tests that expect something else than they did: one that still passes tells nothing.

They are in copies of their files in which one expected value of each is another; stored files that
tests compare with are changed, too. Whatever source does to look right (objects that are equal to
everything, assertions taken away, a program that prints the file it is compared with), it cannot
be right for two answers.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.evidence import Fact, FactKind
from ralph.domain.tests import TestResult
from ralph.proof import stored
from ralph.proof.assertions import last_name
from ralph.proof.canary import named
from ralph.proof.languages import language_of
from ralph.proof.languages.expectation import put_into

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ralph.domain.tests import TestReport
    from ralph.domain.trial import Trial
    from ralph.proof.languages.expectation import Expectation

MOST = {".py": 8, ".go": 8}
"""Expectations, where the other tests of a copy can be kept from running."""
FEW = 3
"""Elsewhere: each copy runs them all."""
STORED = 20
LENGTH = 200_000
"""Characters up to which a file is read."""
MANY = 64
"""Expectations of one file, the first."""


class TwistedCopy(Struct, frozen=True):
    """A test with a wrong expectation, in a copy of its file."""

    path: str
    text: str
    file: str
    """The file it is a copy of."""
    test: str
    was: str
    new: str
    part: bool = False


class Twisted(Struct, frozen=True):
    copies: tuple[TwistedCopy, ...] = ()
    stored: Mapping[str, bytes] = {}
    readers: Mapping[str, str] = {}
    """Files of tests that name a stored file, and its name."""

    @property
    def files(self) -> tuple[str, ...]:
        """What has to be run."""
        return (*dict.fromkeys(one.path for one in self.copies), *self.readers)

    @property
    def written(self) -> dict[str, bytes]:
        return {**{one.path: one.text.encode() for one in self.copies}, **self.stored}


def can_twist(path: str) -> bool:
    return language_of(path) is not None


class Source(Struct, frozen=True):
    """A file, as it is and as it was."""

    path: str
    text: str
    before: str = ""
    red: tuple[TestResult, ...] = ()
    """Those of its tests that were red before."""


def twist(
    sources: Iterable[Source],
    report: TestReport,
    listing: Callable[[], Iterable[str]],
    show: Callable[[str], bytes | None],
) -> Twisted:
    """What to add to a candidate. `listing` and `show` tell which files it has, and what they hold.

    Only where the runner looks for tests itself will it find the copies.
    """
    every = [one for one in sources if len(one.text) <= LENGTH]
    copies = tuple(_copies(every)) if report.searched else ()
    speaking = [one for one in every if stored.speaks_of_some(one.text)]
    if not speaking:
        return Twisted(copies)
    changed: dict[str, bytes] = {}
    readers: dict[str, str] = {}
    for path in stored.among(listing()):
        reading = [one.path for one in speaking if stored.is_named(path, one.text)]
        new = stored.other(show(path) or b"") if reading else None
        if new is not None and len(changed) < STORED:
            changed[path] = new
            readers.update(dict.fromkeys(reading, path))
    return Twisted(copies, changed, readers)


def _copies(sources: Iterable[Source]) -> Iterator[TwistedCopy]:
    mark = secrets.token_hex(3)
    for number, (source, every) in enumerate(_together(sources)):
        folder, slash, name = source.path.rpartition("/")
        path = f"{folder}{slash}{named(name, f'{mark}{number}')}"
        text = put_into(source.text, every)
        for one in every:
            was, edit = one.of(source.text), one.edit
            yield TwistedCopy(path, text, source.path, one.test, was, edit.new, edit.part)


def _together(sources: Iterable[Source]) -> list[tuple[Source, list[Expectation]]]:
    """Expectations of different tests share a copy of their file: each copy has to be loaded."""
    count: Counter[str] = Counter()
    groups: list[tuple[Source, list[Expectation]]] = []
    for source, one in _in_turns(sources):
        ending = source.path[source.path.rfind(".") :]
        count[ending] += 1
        if count[ending] > MOST.get(ending, FEW):
            continue
        mine = (every for of, every in groups if of is source and all(map(one.is_beside, every)))
        if (group := next(mine, None)) is None:
            groups.append((source, [one]))
        else:
            group.append(one)
    return groups


def _in_turns(sources: Iterable[Source]) -> Iterator[tuple[Source, Expectation]]:
    """One expectation of every test, then the second of each, and so on."""
    tests: dict[tuple[str, str], list[tuple[Source, Expectation]]] = {}
    for source in sources:
        for one in islice(_expectations(source), MANY):
            tests.setdefault((source.path, one.test), []).append((source, one))
    for turn in range(max(map(len, tests.values()), default=0)):
        yield from (every[turn] for every in tests.values() if turn < len(every))


def _expectations(source: Source) -> Iterator[Expectation]:
    language = language_of(source.path)
    if language is None:
        return iter(())
    broken = any(one.is_file for one in source.red)  # not even loaded, so all of them were
    red = {last_name(one.id) for one in source.red}
    return language.expectations(source.text, "" if broken else source.before, red)


def unheeded(trial: Trial, twisted: Twisted, head: TestReport) -> Iterator[Fact]:
    """The tests that pass whatever they expect. One that is red as it is expects the right thing
    when it is twisted, for all that anybody knows.
    """
    if trial.report is None:
        return
    plain: dict[str, list[TestResult]] = {}
    for result in head.results:
        plain.setdefault(result.file, []).append(result)
    by_file: dict[str, list[TestResult]] = {}
    for result in trial.report.results:
        by_file.setdefault(result.file, []).append(result)
    passed = [
        one
        for one in twisted.copies
        if _passes(one, by_file.get(one.path, ())) and _passes(one, plain.get(one.file, ()))
    ]
    # a thing may well hold all that it is asked for; not if no test heeds anything
    alone = len(passed) == len(twisted.copies)
    for one in passed:
        if alone or not one.part:
            name = f"{one.file}::{one.test}"
            text = f"{name} still passes if it expects {one.new} instead of {one.was}."
            yield Fact(FactKind.UNHEEDED, text, one.file, tests=(name,))
            return  # one shows what the matter is
    for file, path in twisted.readers.items():
        results = by_file.get(file, ())
        if results and all(result.outcome.is_green for result in results):
            text = f"The tests in {file} still pass if {path} holds something else."
            yield Fact(FactKind.UNHEEDED, text, path)
            return


def _passes(copy: TwistedCopy, results: Iterable[TestResult]) -> bool:
    ran = [one for one in results if not one.outcome.is_aside]
    language = language_of(copy.file)
    own = [
        one for one in ran if language is not None and language.fits(last_name(one.id), copy.test)
    ]
    return bool(own) and all(one.outcome.is_green for one in own)

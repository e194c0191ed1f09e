"""A test that must fail, and the new ones with wrong expectations: the checks have to notice."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct, field

from ralph.proof import canary
from ralph.proof.canary import Planted
from ralph.proof.experiment import BASE, Experiment, Variant
from ralph.proof.experiments.red_green import patience, showing, told_by
from ralph.proof.runners import loads_apart
from ralph.proof.runners.words import NAMED
from ralph.proof.suite import company
from ralph.proof.twisted import Twisted, twist, unheeded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.evidence import Fact
    from ralph.domain.task import Command
    from ralph.domain.tests import TestReport
    from ralph.domain.trial import Trial
    from ralph.proof.experiment import Known
    from ralph.proof.subject import Subject

NAME = "canary"
ALONE = "canary-alone"
ON_BASE = "base-canary"
UNHEARD = (
    "The checks do not notice a failing test that is added, with this change or without it: "
    "they run only the tests they know by name."
)


class Doubts(Struct, frozen=True):
    """What was laid into the candidate: it has to fail."""

    planted: Planted | None = None
    twisted: Twisted = field(default_factory=Twisted)

    @property
    def written(self) -> dict[str, bytes]:
        planted = {self.planted.path: self.planted.text.encode()} if self.planted else {}
        return {**self.twisted.written, **planted}


class Canary(Experiment):
    name = "canary"
    what = (
        "A test that must fail is added to the candidate. The check has to notice it. If it does "
        "not, the same is tried on the base: checks that run tests by name notice no new file, and "
        "that is noted. In the same trial, for features and fixes: copies of the new and changed "
        "tests, and of those that were red, in which one expected value is another (`== 3600` "
        "becomes `== 3601`), and other bytes in the stored files that they compare with. They "
        "have to fail, too."
    )
    setting = "verification.canary`, `verification.twist"
    trials: ClassVar = {
        NAME: "A test that must fail was added, and expectations were changed: that has to fail.",
        ON_BASE: "A test that must fail, added to the base: is it noticed there?",
    }

    def wants(self, subject: Subject) -> bool:
        return subject.settings.canary or _twists(subject)

    def variants(self, subject: Subject, known: Known) -> Iterator[Variant]:
        if NAME not in known:
            yield from _first(subject, known)
        elif ALONE not in known and _drowned(known):
            yield _alone(subject, known)
        elif any(_silent(known)):
            yield from _on_base(subject, known)

    def facts(self, subject: Subject, known: Known) -> Iterator[Fact]:
        del subject
        if NAME in known:
            doubts = known.memo(NAME)
            twisted = Twisted() if ALONE in known else doubts.twisted
            yield from unheeded(known.trials[NAME], twisted, known.now)
            if not _unheard_before(known):
                yield from _silent(known)

    def notes(self, subject: Subject, known: Known) -> Iterator[str]:
        report = known.head.report
        if subject.settings.canary and report is not None and not _plant(subject, report):
            why = canary.lacking(report, subject.after(canary.neighbour(report)))
            yield f"No failing test was added to see whether the checks notice it: {why}."
        if any(_silent(known)) and _unheard_before(known):
            yield UNHEARD  # not the change's doing, but nothing is proven by it


def is_heard(known: Known) -> bool:
    """Whether the checks notice a test that fails."""
    tried = known.get(ALONE) or known.get(NAME)
    planted = _planted(known)
    return (
        planted is not None
        and tried is not None
        and tried.report is not None
        and not any(canary.silent(tried, planted))
    )


def _twists(subject: Subject) -> bool:
    return subject.settings.twist and subject.produces


def _planted(known: Known) -> Planted | None:
    doubts = known.memo(NAME)
    found: Planted | None = doubts.planted if doubts is not None else None
    return found


def _silent(known: Known) -> Iterator[Fact]:
    tried, planted = known.get(ALONE) or known.get(NAME), _planted(known)
    if tried is not None and planted is not None:
        yield from canary.silent(tried, planted)


def _drowned(known: Known) -> bool:
    """A copy that cannot be loaded may stop the whole run: then the canary gets one of its own."""
    doubts = known.memo(NAME)
    return doubts.planted is not None and bool(doubts.twisted.written) and any(_silent(known))


def _first(subject: Subject, known: Known) -> Iterator[Variant]:
    like = told_by(subject, known)
    if like is None or like.report is None:
        return
    doubts = _doubts(subject, known, like.report)
    if doubts.planted is None and subject.settings.canary and known.head.report is None:
        return  # the change may tell where its tests are
    if not doubts.written:
        return
    suite, report = subject.suite, like.report
    commands = few = suite.side(like)
    if suite.runs_as_before(report) or suite.names_files():
        few = suite.only(
            commands, dict.fromkeys(_company(subject, known, like, report, doubts)), report
        )
    if report.searched and few == commands and suite.names_files():
        return  # the check says which files it runs
    yield _laid(subject, known, NAME, few, doubts)


def _company(
    subject: Subject, known: Known, like: Trial, report: TestReport, doubts: Doubts
) -> Iterator[str]:
    """What is run with it: the change's own tests, and others that take little time."""
    suite, twisted, planted = subject.suite, doubts.twisted, doubts.planted
    mine, files = suite.mine(report), ((planted.path,) if planted else (), twisted.files)
    scripts = any(not name.endswith(".py") for names in files for name in names)
    named = bool(mine) and all(NAMED in one for one in mine) and not twisted.readers
    if scripts and named and loads_apart(report):  # no file sees another
        if planted is not None:
            yield f"{planted.path}{NAMED}{planted.title}"
        yield from (f"{one.path}{NAMED}{one.test}" for one in twisted.copies)
        yield from mine
        return
    for names in (*files, suite.there(report) if scripts else mine):
        yield from names
    gone = {c.path if c.status == "D" else c.old for c in subject.candidate.files}
    yield from (one for one in suite.of_tests(company(like), known.base) if one not in gone)


def _laid(
    subject: Subject, known: Known, name: str, commands: tuple[Command, ...], doubts: Doubts
) -> Variant:
    return Variant(
        name,
        subject.commit,
        commands,
        write=doubts.written,
        changed=subject.files,
        seconds=patience(known),  # a test that expects something else may wait for it for ever
        memo=doubts,
    )


def _doubts(subject: Subject, known: Known, report: TestReport) -> Doubts:
    planted = _plant(subject, report) if subject.settings.canary else None
    if not _twists(subject):
        return Doubts(planted)
    show = partial(subject.repository.show, subject.commit)
    listing = subject.suite.listing
    return Doubts(planted, twist(showing(subject, known), report, lambda: listing, show))


def _plant(subject: Subject, report: TestReport) -> Planted | None:
    sample = subject.after(canary.neighbour(report))
    return canary.plant(report, sample) if sample else None


def _alone(subject: Subject, known: Known) -> Variant:
    planted = _planted(known)
    commands = subject.suite.side(known.head) or subject.commands
    if planted is not None and known.head.report is not None and subject.suite.names_files():
        files = (planted.path, *subject.suite.there(known.head.report))
        commands = subject.suite.only(commands, files, known.head.report)
    return _laid(subject, known, ALONE, commands, Doubts(planted))


def _on_base(subject: Subject, known: Known) -> Iterator[Variant]:
    """Whether the base does not notice such a test either: its checks run tests by their names."""
    if known.base is None or known.base.report is None:
        return
    sample = subject.before(canary.neighbour(known.base.report))
    planted = canary.plant(known.base.report, sample) if sample else None
    if planted is not None:
        commands = subject.suite.side(known.get(BASE)) or subject.commands
        if known.asked[NAME].commands != subject.suite.side(known.head):  # as with the change
            files = (planted.path, *subject.suite.of_tests(company(known.base), known.base))
            commands = subject.suite.only(commands, files, known.base.report)
        write = {planted.path: planted.text.encode()}
        yield Variant(ON_BASE, subject.base, commands, write=write, memo=planted)


def _unheard_before(known: Known) -> bool:
    tried: Trial | None = known.get(ON_BASE)
    return tried is not None and any(canary.silent(tried, known.memo(ON_BASE)))

"""The commit that the work began with: what was red before is not held against the work."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ralph.domain.tests import TestChange
from ralph.proof.compare import compare, listed
from ralph.proof.experiment import BASE, Experiment, Variant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.proof.experiment import Known
    from ralph.proof.subject import Subject


class Base(Experiment):
    name = "base"
    what = (
        "The checks are run on the commit that the work began with, unless that tree is known. "
        "Which tests are red there is remembered. If tests are missing afterwards, it is run once "
        "more: names that it has only sometimes are set aside."
    )
    setting = "verification.base"
    trials: ClassVar = {BASE: "The commit that the work began with."}

    def variants(self, subject: Subject, known: Known) -> Iterator[Variant]:
        if BASE not in known:
            # also where nothing reports tests: the change may have seen to that
            yield subject.base_variant
        elif known.head.report is not None:
            yield from _once_more(subject, known)

    def notes(self, subject: Subject, known: Known) -> Iterator[str]:
        del subject
        if known.moving:
            names = listed(sorted(known.moving))
            yield f"Tests whose names change from run to run are not compared: {names}."


def _once_more(subject: Subject, known: Known) -> Iterator[Variant]:
    """Where tests are missing: do they have a name to be known by?"""
    tried = known.trials[BASE]
    report = tried.report
    gone = compare(tried, known.head).having(TestChange.REMOVED)
    if report is None or not gone:
        return
    files = sorted({report.by_id[name].file for name in gone if name in report.by_id})
    side = subject.suite.side(tried)
    commands = subject.suite.only(side, files, report) if all(files) else side
    yield Variant(f"{BASE}-again", subject.base, commands, fresh=True)

"""Tests that were red before: the task may be about those that can see the change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.evidence import Fact, FactKind
from ralph.proof.assertions import about_test, source_of
from ralph.proof.compare import listed
from ralph.proof.experiment import Experiment
from ralph.proof.experiments.again import held
from ralph.proof.paths import is_source
from ralph.proof.plausible import is_about, named

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ralph.proof.experiment import Known
    from ralph.proof.subject import Subject


class OldRed(Experiment):
    name = "old red tests"
    what = (
        "A test that was red on the base and still is is not held against the task, unless the "
        "task may be about it: if it can see the change and speaks of the same things, a person is "
        "asked."
    )

    def facts(self, subject: Subject, known: Known) -> Iterator[Fact]:
        old = tuple(name for name in held(subject, known).old if name in known.now.by_id)
        seeing = tuple(_seeing(subject, known, old))
        if seeing:
            text = f"Failed before this task, still fail, and test changed code: {listed(seeing)}."
            yield Fact(FactKind.STILL_RED, text, tests=seeing)
        if rest := tuple(name for name in old if name not in seeing):
            yield Fact(
                FactKind.WAS_RED,
                f"Failed before this task and still fail: {listed(rest)}.",
                tests=rest,
            )


def _seeing(subject: Subject, known: Known, old: Collection[str]) -> Iterator[str]:
    if not old or not subject.produces:
        return
    report, suite = known.now, subject.suite
    # where no source was changed, no test can see it, and the task may be just that test
    seen = suite.seeing({one.file for one in report.results}) if suite.source() else None
    for name in old:
        file = report.by_id[name].file
        if (seen is None or file in seen) and _may_be_the_task(subject, name, file):
            yield name


def _may_be_the_task(subject: Subject, test: str, path: str) -> bool:
    """Whether a red test speaks of what the task speaks of, or calls what was changed."""
    source = source_of(test, path, subject.after(path))
    if not source:
        return True
    changed: set[str] = set()
    for name, lines in subject.lines.items():
        if is_source(name):
            changed.update(subject.around(name, lines.at))
    about = about_test(test, path, subject.after(path))
    called = {one.removesuffix("()") for one in about}
    wanted = named("\n".join((subject.task.title, *subject.task.criteria)))
    return not called.isdisjoint((*changed, *wanted)) or is_about(subject.task, source)

"""The base's own tests over the new source: all of them, or those that can see the change.

Unchanged tests see the same source in the overlay as in the change itself. What differs there is
that no changed test was loaded beside them, which matters only to a test that the change reaches.
Where data of tests was changed, that is put back as well: a test that the change does not reach
then has all that it had before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from ralph.domain.evidence import Fact, FactKind
from ralph.proof.assertions import rewritten, source_of
from ralph.proof.compare import about_overlay, every_test_green
from ralph.proof.experiment import BASE, HEAD, Experiment, Variant, remembered
from ralph.proof.paths import snapshot_of
from ralph.proof.runners import loads_apart
from ralph.proof.runners.narrow import is_plain, narrowed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.task import Command
    from ralph.domain.tests import TestReport
    from ralph.domain.trial import Trial
    from ralph.proof.experiment import Known
    from ralph.proof.subject import Subject

NAME = "overlay"
ALL = "overlay-all"
WIDE = 120
"""Characters of an assertion that are shown."""
MANY = 4
"""Files of tests from which on some may be left out."""


class Few(Struct, frozen=True):
    """What the overlay was run for."""

    files: tuple[str, ...] = ()
    """The tests; none if it was all of them."""
    looked_at: frozenset[str] = frozenset()
    """Files of tests of which it is known whether they see the change."""
    others: str = HEAD
    """The trial that tells what the other tests say."""


class Overlay(Experiment):
    name = "overlay"
    what = (
        "The same with the base's tests and runner configuration over the new source. Only what "
        "the task [declares](#what-a-task-may-declare) stays changed. If the change touches none "
        "of these files, the overlay is the change itself. Tests that cannot see the change are "
        "[left out](../decisions/0015-reach.md), where that can be told."
    )
    setting = "verification.overlay`, `verification.affected"
    trials: ClassVar = {NAME: "The base's own tests with the new code: they have to pass."}

    def wants(self, subject: Subject) -> bool:
        return bool(subject.protected) and subject.settings.overlay

    def variants(self, subject: Subject, known: Known) -> Iterator[Variant]:
        if NAME not in known:
            few = _seeing(subject, known.get(BASE))
            around = subject.suite.around
            yield laid_over(
                subject,
                NAME,
                commands=tuple(narrowed(one, few.files, around) or one for one in subject.commands),
                memo=few,
            )
        elif HEAD in known and _completed(subject, known) is None:
            yield laid_over(subject, ALL, subject.commands)

    def facts(self, subject: Subject, known: Known) -> Iterator[Fact]:
        from ralph.proof.experiments.again import flaky

        over = result(subject, known)
        if over is None or over is known.head:
            return
        only_tests = subject.suite.only_tests(known.base.report if known.base else None)
        yield from about_overlay(
            known.base, known.head, over, flaky(subject, known), only_tests=only_tests
        )
        yield from _loosened(subject, over)

    def notes(self, subject: Subject, known: Known) -> Iterator[str]:
        del subject
        few = known.memo(NAME)
        if few is not None and few.files and ALL not in known:
            what = f"{len(few.files)} of its files" if len(few.files) > 1 else few.files[0]
            yield (
                f"Of the base's tests {what} alone ran in the overlay: no other can see the change."
            )


def _loosened(subject: Subject, over: Trial) -> Iterator[Fact]:
    """Edited tests that pass as they were: there was no need to assert less.

    Those that the task declares were not put back: nobody knows what they would say.
    """
    changed = {one.path for one in subject.candidate.files if one.status == "M"}
    edited = changed & set(subject.protected)
    lost: dict[str, dict[str, tuple[str, ...]]] = {}
    for one in over.report.results if over.report is not None else ():
        if one.file not in edited or not one.outcome.is_green:
            continue
        before, after = subject.before(one.file), subject.after(one.file)
        found = rewritten(one.id, one.file, before, after)
        if found is not None and found.was and source_of(one.id, one.file, after):
            lost.setdefault(one.file, {})[one.id] = found.was
    for path, tests in lost.items():
        gone = list(dict.fromkeys(line for was in tests.values() for line in was))
        more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
        text = f"{path} no longer asserts what still holds: `{gone[0][:WIDE]}`{more}."
        yield Fact(FactKind.TEST_LOOSENED, text, path, tests=tuple(tests))


@remembered
def result(subject: Subject, known: Known) -> Trial | None:
    """What the base's own tests say of the new source, with those that were left out."""
    tried = known.get(ALL) or (_completed(subject, known) if NAME in known else None)
    over = tried.report if tried is not None else None
    empty = over is not None and not over.results  # the task declares every test of the base
    if known.head.report is not None and (empty or (tried is None and not subject.protected)):
        return known.head  # nothing to put back: the overlay is the change itself
    return tried


def laid_over(
    subject: Subject, name: str, commands: tuple[Command, ...], memo: Few | None = None
) -> Variant:
    """The candidate with the base's tests and configuration."""
    return Variant(
        name,
        subject.commit,
        commands,
        source=subject.base,
        paths=subject.protected,
        changed=subject.files,
        memo=memo,
    )


def _seeing(subject: Subject, base: Trial | None) -> Few:
    """The base's tests that may see the change; none if they cannot be told, or are too many."""
    suite, known = subject.suite, base.report if base is not None else None
    if not subject.settings.affected or not suite.takes_files:
        return Few()
    if (base is not None and base.unnamed) or not suite.finds_as_before(known):
        return Few()
    # with other data, tests that do not see the change say what they said before it
    others = HEAD if suite.only_tests(known) else BASE
    if others == BASE and known is None:
        return Few()
    changes = subject.candidate.files
    new = {c.path for c in changes if c.status == "A"}
    ran = {one.file for one in known.results} if known is not None else None
    tests = {path for path in suite.listing if is_plain(path) or (ran and path in ran)}
    old = tests - new
    put_back = {c.old or c.path for c in changes if c.status != "A"} & set(subject.protected)
    put_back = {snapshot_of(path) or path for path in put_back}
    if ran is not None:
        old, put_back = old & ran, put_back & ran
    if others == HEAD and known is not None and loads_apart(known):
        few = sorted(put_back)
    else:
        seeing = suite.seeing(tests) if len(old) >= MANY else None
        if seeing is None:
            return Few()
        few = sorted({*suite.of_tests(old & seeing, base), *put_back})
    if 2 * len(few) > len(old):
        return Few()
    return Few(tuple(few or sorted(suite.of_tests(old, base))[:1]), frozenset(tests), others)


def _completed(subject: Subject, known: Known) -> Trial | None:
    """With the results of the tests that were left out; None if anything is not plain."""
    trial, few = known.trials[NAME], known.memo(NAME) or Few()
    if not few.files:
        return trial
    return _with_the_rest(subject, known, few) if _is_clean(trial) else None


def _is_clean(trial: Trial) -> bool:
    told = [report for report in trial.reports if report is not None]
    sound = bool(told) and not any(one.red or one.problems for one in told)
    return sound and every_test_green(trial)


def _with_the_rest(subject: Subject, known: Known, few: Few) -> Trial | None:
    """None if something was left out of which it is not known whether it sees the change."""
    trial, others = known.trials[NAME], known.trials[few.others]
    reports: list[TestReport | None] = []
    for ours, theirs in zip(trial.reports, others.reports, strict=False):
        if ours is None or theirs is None:
            reports.append(ours)
            continue
        seen = {*subject.guarded, *(one.file for one in ours.results)}
        rest = [one for one in theirs.results if one.file not in seen]
        if not all(one.file in few.looked_at and one.file not in few.files for one in rest):
            return None
        reports.append(replace(ours, results=(*ours.results, *rest)))
    return replace(trial, reports=tuple(reports)) if len(reports) == len(trial.reports) else None

"""The candidate itself: its checks have to pass, and its tests have to be those of the base."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace

from ralph.domain.evidence import Fact, FactKind
from ralph.domain.task import shown
from ralph.proof.assertions import about_file, about_fresh, about_test, functions
from ralph.proof.compare import about_tests
from ralph.proof.experiment import BASE, HEAD, Experiment, remembered
from ralph.proof.experiments import overlay
from ralph.proof.paths import is_test
from ralph.proof.reached import ENDINGS
from ralph.proof.red import FIRST, GRACE, shows_red
from ralph.proof.runners import behind, starts_each
from ralph.proof.runners.recognise import recognise
from ralph.proof.runners.reporting import told_all
from ralph.proof.runners.words import NAMED
from ralph.proof.suite import QUARTER, times

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ralph.domain.trial import Trial
    from ralph.proof.experiment import Known, Variant
    from ralph.proof.subject import Subject

HALF = 0.5
"""The share of a run that has to be saved by running some tests before the others."""


class Green(Experiment):
    name = "green"
    what = (
        "The checks are run on the candidate, the very commit that will land; before that its new "
        "and changed tests by their names, or the tests that can see it, where that takes much "
        "less. Runners are listened to: a test that turns red is run once more by itself, and if "
        "it is red again, the work goes back without waiting for the rest."
    )

    trials: ClassVar = {FIRST: "New and changed tests, or those that see the change, run first."}

    def variants(self, subject: Subject, known: Known) -> Iterator[Variant]:
        if HEAD in known:
            return
        hasty = BASE in known and not known.patient
        if not hasty:
            yield subject.head_variant
            return
        whole = replace(subject.head_variant, until=partial(shows_red, subject, known))
        yield from _first(subject, known.trials[BASE], whole)
        yield whole

    def facts(self, subject: Subject, known: Known) -> Iterator[Fact]:
        yield from _rewritten_meanwhile(subject, known)
        over = overlay.result(subject, known)
        kept = partial(_is_kept, subject, known)
        yield from about_tests(known.base, known.head, over, kept=kept)

    def notes(self, subject: Subject, known: Known) -> Iterator[str]:
        for one, report in zip(known.head.results, known.head.reports, strict=True):
            runners = recognise(one.command, subject.root).runners if report is None else ()
            if runners and one.passed:
                names = " and ".join(sorted(runners))
                yield f"`{shown(one.command)}` runs {names}, which did not report single tests."
        told = behind(known.now)
        if told and not any(one.endings for one in told):
            names = " or ".join(one.name for one in told)
            yield f"{names} cannot run chosen test files: every trial ran all of them."


def _first(subject: Subject, base: Trial, whole: Variant) -> Iterator[Variant]:
    """The change with its own tests, or those that can see it, if that takes much less than all."""
    report, suite = base.report, subject.suite
    if report is None or not suite.takes_files:
        return
    seconds = times(base)
    own, files = suite.mine(report), dict.fromkeys(suite.there(report))
    if suite.leaves_out:
        # a new file may be left out by itself, and run if it is named
        own = [one for one in own if one.partition(NAMED)[0] in seconds]
        files = {name: None for name in files if name in seconds}
    loaded = {one.partition(NAMED)[0] for one in own} if starts_each(report) else ()
    told_by_name = suite.finds_as_before(report) and _saves_half(base, seconds, loaded)
    if told_by_name and (named := suite.by_name(suite.side(base), own, report)):
        whole = replace(whole, until=told_all, grace=GRACE)
        yield replace(whole, name=FIRST, commands=named, tree="")
        return
    seeing = suite.seeing(frozenset(seconds)) or frozenset()
    left = QUARTER * sum(seconds.values()) - sum(seconds.get(one, 0) for one in files)
    others = suite.of_tests(seeing - files.keys(), base)
    for file in sorted(others, key=lambda one: seconds[one]):
        left -= seconds[file]
        if left < 0:
            break
        files[file] = None
    side = suite.side(base)
    commands = suite.only(side, files, report)
    if files and commands != side and _saves_half(base, seconds, files):
        yield replace(whole, name=FIRST, commands=commands, tree="")


def _saves_half(base: Trial, seconds: Mapping[str, float], files: Collection[str]) -> bool:
    """Whether what is left out takes half of a run: what starts the tests takes its time as well.

    Tests that run side by side take less than their times added up.
    """
    run = sum(result.seconds for result in base.results)
    every = sum(seconds.values())
    left_out = sum(took for file, took in seconds.items() if file not in files)
    return left_out * min(1, run / every if every else 1) >= HALF * run


def _rewritten_meanwhile(subject: Subject, known: Known) -> Iterator[Fact]:
    """Tests that were other ones when the checks had ended, and are not always."""
    usual = set(known.base.touched) if known.base is not None else set()
    over = overlay.result(subject, known)
    names = {name for one in (known.head, over) if one is not None for name in one.touched}
    for name in sorted(names - usual):
        if (is_test(name) or name in subject.guarded) and name.endswith(ENDINGS):
            text = f"{name} was rewritten while the checks ran: what passed is not in the commit."
            yield Fact(FactKind.REPORT_FORGED, text, name)


@remembered
def _left_out(subject: Subject, known: Known) -> frozenset[str]:
    """Files of tests that are no longer run; what one calls may report its tests instead."""
    ran = {one.file for one in known.now.results if one.file}
    gone = {one.file for one in known.before.results} - ran if ran else set[str]()
    return frozenset(gone - subject.suite.reach.of(ran)) if gone else frozenset()


def _is_kept(subject: Subject, known: Known, test: str) -> bool:
    """Whether what a test of the base is about is in the tests that were changed.

    Files that no longer run hold nothing, whatever stands there.
    """
    path = known.before.by_id[test].file if test in known.before.by_id else ""
    helpers = {f"{name}()" for name in functions(path, subject.before(path))}
    about = about_test(test, path, subject.before(path)) - helpers
    after = subject.after(path)
    left_out = _left_out(subject, known)
    still = frozenset[str]()
    if path not in left_out and path.endswith(".py"):
        still = about_test(test, path, after)
    if still:  # the function is there: it must not have fewer cases; helpers may make the calls
        calls = {one for one in about if one.endswith("()")}
        return about - calls <= still and calls <= about_file(path, after)
    now: set[str] = set()
    for change in subject.candidate.files:
        mine = is_test(change.path) or change.path in subject.guarded
        if change.status != "D" and mine and change.path not in left_out:
            # what stood there already is no other place for it
            was = "" if change.old else subject.before(change.path)
            now |= about_fresh(change.path, subject.after(change.path), was)
    return bool(about) and about <= now

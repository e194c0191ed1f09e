"""Experiments without git or processes: what they want to try, and what they make of it."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from msgspec.structs import replace

from ralph.domain.evidence import FactKind
from ralph.domain.plan import Plan
from ralph.domain.settings import VerificationSettings
from ralph.domain.task import Kind, Task
from ralph.domain.tests import TestOutcome, TestReport, TestResult
from ralph.domain.trial import Trial
from ralph.domain.verdict import CheckResult, Level
from ralph.proof.examine import examine
from ralph.proof.experiment import BASE, HEAD, Experiment, Known, Variant
from ralph.proof.experiments.again import Reruns, flaky
from ralph.proof.experiments.green import Green
from ralph.proof.experiments.likeness import Likeness
from ralph.proof.experiments.overlay import Overlay
from ralph.proof.experiments.red_green import RedGreen
from ralph.proof.held_out import HeldOutChecks
from ralph.proof.red import FIRST, RED, red_in
from ralph.proof.subject import Subject
from ralph.repo import Candidate
from ralph.repo.diff import FileChange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    import pytest

    from ralph.domain.evidence import Fact
    from ralph.proof.lab import Lab

    Enough: TypeAlias = Callable[[dict[str, Variant], dict[str, Trial]], bool]

COMMAND = ("pytest", "-q")
OLD_TEST = "def test_old():\n    assert add(1, 2) == 3\n"
NEW_TEST = OLD_TEST + "\n\ndef test_new():\n    assert sub(3, 2) == 1\n"
TREES = {
    "base": {"app.py": "def add(a, b):\n    return a + b\n", "tests/test_app.py": OLD_TEST},
    "head": {
        "app.py": "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n",
        "tests/test_app.py": NEW_TEST,
    },
}
OLD, NEW = "tests/test_app.py::test_old", "tests/test_app.py::test_new"


class Repository:
    """Commits as dictionaries."""

    def show(self, commit: str, path: str) -> bytes | None:
        text = TREES[commit].get(path)
        return None if text is None else text.encode()

    def listing(self, commit: str) -> tuple[str, ...]:
        return tuple(TREES[commit])

    def search(self, commit: str, pattern: str, endings: Iterable[str]) -> list[tuple[str, str]]:
        del commit, pattern, endings
        return []

    def text_diff(self, base: str, commit: str) -> str:
        del base, commit
        return "--- a/app.py\n+++ b/app.py\n@@ -2,0 +3,1 @@\n+def sub(a, b):\n"


def subject(**settings: Any) -> Subject:
    safe: Future[None] = Future()
    safe.set_result(None)
    files = (FileChange("app.py", "M"), FileChange("tests/test_app.py", "M"))
    task = Task("T-1", "Subtract", kind=Kind.FEATURE)
    return Subject(
        task=task,
        plan=Plan("plan", (task,)),
        base="base",
        candidate=Candidate("head", "tree", "base", files, False, {}, {}, safe),
        files=("app.py", "tests/test_app.py"),
        inside={},
        commands=(COMMAND,),
        name="iteration-1",
        settings=VerificationSettings(**settings),
        root=Path("/nowhere"),
        repository=cast("Any", Repository()),
        held_out=HeldOutChecks("", Path("/nowhere")),
    )


def trial(*, red: Iterable[str] = (), green: Iterable[str] = (), seconds: float = 0) -> Trial:
    ended = {**dict.fromkeys(red, TestOutcome.FAILED), **dict.fromkeys(green, TestOutcome.PASSED)}
    results = tuple(
        TestResult(name, outcome, file=name.partition("::")[0], seconds=seconds)
        for name, outcome in ended.items()
    )
    passed = not any(True for _ in red)
    check = CheckResult(COMMAND, passed=passed, exit_code=0 if passed else 1, seconds=10)
    return Trial("", (check,), (TestReport("pytest", results),))


def test_the_tests_that_a_change_adds_are_tried_without_it_by_their_names() -> None:
    known = Known({BASE: trial(green=[OLD])})
    (wanted,) = RedGreen().variants(subject(), known)
    assert wanted.onto == "base"
    assert wanted.paths == ("tests/test_app.py",)
    assert wanted.commands == (("pytest", NEW, "-q"),)


def test_the_overlay_puts_the_tests_of_the_base_back() -> None:
    (wanted,) = Overlay().variants(subject(), Known({BASE: trial(green=[OLD])}))
    assert (wanted.onto, wanted.source, wanted.paths) == ("head", "base", ("tests/test_app.py",))
    assert not Overlay().wants(subject(overlay=False))


def test_a_test_that_is_red_without_the_work_shows_it() -> None:
    base, head = trial(green=[OLD]), trial(green=[OLD, NEW])
    shown = Known({BASE: base, HEAD: head, "red": trial(red=[NEW]), "overlay": base})
    assert not list(RedGreen().facts(subject(), shown))
    hidden = Known({BASE: base, HEAD: head, "red": trial(green=[NEW]), "overlay": base})
    assert [one.kind for one in RedGreen().facts(subject(), hidden)] == [FactKind.NO_RED_TEST]


def test_a_test_that_still_stands_in_a_file_that_no_longer_runs_is_gone() -> None:
    """Settings, or a module of its own, may leave the whole file out."""
    elsewhere = trial(green=["tests/test_other.py::test_other"])
    known = Known({BASE: trial(green=[OLD]), HEAD: elsewhere, "overlay": trial(green=[OLD])})
    assert FactKind.TEST_REMOVED in [one.kind for one in Green().facts(subject(), known)]
    beside = trial(green=["tests/test_app.py::test_renamed", NEW])
    known = Known({BASE: trial(green=[OLD]), HEAD: beside, "overlay": trial(green=[OLD])})
    assert [one.kind for one in Green().facts(subject(), known)] == [FactKind.TEST_REORGANISED]


def test_what_is_known_of_the_base_lets_a_run_be_listened_to() -> None:
    (first, *_) = Green().variants(subject(), Known({BASE: trial(green=[OLD])}))
    assert first.until is not None
    assert first.until(cast("TestReport", trial(red=[OLD]).report))
    assert not first.until(cast("TestReport", trial(green=[OLD]).report))
    (plain,) = Green().variants(subject(), Known())
    assert plain.until is None


def test_the_tests_of_a_change_and_a_neighbour_are_run_before_all_others() -> None:
    known = Known({BASE: trial(green=[OLD], seconds=9)})
    first, whole = Green().variants(subject(), known)
    assert (first.name, whole.name) == (FIRST, HEAD)
    assert (first.onto, first.commands) == ("head", (("pytest", NEW, OLD, "-q"),))
    quick = Known({BASE: trial(green=[OLD], seconds=1)})
    (whole,) = Green().variants(subject(), quick)
    assert whole.commands == (COMMAND,), "the runner takes longer than all its tests"


def test_a_late_neighbour_runs_as_well_for_it_may_need_others() -> None:
    others = [f"tests/test_app.py::test_{n}" for n in range(5)]
    slow = TestResult("tests/test_app.py::test_5", TestOutcome.PASSED, "tests/test_app.py", "", 99)
    base = trial(green=[OLD, *others], seconds=9)
    (report,) = base.reports
    assert report is not None
    report = replace(report, results=(*report.results, slow))
    first, _ = Green().variants(subject(), Known({BASE: replace(base, reports=(report,))}))
    assert first.commands == (("pytest", NEW, OLD, others[2], "-q"),)


def tried(**trials: Trial) -> Known:
    """With a base, a red trial that was asked for, and these."""
    red = Variant(RED, "base", (COMMAND,))
    known = Known({BASE: trial(green=[OLD])}).also({RED: red, FIRST: replace(red, name=FIRST)}, {})
    return known.also({}, trials)


def test_a_test_that_is_red_with_the_work_is_believed_once_it_was_tried_without() -> None:
    first = trial(red=[NEW], green=[OLD])
    assert not red_in(tried(first=first)), "the other trial runs beside it"
    assert red_in(tried(first=first, red=trial(red=[NEW]))) == FIRST
    assert not red_in(tried(first=trial(green=[NEW, OLD]), red=trial(red=[NEW])))


def test_work_that_is_not_done_is_sent_back_without_another_run() -> None:
    one = replace(subject(), known_base=trial(green=[OLD], seconds=9))
    bench = Told({FIRST: trial(red=[NEW], green=[OLD]), RED: trial(red=[NEW])})
    verdict = asyncio.run(examine(one, cast("Lab", bench), (RedGreen(), Green())))
    assert not verdict.passed
    assert NEW in verdict.why
    assert bench.asked == [RED, FIRST]


def test_a_test_that_fails_only_with_the_work_is_run_once_more() -> None:
    """So is one whose neighbours fail beside it: perhaps nothing in that file can run alone."""
    for first, red in (
        (trial(red=[NEW], green=[OLD]), trial(green=[NEW])),
        (trial(red=[NEW, OLD]), trial(red=[NEW])),
    ):
        one = replace(subject(), known_base=trial(green=[OLD], seconds=9))
        bench = Told({FIRST: first, RED: red, "base-alone": trial(green=[OLD])})
        assert not asyncio.run(examine(one, cast("Lab", bench), (RedGreen(), Green()))).passed
        assert f"{FIRST}-again-1" in bench.asked


def test_a_test_that_comes_and_goes_is_set_aside() -> None:
    known = Known({BASE: trial(green=[OLD]), HEAD: trial(red=[OLD], green=[NEW])})
    (wanted,) = Reruns().variants(subject(overlay=False), known)
    assert wanted.commands == (("pytest", OLD, "-q"),)
    known = known.also({}, {wanted.name: trial(green=[OLD])})
    (wanted,) = Reruns().variants(subject(overlay=False), known)
    assert wanted.commands == (COMMAND,), "what passes alone may still fail among the others"
    known = known.also({}, {wanted.name: trial(green=[OLD, NEW])})
    assert not list(Reruns().variants(subject(overlay=False), known))
    assert flaky(subject(overlay=False), known) == (OLD,)


def test_types_alone_have_to_look_like_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = "def add(a: int, b: int) -> int:\n    return a + b\n"
    told = "--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-def add(a, b):\n+def add(a: int, b: int):\n"
    monkeypatch.setitem(TREES, "head", {**TREES["base"], "app.py": typed})
    monkeypatch.setattr(Repository, "text_diff", lambda *_: told)
    known = Known({BASE: trial(green=[OLD]), HEAD: trial(green=[OLD])})

    def doubts(title: str) -> list[FactKind]:
        task = Task("T-1", title, kind=Kind.FEATURE)
        one = replace(subject(), task=task, files=("app.py",))
        return [fact.kind for fact in Likeness().facts(one, known)]

    assert doubts("Overloads of add for integers") == []
    assert doubts("Cache what servers have answered") == [FactKind.UNRELATED]


class Twice(Experiment):
    """Wants to see more once it has seen something."""

    name = "twice"

    def variants(self, subject: Subject, known: Known) -> Iterator[Variant]:
        yield Variant(HEAD, subject.commit, subject.commands)
        if HEAD in known:
            yield Variant("more", subject.commit, subject.commands)

    def facts(self, subject: Subject, known: Known) -> Iterator[Fact]:
        del subject
        assert set(known.trials) == {HEAD, "more"}
        yield from ()


class Bench:
    """Tries nothing, and remembers what it was asked."""

    notes = ("a note",)

    def __init__(self, result: Trial) -> None:
        self.result = result
        self.asked: list[str] = []

    async def all(
        self, variants: Iterable[Variant], log: str, enough: Enough
    ) -> tuple[dict[str, Variant], dict[str, Trial]]:
        del log, enough
        asked = {one.name: one for one in variants}
        self.asked += asked
        return asked, dict.fromkeys(asked, self.result)

    async def of(self, variant: Variant, log: str) -> Trial:
        del log
        self.asked.append(variant.name)
        return self.result

    def trusted(self) -> bool:
        return True


class Told(Bench):
    """One trial after the other, as they are told beforehand."""

    def __init__(self, trials: dict[str, Trial]) -> None:
        super().__init__(trial(red=[NEW], green=[OLD]))
        self.trials = trials

    async def all(
        self, variants: Iterable[Variant], log: str, enough: Enough
    ) -> tuple[dict[str, Variant], dict[str, Trial]]:
        del log
        asked: dict[str, Variant] = {}
        trials: dict[str, Trial] = {}
        for one in variants:
            self.asked.append(one.name)
            asked[one.name] = one
            trials[one.name] = self.trials.get(one.name, self.result)
            if enough(asked, trials):
                break
        return asked, trials

    async def of(self, variant: Variant, log: str) -> Trial:
        return self.trials.get(variant.name) or await super().of(variant, log)


def test_experiments_are_asked_until_nobody_wants_to_see_more() -> None:
    bench = Bench(trial(green=[OLD, NEW]))
    verdict = asyncio.run(examine(subject(), cast("Lab", bench), (Twice(),)))
    assert bench.asked == [HEAD, "more"]
    assert verdict.passed
    assert verdict.notes == ("a note",)


def test_work_that_turns_a_test_red_fails_and_names_it() -> None:
    one = replace(subject(), known_base=trial(green=[OLD]))
    bench = Bench(trial(red=[OLD], green=[NEW]))
    verdict = asyncio.run(examine(one, cast("Lab", bench), (Green(), Twice())))
    assert not verdict.passed
    assert verdict.level is Level.NONE
    assert OLD in verdict.why

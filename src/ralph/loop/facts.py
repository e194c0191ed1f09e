"""What the difference and the trials say about a candidate, as facts."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from msgspec import structs

from ralph.checks import diff_facts, test_content
from ralph.checks.around import around
from ralph.checks.assertions import asserts, rewritten, skips_itself, source_of
from ralph.checks.hollowed import only_missed
from ralph.checks.loose import is_loose
from ralph.checks.program import does_the_same
from ralph.checks.reached import ENDINGS
from ralph.checks.results.recognise import words
from ralph.checks.special_cases import answered
from ralph.domain.evidence import Fact, FactKind, Weight
from ralph.domain.task import Kind
from ralph.loop.variants import showing, text_at
from ralph.policy import proof as proving
from ralph.policy.answers import parameters
from ralph.policy.paths import is_plan, is_runner, is_source, is_test, is_words, leads_out
from ralph.policy.plausible import Touched, doubt, is_about, named
from ralph.policy.suppressions import is_looking, silences
from ralph.policy.weigh import PRODUCING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ralph.domain.evidence import Weighed
    from ralph.domain.tests import TestResult
    from ralph.loop.ports import Grounds
    from ralph.loop.proof import Case

LINK = "120000"
"""What git calls a link."""
DETAILS = 3
"""Tests of which a person is shown what they assert."""
_ABOUT_ASSERTIONS = frozenset(
    {FactKind.OVERLAY_RED, FactKind.TEST_REWRITTEN, FactKind.TEST_REMOVED}
)


def look(grounds: Grounds, case: Case) -> None:
    """What the difference and the trials say."""
    settings, task = grounds.settings.verification, case.attempt.task
    files = case.proof.files
    changes = diff_facts.by_file(case.difference)
    if settings.smells:
        before = partial(text_at, grounds, case.attempt.base)
        case.facts.extend(
            diff_facts.facts(
                files,
                changes,
                before,
                task,
                case.commands,
                looking=partial(_is_looked_at, grounds, case),
                code=_code(grounds, case, changes) if task.kind is Kind.DOCS else (),
                tests={result.file for result in (case.head.report or proving.EMPTY).results},
            )
        )
    case.facts.extend(_links(grounds, case))
    case.facts.extend(_rewritten_meanwhile(case))
    kept = partial(_is_kept, grounds, case)
    case.facts.extend(proving.about_tests(case.base, case.head, case.overlay, kept=kept))
    if case.overlay is not None and case.overlay is not case.head:
        only_tests = case.scope.only_tests(case.base.report if case.base is not None else None)
        case.facts.extend(
            proving.about_overlay(
                case.base, case.head, case.overlay, case.flaky, only_tests=only_tests
            )
        )
    case.shown = tuple(
        sorted(proving.shown_by(case.base, case.head, case.overlay, case.red) - set(case.flaky))
    )
    alone = (case.first.report if case.first is not None else None) or proving.EMPTY
    unfit = {one.id for one in alone.red}  # red alone with the change as well, so for other reasons
    case.shown = tuple(n for n in case.shown if n not in unfit and _shows(grounds, case, n))
    if settings.smells and task.kind in PRODUCING:
        sources = [one.text for one in showing(grounds, case)]
        case.facts.extend(_special_cases(grounds, case, "\n".join(sources)))
        tests = [*sources, *map(parameters, case.shown)]
        case.facts.extend(diff_facts.from_memory(changes, "\n".join(tests), task))
    if settings.red_green and proving.wants_red_test(task, case.head) and not case.shown:
        text = "No test fails without this change and passes with it."
        case.facts.append(Fact(FactKind.NO_RED_TEST, text))
        skips = partial(_skips, grounds, case)
        case.facts.extend(proving.about_new_tests(case.base, case.head, skips))
        if why := _doubt(grounds, case, changes):
            kind = FactKind.NO_SOURCE if why.startswith("No source") else FactKind.UNRELATED
            case.facts.append(Fact(kind, why))


def _links(grounds: Grounds, case: Case) -> Iterator[Fact]:
    """Links that lead out of the repository: what is there may be anything, and may change."""
    for change in case.proof.candidate.files:
        if change.mode == LINK and change.status != "D":
            target = text_at(grounds, case.proof.candidate.commit, change.path)
            if leads_out(change.path, target):
                text = f"{change.path} is a link to {target}, which is not in the repository."
                yield Fact(FactKind.LINK_OUT, text, change.path)


def _rewritten_meanwhile(case: Case) -> Iterator[Fact]:
    """Tests that were other ones when the checks had ended, and are not always."""
    usual = set(case.base.touched) if case.base is not None else set()
    tried = (case.head, *filter(None, (case.overlay,)))
    names = {name for trial in tried for name in trial.touched} - usual
    for name in sorted(names):
        if (is_test(name) or name in case.guarded) and name.endswith(ENDINGS):
            text = f"{name} was rewritten while the checks ran: what passed is not in the commit."
            yield Fact(FactKind.REPORT_FORGED, text, name)


def _is_kept(grounds: Grounds, case: Case, test: str) -> bool:
    """Whether what a test of the base is about is in the tests that were changed."""
    before = (case.base.report if case.base is not None else None) or proving.EMPTY
    path = before.by_id[test].file if test in before.by_id else ""
    about = test_content.of_test(test, path, text_at(grounds, case.attempt.base, path))
    after = text_at(grounds, case.proof.candidate.commit, path)
    still = test_content.of_test(test, path, after) if path.endswith(".py") else frozenset()
    if still:  # the function is there: it must not have fewer cases; helpers may make the calls
        calls = {one for one in about if one.endswith("()")}
        return about - calls <= still and calls <= test_content.of_text(path, after)
    now: set[str] = set()
    for change in case.proof.candidate.files:
        mine = is_test(change.path) or change.path in case.guarded
        if change.status != "D" and mine:
            text = text_at(grounds, case.proof.candidate.commit, change.path)
            now |= test_content.of_text(change.path, text)
    return bool(about) and about <= now


def _shows(grounds: Grounds, case: Case, test: str) -> bool:
    """A test that looks at nothing, and failed for a missing name alone, shows nothing."""
    known = (case.head.report or proving.EMPTY).by_id
    path = known[test].file if test in known else ""
    text = text_at(grounds, case.proof.candidate.commit, path)
    return asserts(test, path, text) or not only_missed(case.red, (test,))


def _skips(grounds: Grounds, case: Case, result: TestResult) -> bool:
    """Whether a test is never run: it says so itself, or there is nothing to run it with."""
    text = text_at(grounds, case.proof.candidate.commit, result.file)
    return "empty parameter set" in result.message or skips_itself(result.id, result.file, text)


def _special_cases(grounds: Grounds, case: Case, tests: str) -> Iterator[Fact]:
    """Answers to the tests' own questions in front of code that is still what it was."""
    task = case.attempt.task
    wanted = "\n".join((task.title, task.description, *task.criteria))
    for path in case.proof.files:
        if path.endswith(".py") and is_source(path):
            before = text_at(grounds, case.attempt.base, path)
            after = text_at(grounds, case.proof.candidate.commit, path)
            if found := answered(before, after, tests, wanted):
                text = (
                    f"{path} answers the tests and is otherwise as it was: {'; '.join(found[:3])}."
                )
                yield Fact(FactKind.ANSWERS, text, path)


def _doubt(grounds: Grounds, case: Case, changes: Mapping[str, diff_facts.Lines]) -> str:
    """Why a change that no test shows may not be the task at all."""
    commit = case.proof.candidate.commit
    code = _code(grounds, case, changes)
    touched: list[Touched] = []
    for path in case.proof.files:
        lines = changes.get(path, diff_facts.Lines())
        after = text_at(grounds, commit, path)
        inside = around(path, after, lines.at) if path in code or is_test(path) else ()
        before = text_at(grounds, case.attempt.base, path)
        used = partial(_is_used, grounds, case, path)
        loose = is_loose(path, before, after, lines.at, used)
        loose = loose and (bool(before) or not _is_called_for(grounds, case, path))
        touched.append(Touched(path, lines.added + lines.removed, inside, loose))
    idle = {path for path in case.proof.files if is_source(path)}.difference(code)
    return doubt(case.attempt.task, touched, idle, partial(_exists, grounds, case))


def _is_used(grounds: Grounds, case: Case, where: str, name: str) -> bool:
    """Whether the name stands in other source than this file."""
    pattern = rf"(^|[^A-Za-z0-9_]){re.escape(name)}([^A-Za-z0-9_]|$)"
    found = grounds.workspace.search(case.proof.candidate.commit, pattern, ("",))
    return any(path != where and is_source(path) and not is_plan(path) for path, _ in found)


def _is_called_for(grounds: Grounds, case: Case, path: str) -> bool:
    """Whether a file stands in other source or settings by its path, as imports and scripts do."""
    name = path.rpartition("/")[2]
    pattern = rf"/{re.escape(name.partition('.')[0] or name)}([.\"' ]|$)"
    found = grounds.workspace.search(case.proof.candidate.commit, pattern, ("",))
    return any(other != path and (is_source(other) or is_runner(other)) for other, _ in found)


def _exists(grounds: Grounds, case: Case, name: str) -> bool:
    """Whether the name stands in something that is neither a test nor words nor a plan."""
    pattern = re.sub(
        r"[A-Za-z]", lambda one: f"[{one[0].lower()}{one[0].upper()}]", re.escape(name)
    )
    found = grounds.workspace.search(case.proof.candidate.commit, pattern, ("",))
    paths = {path for path, _ in found}.difference(case.proof.inside)
    return not all(is_test(path) or is_words(path) or is_plan(path) for path in paths)


def _is_looked_at(grounds: Grounds, case: Case, tools: Collection[str]) -> bool:
    """Whether a check runs one of these tools, or may."""
    reports = (*case.head.reports, *(None,) * len(case.commands))
    named = [words(one, grounds.root) for one in case.commands]
    told = all(
        report is not None or is_looking(some) for some, report in zip(named, reports, strict=False)
    )
    return silences(tools, frozenset().union(*named), told=told)


def _code(grounds: Grounds, case: Case, changes: Mapping[str, diff_facts.Lines]) -> list[str]:
    """The files in which the program was changed, and not only what is said about it."""
    before, after = case.attempt.base, case.proof.candidate.commit
    return [
        path
        for path in diff_facts.changed_code(case.proof.files, changes)
        if not does_the_same(path, text_at(grounds, before, path), text_at(grounds, after, path))
    ]


def about_old_red(grounds: Grounds, case: Case, old: tuple[str, ...]) -> Iterator[Fact]:
    """Tests that were red before: the task may be about those that can see the change."""
    report = case.head.report or proving.EMPTY
    old = tuple(name for name in old if name in report.by_id)
    seen: Collection[str] | None = ()
    if old and case.attempt.task.kind in PRODUCING:
        # where no source was changed, no test can see it, and the task may be just that test
        files = {one.file for one in report.results}
        seen = case.scope.seeing(files) if case.scope.source() else None
    seeing = tuple(
        name
        for name in old
        if (seen is None or report.by_id[name].file in seen)
        and _may_be_the_task(grounds, case, name, report.by_id[name].file)
    )
    if seeing:
        text = (
            f"Red before this task, red still, and they see the change: {proving.listed(seeing)}."
        )
        yield Fact(FactKind.STILL_RED, text, tests=seeing)
    if rest := tuple(name for name in old if name not in seeing):
        text = f"Red before this task, and still: {proving.listed(rest)}."
        yield Fact(FactKind.WAS_RED, text, tests=rest)


def _may_be_the_task(grounds: Grounds, case: Case, test: str, path: str) -> bool:
    """Whether a red test speaks of what the task speaks of, or calls what was changed."""
    commit = case.proof.candidate.commit
    source = source_of(test, path, text_at(grounds, commit, path))
    if not source:
        return True
    changed: set[str] = set()
    for name, lines in diff_facts.by_file(case.difference).items():
        if is_source(name):
            changed.update(around(name, text_at(grounds, commit, name), lines.at))
    about = test_content.of_test(test, path, text_at(grounds, commit, path))
    called = {one.removesuffix("()") for one in about}
    task = case.attempt.task
    wanted = named("\n".join((task.title, *task.criteria)))
    return not called.isdisjoint((*changed, *wanted)) or is_about(task, source)


def detailed(grounds: Grounds, case: Case, weighed: Weighed) -> Weighed:
    """With the old and the new assertions, where a person is asked about tests."""
    fact = weighed.fact
    if weighed.weight is not Weight.ASK or fact.kind not in _ABOUT_ASSERTIONS:
        return weighed
    before = (case.base.report if case.base is not None else None) or proving.EMPTY
    known = {**(case.head.report or proving.EMPTY).by_id, **before.by_id}
    moved = {c.old: c.path for c in case.proof.candidate.files if c.old}
    found: list[str] = []
    for name in fact.tests[:DETAILS]:
        path = known[name].file if name in known else ""
        old = text_at(grounds, case.attempt.base, path)
        new = text_at(grounds, case.proof.candidate.commit, moved.get(path, path))
        one = rewritten(name, path, old, new)
        found.append(one.shown if one is not None else name)
    more = len(fact.tests) - DETAILS
    found += [f"and {more} more"] if more > 0 else []
    return structs.replace(weighed, fact=structs.replace(fact, detail="\n".join(found)))

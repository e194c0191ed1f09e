"""Acceptance criteria with a check of their own: each gets its own evidence."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from ralph.checks.answering import answers
from ralph.domain.evidence import COVERED, NOBODY, Evidence, Fact, FactKind
from ralph.domain.task import shown as as_typed
from ralph.domain.trial import Trial
from ralph.domain.verdict import CheckResult
from ralph.proof.assertions import asserted, source_of
from ralph.proof.experiment import Experiment, Variant, remembered
from ralph.proof.experiments.again import is_green
from ralph.proof.experiments.held_out import laid
from ralph.proof.experiments.red_green import shown
from ralph.proof.plausible import named

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ralph.domain.task import Bound
    from ralph.domain.tests import TestReport, TestResult
    from ralph.proof.experiment import Known, Site
    from ralph.proof.subject import Subject

LITERAL = re.compile(r"-?\d+(?:\.\d+)?|\"[^\"\n]+\"|'[^'\n]+'")
_ERROR = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")
ENOUGH = 2
"""Names and values of a criterion that a test has to hold before it counts as its own."""


class Criteria(Experiment):
    name = "criteria"
    what = "Every criterion with a check of its own gets its own evidence."
    setting = "in the plan"

    def variants(self, subject: Subject, known: Known) -> Iterator[Variant]:
        if is_green(subject, known):
            for name, bound in _bound(subject).values():
                yield from _variant(subject, bound, name)

    def facts(self, subject: Subject, known: Known) -> Iterator[Fact]:
        for one in evidence(subject, known):
            if one.bound and one.passed is None:
                yield Fact(FactKind.FOR_A_PERSON, f"Only a person can tell: {one.criterion}")
            elif one.bound and not one.passed:
                yield Fact(FactKind.UNMET, f"Not met: {one.criterion} ({one.how})")


@remembered
def evidence(subject: Subject, known: Known) -> tuple[Evidence, ...]:
    """What proves each criterion."""
    bound = _bound(subject)
    return tuple(
        _of(subject, known, *bound[one]) if one in bound else _shared(subject, known, one)
        for one in subject.task.criteria
    )


def _bound(subject: Subject) -> dict[str, tuple[str, Bound]]:
    """The criteria that have a check, with the names of their trials."""
    bound = {one.criterion: one for one in subject.task.bound}
    return {
        criterion: (f"criterion-{number}", bound[criterion])
        for number, criterion in enumerate(subject.task.criteria, 1)
        if criterion in bound
    }


def _shared(subject: Subject, known: Known, criterion: str) -> Evidence:
    """A criterion without a check: a test that shows the work may speak of it, or nobody looked."""
    wanted = (*named(criterion), *LITERAL.findall(criterion))
    tests = shown(subject, known)
    for test in tests if len(wanted) >= ENOUGH else ():
        file = known.now.by_id[test].file if test in known.now.by_id else ""
        text = source_of(test, file, subject.after(file))
        speaks = bool(text) and all(word.strip("'\"") in text for word in wanted)
        # what is caught may never have been raised: a test has to ask for it
        asked_for = " ".join(asserted(file, subject.after(file), test))
        if speaks and all(error in asked_for for error in _ERROR.findall(criterion)):
            return Evidence(criterion, test, passed=True)
    return Evidence(criterion, COVERED if tests else NOBODY)


def _variant(subject: Subject, bound: Bound, name: str) -> Iterator[Variant]:
    """What has to be tried for it; nothing if a look will do."""
    if bound.person:
        return
    if bound.command:
        yield Variant(name, subject.commit, (bound.command,))
    elif bound.held_out:
        check = subject.held_out.find(bound.held_out)
        if check is not None:
            yield laid(subject, check, name)
    elif bound.url:
        yield Variant(name, subject.commit, visit=partial(_url, subject, bound, name))
    elif bound.flow:
        visit = partial(_flow, subject, bound, name)
        edited = _edited_flows(subject, bound)
        yield Variant(name, subject.commit, source=subject.base, paths=edited, visit=visit)


def _edited_flows(subject: Subject, bound: Bound) -> tuple[str, ...]:
    """The flow and its pictures are put back as they were: they are not the agent's to edit.

    A flow that the base does not have is the task's own to write.
    """
    if subject.repository.show(subject.base, bound.flow) is None:
        return ()
    folder = bound.flow.rpartition("/")[0]
    return tuple(name for name in subject.protected if not folder or name.startswith(f"{folder}/"))


def _of(subject: Subject, known: Known, name: str, bound: Bound) -> Evidence:
    if bound.person:
        return Evidence(bound.criterion, "", None, bound=True)
    tried = known.get(name)
    if bound.held_out:
        return _held_out(subject, bound, tried)
    if tried is not None:
        result = tried.results[0]
        how = as_typed(bound.command) if bound.command else result.tail
        return Evidence(
            bound.criterion, how, tried.passed, result.output_sha256, result.log, bound=True
        )
    return _file(subject, bound) if bound.file else _tests(bound, known.head.report)


def _held_out(subject: Subject, bound: Bound, tried: Trial | None) -> Evidence:
    check = subject.held_out.find(bound.held_out)
    if check is None or tried is None:
        how = f"there is no held-out check `{bound.held_out}`"
        return Evidence(bound.criterion, how, None, bound=True)  # no agent can mend that
    how = f"the held-out check `{check.name}`"
    return Evidence(bound.criterion, how, check.fact(tried) is None, bound=True)


async def _url(subject: Subject, bound: Bound, name: str, site: Site) -> Trial:
    log = site.logs / f"{subject.name}-{name}.log"
    wrong = await answers(bound, site.root, site.env, log, site.runner)
    return _seen(subject, wrong or bound.url, passed=not wrong)


async def _flow(subject: Subject, bound: Bound, name: str, site: Site) -> Trial:
    from ralph.checks.browser import run_flow

    out, root = site.logs / f"{subject.name}-{name}", site.root
    result = await run_flow(root / bound.flow, root, site.env, out, runner=site.runner)
    how = bound.flow if result.passed else f"{bound.flow}: {result.findings[0].text}"
    return _seen(subject, how, passed=result.passed, log=result.report)


def _seen(subject: Subject, how: str, *, passed: bool, log: str = "") -> Trial:
    result = CheckResult((), passed, None, 0, tail=how, log=log)
    return Trial(subject.commit, (result,), (None,))


def _file(subject: Subject, bound: Bound) -> Evidence:
    data = subject.repository.show(subject.commit, bound.file)
    there = data is not None and bound.contains in data.decode("utf-8", "replace")
    inside = f" with {bound.contains!r}" if bound.contains else ""
    return Evidence(bound.criterion, f"the file {bound.file}{inside}", there, bound=True)


def _tests(bound: Bound, report: TestReport | None) -> Evidence:
    if report is None:
        return Evidence(bound.criterion, "its tests are not reported", passed=False, bound=True)
    missing = [name for name in bound.tests if not _green(report.by_id, name)]
    how = f"not run, or failed: {', '.join(missing)}" if missing else ", ".join(bound.tests)
    return Evidence(bound.criterion, how, not missing, bound=True)


def _green(results: Mapping[str, TestResult], name: str) -> bool:
    """Whether the tests of this name were run and all passed; a part of an id will do."""
    fitting = [result for key, result in results.items() if _names(key, name)]
    return bool(fitting) and all(result.outcome.is_green for result in fitting)


def _names(key: str, name: str) -> bool:
    return key == name or key.endswith((f"::{name}", f" {name}")) or key.startswith(f"{name}[")

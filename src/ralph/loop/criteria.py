"""Acceptance criteria with a check of their own: each gets its own evidence."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from ralph.checks.answering import answers
from ralph.checks.assertions import source_of
from ralph.domain.evidence import COVERED, NOBODY, Evidence, Fact, FactKind
from ralph.domain.task import shown
from ralph.loop.trials import Wanted
from ralph.loop.variants import text_at
from ralph.policy.plausible import named
from ralph.policy.proof import EMPTY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ralph.domain.task import Bound
    from ralph.domain.tests import TestResult
    from ralph.domain.trial import Trial
    from ralph.loop.ports import Grounds
    from ralph.loop.proof import Case

LITERAL = re.compile(r"-?\d+(?:\.\d+)?|\"[^\"\n]+\"|'[^'\n]+'")
ENOUGH = 2
"""Names and values of a criterion that a test has to hold before it counts as its own."""


async def evidence(grounds: Grounds, case: Case) -> tuple[tuple[Evidence, ...], tuple[Fact, ...]]:
    """What proves each criterion, and what speaks against the task because of it."""
    task = case.attempt.task
    bound = {one.criterion: one for one in task.bound}
    found: list[Evidence] = []
    facts: list[Fact] = []
    for number, criterion in enumerate(task.criteria, 1):
        one = bound.get(criterion)
        if one is None:
            found.append(_shared(grounds, case, criterion))
            continue
        made = await _of(grounds, case, one, f"{case.name}-criterion-{number}")
        found.append(made)
        facts.extend(_against(made))
    return tuple(found), tuple(facts)


def _shared(grounds: Grounds, case: Case, criterion: str) -> Evidence:
    """A criterion without a check: a test that shows the work may speak of it, or nobody looked."""
    wanted = (*named(criterion), *LITERAL.findall(criterion))
    if len(wanted) >= ENOUGH:
        known = (case.head.report or EMPTY).by_id
        for test in case.shown:
            file = known[test].file if test in known else ""
            text = source_of(test, file, text_at(grounds, case.proof.candidate.commit, file))
            if text and all(word.strip("'\"") in text for word in wanted):
                return Evidence(criterion, test, passed=True)
    return Evidence(criterion, COVERED if case.shown else NOBODY)


def _against(made: Evidence) -> tuple[Fact, ...]:
    if made.passed is None:
        return (Fact(FactKind.FOR_A_PERSON, f"Only a person can tell: {made.criterion}"),)
    if not made.passed:
        return (Fact(FactKind.UNMET, f"Not met: {made.criterion} ({made.how})"),)
    return ()


async def _of(grounds: Grounds, case: Case, bound: Bound, name: str) -> Evidence:
    commit = case.proof.candidate.commit
    if bound.person:
        return Evidence(bound.criterion, "", None, bound=True)
    if bound.command:
        return await _command(grounds, bound, commit, name)
    if bound.held_out:
        return await _held_out(grounds, bound, commit, name)
    if bound.url:
        return await grounds.trials.at(commit, partial(_url, grounds, bound, name))
    if bound.flow:
        commit = _with_flows_of_base(grounds, case, bound)
        return await grounds.trials.at(commit, partial(_flow, grounds, bound, name))
    return _file(grounds, bound, commit) if bound.file else _tests(bound, case.head)


def _with_flows_of_base(grounds: Grounds, case: Case, bound: Bound) -> str:
    """The candidate with the flow and its pictures as they were: they are not the agent's to edit.

    A flow that the base does not have is the task's own to write.
    """
    commit, base = case.proof.candidate.commit, case.attempt.base
    if grounds.workspace.show(base, bound.flow) is None:
        return commit
    folder = bound.flow.rpartition("/")[0]
    edited = [name for name in case.protected if not folder or name.startswith(f"{folder}/")]
    return grounds.workspace.variant(commit, base, edited) if edited else commit


async def _command(grounds: Grounds, bound: Bound, commit: str, name: str) -> Evidence:
    trial = await grounds.trials.of(Wanted(commit, (bound.command,), name))
    (result, *_) = trial.results
    return Evidence(
        bound.criterion,
        shown(bound.command),
        trial.passed,
        result.output_sha256,
        result.log,
        bound=True,
    )


async def _held_out(grounds: Grounds, bound: Bound, commit: str, name: str) -> Evidence:
    check = grounds.held_out.find(bound.held_out)
    if check is None:
        how = f"there is no held-out check `{bound.held_out}`"
        return Evidence(bound.criterion, how, None, bound=True)  # no agent can mend that
    variant = grounds.workspace.variant(commit, write=check.files)
    trial = await grounds.trials.of(Wanted(variant, (check.command,), name, hidden=True))
    how = f"the held-out check `{check.name}`"
    return Evidence(bound.criterion, how, check.fact(trial) is None, bound=True)


async def _url(
    grounds: Grounds, bound: Bound, name: str, root: Path, env: Mapping[str, str]
) -> Evidence:
    log, run = grounds.logs() / f"{name}.log", grounds.checker.runner
    wrong = await answers(bound, root, env, log, run)
    return Evidence(bound.criterion, wrong or bound.url, not wrong, bound=True)


async def _flow(
    grounds: Grounds, bound: Bound, name: str, root: Path, env: Mapping[str, str]
) -> Evidence:
    from ralph.checks.browser import run_flow

    out, run = grounds.logs() / name, grounds.checker.runner
    result = await run_flow(root / bound.flow, root, env, out, runner=run)
    how = bound.flow if result.passed else f"{bound.flow}: {result.findings[0].text}"
    return Evidence(bound.criterion, how, result.passed, log=result.report, bound=True)


def _file(grounds: Grounds, bound: Bound, commit: str) -> Evidence:
    data = grounds.workspace.show(commit, bound.file)
    there = data is not None and bound.contains in data.decode("utf-8", "replace")
    inside = f" with {bound.contains!r}" if bound.contains else ""
    return Evidence(bound.criterion, f"the file {bound.file}{inside}", there, bound=True)


def _tests(bound: Bound, head: Trial) -> Evidence:
    report = head.report
    if report is None:
        return Evidence(bound.criterion, "its tests are not reported", passed=False, bound=True)
    missing = [name for name in bound.tests if not _green(report.by_id, name)]
    how = f"not run or not green: {', '.join(missing)}" if missing else ", ".join(bound.tests)
    return Evidence(bound.criterion, how, not missing, bound=True)


def _green(results: Mapping[str, TestResult], name: str) -> bool:
    """Whether the tests of this name were run and all passed; a part of an id will do."""
    fitting = [result for key, result in results.items() if _names(key, name)]
    return bool(fitting) and all(result.outcome.is_green for result in fitting)


def _names(key: str, name: str) -> bool:
    return key == name or key.endswith((f"::{name}", f" {name}")) or key.startswith(f"{name}[")

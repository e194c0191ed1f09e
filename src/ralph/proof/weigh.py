"""What follows from the facts about a change: a note, a question, or back to the agent."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from ralph.domain.evidence import FactKind, Weighed, Weight
from ralph.domain.settings import Unproven
from ralph.domain.task import Kind
from ralph.domain.verdict import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ralph.domain.evidence import Fact
    from ralph.domain.settings import VerificationSettings
    from ralph.domain.task import Task

PRODUCING = frozenset({Kind.FEATURE, Kind.FIX})
"""Kinds of tasks that change what the program does, so that a test can show it."""

UNPROVEN = frozenset({FactKind.NO_RED_TEST, FactKind.PARTLY})
"""Work, or a part of it, that no test shows."""

DEFAULTS: Mapping[FactKind, Weight] = {
    FactKind.NO_TEST_RAN: Weight.REJECT,
    FactKind.TEST_REMOVED: Weight.ASK,
    FactKind.TEST_REORGANISED: Weight.NOTE,
    FactKind.TEST_SKIPPED: Weight.ASK,
    FactKind.TEST_REWRITTEN: Weight.ASK,
    FactKind.TEST_LOOSENED: Weight.NOTE,
    FactKind.OVERLAY_RED: Weight.ASK,
    FactKind.REPORT_FORGED: Weight.ASK,
    FactKind.CANARY_SILENT: Weight.ASK,
    FactKind.UNHEEDED: Weight.ASK,
    FactKind.UNNOTICED: Weight.ASK,
    FactKind.PARTLY: Weight.NOTE,
    FactKind.RUNNER_CHANGED: Weight.NOTE,
    FactKind.SHADOWED: Weight.ASK,
    FactKind.CI_CHANGED: Weight.NOTE,
    FactKind.LINK_OUT: Weight.ASK,
    FactKind.AGENT_CONFIG: Weight.ASK,
    FactKind.SMELL: Weight.ASK,
    FactKind.ANSWERS: Weight.ASK,
    FactKind.SECRET: Weight.REJECT,
    FactKind.SUPPRESSED: Weight.NOTE,
    FactKind.SILENCED: Weight.ASK,
    FactKind.NO_SOURCE: Weight.ASK,
    FactKind.UNRELATED: Weight.ASK,
    FactKind.OFF_TASK: Weight.ASK,
    FactKind.NO_RED_TEST: Weight.NOTE,
    FactKind.BELOW: Weight.ASK,
    FactKind.UNMET: Weight.REJECT,
    FactKind.FOR_A_PERSON: Weight.ASK,
    FactKind.HELD_OUT_RED: Weight.REJECT,
    FactKind.JUDGED: Weight.ASK,
    FactKind.BROKE_EARLIER: Weight.NOTE,
    FactKind.FLAKY: Weight.NOTE,
    FactKind.WAS_RED: Weight.NOTE,
    FactKind.STILL_RED: Weight.ASK,
    FactKind.RULE: Weight.ASK,
}
"""Changed configuration is only noted, because the overlay shows what comes of it."""


def weigh(facts: Iterable[Fact], task: Task, settings: VerificationSettings) -> tuple[Weighed, ...]:
    """Each fact with what follows from it in this task."""
    return tuple(_weighed(fact, task, settings) for fact in facts)


def _weighed(fact: Fact, task: Task, settings: VerificationSettings) -> Weighed:
    if fact.kind.value in task.allow:
        return Weighed(fact, Weight.NOTE, "the task allows it")
    if declared(fact, task):
        return Weighed(fact, Weight.NOTE, "the task declares it (may_change_tests)")
    for weight in (Weight.REJECT, Weight.ASK, Weight.NOTE):
        if fact.kind.value in getattr(settings, weight.value):
            return Weighed(fact, weight, f"verification.{weight} names it")
    if fact.kind in UNPROVEN:
        return _unproven(fact, settings)
    return Weighed(fact, fact.weight or DEFAULTS[fact.kind])


def _unproven(fact: Fact, settings: VerificationSettings) -> Weighed:
    if settings.unproven is not Unproven.LAND:
        weight = Weight.ASK if settings.unproven is Unproven.ASK else Weight.REJECT
        return Weighed(fact, weight, f"verification.unproven is {settings.unproven}")
    if settings.require == Level.PROVEN:
        return Weighed(fact, Weight.ASK, "verification.require is proven")
    return Weighed(fact, DEFAULTS[fact.kind])


def declared(fact: Fact, task: Task) -> bool:
    """Whether all that the fact names is what the task changes on purpose."""
    if not task.may_change_tests or fact.kind not in _ABOUT_TESTS:
        return False
    named = fact.tests or ((fact.path,) if fact.path else ())
    return bool(named) and all(is_declared(one, task.may_change_tests) for one in named)


_ABOUT_TESTS = frozenset(
    {
        FactKind.TEST_REMOVED,
        FactKind.TEST_SKIPPED,
        FactKind.TEST_REWRITTEN,
        FactKind.OVERLAY_RED,
        FactKind.RUNNER_CHANGED,
    }
)


def is_declared(name: str, patterns: Iterable[str]) -> bool:
    """Whether a test's id or a path fits one of the patterns, or lies below one."""
    return any(
        fnmatchcase(name, pattern)
        or name.startswith((f"{pattern}::", f"{pattern.rstrip('/')}/", f"{pattern} \u203a"))
        or pattern in name.replace(" \u203a ", "::").split("::")
        for pattern in patterns
    )


def heaviest(weighed: Iterable[Weighed]) -> Weight | None:
    found = {one.weight for one in weighed}
    return next((w for w in (Weight.REJECT, Weight.ASK, Weight.NOTE) if w in found), None)

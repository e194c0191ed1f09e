"""One commit before the court: what Ralph says of it, and what that costs."""

from __future__ import annotations

import time
from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from ralph.domain.evidence import FactKind
from ralph.domain.verdict import Level, Verdict
from ralph.proof.assertions import asserted
from ralph.proof.experiment import Variant
from ralph.proof.paths import is_test

if TYPE_CHECKING:
    from ralph.domain.evidence import Weighed
    from ralph.domain.trial import Trial
    from ralph.flows.calibrate.court import Court
    from ralph.flows.calibrate.history import Past


class ReplayOutcome(StrEnum):
    SETTLED = "settled"
    ASKED = "asked"
    REJECTED = "rejected"
    UNFIT = "unfit"
    """The checks do not pass at the commit when they are run plainly: nothing can be said."""


class Replayed(Struct, frozen=True):
    """What came of one commit."""

    commit: str
    subject: str
    outcome: ReplayOutcome
    level: Level
    why: str
    untested: bool
    kinds: tuple[str, ...]
    """What was asked about or sent it back, by kind of fact."""
    base_seconds: float
    seconds: float
    """From the finished work to the verdict, once the base is known."""
    verdict: Verdict
    rewrites: bool = False
    """Whether something that a test asserted before is asserted no longer."""
    red_seconds: float | None = None
    """How soon the same without its source is sent back, if that was asked and a test shows it."""


async def replay(court: Court, past: Past, number: int, *, red: bool = False) -> Replayed:
    begun = time.monotonic()
    await court.lab.of(Variant(f"{number}-base", past.parent, court.commands, lasting=True))
    known = time.monotonic()
    verdict = await court.lab.prove(court.subject(past, number))
    done = time.monotonic()
    outcome = outcome_of(verdict)
    if verdict.failure is not None and not await passes_plainly(court, past):
        outcome = ReplayOutcome.UNFIT
    against = verdict.rejects if outcome is ReplayOutcome.REJECTED else verdict.asks
    return Replayed(
        commit=past.commit,
        subject=past.subject,
        outcome=outcome,
        level=verdict.level,
        why=verdict.why,
        untested=verdict.untested,
        kinds=tuple(dict.fromkeys(one.fact.kind.value for one in against)),
        base_seconds=known - begun,
        seconds=done - known,
        verdict=verdict,
        rewrites=rewrites(court, past) or any(map(_is_edited, verdict.facts)),
        red_seconds=await _red(court, past, number) if red and verdict.shown else None,
    )


def rewrites(court: Court, past: Past) -> bool:
    """Whether an assertion of the base's tests is nowhere in the tests that were changed."""
    tests = [one for one in past.files if is_test(one.path) or is_test(one.old)]
    show = court.lab.workspace.show
    old = ((one.old or one.path, show(past.parent, one.old or one.path)) for one in tests)
    new = [(one.path, show(past.commit, one.path)) for one in tests if one.status != "D"]
    said = Counter(line for path, data in new for line in asserted(path, _text(data)))
    return bool(Counter(line for path, data in old for line in asserted(path, _text(data))) - said)


def _is_edited(one: Weighed) -> bool:
    """Whether tests as the base has them fail with the new source: they said something else."""
    told = (FactKind.OVERLAY_RED, FactKind.TEST_REWRITTEN)
    return one.fact.kind in told and bool(one.fact.tests)


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")


async def _red(court: Court, past: Past, number: int) -> float | None:
    """An agent that wrote the tests and not the work: how long until it is sent back."""
    tests = tuple(one for one in past.files if is_test(one.path) and one.status != "D")
    workspace = court.lab.workspace
    commit = workspace.variant(past.parent, past.commit, [one.path for one in tests])
    tree = workspace.tree(commit)
    undone = structs.replace(past, commit=commit, tree=tree, files=tests)
    court.lab.forget(commit)
    begun = time.monotonic()
    verdict = await court.lab.prove(court.subject(undone, number))
    return None if verdict.passed else time.monotonic() - begun


def outcome_of(verdict: Verdict) -> ReplayOutcome:
    if not verdict.passed:
        return ReplayOutcome.REJECTED
    asked = verdict.asks or verdict.level is Level.CLAIMED
    return ReplayOutcome.ASKED if asked else ReplayOutcome.SETTLED


async def passes_plainly(court: Court, past: Past) -> bool:
    """Whether the project's own commands pass at the commit, with nothing of ours."""
    return (await plain(court, past.commit, past.commit[:10])).passed


async def plain(court: Court, commit: str, name: str) -> Trial:
    """The commands as a person runs them: no report of single tests is asked for."""
    from ralph.domain.trial import Trial

    lab = court.lab
    results = await lab.at(
        commit, lambda root, _: lab.checker.run(court.commands, root, lab.logs, f"{name}-plain")
    )
    return Trial(commit, results, (None,) * len(results))

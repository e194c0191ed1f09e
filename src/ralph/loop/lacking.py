"""A check that fails in the clean checkout alone: what is missing there is found by trying.

Ignored files of the user's checkout are laid beside the candidate, all of them, then fewer and
fewer. What a build made there (a version file, a parser, a compiled part) is carried from then on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.checks.lacking import candidates, needed
from ralph.domain.trial import Trial
from ralph.loop.trials import Wanted
from ralph.repo import CleanCheckout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph.checks.commands import Checker
    from ralph.domain.task import Command
    from ralph.loop.ports import Grounds


class Supplied(Struct, frozen=True):
    """The checks after what was missing has been brought."""

    trial: Trial
    paths: tuple[str, ...] = ()


async def supply(
    grounds: Grounds,
    commit: str,
    commands: tuple[Command, ...],
    trial: Trial,
    *,
    before: float = 0,
) -> Supplied:
    """Bring what the checks lack on this commit, if there is something that helps."""
    settings = grounds.settings.verification
    found = candidates(grounds.root, grounds.ignored(), settings.carry, before=before)
    if trial.passed or not found or settings.setup:
        return Supplied(trial)
    place = _Place(grounds, commit, commands)
    whole = await place.tried(found)
    if not _is_better(whole, trial):
        return Supplied(trial)

    async def helps(paths: Sequence[str]) -> bool:
        return not _is_better(whole, await place.tried(paths))

    paths = await needed(found, helps)
    grounds.checker = grounds.checker.carrying(paths)
    ignored = grounds.ignored()
    grounds.kept = grounds.checker.kept(ignored)
    root = grounds.checkout.at(commit, grounds.kept)
    prepared = await grounds.checker.prepare(root, ignored)
    named = ", ".join(f"`{path}`" for path in paths)
    setting = ", ".join((*settings.carry, *paths))
    text = (
        f"The checks need {named}, which git ignores: carried from your checkout. "
        f"To make that a setting: verification.carry: [{setting}]"
    )
    grounds.notes = (*prepared.notes, text)
    grounds.trials.renew()
    return Supplied(await grounds.trials.of(Wanted(commit, commands, "base-supplied")), paths)


class _Place:
    """A checkout for experiments; the run's own stay as they are."""

    def __init__(self, grounds: Grounds, commit: str, commands: tuple[Command, ...]) -> None:
        self._grounds, self._commit, self._commands = grounds, commit, commands
        path = grounds.checkout.path
        self._checkout = CleanCheckout(grounds.repo, path.with_name(f"{path.name}-lacking"))
        self._tries = 0

    async def tried(self, paths: Sequence[str]) -> Trial:
        self._tries += 1
        checker: Checker = self._grounds.checker.carrying(tuple(paths))
        ignored = self._grounds.ignored()
        root = self._checkout.at(self._commit, self._grounds.checker.kept(ignored))
        await checker.prepare(root, ignored)
        name = f"base-lacking-{self._tries}"
        results, reports, _ = await checker.trial(self._commands, root, self._grounds.logs(), name)
        return Trial(self._commit, results, reports)


def _is_better(one: Trial, other: Trial) -> bool:
    """Whether less is red, or more was run."""
    return _standing(one) > _standing(other)


def _standing(trial: Trial) -> tuple[bool, int, int]:
    report = trial.report
    if report is None:
        return trial.passed, 0, 0
    return trial.passed, report.executed - len(report.red), -len(report.red)

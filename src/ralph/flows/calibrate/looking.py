"""Looks at the last commits of a repository, one after the other, and tells what it finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.errors import CheckError, RepoError
from ralph.domain.task import shown
from ralph.flows.calibrate.advice import Looked, flaky_in
from ralph.flows.calibrate.court import made_ready, opened
from ralph.flows.calibrate.history import past
from ralph.flows.calibrate.replay import plain, replay
from ralph.loop.prepare import must_be_able_to_run
from ralph.proof.attribution import flaky
from ralph.proof.experiment import Variant
from ralph.proof.identity import moving

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ralph.domain.settings import Settings
    from ralph.domain.task import Command
    from ralph.domain.trial import Trial
    from ralph.flows.calibrate.court import Court
    from ralph.flows.calibrate.history import History
    from ralph.flows.calibrate.replay import Replayed
    from ralph.repo import Repo

NAMED = 3
"""Commits that are named for each reason to leave some out."""


async def look(
    users: Repo,
    settings: Settings,
    commands: tuple[Command, ...],
    folder: Path,
    most: int,
    tell: Callable[[str], None] = lambda _: None,
    told: Callable[[Replayed], None] = lambda _: None,
    start: str = "HEAD",
    *,
    listed: Sequence[str] = (),
    red: bool = False,
) -> Looked:
    """`tell` hears what is going on, `told` each commit that is done; the oldest comes first.

    `listed` commits are looked at instead of the last ones.
    With `red` it is also measured how soon work that was not done is sent back.
    """
    history = past(users, most, start, listed)
    commits = history.commits[::-1]
    if not commits:
        raise RepoError(
            f"There is no commit to look at in {users.root}.",
            fix="The first commit, merges, and commits that change only words or set up Ralph do "
            "not count.",
        )
    named = ", ".join(f"`{shown(one)}`" for one in commands)
    tell(f"Preparing a clone with the dependencies of your checkout. The checks: {named}.")
    court = opened(users, settings, commands, folder)
    base = commits[0].parent
    supplied = await made_ready(court, base)
    for result in supplied.trial.results:
        must_be_able_to_run(result)
    again = await court.lab.of(Variant("base-again", base, commands, fresh=True))
    floor = await _floor(court, (base, *(one.commit for one in commits[::-1])))
    suite = sum(result.seconds for result in floor.results)
    if not suite:
        raise CheckError(f"The checks did nothing: {named}.", fix="Name others with `--verify`.")
    many = f"{len(commits)} commit{'s' * (len(commits) != 1)}"
    tell(f"One run of the checks takes {suite:.1f} s. Looking at {many}.")
    if history.left_out and len(commits) < most:
        tell(f"Left out: {_left_out(history)}.")
    rows: list[Replayed] = []
    for number, one in enumerate(commits, 1):
        rows.append(await replay(court, one, number, red=red))
        told(rows[-1])
    first, second = supplied.trial.report, again.report
    coming = flaky((first, second)) if first is not None and second is not None else ()
    names = moving(first, second) if first is not None and second is not None else ()
    return Looked(
        commands=commands,
        suite=suite,
        rows=tuple(rows),
        carried=supplied.paths,
        flaky=tuple(dict.fromkeys((*coming, *flaky_in(rows)))),
        moving=tuple(sorted(names)),
        notes=court.lab.notes,
    )


def _left_out(history: History) -> str:
    """Which commits are not looked at, by reason."""
    reasons: dict[str, list[str]] = {}
    for commit, why in history.left_out:
        reasons.setdefault(why, []).append(commit[:10])
    return "; ".join(f"{_some(commits)} ({why})" for why, commits in reasons.items())


def _some(commits: Sequence[str]) -> str:
    more = f" and {len(commits) - NAMED} more" if len(commits) > NAMED else ""
    return ", ".join(commits[:NAMED]) + more


async def _floor(court: Court, commits: Sequence[str]) -> Trial:
    """One plain run of the checks, where they pass: one that fails may end at once."""
    for number, commit in enumerate(commits, 1):
        trial = await plain(court, commit, f"floor-{number}")
        if trial.passed:
            return trial
    return trial

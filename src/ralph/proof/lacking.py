"""A check that fails in the clean checkout alone: what is missing there is found by trying.

Ignored files of the user's checkout are laid beside the candidate, all of them, then fewer and
fewer. What a build made there (a version file, a parser, a compiled part) is carried from then on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from ralph.domain.trial import Trial
from ralph.proof.experiment import Variant
from ralph.proof.runners.reporting import tried
from ralph.repo import CleanCheckout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ralph.domain.task import Command
    from ralph.proof.lab import Lab

Helps: TypeAlias = Callable[[Sequence[str]], Awaitable[bool]]

LARGEST = 64 << 20
"""Bytes of one thing that is carried; what is larger is set up, not copied."""
MOST = 2_000
"""Things that are tried at once; halves of them are left out until few are left."""
_IDLE = re.compile(
    r"(?:.*/)?(?:__pycache__|\.[a-z_]+_cache|\.tox|\.nox|\.eggs|\.coverage(?:\..*)?|htmlcov|coverage"
    r"|\.nyc_output|\.hypothesis|\.ralph|\.agent|\.claude|\.idea|\.vscode|\.DS_Store|\.git"
    r"|[^/]*\.(?:pyc|pyo|log|swp|orig|tsbuildinfo)|[^/]*~)"
)
"""Caches, and what editors and tools leave behind."""


class Supplied(Struct, frozen=True):
    """The checks after what was missing has been brought."""

    trial: Trial
    paths: tuple[str, ...] = ()


async def supply(
    lab: Lab, commit: str, commands: tuple[Command, ...], trial: Trial, *, before: float = 0
) -> Supplied:
    """Bring what the checks lack on this commit, if there is something that helps."""
    settings = lab.settings
    if trial.passed or settings.setup:
        return Supplied(trial)
    found = candidates(lab.root, lab.ignored(), settings.carry, before=before)
    if not found:
        return Supplied(trial)
    place = _Place(lab, commit, commands)
    whole = await place.tried(found)
    if not _is_better(whole, trial):
        return Supplied(trial)

    async def helps(paths: Sequence[str]) -> bool:
        return not _is_better(whole, await place.tried(paths))

    paths = await needed(found, helps)
    await lab.renew(commit, lab.checker.carrying(paths))
    named = ", ".join(f"`{path}`" for path in paths)
    setting = ", ".join((*settings.carry, *paths))
    text = (
        f"The checks need {named}, which git ignores: copied from your checkout. "
        f"To make that permanent: verification.carry: [{setting}]"
    )
    lab.mention(text)
    return Supplied(await lab.of(Variant("base-supplied", commit, commands)), paths)


class _Place:
    """A checkout for experiments; the run's own stay as they are."""

    def __init__(self, lab: Lab, commit: str, commands: tuple[Command, ...]) -> None:
        self._lab, self._commit, self._commands = lab, commit, commands
        path = lab.checkout.path
        self._checkout = CleanCheckout(lab.workspace.repo, path.with_name(f"{path.name}-lacking"))
        self._tries = 0

    async def tried(self, paths: Sequence[str]) -> Trial:
        self._tries += 1
        checker, ignored = self._lab.checker.carrying(tuple(paths)), self._lab.ignored()
        root = self._checkout.at(self._commit, self._lab.checker.kept(ignored))
        await checker.prepare(root, ignored)
        name = f"base-lacking-{self._tries}"
        results, reports, _ = await tried(checker, self._commands, root, self._lab.logs, name)
        return Trial(self._commit, results, reports)


def _is_better(one: Trial, other: Trial) -> bool:
    """Whether less is red, or more was run."""
    return _standing(one) > _standing(other)


def _standing(trial: Trial) -> tuple[bool, int, int]:
    report = trial.report
    if report is None:
        return trial.passed, 0, 0
    return trial.passed, report.executed - len(report.red), -len(report.red)


def candidates(
    source: Path, ignored: Iterable[str], carried: Iterable[str], *, before: float = 0
) -> tuple[str, ...]:
    """Paths that may be what is missing.

    With `before`, nothing that was made since then: an agent may have made it.
    """
    known = tuple(path.rstrip("/") for path in carried)
    found = [
        path
        for path in dict.fromkeys(name.rstrip("/") for name in ignored)
        if path
        and not _IDLE.fullmatch(path)
        and not any(path == one or path.startswith(f"{one}/") for one in known)
        and Path(path).name not in known
        and _is_small(source / path, before)
    ]
    return tuple(sorted(found))[:MOST]


def _is_small(path: Path, before: float) -> bool:
    total = 0
    for one in _files(path):
        try:
            seen = one.lstat()
        except OSError:
            return False
        total += seen.st_size
        if total > LARGEST or (before and seen.st_ctime > before):
            return False
    return path.exists()


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir() or path.is_symlink():
        yield path
        return
    for folder, _, names in os.walk(path):
        yield from (Path(folder, name) for name in names)


async def needed(paths: Sequence[str], helps: Helps) -> tuple[str, ...]:
    """As few of the paths as still help: halves are left out, then smaller parts."""
    kept = list(paths)
    size = (len(kept) + 1) // 2
    while size:
        start = 0
        while start < len(kept) and len(kept) > 1:
            fewer = kept[:start] + kept[start + size :]
            if fewer and await helps(fewer):
                kept = fewer
            else:
                start += size
        size = size // 2 if size > 1 else 0
    return tuple(kept)

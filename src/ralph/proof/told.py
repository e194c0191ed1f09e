"""A prover that is told what is true: for tests of what is built on one, without a process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.trial import Trial
from ralph.domain.verdict import CheckResult, Level, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ralph.checks.carry import Runner
    from ralph.domain.task import Command
    from ralph.proof.subject import Subject


class ToldProver:
    """See `loop.ports.Prover` for what it promises."""

    def __init__(
        self, holds: Callable[[str], bool], runner: Runner, root: Path, hidden_logs: Path
    ) -> None:
        self._holds = holds
        """Whether every check passes on a commit."""
        self._runner = runner
        self._root = root
        self.notes: tuple[str, ...] = ()
        self.hidden_logs = hidden_logs

    def within(self, wrap: Callable[[Runner], Runner]) -> Runner:
        self._runner = wrap(self._runner)
        return self._runner

    def ignored(self) -> tuple[str, ...]:
        return ()

    def mention(self, *notes: str) -> None:
        self.notes = tuple(dict.fromkeys((*self.notes, *notes)))

    async def equip(self, root: Path) -> None:
        """No check needs anything."""

    async def prepare(self, commit: str) -> Path:
        del commit  # nothing is checked out
        return self._root

    async def base(self, commit: str, commands: tuple[Command, ...], *, before: float = 0) -> Trial:
        del before
        return Trial(commit, self._results(commit, commands), (None,) * len(commands))

    async def passes(self, commit: str, command: Command, name: str) -> bool:
        del command, name
        return self._holds(commit)

    def clean(self) -> None:
        """Nothing is left behind."""

    async def prove(self, subject: Subject) -> Verdict:
        results = self._results(subject.commit, subject.commands)
        passed = all(one.passed for one in results)
        return Verdict(
            passed=passed,
            level=Level.GREEN if passed else Level.NONE,
            why="all checks passed: green" if passed else "the checks fail",
            commit=subject.commit,
            tree=subject.candidate.tree,
            results=results,
            notes=self.notes,
        )

    def _results(self, commit: str, commands: tuple[Command, ...]) -> tuple[CheckResult, ...]:
        holds = self._holds(commit)
        said, code = ("", 0) if holds else ("it does not hold", 1)
        return tuple(CheckResult(one, holds, code, 0.0, said, said) for one in commands)

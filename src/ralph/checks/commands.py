"""Runs the commands that prove a task."""

from __future__ import annotations

import os
import re
import signal
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.checks.carry import find
from ralph.checks.dependencies import Dependencies
from ralph.checks.relocate import Move
from ralph.domain.answer import Ended
from ralph.domain.task import shown
from ralph.domain.verdict import CheckResult
from ralph.process import Child, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from ralph.checks.carry import Runner
    from ralph.checks.dependencies import Prepared
    from ralph.domain.settings import VerificationSettings
    from ralph.domain.task import Command
    from ralph.process import Finished

_OUTPUT = 128 << 10
_KEPT = 4 << 20
"""Of the beginning and the end: runners that print their results print a lot."""
_NOT_FOUND = 127
_NOT_EXECUTABLE = 126
_SIGNALLED = 128
_MISSING_PROGRAM = re.compile(r"(?:^|: )([^\s:]+): (?:command )?not found$", re.MULTILINE)
_MISSING_MODULE = re.compile(r"^\S*python[\d.]*: No module named (\S+)$", re.MULTILINE)
_MISSING_SCRIPT = re.compile(
    r"""^(?:npm (?:error|ERR!) Missing script: "(\S+)\""""
    r"""|\s*ERR_PNPM_NO_SCRIPT\s+Missing script: (\S+)|error Command "(\S+)" not found\.)$""",
    re.MULTILINE,
)
"""As npm, pnpm and yarn say it, each with its own words before: a test may print the rest."""
_SPECIAL = re.compile(r"([\\*?\[\]!# ])")


class Checker:
    """Checks in a checkout, with the dependencies of the user's own."""

    def __init__(
        self,
        settings: VerificationSettings,
        source: Path,
        *,
        runner: Runner = run,
        base: Mapping[str, str] | None = None,
        log_cap: int = 64 << 20,
    ) -> None:
        self._settings = settings
        self._source = source
        self._run = runner
        self._base = dict(os.environ if base is None else base)
        self._log_cap = log_cap
        self._targets: dict[Path, Dependencies] = {}

    def carrying(self, paths: Sequence[str]) -> Checker:
        """The same, with these brought along as well."""
        carry = tuple(dict.fromkeys((*self._settings.carry, *paths)))
        settings = replace(self._settings, carry=carry)
        return Checker(
            settings, self._source, runner=self._run, base=self._base, log_cap=self._log_cap
        )

    def within(self, runner: Runner) -> Checker:
        """The same, with every check run by this."""
        return Checker(
            self._settings, self._source, runner=runner, base=self._base, log_cap=self._log_cap
        )

    @property
    def runner(self) -> Runner:
        """What runs its checks."""
        return self._run

    def kept(self, ignored: Iterable[str]) -> tuple[str, ...]:
        """Patterns, as git reads them, of what must survive when the checkout is cleaned."""
        carried = find(self._source, ignored, self._settings.carry)
        made = self._settings.carry if self._settings.setup else ()
        paths = ["/" + _SPECIAL.sub(r"\\\1", path) for path in carried]
        return tuple(dict.fromkeys([*paths, *made, *self._settings.keep]))

    async def prepare(
        self, target: Path, ignored: Iterable[str], *, pristine: bool = True
    ) -> Prepared:
        """Bring the dependencies into `target`, once when a run begins.

        `pristine=False` is for an agent's worktree: what the agent installed there stays.
        """
        move = Move(self._source, target)
        dependencies = Dependencies(self._settings, move, self._run, self._base, pristine=pristine)
        self._targets[target] = dependencies
        return await dependencies.prepare(ignored)

    async def refresh(self, root: Path, files: Sequence[str]) -> tuple[str, ...]:
        """Make `root` ready for a candidate that changes these files; notes on what is not."""
        return await self._dependencies(root).refresh(files)

    def trusted(self, root: Path) -> bool:
        """Whether the checks in `root` are known to see the candidate's code."""
        return self._dependencies(root).trusted

    def fingerprint(self, root: Path) -> str:
        """The same as long as checks in `root` have the same things around them."""
        return self._dependencies(root).fingerprint()

    def environment(self, root: Path) -> dict[str, str]:
        return self._dependencies(root).environment()

    async def run(
        self, commands: Sequence[Command], root: Path, logs: Path, name: str
    ) -> tuple[CheckResult, ...]:
        """Run the commands in order, up to the first that fails."""
        env = self.environment(root)
        results: list[CheckResult] = []
        for number, command in enumerate(commands, 1):
            log = logs / f"{name}-check-{number}.log"
            results.append(await self._one(command, root, env, log))
            if not results[-1].passed:
                break
        return tuple(results)

    async def _one(
        self, command: Command, root: Path, env: Mapping[str, str], log: Path
    ) -> CheckResult:
        return self.result(command, root, await self.start(command, root, env, log))

    async def start(
        self,
        command: Command,
        root: Path,
        env: Mapping[str, str],
        log: Path,
        seconds: float = 0,
        touches: tuple[Path, ...] = (),
    ) -> Finished:
        log.parent.mkdir(parents=True, exist_ok=True)
        child = Child(
            command,
            root,
            env,
            log=log,
            log_cap=self._log_cap,
            wall_seconds=self._limit(seconds),
            touches=touches,
        )
        return await self._run(replace(child, head_bytes=_KEPT, tail_bytes=_KEPT))

    def _limit(self, seconds: float) -> float:
        """How long a check may take, where a trial allows it so much."""
        most = self._settings.timeout_minutes * 60
        return min(seconds, most) if seconds and most else seconds or most

    def result(
        self, command: Command, root: Path, finished: Finished, seconds: float = 0
    ) -> CheckResult:
        from ralph.reading.signature import tail  # many patterns, needed by the first check

        output = finished.text(_OUTPUT)
        passed = finished.ended is Ended.EXITED and finished.exit_code == 0
        why = "" if passed else _why(command, finished, output, self._limit(seconds))
        return CheckResult(
            command=command,
            passed=passed,
            exit_code=finished.exit_code,
            seconds=finished.seconds,
            tail=tail(output),
            signature="" if passed else _failure(command, finished, output, why, root),
            log=finished.log,
            output_sha256=finished.sha256,
            why=why,
        )

    def _dependencies(self, root: Path) -> Dependencies:
        if root not in self._targets:
            move = Move(self._source, root)
            self._targets[root] = Dependencies(self._settings, move, self._run, self._base)
        return self._targets[root]


def _failure(command: Command, finished: Finished, output: str, why: str, root: Path) -> str:
    from ralph.reading.signature import signature

    if why:
        # What was printed until then depends on how far it came.
        return signature(f"{shown(command)} {why}", (str(root),))
    said = signature(output, (str(root), os.path.realpath(root)))
    return said or f"{shown(command)[:200]} exited {finished.exit_code} without any output"


def _why(command: Command, finished: Finished, output: str, seconds: float) -> str:
    """Why it failed, where the exit code does not say; continues "`the command` …"."""
    code = finished.exit_code or 0
    if finished.ended in (Ended.TIMEOUT, Ended.EXCESS):
        late = finished.ended is Ended.TIMEOUT
        what = finished.error.rstrip(".")
        return f"timed out after {_span(seconds)}" if late else f"was stopped: {what}"
    if finished.ended is Ended.NOT_STARTED:
        return f"could not start: {_not_started(command, finished)}"
    if missing := _missing(code, output):
        return f"could not start: {missing}"
    if finished.ended in (Ended.KILLED, Ended.STOPPED) or code > _SIGNALLED:
        return f"was killed by {_signal(code)}" if _signal(code) else ""
    return ""


def _missing(code: int, output: str) -> str:
    """What the command needs to begin at all, and is not there."""
    if code == _NOT_FOUND and (found := _MISSING_PROGRAM.search(output)):
        return f"`{found[1]}` was not found"
    if found := _MISSING_MODULE.search(output):
        return f"the Python module `{found[1]}` was not found"
    if found := _MISSING_SCRIPT.search(output):
        return f"package.json has no script `{found[1] or found[2] or found[3]}`"
    return ""


def _not_started(command: Command, finished: Finished) -> str:
    if finished.exit_code == _NOT_FOUND:
        return f"`{command[0]}` was not found"
    if finished.exit_code == _NOT_EXECUTABLE:
        return f"`{command[0]}` is not executable"
    return finished.error


def _signal(code: int) -> str:
    try:
        return signal.Signals(code - _SIGNALLED).name
    except ValueError:
        return ""


def _span(seconds: float) -> str:
    minute = 60
    return f"{seconds / minute:.3g} min" if seconds >= minute else f"{seconds:.3g} s"

"""`ralph interview`: in rounds an agent asks, amends the spec, and at last writes the tasks."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import msgspec
from msgspec import Struct

from ralph import files
from ralph.domain.errors import AgentError, PlanError
from ralph.domain.task import Status
from ralph.flows.artefacts.folder import DONE, ROUNDS, SPEC, Folder
from ralph.flows.artefacts.parse import OWN, parse_interview
from ralph.flows.artefacts.shelf import KEPT
from ralph.plans.artefacts import TASKS, Artefacts
from ralph.policy.lint import LintSeverity, lint

if TYPE_CHECKING:
    from ralph.policy.lint import LintFinding

DEFAULT_ROUNDS = 3


class RoundEnd(Struct, frozen=True):
    """How an agent's part of a round ended."""

    signed: bool
    """It wrote done.md."""
    failed: str = ""
    """What went wrong with the agent itself."""
    ended: bool = False
    """It stayed after done.md, and was ended."""


class Amended(Struct, frozen=True):
    """A round that is over."""

    round: int
    rounds: int
    diff: str
    """Of the spec."""
    note: str = ""


Take: TypeAlias = Callable[[str, str], RoundEnd]
"""Has an agent work on a prompt; the second text names the turn, for its log."""


class _Progress(Struct, frozen=True):
    done: int = 0
    rounds: int = 0


class Interview(Struct, frozen=True):
    folder: Folder
    ask: Take
    """With the user at the terminal, or with the user's answers in a file."""
    mend: Take
    """Without the user."""
    tell: Callable[[Amended], None]
    begin: Callable[[int, int], None]
    templates: str = OWN

    def run(self, rounds: int | None = None) -> tuple[LintFinding, ...]:
        """All rounds that are left; what the linter says of the tasks that come of them."""
        known = _progress(self.folder)
        total = rounds or known.rounds or DEFAULT_ROUNDS
        before = self.folder.read(TASKS)
        for number in range(min(known.done + 1, total), total + 1):
            self.begin(number, total)
            self.tell(self._round(number, total))
            done = min(number, total - 1)  # the last one is over when its tasks are good
            self.folder.write(ROUNDS, msgspec.json.encode(_Progress(done, total)))
        findings = self._tasks(before)
        self.folder.remove(ROUNDS)
        return findings

    def _round(self, number: int, total: int) -> Amended:
        folder = self.folder
        folder.remove(DONE)
        spec, tasks = folder.text(SPEC), folder.read(TASKS)
        self._keep(number, spec)
        prompt = parse_interview(
            folder.name, number, total, root=folder.root, templates=self.templates
        )
        turn = self.ask(prompt, f"interview-{folder.name}-{number}")
        if folder.read(SPEC) is None:
            folder.write(SPEC, spec)
        changed = folder.text(SPEC) != spec or folder.read(TASKS) != tasks
        if turn.failed or not (turn.signed or changed):
            why = turn.failed or "the agent exited without done.md and changed nothing"
            raise AgentError(
                f"Round {number} of {total} was not finished: {why.rstrip('.')}.",
                fix=f"Continue this round with `ralph interview {folder.name}`.",
            )
        return Amended(number, total, _diff(folder, spec), _note(turn))

    def _keep(self, number: int, spec: str) -> None:
        """The spec is the user's: as it was before each round it stays on the disk."""
        place = self.folder.root / KEPT / self.folder.name / f"round-{number}-{SPEC}"
        files.write(place, spec)

    def _tasks(self, before: bytes | None) -> tuple[LintFinding, ...]:
        """The findings about good tasks; an agent gets one chance to mend others."""
        wrong, _ = _examined(self.folder)
        if wrong:
            self.mend(_repair(self.folder, wrong), f"interview-{self.folder.name}-repair")
            self.folder.remove(DONE)
        try:
            data = self.folder.require(TASKS, _way_on(self.folder))
            _plan(self.folder).parse({self.folder.plan: data})
        except PlanError as error:
            raise PlanError(
                f"The last round left no usable tasks: {error.what}", fix=_way_on(self.folder)
            ) from error
        self.folder.write(TASKS, fresh(self.folder, data, before))
        return _examined(self.folder)[1]


def fresh(folder: Folder, data: bytes, before: bytes | None) -> bytes:
    """The tasks as an interview may leave them: what was not done before is to be done."""
    form = _plan(folder)
    plan = form.parse({folder.plan: data})
    done = _done_before(form, before)
    statuses = {
        task.id: Status.OPEN
        for task in plan.tasks
        if task.status is not Status.SKIPPED and task.id not in done
    }
    data = form.mark({folder.plan: data}, statuses).get(folder.plan, data)
    for name, effort in form.efforts(data).items():
        if effort.attempts and name not in done:
            data = form.with_attempts(data, name, 0)
    return data


def _done_before(form: Artefacts, before: bytes | None) -> frozenset[str]:
    try:
        plan = form.parse({form.key: before or b""})
    except PlanError:
        return frozenset()
    return frozenset(task.id for task in plan.tasks if task.is_done)


def _plan(folder: Folder) -> Artefacts:
    return Artefacts(folder.plan, folder.plan)


def _examined(folder: Folder) -> tuple[str, tuple[LintFinding, ...]]:
    """What makes the tasks unusable or unfit, in words for an agent, and all findings."""
    data = folder.read(TASKS)
    if data is None:
        return f"{folder.plan} was not written.", ()
    try:
        plan = _plan(folder).parse({folder.plan: data})
    except PlanError as error:
        return str(error), ()
    findings = lint(plan, has_project_checks=True)
    errors = [one for one in findings if one.severity is LintSeverity.ERROR]
    return "\n".join(f"{one.task} {one.problem}. {one.fix}" for one in errors), findings


def _repair(folder: Folder, wrong: str) -> str:
    form = parse_interview(folder.name, 1, 1, root=folder.root).partition("## The tasks")
    return (
        f"# Repair the tasks of the project {folder.name}\n\n"
        f"`{folder.plan}` was to be made from `{folder.key}/{SPEC}`, but something is wrong:\n\n"
        f"{wrong}\n\nRead the spec and write or correct `{folder.plan}`. Change no other file, and "
        f"ask nobody. Then write the file `{folder.key}/{DONE}` and stop.\n\n"
        f"{''.join(form[1:])}"
    )


def _way_on(folder: Folder) -> str:
    return f"Correct {folder.plan}, or repeat the last round with `ralph interview {folder.name}`."


def _progress(folder: Folder) -> _Progress:
    try:
        return msgspec.json.decode(folder.read(ROUNDS) or b"{}", type=_Progress)
    except msgspec.DecodeError:
        return _Progress()


def _note(turn: RoundEnd) -> str:
    if turn.ended:
        return "The agent wrote done.md but kept running, so its session was closed."
    return "" if turn.signed else "The agent exited without done.md. Its changes are kept."


def _diff(folder: Folder, before: str) -> str:
    name = f"{folder.key}/{SPEC}"
    lines = difflib.unified_diff(
        before.splitlines(), folder.text(SPEC).splitlines(), name, name, lineterm="", n=1
    )
    return "\n".join(lines)

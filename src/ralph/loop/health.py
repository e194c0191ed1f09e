"""The watcher for an agent's health: sees what lives and what moves, and carries out the ladder."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from ralph.domain.activity import ActivityKind
from ralph.domain.attended import HealthChanged, Intervened
from ralph.domain.errors import RepoError
from ralph.domain.event import Escalated
from ralph.domain.health import HealthState, HeartbeatPayload, InterventionLevel
from ralph.domain.question import Question, QuestionKind
from ralph.domain.trouble import TroubleKind
from ralph.loop.ports import Order
from ralph.loop.watch import LOOK_SECONDS
from ralph.policy.health import HealthMonitoringService, Intervention, minutes
from ralph.policy.tool_loop import Called, ToolLoop
from ralph.prompts.template import NUDGE

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.agents.line import Line
    from ralph.domain.activity import Activity
    from ralph.domain.settings import HealthSettings
    from ralph.loop.iteration import Iteration
    from ralph.loop.run import Run
    from ralph.process import Pulse

FIRST_SAMPLE = 0.1
"""How much of its patience is over when the processor time is read for comparison."""
IDLE_PROCESSOR = 0.01
"""Up to this share of one processor counts as nothing: idle programs look at the clock."""
MOST_FILES = 1000
"""So many changed files are looked at for the newest change."""
_SOURCES = {
    ActivityKind.SAID: "said",
    ActivityKind.THOUGHT: "thought",
    ActivityKind.TOOL: "tool",
    ActivityKind.RESULT: "result",
}


def pace(settings: HealthSettings, shortest: float = 0) -> float:
    """Seconds between looks: one, unless somebody set thresholds that are shorter than that."""
    spans = (
        *(settings.degraded_minutes, settings.stuck_minutes, settings.nudge_minutes, shortest),
        *(settings.escalate_minutes, settings.dead_minutes, settings.start_minutes),
    )
    return min(LOOK_SECONDS, *(span * 20 for span in spans if span > 0))


class HealthWatcher:
    """Looks after one agent process."""

    def __init__(self, run: Run, iteration: Iteration, line: Line, now: float) -> None:
        self._run = run
        self._iteration = iteration
        self._line = line
        self._service = HealthMonitoringService(run.settings.health, now)
        self._calls = ToolLoop(run.settings.health.tool_cycles)
        self._asked: dict[str, list[str]] = {}
        """What open calls are about, by tool, oldest first."""
        self._errors = 0
        self._state = run.state.run.health
        self._granted = run.state.run.more_time
        """How often a person gave it more time, as far as that was acted on."""
        self._sample: tuple[float, Pulse] | None = None
        """Taken when the agent had been quiet for a while."""
        self._newest = time.time()
        """Of the file changes that are known."""

    def heard(self, activity: Activity, now: float) -> None:
        self._sample = None
        progress = False
        match activity.kind:
            case ActivityKind.TOOL:
                self._asked.setdefault(activity.tool, []).append(activity.text)
            case ActivityKind.RESULT:
                progress = self._result(activity)
        self._beat(now, _SOURCES.get(activity.kind, "output"), progress=progress)

    def look(self, now: float) -> Order | None:
        service, wanted = self._service, self._run.state.run
        if wanted.dismiss:
            why = f"{wanted.dismiss} wanted it ended"
            return self._terminate(Intervention(InterventionLevel.TERMINATE, why), now)
        if wanted.more_time > self._granted:
            self._granted = wanted.more_time
            self._beat(now, "person", progress=True)
        if self._sample is None and service.quiet(now) >= FIRST_SAMPLE:
            self._take_sample(now)
        if service.due(now) or self._is_worse(now):
            self._look_closer(now)
        self._note(now)
        step = service.due(now)
        return None if step is None else self._act(step, now)

    def _result(self, activity: Activity) -> bool:
        """Whether the answer of a tool is news: repeating oneself is not progress."""
        waiting = self._asked.get(activity.tool)
        about = waiting.pop(0) if waiting else ""
        self._errors = self._errors + 1 if activity.failed else 0
        if not activity.digest:
            return not activity.failed
        new = self._calls.add(Called(activity.digest, activity.tool, about))
        found = self._calls.circle
        self._service.circles("" if found is None else found.text)
        return new and not activity.failed

    def _beat(self, at: float, source: str, *, progress: bool = False) -> None:
        self._service.heartbeat(
            HeartbeatPayload(at, source, progress=progress, errors=self._errors)
        )

    def _is_worse(self, now: float) -> bool:
        found = self._service.check_health(now)
        return found not in (self._state, HealthState.HEALTHY)

    def _take_sample(self, now: float) -> None:
        pulse = self._line.pulse()
        if pulse is None:
            # whoever cannot be seen cannot be seen dead
            self._beat(now, "unseen")
        elif now - pulse.silent > self._service.health.alive:
            self._beat(now - pulse.silent, "output")
        else:
            self._sample = now, pulse

    def _look_closer(self, now: float) -> None:
        """Before anything follows from silence: what do files and processes say?"""
        newest = newest_change(self._run)
        if newest > self._newest:
            self._newest = newest
            self._beat(now - max(time.time() - newest, 0.0), "files", progress=True)
        if self._service.quiet(now) >= 1:
            self._feel_pulse(now)

    def _feel_pulse(self, now: float) -> None:
        before, self._sample = self._sample, None
        pulse = self._line.pulse()
        if before is None or pulse is None:
            self._beat(now, "unseen")
        elif now - pulse.silent > before[0]:
            self._beat(now - pulse.silent, "output")
        elif pulse.children:
            self._beat(now, "children")
        elif abs(pulse.processor - before[1].processor) > IDLE_PROCESSOR * (now - before[0]):
            self._beat(now, "processor")

    def _note(self, now: float) -> None:
        found = self._service.check_health(now)
        if found is not self._state:
            self._change(found, self._service.why(now), now)

    def _change(self, state: HealthState, why: str, now: float) -> None:
        before, self._state = self._state, state
        iteration, moved = self._iteration, now - self._service.health.progress
        self._run.journal.record(
            HealthChanged(
                iteration=iteration.number,
                task=iteration.task.id,
                before=before,
                now=state,
                why=why,
                progress=self._run.clock() - moved,
            )
        )

    def _act(self, step: Intervention, now: float) -> Order | None:
        match step.level:
            case InterventionLevel.NUDGE:
                return self._nudge(step, now)
            case InterventionLevel.ESCALATE:
                self._escalate(step)
                self._service.escalated(now)
                self._note(now)
                return None
            case _:
                return self._terminate(step, now)

    def _nudge(self, step: Intervention, now: float) -> Order | None:
        self._service.nudged(now)
        if not self._line.can_nudge:
            self._record(step, f"{step.why}; it takes no messages while it works")
            return None
        task, most = self._iteration.task, self._run.settings.health.nudges
        told = {"id": task.id, "title": " ".join(task.title.split()), "why": step.why}
        numbers = {"number": str(step.number), "most": str(most)}
        text = self._run.templates.render(NUDGE, told | numbers)
        self._record(step, step.why, text)
        return Order(text=text, why=step.why)

    def _escalate(self, step: Intervention) -> None:
        run, task = self._run, self._iteration.task
        left = minutes(run.settings.health.escalate_minutes)
        question = Question(
            id=f"Q{run.state.question_count + 1}",
            task=task.id,
            kind=QuestionKind.AGENT,
            summary=f"The agent at work gets nowhere: {step.why}.",
            context=f"It is ended in {left}, unless it makes progress or you say otherwise.",
            options=(
                "Give it more time",
                "Have it hand over to a fresh agent now",
                "End it; a fresh agent tries again",
            ),
            question="What should become of it?",
            iteration=self._iteration.number,
        )
        run.journal.later(Escalated(question))
        self._record(step, step.why)

    def _terminate(self, step: Intervention, now: float) -> Order:
        self._service.terminated()
        self._change(HealthState.TERMINATED, step.why, now)
        self._record(step, step.why)
        kind = TroubleKind.IDLE if step.dead else TroubleKind.STUCK
        return Order(stop=True, why=f"The agent was stopped: {step.why}.", trouble=kind)

    def _record(self, step: Intervention, why: str, text: str = "") -> None:
        iteration = self._iteration
        self._run.journal.record(
            Intervened(iteration.number, iteration.task.id, step.level, why, text, step.number)
        )


def newest_change(run: Run) -> float:
    """When a file of the workspace last changed that git does not ignore; 0 if none did."""
    # an agent may be moving the repository about at this moment: then there is nothing to see
    with contextlib.suppress(RepoError):
        changed = run.workspace.status().changed[:MOST_FILES]
        return max((_changed(run.workspace.root / name) for name in changed), default=0.0)
    return 0.0


def _changed(path: Path) -> float:
    """Of a file that is gone, its folder knows."""
    for place in (path, path.parent):
        with contextlib.suppress(OSError):
            return place.lstat().st_mtime
    return 0.0

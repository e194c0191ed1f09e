"""What a run looks like in the terminal: one watcher that prints the events people care about."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from ralph.domain import attended as a
from ralph.domain import event as e
from ralph.domain.attended import HostRefused
from ralph.domain.budget import BudgetAction
from ralph.domain.claim import ClaimKind
from ralph.domain.decision import Outcome, StopReason
from ralph.domain.evidence import Weight
from ralph.domain.health import HealthState, InterventionLevel
from ralph.domain.iteration import ACCEPTED
from ralph.domain.question import Choice, QuestionKind
from ralph.domain.task import Status, shown
from ralph.domain.verdict import Level
from ralph.policy.handoff import HANDED_OVER
from ralph.ui import words
from ralph.ui.output import Output
from ralph.ui.words import MOST, block, line, span
from ralph.views import proven
from ralph.views.status import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from ralph.domain.event import Recorded
    from ralph.domain.question import Question
    from ralph.domain.state import RunState
    from ralph.domain.task import Task
    from ralph.domain.verdict import CheckResult, Verdict

COUNTER = re.compile(r"# (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$")
"""What TAP ends with: how many, and not which."""
TAIL_LINES = 6
"""Lines of a failing check that are shown."""
LEVELS = {
    Level.CLAIMED: " (nothing shows that the checks saw this code)",
    Level.GREEN: " (the checks pass)",
    Level.OVERLAY: " (passes with your own tests)",
}
"""What a level means, where nothing else on the screen says so."""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _warning(event: e.PutBack | HostRefused) -> str:
    if isinstance(event, HostRefused):
        return f"blocked {event.host}: not a model's host; allow it with `safety.hosts`"
    return f"put back {event.path}: {event.why}"


def clock(at: float) -> str:
    """A moment as people say it, with the day if it is not today."""
    when, now = time.localtime(at), time.localtime()
    day = "" if when[:3] == now[:3] else time.strftime("%Y-%m-%d ", when)
    return day + time.strftime("%H:%M:%S", when)


def came_to(state: RunState) -> str:
    """How long the run took, and what it cost."""
    run = state.run
    cost = (run.usage + run.running).cost_usd
    told = "cost unknown" if cost is None else f"${cost:.2f}"
    many = _count(run.iterations, "iteration")
    return f"{span(max(0.0, run.ended_at - run.started_at))} · {many} · {told}"


def doing_of(tool: str, text: str) -> str:
    return f"{tool}: {text}" if tool else text


class RunConsole:
    """Prints the run for a person. Plain text where colour is not wanted or not possible."""

    def __init__(
        self,
        *,
        total: int,
        done: Iterable[str],
        asks: bool,
        skipped: Iterable[str] = (),
        output: Output | None = None,
        state: Callable[[], RunState] | None = None,
    ) -> None:
        self.out = output or Output(stamps=True)
        self._state = state
        """What the ledger shows, where somebody keeps it up to date."""
        self.total = total
        self._done = set(done)
        self._skipped = set(skipped)
        self._asks = asks
        self._settled_here: dict[str, proven.ProofKind] = {}
        """How well each task that this run finished is proven."""
        self._branch = self._plan = self._came_from = ""
        self._said = ""
        """The last trouble of an agent that was shown."""
        self._pausing = False
        """Whether it was said that the run is paused."""
        self._accepted = False
        """Whether work that a person accepted stands where an agent's would."""

    def count(self, tasks: Collection[Task]) -> None:
        """These are the tasks of the plan, as they stand."""
        self.total = len(tasks)
        self._done = {task.id for task in tasks if task.is_done}
        self._skipped = {task.id for task in tasks if task.status is Status.SKIPPED}

    def __call__(self, recorded: Recorded) -> None:
        self.out.at = recorded.at
        match recorded.event:
            case e.RunStarted() as event:
                self._run_started(event)
            case e.BaseChecked() as event:
                self._base_checked(event)
            case e.IterationStarted() as event:
                self._iteration_started(event)
            case e.AgentFinished() as event:
                self._agent_finished(event)
            case e.Claimed() as event:
                self._claimed(event)
            case e.PutBack() | HostRefused() as event:
                self._line(_warning(event), "yellow", "!")
            case e.Verified() as event:
                self._verified(event.verdict)
            case e.Settled() as event:
                self._settled(event)
            case e.IterationEnded() as event:
                self._iteration_ended(event)
            case _:
                self._rest(recorded)

    def _rest(self, recorded: Recorded) -> None:  # noqa: C901, PLR0912 - one short case per event
        match recorded.event:
            case e.Escalated(question) if question.kind is QuestionKind.AGENT:
                self._stands_still(question)
            case e.Escalated() as event if not self._asks:
                self._parked(event.question)
            case e.Answered() as event:
                aborts = event.reply.choice is Choice.ABORT
                what = "stays open; stopped" if aborts else "answered"
                self._line(f"{event.question} {what} by {event.by}", "cyan", "→")
            case e.Salvaged() as event:
                self._line(f"work kept in {event.ref}", "dim", "·")
            case e.RolledBack() as event:
                self._line(f"back to the last verified commit {event.to[:10]}", "yellow", "↶")
            case e.PauseRequested() as event:
                self._line(f"{event.by} requested a pause after this iteration", "cyan", "‖")
            case e.ResumeRequested() as event:
                self._pausing = False
                self._line(f"resumed by {event.by}", "cyan", "▶")
            case e.StopRequested() as event:
                self._line(f"stop requested by {event.by}", "cyan", "■")
            case e.AskedAgain() as event:
                self._line(f"the agent is asked once more: {event.why}", "cyan", "→")
            case e.AgentActed() | e.AgentSwitched() | e.Decided() | e.Waited() as event:
                self._of_agents(event)
            case e.Recovered() as event:
                self._line(f"recovered {event.task}: {event.how}", "cyan", "↻")
            case e.PlanMarked() as event:
                self._plan_marked(event)
            case e.RunEnded() as event:
                self._run_ended(event)
            case _:
                self._watched(recorded.event)

    def _of_agents(self, event: e.AgentActed | e.AgentSwitched | e.Decided | e.Waited) -> None:
        match event:
            case e.AgentActed():
                self._acted(event)
            case e.AgentSwitched():
                self._line(f"{event.to} takes over from {event.agent}: {event.why}", "yellow", "→")
            case e.Decided() if event.until:
                self._line(
                    f"waiting until {clock(event.until)}{self._once(event.why)}", "cyan", "‖"
                )
            case e.Waited() if event.seconds >= 1:
                self._line(f"waited {event.seconds:.0f} s{self._once(event.why)}", "dim", "·")
            case _:
                pass

    def _watched(self, event: e.Event) -> None:
        match event:
            case a.HealthChanged() if event.now is HealthState.HEALTHY:
                self._line("the agent is making progress again", "dim", "·")
            case a.HealthChanged() if event.now is HealthState.DEGRADED:
                self._line(f"the agent is slow: {event.why}", "dim", "·")
            case a.Intervened(level=InterventionLevel.NUDGE, by=person) if person:
                self._line(f"{person} tells the agent: {event.text}", "cyan", "→")
            case a.Intervened(level=InterventionLevel.NUDGE):
                self._line(f"nudge {event.number}: {event.why}", "yellow", "!")
            case a.Intervened(level=InterventionLevel.ESCALATE):
                self._line(f"the agent is failing and may soon be stopped: {event.why}", "red", "!")
            case a.BudgetNoticed() if event.action is not BudgetAction.DENY:
                slower = f"; waiting {event.seconds:.0f} s" if event.seconds else ""
                self._line(f"budget: {event.why}{slower}", "yellow", "$")
            case a.HandoffAsked():
                self._line(f"{event.task} is to be wrapped up: {event.why}", "cyan", "→")

    def _once(self, why: str) -> str:
        """The reason, unless the agent's own words have just said it."""
        return "" if why == self._said else f": {why}"

    def _line(self, text: str, style: str = "", sign: str = " ") -> None:
        self.out.print(f"  {sign} {line(text)}", style)

    def _rule(self, text: str, style: str) -> None:
        self.out.print()
        self.out.print(f"━━ {line(text)}", style)

    @property
    def done(self) -> int:
        return len(self._done)

    def _progress(self) -> str:
        return words.progress(len(self._done), self.total, len(self._skipped))

    def _standing(self) -> str:
        """How well what this run finished is proven, and what is left."""
        count = proven.counted(self._settled_here.values())
        before = len(self._done) - len(self._settled_here)
        left = self.total - len(self._done) - len(self._skipped)
        text = words.standing({**count, "open": left})
        return f"{text} ({before} done before)" if before else text

    def _plan_marked(self, event: e.PlanMarked) -> None:
        reopened = [name for name in event.tasks if name not in event.skipped]
        self._done -= set(event.tasks)
        self._skipped = (self._skipped | set(event.skipped)) - set(reopened)
        for names, what in ((event.skipped, "skipped"), (reopened, "reopened")):
            if names:
                self._line(f"plan updated: {', '.join(names)} {what}", "cyan", "→")

    def _run_started(self, event: e.RunStarted) -> None:
        self._branch, self._plan = line(event.branch), event.plan
        self.out.print(f"Ralph · {line(event.goal)}", "bold")
        self._line(f"plan {event.plan} · branch {event.branch} · agent {event.agent}", "dim")
        if event.account:
            self._line(f"{event.agent.partition(',')[0]} · {event.account}", "dim")
        if event.worktree:
            self._line(f"worktree {event.workspace}", "dim")
        elif event.workspace:
            self._line(words.HERE, "dim")
        self._came_from = line(event.came_from)
        if event.lacks:
            self._lacking(event)
        if self.total:
            self._line(f"Progress: {self._progress()}")

    def _lacking(self, event: e.RunStarted) -> None:
        many = f"{event.lacks} commit{'s' * (event.lacks != 1)}"
        theirs = event.came_from or "your branch"
        how = "" if event.worktree else " there, then run Ralph again"
        merge = f"`git merge {event.came_from}`" if event.came_from else "Merging them"
        self._line(f"{event.branch} lacks {many} of {theirs}.", "yellow", "!")
        self._line(f"{merge}{how} brings them.", "yellow")

    def _base_checked(self, event: e.BaseChecked) -> None:
        for note in event.notes:
            self._line(note, "yellow", "!")
        for failed in [result for result in event.results if not result.passed][:1]:
            self._line(f"`{shown(failed.command)}` fails before any work", "yellow", "!")
            self._line(words.OLD_RED, "yellow")

    def _iteration_started(self, event: e.IterationStarted) -> None:
        more = " (with guidance)" if event.guided else ""
        attempt = f" · attempt {event.attempt}" if event.attempt > 1 else ""
        self._rule(
            f"Iteration {event.iteration}: {event.task}{more} {event.title}{attempt}", "bold blue"
        )

    def _agent_finished(self, event: e.AgentFinished) -> None:
        self._said, self._accepted = event.error, event.agent == ACCEPTED
        if event.error and event.agent == ACCEPTED:
            self._line(f"{event.error} An agent is to bring it in.", "yellow", "!")
        elif event.error:
            self._line(f"agent: {event.error}", "red", "✗")
        elif event.agent == ACCEPTED:
            self._line("the accepted work is brought back and checked", "dim", "·")
        else:
            self._line(f"agent finished in {span(event.seconds)}; checking", "dim", "·")

    def _acted(self, event: e.AgentActed) -> None:
        if self.out.shows_acts:
            self.out.print(f"    {line(doing_of(event.tool, event.text), 100)}", "dim")

    def paused(self) -> None:
        """A person keeps it waiting."""
        if not self._pausing:
            self._pausing = True
            self._line("paused; `ralph resume` continues it, `ralph stop` ends it", "cyan", "‖")

    def _claimed(self, event: e.Claimed) -> None:
        if self._accepted:
            return  # nobody claims anything: the work was there, and a person wants it
        for claim in event.claims:
            if claim.kind is ClaimKind.TASK_DONE:
                self._line(f"claims {claim.task} is done", "dim", "·")
            elif claim.kind is ClaimKind.ALL_DONE:
                left = self.total - len(self._done) - len(self._skipped) - 1
                also = f" ({_count(left, 'other task')} left)" if left > 0 else ""
                self._line(f"claims everything is done{also}", "dim", "·")
            elif claim.follow_up is not None:
                self._line(f"suggests: {claim.follow_up.title}", "dim", "·")

    def _verified(self, verdict: Verdict) -> None:
        for result in verdict.results:
            self._check(result)
        known = verdict.why in (self._said, HANDED_OVER)
        if not verdict.passed and not verdict.results and not known:
            self._line(f"not verified: {verdict.why}", "yellow", "!")
        for one in verdict.facts:
            style = "dim" if one.weight is Weight.NOTE else "yellow"
            self._line(one.fact.text, style, "·" if one.weight is Weight.NOTE else "!")
        if verdict.shown:
            tests = _count(len(verdict.shown), "new test")
            fail = "fails" if len(verdict.shown) == 1 else "fail"
            self._line(f"{tests} {fail} without the change", "green", "✓")

    def _check(self, result: CheckResult) -> None:
        name = shown(result.command)
        if result.passed:
            took = "before, on the same files" if result.before else f"{result.seconds:.1f} s"
            self._line(f"{name} passed ({took})", "green", "✓")
            return
        again = " (before, on the same files)" if result.before else ""
        self._line(f"{name} {result.why or f'exited {result.exit_code}'}{again}", "red", "✗")
        told = [one for one in block(result.tail).splitlines() if not COUNTER.match(one)]
        for said in told[-TAIL_LINES:]:
            self.out.print(f"      {said[:MOST]}", "dim")

    def _settled(self, event: e.Settled) -> None:
        self._done.add(event.task)
        by = event.accepted_by
        self._settled_here[event.task] = proven.kind(event.level, event.untested, by)
        level = f"{event.level}, unproven" if event.untested else event.level
        meaning = "" if event.untested else LEVELS.get(event.level, "")
        meaning = f" (by {by})" if by else meaning
        self._line(
            f"{event.task} is done · {level} · {event.commit[:10]}{meaning}", "bold green", "✓"
        )
        if self.total:
            self._line(f"Progress: {self._progress()}")

    def _iteration_ended(self, event: e.IterationEnded) -> None:
        if not event.counts:
            counted = f"not counted as an attempt at {event.task}"
            self._line(f"{counted}{self._once(event.why)}", "yellow", "!")
        if event.handoff is not None:
            self._line(f"{event.task}: {event.why}", "cyan", "→")
        if event.outcome in (Outcome.FAILED, Outcome.BUDGET_EXCEEDED):
            self._line(f"{event.task} stays open: {event.why}", "red", "✗")

    def _parked(self, question: Question) -> None:
        self._line(f"parked {question.id}: {question.summary}", "magenta", "?")
        for number, option in enumerate(question.options, 1):
            self._line(f"  {number}. {option}", "magenta")
        self._line(f"see `ralph inbox`, then `ralph answer {question.id} …`", "dim")

    def _stands_still(self, question: Question) -> None:
        """A question that does not hold up the run: it is answered from another terminal."""
        choices = [one.partition(";")[0] for one in question.options]
        told = ", ".join(f"{n}: {one[0].lower()}{one[1:]}" for n, one in enumerate(choices, 1))
        self._line(question.context, "dim")
        self._line(f"`ralph answer {question.id} N` decides at once ({told})", "dim")

    def _run_ended(self, event: e.RunEnded) -> None:
        style = "bold green" if event.exit_code == 0 else "bold yellow"
        left = self.total - len(self._done) - len(self._skipped)
        finished = event.reason is StopReason.GOAL_ACHIEVED and not left and self.total
        self._rule("All tasks are done" if finished else ENDINGS[event.reason], style)
        if self._state is not None:
            self._line(came_to(self._state()))
        if self.total:
            self._line(self._standing())
        self._line(event.why)
        if self.total:
            self._line(f"Final: {self._progress()}")
        if waiting := list(self._state().questions) if self._state is not None else []:
            many = _count(len(waiting), "question")
            wait = "waits" if len(waiting) == 1 else "wait"
            self._line(f"{many} {wait} in `ralph inbox`: {', '.join(waiting)}", "magenta", "?")
        if self._settled_here and self._branch:
            self._line(words.take_over(self._branch, self._came_from), "dim")
        if event.exit_code:
            more = "For more, see `ralph status` and `ralph report`."
            self._line(f"{more} Continue with {words.again(self._plan)}.", "dim")

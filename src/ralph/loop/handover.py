"""The watcher for handoffs: tells a running agent to wrap up, and ends one that does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.activity import ActivityKind
from ralph.domain.attended import HandoffAsked
from ralph.domain.checkpoint import HandoffTrigger
from ralph.loop.ports import Order
from ralph.policy.handoff import Crossing, HandoffFacts, HandoffProtocol
from ralph.policy.health import minutes
from ralph.policy.standing import out_of_time, run_minutes
from ralph.prompts.template import WRAP_UP

if TYPE_CHECKING:
    from ralph.agents.line import Line
    from ralph.domain.activity import Activity
    from ralph.loop.iteration import Iteration
    from ralph.loop.run import Run


class HandoverWatcher:
    """Looks after one agent process. What held when it began was acted on before."""

    def __init__(self, run: Run, iteration: Iteration, line: Line, now: float) -> None:
        self._run = run
        self._line = line
        self._iteration = iteration
        self._began = now
        self._protocol = HandoffProtocol(run.settings.handoff)
        self._context = 0.0
        self._errors = 0
        self._cost = 0.0
        self._crossing: Crossing | None = None
        self._asked = 0.0
        held = self._facts(now)
        trigger = self._protocol.should_handoff(held)
        self._fired = self._protocol.fired(held, trigger)

    def heard(self, activity: Activity, now: float) -> None:  # noqa: ARG002 - the time is of no account
        if activity.kind is ActivityKind.RESULT:
            self._errors = self._errors + 1 if activity.failed else 0
        elif activity.kind is ActivityKind.SPENT:
            self._context = activity.context
            self._cost = (activity.usage and activity.usage.cost_usd) or 0.0

    def look(self, now: float) -> Order | None:
        if self._crossing is not None:
            return self._after(self._crossing, now)
        facts = self._facts(now, self._fired)
        self._fired = self._protocol.fired(facts)
        crossing = self._wanted() or self._protocol.crossing(facts) or self._out_of_time()
        return None if crossing is None else self._ask(crossing, now)

    def _facts(self, now: float, fired: frozenset[HandoffTrigger] = frozenset()) -> HandoffFacts:
        most = self._run.settings.loop.max_cost
        spent = (self._run.state.run.usage.cost_usd or 0.0) + self._cost
        return HandoffFacts(
            context=self._context,
            errors=self._errors,
            budget=spent / most if most else 0.0,
            minutes=(now - self._began) / 60,
            fired=fired,
        )

    def _wanted(self) -> Crossing | None:
        who = self._run.state.run.relieve
        why = f"{who} asked for it"
        return Crossing(HandoffTrigger.EXPLICIT_REQUEST, 1, 1, why) if who else None

    def _out_of_time(self) -> Crossing | None:
        """The run's own limit: the agent is not to work on for hours after it."""
        most, run = self._run.settings.loop.max_minutes, self._run
        spent = run_minutes(run.state, run.clock())
        if not out_of_time(run.state, run.clock(), most):
            return None
        why = f"the run has used up its {minutes(most)} (loop.max_minutes)"
        return Crossing(HandoffTrigger.TIMEOUT, spent, most, why, of_run=True)

    def _ask(self, crossing: Crossing, now: float) -> Order:
        self._crossing, self._asked = crossing, now
        iteration, task = self._iteration, self._iteration.task
        deaf = "" if self._line.can_nudge else "; the agent takes no messages while it works"
        self._run.journal.record(
            HandoffAsked(
                iteration=iteration.number,
                task=task.id,
                trigger=crossing.trigger,
                value=crossing.value,
                threshold=crossing.threshold,
                why=f"{crossing.why}{deaf}",
            )
        )
        grace = self._grace(crossing)
        values = {
            "id": task.id,
            "title": " ".join(task.title.split()),
            "why": crossing.why,
            "grace": f"You have {minutes(grace)}." if grace else "",
        }
        # a person who says "now" need not wait for an agent that cannot be told
        at_once = crossing.trigger is HandoffTrigger.EXPLICIT_REQUEST and bool(deaf)
        text = self._run.templates.render(WRAP_UP, values)
        return Order(text=text, why=crossing.why, stop=at_once)

    def _grace(self, crossing: Crossing) -> float:
        """Minutes to wrap up in; where the run's own time is up, not more than that was."""
        settings = self._run.settings
        grace = settings.handoff.wrap_up_minutes
        return min(grace, settings.loop.max_minutes) if crossing.of_run else grace

    def _after(self, crossing: Crossing, now: float) -> Order | None:
        grace = self._grace(crossing)
        if not grace or now - self._asked < grace * 60:
            return None
        late = f"it did not wrap up within {minutes(grace)} (handoff.wrap_up_minutes)"
        return Order(stop=True, why=f"{crossing.why}; {late}")

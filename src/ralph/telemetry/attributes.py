"""What is told of each event: names of attributes and their values, figures and kinds alone.

Names of OpenTelemetry's conventions where they fit; all others begin with `ralph.`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ralph import masking
from ralph.domain import attended as a
from ralph.domain import event as e

if TYPE_CHECKING:
    from ralph.domain.usage import Usage
    from ralph.domain.verdict import Verdict

Attributes: TypeAlias = dict[str, str | int | float | bool]

MOST = 200
"""Characters of a name that a person chose."""
_ELSEWHERE = ("/", "~")
"""How a path begins that would tell of the machine."""


def name(text: str) -> str:
    """A name that a person or an agent gave to something, on one line and without secrets."""
    words = "".join(char if char.isprintable() else " " for char in masking.text(text))
    if words.startswith(_ELSEWHERE):
        words = words.rstrip("/").rpartition("/")[2]
    return words if len(words) <= MOST else f"{words[: MOST - 1]}…"


def of_run(run: str, event: e.RunStarted) -> Attributes:
    return {
        "ralph.run.id": run,
        "ralph.plan": name(event.plan),
        "ralph.branch": name(event.branch),
        "ralph.agent": name(event.agent),
        "ralph.worktree": event.worktree,
    }


def of_iteration(event: e.IterationStarted) -> Attributes:
    return {
        "ralph.iteration": event.iteration,
        "ralph.task.id": name(event.task),
        "ralph.task.attempt": event.attempt,
        "ralph.trigger": event.trigger.value,
        "ralph.agent": name(event.agent),
        "ralph.guided": event.guided,
        "ralph.fix_only": event.fix_only,
    }


def of_agent(event: e.AgentFinished) -> Attributes:
    told: Attributes = {
        "gen_ai.agent.name": name(event.agent),
        "ralph.agent.ended": event.ended.value,
        "ralph.agent.calls": event.calls,
        "ralph.agent.tool_calls": sum(event.tools.values()),
        **of_usage(event.usage),
    }
    if event.exit_code is not None:
        told["process.exit.code"] = event.exit_code
    if len(event.models) == 1:
        told["gen_ai.response.model"] = name(next(iter(event.models)))
    if event.trouble is not None:
        told["error.type"] = event.trouble.value
    return told


def of_usage(usage: Usage) -> Attributes:
    """What one agent used. By the conventions, cached tokens count as input as well."""
    read, written = usage.cache_read_tokens, usage.cache_write_tokens
    told: Attributes = {
        "gen_ai.usage.input_tokens": usage.input_tokens + read + written,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": read,
        "gen_ai.usage.cache_creation.input_tokens": written,
    }
    return {**(told if usage.tokens else {}), **_cost(usage)}


def of_all(usage: Usage) -> Attributes:
    """What several agents used together: by another name, or a sum over spans would count twice."""
    return {**({"ralph.tokens": usage.tokens} if usage.tokens else {}), **_cost(usage)}


def _cost(usage: Usage) -> Attributes:
    if usage.cost_usd is None:
        return {}
    return {"ralph.cost.usd": usage.cost_usd, "ralph.cost.estimated": usage.estimated}


def of_verdict(verdict: Verdict) -> Attributes:
    told: Attributes = {
        "ralph.verdict.passed": verdict.passed,
        "ralph.level": verdict.level.value,
        "ralph.checks": len(verdict.results),
        "ralph.trials": verdict.trials,
        "ralph.tests.passed": verdict.tests_passed,
        "ralph.tests.failed": verdict.tests_failed,
        "ralph.untested": verdict.untested,
    }
    if not verdict.passed:
        told["error.type"] = against(verdict)
    return told


def against(verdict: Verdict) -> str:
    """What speaks against a verdict that did not pass, in a word."""
    if verdict.failure is not None:
        return "tests_failed" if verdict.tests_failed else "check_failed"
    return next((one.fact.kind.value for one in verdict.rejects), "rejected")


def of_moment(event: e.Event) -> tuple[str, Attributes] | None:  # noqa: PLR0911 - one per event
    """Something that does not last: an event of a span."""
    match event:
        case e.Escalated(question=asked):
            return "ralph.question", {
                "ralph.question.id": asked.id,
                "ralph.question.kind": asked.kind.value,
                "ralph.task.id": name(asked.task),
            }
        case e.Answered(question=number, reply=reply):
            return "ralph.answer", {
                "ralph.question.id": number,
                "ralph.answer": reply.choice.value,
            }
        case e.PutBack(salvage=ref):
            return "ralph.put_back", {"ralph.salvage": name(ref)} if ref else {}
        case e.Salvaged(ref=ref):
            return "ralph.salvage", {"ralph.salvage": name(ref)}
        case e.RolledBack(task=task):
            return "ralph.rollback", {"ralph.task.id": name(task)}
        case e.AgentSwitched(agent=agent, to=to):
            return "ralph.agent_switched", {"ralph.agent": name(to), "ralph.before": name(agent)}
        case e.Waited(seconds=seconds):
            return "ralph.waited", {"ralph.seconds": seconds}
        case _:
            return _of_attending(event)


def _of_attending(event: e.Event) -> tuple[str, Attributes] | None:
    """What was seen and done about an agent while it worked."""
    match event:
        case a.HealthChanged(before=before, now=now):
            return "ralph.health", {"ralph.health": now.value, "ralph.before": before.value}
        case a.Intervened(level=level):
            return "ralph.intervention", {"ralph.intervention": level.value}
        case a.HandoffAsked(trigger=trigger):
            return "ralph.handoff", {"ralph.handoff": trigger.value}
        case a.BudgetNoticed(scope=scope, action=action, used=used, limit=limit):
            return "ralph.budget", {
                "ralph.budget": scope.value,
                "ralph.budget.action": action.value,
                "ralph.budget.used": used,
                "ralph.budget.limit": limit,
            }
        case _:
            return None

"""What the report says of time and money, the same in every form. Pure, as the sentences are."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from ralph.ui import money, words
from ralph.ui.cli.common import count

if TYPE_CHECKING:
    from collections.abc import Iterator

NO_COST = "cost unknown"


def seconds_of(contents: dict[str, Any]) -> float:
    """From the start of the run to its end, to now, or to its last sign of life."""
    if contents["completed_at"]:
        return float(contents["duration_seconds"])
    last = contents["made_at"] if contents["running_pid"] else contents["last_seen_at"]
    began = _moment(contents["started_at"])
    return max(0.0, (_moment(last) - began).total_seconds()) if last else 0.0


def _moment(at: str) -> datetime:
    return datetime.fromisoformat(at)


def cost(contents: dict[str, Any]) -> str:
    spent = contents["spent"]
    if spent["cost_usd"] is None:
        return NO_COST
    least = "at least " if spent["without_figures"] else ""
    return f"{least}{money.dollars(spent['cost_usd'], estimated=spent['estimated'])}"


def clock(at: str) -> str:
    """A moment of the report as the clock here shows it."""
    return f"{_moment(at).astimezone():%Y-%m-%d %H:%M %Z}" if at else ""


def when(contents: dict[str, Any]) -> str:
    """From when to when, by the clock of this machine."""
    start, end = clock(contents["started_at"]), clock(contents["completed_at"])
    if not end:
        return f"begun {start}, last heard of {clock(contents['last_seen_at'])}"
    if end == start:
        return start
    return f"{start} to {end[11:] if end[:10] == start[:10] else end}"


def spent(contents: dict[str, Any]) -> Iterator[str]:
    """Cost and time of the whole, a line each."""
    told = contents["spent"]
    known = told["agents"] - told["without_figures"]
    if told["cost_usd"] is None:
        yield "cost: unknown; the agents did not report what they spent"
    else:
        part = f"; {known} of them told what they used" if told["without_figures"] else ""
        guess = "; an estimate from list prices" if told["estimated"] else ""
        yield f"cost: {cost(contents)} for {_agents(told)}, {told['tokens']:,} tokens{part}{guess}"
    ever = contents["spent_ever"]
    if contents["run"] and ever["agents"] > told["agents"] and ever["cost_usd"] is not None:
        whole = money.dollars(ever["cost_usd"], estimated=ever["estimated"])
        yield f"with the earlier runs on this branch: {whole}"
    waited = contents["waited_seconds"]
    waits = f", of which {words.span(waited)} waiting" if waited >= 1 else ""
    working = sum(one["agent_seconds"] for one in contents["spending"])
    if contents["run"]:
        whole = f"{words.span(seconds_of(contents))} from start to end{waits}"
        yield f"time: {whole}; agents worked {words.span(working)}"
    else:
        yield f"time: {words.span(contents['metrics']['elapsed_seconds'])} of work{waits}"


def _agents(told: dict[str, Any]) -> str:
    """Who worked: a fresh agent for each attempt, those asked once more, and judges."""
    again = told["asked_again"]
    others = told["agents"] - told["iterations"] - again
    more = []
    if again:
        more.append(f"{count(again, 'time')} an agent was asked once more within its attempt")
    if others > 0:
        more.append(f"{others} judged the work of others")
    why = "; ".join((count(told["iterations"], "attempt"), *more))
    return f"{count(told['agents'], 'agent')}{f' ({why})' if more else ''}"


def figures(metrics: dict[str, Any]) -> Iterator[str]:
    """How well it went, in numbers."""
    share = f"{metrics['verified_share']:.0%} ended in a commit"
    per_task = metrics["iterations_per_task"]
    each = f"; {per_task} for each finished task" if per_task and per_task != 1 else ""
    yield f"{count(metrics['iterations'], 'attempt')}, {share}{each}"
    failed = count(metrics["failures"], "failure") if metrics["failures"] else ""
    own = f" ({metrics['errors']} of the agent itself)" if failed and metrics["errors"] else ""
    back = count(metrics["rollbacks"], "rollback") if metrics["rollbacks"] else ""
    if failed or back:
        yield ", ".join(filter(None, (failed + own, back)))
    if metrics["seconds_to_recovery"] is not None:
        yield f"time to recovery after a failure: {metrics['seconds_to_recovery']} s"

"""How the running agent is, and whether agents may run at all."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from ralph.domain.attended import HealthChanged, Intervened
from ralph.domain.event import AgentActed, AgentFinished
from ralph.domain.health import BreakerState, HealthState
from ralph.domain.moment import iso
from ralph.policy.breaker import CircuitBreaker
from ralph.policy.health import minutes
from ralph.repo import lock
from ralph.ui import words
from ralph.ui.cli.common import count, json_option, print_json, to_steer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph.domain.event import Recorded
    from ralph.domain.settings import HealthSettings
    from ralph.domain.state import RunState

_STYLES = {"healthy": "green", "degraded": "yellow", "stuck": "yellow"}


@click.command()
@json_option
def health(as_json: bool) -> None:
    """Show how the running agent is doing, what Ralph did about it, and the circuit breaker."""
    found = to_steer()
    journal = found.journal()
    state = journal.state
    seen = list(journal.ledger.of_iteration(journal.project, state.iteration))
    journal.close()
    journal.ledger.close()
    holder = lock.holder(found.repo.common_dir)
    now = time.time()
    view = health_view(state, seen, found.settings.health, now, holder.pid if holder else None)
    if as_json:
        print_json(view)
    else:
        _show(view, now)


def health_view(
    state: RunState,
    seen: Iterable[Recorded],
    settings: HealthSettings,
    now: float,
    pid: int | None,
) -> dict[str, Any]:
    """How the agent is, from the events of its iteration; `pid` has the lock, if anyone has."""
    agent, breaker = _agent(state, seen), _breaker(state, settings, now)
    if breaker["state"] == BreakerState.OPEN:
        agent |= {"health": HealthState.FAILING, "why": "the circuit breaker is open"}
    return {
        "running": bool(pid is not None and state.open_iteration),
        "running_pid": pid,
        **agent,
        "breaker": breaker,
        "checkpoint": state.checkpoint,
    }


def _agent(state: RunState, seen: Iterable[Recorded]) -> dict[str, Any]:
    """The agent at work, or the last one: from the events of its iteration."""
    run, changed, done, active, began = state.run, None, [], 0.0, 0.0
    moved, why, ended = 0.0, "", ""
    for recorded in seen:
        began = began or recorded.at
        match recorded.event:
            case HealthChanged() as event:
                changed, moved, why = recorded.at, event.progress or moved, event.why
            case Intervened() as event:
                done.append({"at": iso(recorded.at), "level": event.level, "why": event.why})
            case AgentActed():
                active = recorded.at
            case AgentFinished() as event:
                ended = f"failed: {event.error}" if event.error else "ended"
    return {
        "iteration": state.iteration,
        "task": state.last_task,
        "health": run.health,
        "since": iso(changed or began),
        "why": why,
        "last_activity": iso(active),
        "last_progress": iso(moved if run.health is not HealthState.HEALTHY else active or moved),
        "nudges": run.nudges,
        "ended": ended,
        "interventions": done,
        "handoff": run.handoff,
        "context": run.context,
    }


def _breaker(state: RunState, settings: HealthSettings, now: float) -> dict[str, Any]:
    breaker = CircuitBreaker.of(settings, state.breaker)
    found = breaker.state(now)
    return {
        "state": found,
        "failures": state.breaker.failures,
        "threshold": breaker.threshold,
        "opens_at": iso(breaker.opens_at) if found is BreakerState.OPEN else "",
        "seconds": round(max(breaker.opens_at - now, 0.0), 1) if found is BreakerState.OPEN else 0,
    }


def _show(view: dict[str, Any], now: float) -> None:
    if not view["iteration"]:
        click.echo("No agent has run here yet.")
    else:
        _show_agent(view, now)
    breaker = view["breaker"]
    failures = count(breaker["failures"], "failure")
    line = f"circuit breaker: {breaker['state']} ({failures} in a row"
    limit = f", opens at {breaker['threshold']})" if breaker["threshold"] else ", switched off)"
    again = ""
    if breaker["state"] == BreakerState.OPEN:
        again = f"; the next try is in {minutes(breaker['seconds'] / 60)}"
    click.echo(line + limit + again)


def _show_agent(view: dict[str, Any], now: float) -> None:
    who = f"iteration {view['iteration']} · {words.line(view['task'])}"
    state = str(view["health"])
    since = f" since {_clock(view['since'], now)}" if view["since"] else ""
    if not view["running"]:
        who = f"No agent is running. The last one: {who}"
    if view["running"] or state not in _STYLES:
        click.secho(f"{who} · {state}{since}", fg=_STYLES.get(state, "red"), bold=True)
    else:  # who does not run is not healthy, however it was until then
        click.secho(f"{who} · {words.line(view['ended']) or 'was interrupted'}", bold=True)
    if view["why"]:
        click.echo(f"  {words.line(view['why'])}")
    if view["last_progress"]:
        click.echo(f"  last progress: {_clock(view['last_progress'], now)}")
    for done in view["interventions"]:
        click.echo(f"  {_clock(done['at'], now)}  {done['level']}: {words.line(done['why'])}")
    if view["handoff"]:
        click.echo(f"  asked to hand over: {view['handoff']}")
    if view["context"]:
        click.echo(f"  context in use: {view['context']:.0%}")
    if view["checkpoint"]:
        click.echo(f"  checkpoint: {view['checkpoint']}")


def _clock(at: str, now: float) -> str:
    """The time alone, unless it was on another day."""
    return at[11:16] + " UTC" if at[:10] == iso(now)[:10] else f"{at[:10]} {at[11:16]} UTC"

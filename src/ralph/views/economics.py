"""Tokens and money by task, project, model, agent, day or iteration, and how well they are used."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain import event as e
from ralph.domain.attended import AgentSpent
from ralph.domain.budget import CostBreakdown, EfficiencyMetrics, TokenConsumption, TokenRecord
from ralph.domain.iteration import ACCEPTED
from ralph.domain.moment import day_of
from ralph.domain.usage import Usage
from ralph.policy.price import shares

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

KINDS = ("AgentFinished", "AgentSpent", "IterationStarted")
"""The events that records are made from."""
NOT_TOLD = "(not told)"
A_CENT = 0.01


class By(StrEnum):
    TASK = "task"
    PROJECT = "project"
    MODEL = "model"
    AGENT = "agent"
    DAY = "day"
    ITERATION = "iteration"


def records(events: Iterable[e.Recorded]) -> list[TokenRecord]:
    """What each agent process used, in order. One that was killed counts with its last word."""
    found: list[TokenRecord] = []
    working: dict[tuple[str, str, int], int] = {}
    agents: dict[tuple[str, str, int], str] = {}
    for recorded in events:
        event = recorded.event
        key = (recorded.project, recorded.run, getattr(event, "iteration", 0))
        match event:
            case e.IterationStarted():
                agents[key] = event.agent
            case AgentSpent() if event.ended:
                found.append(replace(_spent(recorded, event), agent=event.agent, finished=True))
            case AgentSpent():
                record = replace(_spent(recorded, event), agent=agents.get(key, ""))
                _put(found, working.get(key), record)
                working.setdefault(key, len(found) - 1)
            case e.AgentFinished() if event.agent != ACCEPTED:
                _put(found, working.pop(key, None), _finished(recorded, event))
            case _:
                pass
    return found


def _put(found: list[TokenRecord], place: int | None, record: TokenRecord) -> None:
    if place is None:
        found.append(record)
    else:
        found[place] = record


def _spent(recorded: e.Recorded, event: AgentSpent) -> TokenRecord:
    return TokenRecord(
        recorded.at,
        recorded.project,
        recorded.run,
        event.iteration,
        event.task,
        usage=event.usage,
        finished=False,
    )


def _finished(recorded: e.Recorded, event: e.AgentFinished) -> TokenRecord:
    return TokenRecord(
        recorded.at,
        recorded.project,
        recorded.run,
        event.iteration,
        event.task,
        event.agent,
        event.usage,
        event.models,
        event.calls,
        event.tools,
        event.seconds,
        prefix_hash=event.prefix_hash,
    )


def group(found: Iterable[TokenRecord], by: By) -> list[TokenConsumption]:
    """The records added up by their key; days and iterations in order, the rest dearest first."""
    rows: dict[str, TokenConsumption] = {}
    for record in found:
        for number, (key, usage) in enumerate(_keyed(record, by)):
            row = rows.get(key, TokenConsumption(key))
            # a process with two models is in two rows, but its calls are counted once
            part = record if number == 0 else TokenRecord(0, "", "", 0, "", finished=False)
            rows[key] = _added(row, part, usage, agents=number == 0)
    if by in (By.DAY, By.ITERATION):
        return list(rows.values())
    return sorted(rows.values(), key=lambda row: (-(row.usage.cost_usd or 0.0), -row.usage.tokens))


def total(found: Iterable[TokenRecord]) -> TokenConsumption:
    row = TokenConsumption("total")
    for record in found:
        row = _added(row, record, record.usage, agents=True)
    return row


def _keyed(record: TokenRecord, by: By) -> Iterator[tuple[str, Usage]]:
    match by:
        case By.MODEL:
            yield from _by_model(record)
        case By.DAY:
            yield day_of(record.at), record.usage
        case By.ITERATION:
            yield str(record.iteration), record.usage
        case By.TASK | By.PROJECT | By.AGENT:
            key: str = getattr(record, by.value)
            yield key or NOT_TOLD, record.usage


def _by_model(record: TokenRecord) -> Iterator[tuple[str, Usage]]:
    yield from record.models.items()
    rest = _minus(record.usage, sum(record.models.values(), Usage()))
    if not record.models or rest.tokens or (rest.cost_usd or 0) >= A_CENT:
        yield NOT_TOLD, rest if record.models else record.usage


def _minus(usage: Usage, told: Usage) -> Usage:
    cost = None
    if usage.cost_usd is not None:
        cost = max(usage.cost_usd - (told.cost_usd or 0.0), 0.0)
    return Usage(
        max(usage.input_tokens - told.input_tokens, 0),
        max(usage.output_tokens - told.output_tokens, 0),
        max(usage.cache_write_tokens - told.cache_write_tokens, 0),
        max(usage.cache_read_tokens - told.cache_read_tokens, 0),
        cost,
        usage.estimated,
    )


def _added(
    row: TokenConsumption, record: TokenRecord, usage: Usage, *, agents: bool
) -> TokenConsumption:
    silent = agents and record.usage.cost_usd is None and not record.usage.tokens
    return TokenConsumption(
        row.key,
        row.usage + usage,
        row.agents + agents,
        row.calls + record.calls,
        row.tool_calls + sum(record.tools.values()),
        row.seconds + record.seconds,
        row.without_figures + silent,
    )


def breakdown(found: Iterable[TokenRecord]) -> CostBreakdown:
    """The cost by kind of token: list prices say how it is shared out, the agents how much."""
    read = written = cached = reused = other = 0.0
    for record in found:
        for model, usage in _by_model(record):
            parts, cost = shares(model, usage), usage.cost_usd or 0.0
            if listed := sum(parts):
                each = cost / listed
                read += parts[0] * each
                written += parts[1] * each
                cached += parts[2] * each
                reused += parts[3] * each
            else:
                other += cost
    return CostBreakdown(read, written, cached, reused, other)


def efficiency(found: Sequence[TokenRecord], finished_tasks: int = 0) -> EfficiencyMetrics:
    every = total(found)
    usage, cost = every.usage, every.usage.cost_usd
    read = usage.input_tokens + usage.cache_write_tokens + usage.cache_read_tokens
    return EfficiencyMetrics(
        tokens_per_tool_call=_per(usage.tokens, every.tool_calls),
        tokens_per_call=_per(usage.tokens, every.calls),
        cache_hit_rate=_per(usage.cache_read_tokens, read),
        cost_per_call=None if cost is None else _per(cost, every.calls),
        cost_per_task=None if cost is None else _per(cost, finished_tasks),
        prefixes=len({one.prefix_hash for one in found if one.prefix_hash}),
    )


def _per(amount: float, of: int) -> float | None:
    return amount / of if of else None

"""What an agent has spent, told or estimated."""

from __future__ import annotations

from typing import Any

import pytest

from ralph.agents.fields import Fields
from ralph.agents.spending import Spending
from ralph.domain.usage import Usage

OPUS, SONNET = "claude-opus-5-5", "claude-sonnet-5-5"
MILLION = 1_000_000


def message(name: str, read: int = MILLION, model: str = OPUS) -> Fields:
    return Fields({"id": name, "model": model, "usage": {"input_tokens": read}})


def figures(cost: float, read: int = 0, written: int = 0) -> dict[str, Any]:
    return {"costUSD": cost, "inputTokens": read, "outputTokens": written}


def result(cost: float, since: dict[str, Any] | None = None, **models: Any) -> Fields:
    told: dict[str, Any] = {"total_cost_usd": cost, "modelUsage": models}
    return Fields(told if since is None else told | {"model_usage_since_last_result": since})


def test_it_grows_with_each_answer_and_is_then_told() -> None:
    spending = Spending()
    assert spending.usage == Usage()
    spending.begun("", message("1"))
    assert spending.usage == Usage(MILLION, cost_usd=4, estimated=True)
    spending.grown("", 4 * MILLION)
    assert spending.usage == Usage(MILLION, MILLION, cost_usd=24, estimated=True)
    spending.ended("", Fields({"output_tokens": 50_000}), "tool_use")
    assert spending.usage == Usage(MILLION, 50_000, cost_usd=5, estimated=True)
    spending.begun("", message("2"))
    spending.ended("", Fields({"output_tokens": 0}), "end_turn")
    assert spending.usage == Usage(2 * MILLION, 50_000, cost_usd=9, estimated=True)
    spending.told(result(8.75, big=figures(8.5, 2 * MILLION, 50_000), small=figures(0.25, 1)))
    assert spending.usage == Usage(2 * MILLION + 1, 50_000, cost_usd=8.75)
    assert spending.models["small"] == Usage(1, cost_usd=0.25)
    assert spending.calls == 2


def test_what_was_broken_off_is_in_no_result_but_was_paid_for() -> None:
    spending = Spending()
    spending.begun("", message("1"))
    spending.ended("", Fields({"input_tokens": MILLION}), "")
    spending.told(result(0))
    assert spending.usage == Usage(MILLION, cost_usd=4, estimated=True)
    spending.begun("", message("2"))
    spending.ended("", Fields(None), "end_turn")
    spending.told(result(4, big=figures(4, MILLION)))
    assert spending.usage == Usage(2 * MILLION, cost_usd=8, estimated=True)


def test_the_answers_of_subagents_are_counted_from_what_is_shown() -> None:
    spending = Spending()
    spending.begun("", message("main"))
    spending.shown("", message("main"))
    spending.shown("tool-1", message("sub", model=SONNET))
    spending.shown("tool-1", message("sub", model=SONNET))
    assert spending.usage.cost_usd == pytest.approx(6)
    assert spending.calls == 2
    spending.ended("", Fields(None), "tool_use")
    spending.told(result(7, big=figures(7, 2 * MILLION)))
    assert spending.usage == Usage(2 * MILLION, cost_usd=7)


def test_a_resumed_session_leaves_out_its_past() -> None:
    spending = Spending(resumed=True)
    spending.begun("", message("1"))
    spending.ended("", Fields(None), "end_turn")
    now = {OPUS: figures(4, MILLION)}
    spending.told(result(104, now, **{OPUS: figures(104, 26 * MILLION)}))
    spending.told(result(106, {SONNET: figures(2, 1)}, **{OPUS: figures(106, 26 * MILLION)}))
    assert spending.usage == Usage(MILLION + 1, cost_usd=6)
    assert spending.models == {OPUS: Usage(MILLION, cost_usd=4), SONNET: Usage(1, cost_usd=2)}


def test_a_resumed_session_that_tells_only_sums_is_estimated() -> None:
    spending = Spending(resumed=True)
    spending.begun("", message("1"))
    spending.ended("", Fields(None), "end_turn")
    spending.told(result(104, **{OPUS: figures(104, 26 * MILLION)}))
    assert spending.usage == Usage(MILLION, cost_usd=4, estimated=True)


def test_messages_that_the_program_makes_up_cost_nothing() -> None:
    spending = Spending()
    spending.shown("", message("1", model="<synthetic>"))
    spending.shown("", Fields({"id": "2", "content": "no usage"}))
    spending.grown("unknown", 5)
    spending.ended("unknown", Fields({"output_tokens": 9}), "end_turn")
    assert (spending.usage, spending.calls) == (Usage(), 0)


@pytest.mark.parametrize(
    ("model", "window", "share"),
    [
        ("claude-opus-5-5", None, 0.72),
        ("claude-opus-5-5[1m]", None, 0.144),
        ("claude-opus-5-5", 400_000, 0.36),
    ],
)
def test_the_share_of_the_context_in_use(model: str, window: int | None, share: float) -> None:
    spending = Spending()
    spending.works_with(model)
    if window:
        spending.told(Fields({"modelUsage": {model: {"contextWindow": window}}}))
    usage = {
        "input_tokens": 1_000,
        "cache_read_input_tokens": 100_000,
        "cache_creation_input_tokens": 40_000,
        "output_tokens": 3_000,
    }
    message = {"id": "m1", "model": "claude-opus-5-5", "usage": usage}
    spending.begun("", Fields(message))
    assert spending.context == pytest.approx(share)
    # what a subagent uses is not the agent's own context
    spending.begun("t-1", Fields(message | {"usage": {"input_tokens": 199_000}}))
    assert spending.context == pytest.approx(share)

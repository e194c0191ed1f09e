from __future__ import annotations

import pytest

from ralph.domain.usage import Usage
from ralph.policy.price import DEAREST, PRICES, estimate, price


@pytest.mark.parametrize(
    ("model", "cost"),
    [("claude-opus-5-5", 4 + 20 + 5 + 0.2), ("claude-sonnet-5-5", 2 + 10 + 2.5 + 0.1)],
)
def test_a_million_tokens_of_each_kind(model: str, cost: float) -> None:
    million = 1_000_000
    usage = estimate(model, Usage(million, million, million, million))
    assert usage.cost_usd == pytest.approx(cost)
    assert usage.estimated
    assert usage.output_tokens == million


def test_what_follows_the_name_of_a_model_does_not_matter() -> None:
    assert price("claude-sonnet-5-5-20260914") == PRICES["claude-sonnet-5-5"]


def test_an_unknown_model_costs_as_much_as_the_dearest() -> None:
    assert price("nope-9") == DEAREST
    assert all(DEAREST.output >= one.output for one in PRICES.values())


def test_nothing_costs_nothing() -> None:
    assert estimate("claude-opus-5-5", Usage()).cost_usd == 0


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("claude-opus-5-20260724", "claude-opus-5"),
        ("claude-opus-5-5[1m]", "claude-opus-5-5"),
        ("anthropic/claude-haiku-5-5", "claude-haiku-5-5"),
        ("gpt-5.4-mini", "gpt-5.4-mini"),
        ("gpt-5.3-codex-high", "gpt-5.3-codex"),
        ("gemini-3.1-pro-preview", "gemini-3.1-pro"),
    ],
)
def test_the_longest_name_that_fits_is_the_model(model: str, known: str) -> None:
    assert price(model) is PRICES[known]


@pytest.mark.parametrize("model", ["claude-opus-5-7", "gpt-5.9", "gemini-3", ""])
def test_another_version_is_another_model(model: str) -> None:
    assert price(model) is DEAREST

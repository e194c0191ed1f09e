"""What tokens cost, where the agent did not live to say it."""

from __future__ import annotations

from msgspec import Struct

from ralph.domain.usage import Usage

MILLION = 1_000_000


class Price(Struct, frozen=True):
    """US dollars for a million tokens."""

    input: float
    output: float
    cache_write: float
    cache_read: float


PRICES = {
    "claude-opus-5-5": Price(4, 20, 5, 0.2),
    "claude-sonnet-5-5": Price(2, 10, 2.5, 0.1),
}
"""As Claude Code 2.1.325 reported them in November 2026. Only estimates use them: where an agent
says what it spent, that counts."""

DEAREST = max(PRICES.values(), key=lambda price: price.output)


def price(model: str) -> Price:
    """The price of a model, whatever follows its name; of an unknown one, the dearest known."""
    return next((one for name, one in PRICES.items() if model.startswith(name)), DEAREST)


def estimate(model: str, usage: Usage) -> Usage:
    """The same tokens with what they cost by the table."""
    one = price(model)
    cost = (
        usage.input_tokens * one.input
        + usage.output_tokens * one.output
        + usage.cache_write_tokens * one.cache_write
        + usage.cache_read_tokens * one.cache_read
    ) / MILLION
    return Usage(
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_write_tokens,
        usage.cache_read_tokens,
        cost,
        estimated=True,
    )

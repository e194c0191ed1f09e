"""What tokens cost, where the agent does not say it or did not live to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ralph.domain.usage import Usage

MILLION = 1_000_000


class Price(Struct, frozen=True):
    """US dollars for a million tokens."""

    input: float
    output: float
    cache_write: float
    cache_read: float


PRICES = {
    "claude-fable-5-1": Price(10, 50, 12.5, 0.25),
    "claude-fable-5": Price(10, 50, 12.5, 1),
    "claude-opus-5-5": Price(4, 20, 5, 0.2),
    "claude-opus-5": Price(5, 25, 6.25, 0.5),
    "claude-opus-4-8": Price(5, 25, 6.25, 0.5),
    "claude-sonnet-5-5": Price(2, 10, 2.5, 0.1),
    "claude-sonnet-5": Price(2, 10, 2.5, 0.2),
    "claude-sonnet-4-6": Price(3, 15, 3.75, 0.3),
    # its dearer rate, for prompts over 100,000 tokens, which an agent soon has
    "claude-haiku-5-5": Price(0.5, 2.5, 0.625, 0.05),
    "claude-haiku-4-5": Price(1, 5, 1.25, 0.1),
    "gpt-6.1-sol": Price(2, 10, 2.5, 0.1),
    "gpt-6.1-terra": Price(1, 5, 1.25, 0.05),
    "gpt-6-sol": Price(2, 10, 2.5, 0.2),
    "gpt-6-luna": Price(0.1, 0.5, 0.125, 0.01),
    "gpt-5.6-sol": Price(5, 30, 6.25, 0.5),
    "gpt-5.6-terra": Price(2, 12, 2.5, 0.2),
    "gpt-5.6-luna": Price(0.2, 1.2, 0.25, 0.02),
    "gpt-5.5": Price(5, 30, 5, 0.5),
    "gpt-5.4": Price(2.5, 15, 2.5, 0.25),
    "gpt-5.4-mini": Price(0.75, 4.5, 0.75, 0.075),
    "gpt-5.3-codex": Price(1.75, 14, 1.75, 0.175),
    "gpt-5-mini": Price(0.25, 2, 0.25, 0.025),
    "gemini-3.7-flash": Price(0.75, 3.75, 0.75, 0.075),
    "gemini-3.6-flash": Price(0.75, 3.75, 0.75, 0.075),
    "gemini-3.5-flash": Price(1.5, 9, 1.5, 0.15),
    "gemini-3.1-pro": Price(2, 12, 2, 0.2),
    "gemini-3-flash": Price(0.5, 3, 0.5, 0.05),
    "gemini-2.5-pro": Price(1.25, 10, 1.25, 0.125),
    "gemini-2.5-flash": Price(0.3, 2.5, 0.3, 0.03),
}
"""List prices of November 2026: those of Claude as Claude Code 2.1.325 and Anthropic's price list
tell them, the others from the makers' price lists and GitHub's table of models, for prompts of
usual length. Only estimates use them: where an agent says what it spent, that counts."""

DEAREST = max(PRICES.values(), key=lambda price: price.output)

# "-20260914" and "-preview" are the same model, "-6" is another one
_SAME_MODEL = re.compile(r"$|[@:\[]|-(?!\d{1,2}(?!\d))")


def price(model: str) -> Price:
    """The price of a model, whatever follows its name; of an unknown one, the dearest known."""
    name = model.rpartition("/")[2]
    known = [one for one in PRICES if _is(name, one)]
    return PRICES[max(known, key=len)] if known else DEAREST


def _is(name: str, known: str) -> bool:
    return name.startswith(known) and _SAME_MODEL.match(name[len(known) :]) is not None


def estimate(model: str, usage: Usage) -> Usage:
    """The same tokens with what they cost by the table."""
    return replace(usage, cost_usd=sum(shares(model, usage)), estimated=True)


def shares(model: str, usage: Usage) -> tuple[float, float, float, float]:
    """What each kind of token costs by the table: read, written, cached, reused."""
    one = price(model)
    return (
        usage.input_tokens * one.input / MILLION,
        usage.output_tokens * one.output / MILLION,
        usage.cache_write_tokens * one.cache_write / MILLION,
        usage.cache_read_tokens * one.cache_read / MILLION,
    )


def priced(usage: Usage, models: Mapping[str, Usage], model: str) -> Usage:
    """The usage with a cost: as told, else by the table. Without tokens there is none to tell."""
    if usage.cost_usd is not None or not usage.tokens:
        return usage
    each = [estimate(name, one) for name, one in models.items()] or [estimate(model, usage)]
    return replace(usage, cost_usd=sum(one.cost_usd or 0.0 for one in each), estimated=True)

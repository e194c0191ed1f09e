from __future__ import annotations

from msgspec import Struct


class Usage(Struct, frozen=True):
    """Tokens and money of one agent process. A cost of None is unknown, not zero."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0
    cost_usd: float | None = None
    estimated: bool = False
    """The cost is Ralph's own estimate: the agent did not say what it spent."""

    @property
    def tokens(self) -> int:
        """Of all kinds."""
        return (
            self.input_tokens
            + self.output_tokens
            + self.cache_write_tokens
            + self.cache_read_tokens
        )

    def __add__(self, other: Usage) -> Usage:
        known = [c for c in (self.cost_usd, other.cost_usd) if c is not None]
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            sum(known) if known else None,
            self.estimated or other.estimated,
        )

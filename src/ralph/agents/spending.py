"""What a stream-json agent has spent: as it says in its results, and before that by estimate.

Results come late, and never for an agent that is cut off; the partial messages tell the tokens of
each answer of the model as it begins and when it is whole. An answer that was begun and never
became whole is in no result, and yet it was paid for: its estimate stays.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from ralph.agents.fields import Fields
from ralph.domain.usage import Usage
from ralph.policy.price import estimate

CHARACTERS_PER_TOKEN = 4
SYNTHETIC = "<synthetic>"
"""The model of messages that the program makes up itself, about errors."""

WINDOW = 200_000
"""Tokens of context that a model has, unless it is said otherwise."""
LONG_WINDOW = 1_000_000
_LONG = "[1m]"
"""At the end of a model's name it says so."""

_TURN = (
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)
_MODEL = ("inputTokens", "outputTokens", "cacheCreationInputTokens", "cacheReadInputTokens")


class _Reply(Struct):
    """One answer of the model, as far as it has come."""

    id: str
    model: str
    tokens: Fields
    streamed: bool
    characters: int = 0
    whole: bool = False

    @property
    def usage(self) -> Usage:
        usage = _tokens(self.tokens, _TURN)
        if not self.whole:
            told = max(usage.output_tokens, self.characters // CHARACTERS_PER_TOKEN)
            usage = replace(usage, output_tokens=told)
        return estimate(self.model, usage)


class Spending:
    """Adds up one process. With `resumed`, what the session had spent before is left out."""

    def __init__(self, *, resumed: bool = False) -> None:
        self.models: dict[str, Usage] = {}
        """As the results tell it."""
        self.calls = 0
        """Answers the model has begun."""
        self._resumed = resumed
        self._cost: float | None = None
        self._turns = Usage()
        self._since = Usage()
        """Estimate of what is whole, and will be in the next result."""
        self._lost = Usage()
        """Estimate of what will be in no result."""
        self._open: dict[str, _Reply] = {}
        """The current answer of each conversation: the agent's own, by "", and its subagents'."""
        self.context = 0.0
        """The share of the context that the agent's own conversation has in use."""
        self._windows: dict[str, int] = {}

    def works_with(self, model: str) -> None:
        """The agent names its model: the name may say how much context there is."""
        if model.endswith(_LONG):
            self._windows[model.removesuffix(_LONG)] = LONG_WINDOW

    @property
    def usage(self) -> Usage:
        """All that this process has used so far, as far as it is known."""
        told = sum(self.models.values(), Usage()) if self.models else self._turns
        told = replace(told, cost_usd=self._cost)
        unsure = sum((one.usage for one in self._open.values()), self._since + self._lost)
        return told + unsure if unsure.cost_usd else told

    def begun(self, conversation: str, message: Fields, *, streamed: bool = True) -> None:
        """The model begins an answer."""
        self._close(conversation)
        self.calls += 1
        self._open[conversation] = _Reply(
            message.text("id"), message.text("model"), message.inner("usage"), streamed
        )
        self._weigh(conversation)

    def shown(self, conversation: str, message: Fields) -> bool:
        """A part of an answer is whole. Those of subagents come like this, without a stream.

        Whether that is news: a streamed one was told of as it came.
        """
        known = self._open.get(conversation)
        if message.text("model") == SYNTHETIC or not message.inner("usage"):
            return False
        if known is not None and known.streamed and known.id == message.text("id"):
            return False
        if known is None or known.id != message.text("id"):
            self.begun(conversation, message, streamed=False)
        self.grown(conversation, len(str(message.raw.get("content", ""))))
        return True

    def grown(self, conversation: str, characters: int) -> None:
        if conversation in self._open:
            self._open[conversation].characters += characters

    def ended(self, conversation: str, tokens: Fields, stop_reason: str) -> None:
        """The tokens of an answer; without a stop reason it was broken off."""
        known = self._open.get(conversation)
        if known is not None:
            known.tokens = Fields(known.tokens.raw | tokens.raw)
            known.whole = bool(stop_reason)
            self._weigh(conversation)

    def told(self, result: Fields) -> None:
        """A result counts all that is whole. Its figures by model leave out nothing."""
        for conversation in tuple(self._open):
            self._close(conversation)
        for name, model in result.inner("modelUsage").pairs():
            if window := model.count("contextWindow"):
                self._windows[name.removesuffix(_LONG)] = window
        if self._resumed:
            self._told_since(result)
        else:
            self._told_in_all(result)

    def _told_in_all(self, result: Fields) -> None:
        cost = result.number("total_cost_usd")
        self._cost = self._cost if cost is None else cost
        self._turns += _tokens(result.inner("usage"), _TURN)
        if models := result.inner("modelUsage"):
            self.models = {name: _of_model(one) for name, one in models.pairs()}
        self._since = Usage()

    def _told_since(self, result: Fields) -> None:
        """The sums of a continued session begin with those of its past."""
        if "model_usage_since_last_result" not in result:
            return
        for name, one in result.inner("model_usage_since_last_result").pairs():
            self.models[name] = self.models.get(name, Usage()) + _of_model(one)
        self._cost = sum(one.cost_usd or 0 for one in self.models.values())
        self._since = Usage()

    def _weigh(self, conversation: str) -> None:
        known = self._open[conversation]
        if conversation or known.model == SYNTHETIC:
            return
        window = self._windows.get(known.model.removesuffix(_LONG), WINDOW)
        self.context = min(known.usage.tokens / window, 1.0)

    def _close(self, conversation: str) -> None:
        known = self._open.pop(conversation, None)
        if known is None:
            return
        # Of a subagent's answers only the beginning is shown; they are in the result all the same.
        if known.whole or not known.streamed:
            self._since += known.usage
        else:
            self._lost += known.usage


def _of_model(fields: Fields) -> Usage:
    return replace(_tokens(fields, _MODEL), cost_usd=fields.number("costUSD"))


def _tokens(fields: Fields, names: tuple[str, str, str, str]) -> Usage:
    read, written, cached, reused = (fields.count(name) for name in names)
    return Usage(read, written, cached, reused)

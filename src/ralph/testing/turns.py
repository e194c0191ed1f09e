"""Short ways to write the turns that scripts are made of.

The failures are worded as the Anthropic API words them; what Claude Code makes of each is proven
in `tests/edges/test_endpoint_claude.py`. It asks again after some of them, so a script that ends
with one usually says `repeat=True`.
"""

from __future__ import annotations

from typing import Any

from ralph.testing.script import ClaimedUsage, Text, ToolUse, Turn

UNIFIED = "anthropic-ratelimit-unified-"


FREE = ClaimedUsage()


def say(text: str, usage: ClaimedUsage = FREE, *, expect: str = "") -> Turn:
    """The model says something and ends its turn."""
    return Turn((Text(text),), usage, expect=expect)


def call(name: str, usage: ClaimedUsage = FREE, *, expect: str = "", **arguments: Any) -> Turn:  # noqa: ANN401 - what a tool takes is the tool's business
    """The model calls one tool: `call("Bash", command="ls")`."""
    return Turn((ToolUse(name, arguments),), usage, expect=expect)


def unauthorised(*, repeat: bool = False) -> Turn:
    return Turn(status=401, repeat=repeat)


def forbidden(*, repeat: bool = False) -> Turn:
    return Turn(status=403, repeat=repeat)


def model_not_found(model: str = "no-such-model", *, repeat: bool = False) -> Turn:
    return Turn(status=404, message=f"model: {model}", repeat=repeat)


def rate_limited(retry_after: float, *, repeat: bool = False) -> Turn:
    return Turn(status=429, retry_after=retry_after, repeat=repeat)


def server_error(*, repeat: bool = False) -> Turn:
    return Turn(status=500, repeat=repeat)


def overloaded(*, repeat: bool = False) -> Turn:
    return Turn(status=529, repeat=repeat)


def no_credit(*, repeat: bool = False) -> Turn:
    message = "Your credit balance is too low to access the Anthropic API."
    return Turn(status=400, message=message, repeat=repeat)


def prompt_too_long(tokens: int = 212_345, limit: int = 200_000, *, repeat: bool = False) -> Turn:
    message = f"prompt is too long: {tokens} tokens > {limit} maximum"
    return Turn(status=400, message=message, repeat=repeat)


def usage_limit(resets_at: float, window: str = "five_hour", *, repeat: bool = False) -> Turn:
    """The subscription is used up until then; needs `environment(…, subscription=True)`."""
    headers = {
        f"{UNIFIED}status": "rejected",
        f"{UNIFIED}reset": str(int(resets_at)),
        f"{UNIFIED}representative-claim": window,
    }
    return Turn(status=429, headers=headers, repeat=repeat)

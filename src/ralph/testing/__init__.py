"""A scripted endpoint: the vendors' HTTP interfaces on loopback, so that the real agent programs
can be driven without login or network, in tests and demonstrations.
"""

from __future__ import annotations

from ralph.testing.endpoint import Endpoint, Request
from ralph.testing.script import (
    BadModelScript,
    ClaimedUsage,
    Script,
    Text,
    Thinking,
    ToolUse,
    Turn,
    parse,
)
from ralph.testing.turns import (
    call,
    forbidden,
    model_not_found,
    no_credit,
    overloaded,
    prompt_too_long,
    rate_limited,
    say,
    server_error,
    unauthorised,
    usage_limit,
)

__all__ = [
    "BadModelScript",
    "ClaimedUsage",
    "Endpoint",
    "Request",
    "Script",
    "Text",
    "Thinking",
    "ToolUse",
    "Turn",
    "call",
    "forbidden",
    "model_not_found",
    "no_credit",
    "overloaded",
    "parse",
    "prompt_too_long",
    "rate_limited",
    "say",
    "server_error",
    "unauthorised",
    "usage_limit",
]

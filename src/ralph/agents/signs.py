"""How to tell an agent's trouble: by its protocol's words, by HTTP status, by what it says.

Only for an agent that has failed: one that works may talk of rate limits as much as it likes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ralph.domain.trouble import TroubleKind

if TYPE_CHECKING:
    from collections.abc import Iterable

_SERVER_ERROR = 500

WORDS: dict[TroubleKind, frozenset[str]] = {
    # The order counts: an agent gives several words, and the first of these says most.
    TroubleKind.BUDGET: frozenset({"budget_exhausted", "error_max_budget_usd"}),
    TroubleKind.USAGE_LIMIT: frozenset({"usage_limit_reached", "usage_limit_exceeded"}),
    TroubleKind.BILLING: frozenset({"billing_error", "insufficient_quota", "payment_required"}),
    TroubleKind.PROMPT_TOO_LONG: frozenset(
        {"prompt_too_long", "context_length_exceeded", "request_too_large"}
    ),
    TroubleKind.TURNS: frozenset(
        {"max_turns", "error_max_turns", "max_turn_requests", "max_output_tokens", "max_tokens"}
    ),
    TroubleKind.REFUSAL: frozenset({"refusal", "content_filter"}),
    TroubleKind.MODEL_NOT_FOUND: frozenset({"model_not_found", "not_found_error"}),
    TroubleKind.PERMISSION: frozenset({"permission_error", "permission_denied"}),
    TroubleKind.AUTHENTICATION: frozenset(
        {"authentication_error", "invalid_api_key", "unauthenticated"}
    ),
    TroubleKind.CONNECTION: frozenset({"connection_failed"}),
    TroubleKind.RATE_LIMIT: frozenset(
        {"rate_limit", "rate_limit_error", "rate_limit_exceeded", "resource_exhausted"}
    ),
    TroubleKind.OVERLOAD: frozenset({"overloaded_error", "overloaded", "unavailable"}),
}

STATUSES = {
    401: TroubleKind.AUTHENTICATION,
    402: TroubleKind.BILLING,
    403: TroubleKind.PERMISSION,
    404: TroubleKind.MODEL_NOT_FOUND,
    408: TroubleKind.CONNECTION,
    413: TroubleKind.PROMPT_TOO_LONG,
    429: TroubleKind.RATE_LIMIT,
}


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE | re.MULTILINE)


CLEAR = {
    TroubleKind.USAGE_LIMIT: _pattern(
        r"\busage limit",
        r"\bhit your [\w -]{0,20}limit",
        r"\b(?:5|five)-hour limit|\bweekly limit",
        r"\bquota will reset\b|\bexhausted your (?:daily |current )?(?:capacity|quota)",
    ),
    TroubleKind.BILLING: _pattern(
        r"\bcredit balance\b|\binsufficient (?:credits?|quota|funds|balance)",
        r"\bexceeded your current quota\b.*\bbilling\b|\bpayment required\b",
    ),
    TroubleKind.PROMPT_TOO_LONG: _pattern(
        r"\b(?:prompt|input|request|context) (?:is )?too (?:long|large)\b",
        r"\bcontext (?:length|window)\b.*\bexceed|\bexceed\w*\b.*\bcontext (?:length|window)\b",
        r"\bmaximum context length\b|\binput token count\b.*\bexceeds\b",
    ),
}
"""Said by services that give no word for it; these tell more than the status they come with."""

VAGUE = {
    TroubleKind.AUTHENTICATION: _pattern(
        r"\bnot (?:logged in|authenticated|signed in)\b|\bplease (?:run )?/?(?:log|sign) ?in\b",
        r"\b(?:invalid|incorrect|missing|no) (?:x-)?api[ -]key|\bapi[ _]key (?:is )?not\b",
        r"\bauthentication (?:failed|required|error)\b|\bfailed to authenticate\b",
        r"\bunauthori[sz]ed\b|\bset an auth method\b",
    ),
    TroubleKind.PERMISSION: _pattern(
        r"\bcannot be used with root\b|\bdoes not have permission\b|\b403 forbidden\b",
        # what a program says of itself as it dies, not of a command that it called
        r"^(?:\w+\.)*PermissionError: \[Errno 13?\]|\bE(?:ACCES|PERM): ",
    ),
    TroubleKind.MODEL_NOT_FOUND: _pattern(
        r"\b(?:unknown|no such|invalid) model\b|\bissue with the selected model\b",
        r"\bmodel\b.{0,60}\b(?:not found|does not exist|not supported|not available)\b",
    ),
    TroubleKind.RATE_LIMIT: _pattern(r"\brate.?limit|\btoo many requests\b"),
    TroubleKind.CONNECTION: _pattern(
        r"\bE(?:CONNREFUSED|CONNRESET|CONNABORTED|NOTFOUND|TIMEDOUT|AI_AGAIN|PIPE|HOSTUNREACH)\b",
        r"\bconnection (?:was )?(?:refused|reset|lost|closed|failed|timed out|error)\b",
        r"\brequest timed out\b|\bfetch failed\b|\bsocket hang up\b|\bnetwork error\b",
        r"\bcould not resolve host\b|\bstream disconnected\b|\berror sending request\b",
    ),
    TroubleKind.OVERLOAD: _pattern(
        r"\boverloaded\b|\binternal server error\b|\bservice unavailable\b|\bbad gateway\b"
    ),
    TroubleKind.TURNS: _pattern(r"\bmax(?:imum)?(?: number of)? (?:session )?turns\b"),
    TroubleKind.REFUSAL: _pattern(r"\bsafeguards flagged\b|\bviolat\w+ (?:our |the )?usage polic"),
    TroubleKind.GARBAGE: _pattern(
        r"\bJSON Parse error\b|\bis not valid JSON\b|\bunexpected token\b.*\bJSON\b"
    ),
}

_STATUS = _pattern(
    r"\b(?:http(?:/[\d.]+)?|status(?:[ _]?code)?|(?:api )?error|rejected|code)\W{1,4}([45]\d\d)\b",
    r"\b([45]\d\d) (?:unauthori|forbidden|not found|too many|internal|bad gateway|service)",
)


def kind_of(words: Iterable[str], status: int, text: str) -> TroubleKind | None:
    """The kind of trouble; None if nothing of this says it."""
    named = _by_word({word.lower() for word in words if word})
    if named not in (None, TroubleKind.RATE_LIMIT):
        return named
    # A used-up account is a rate limit too, to some.
    return (
        _by_text(CLEAR, text)
        or named
        or _by_status(status)
        or _by_status(_status_in(text))
        or _by_text(VAGUE, text)
    )


def _by_word(words: set[str]) -> TroubleKind | None:
    own = next((kind for kind in TroubleKind if kind.value in words), None)
    return next((kind for kind, known in WORDS.items() if known & words), own)


def _by_status(status: int) -> TroubleKind | None:
    return TroubleKind.OVERLOAD if status >= _SERVER_ERROR else STATUSES.get(status)


def _by_text(patterns: dict[TroubleKind, re.Pattern[str]], text: str) -> TroubleKind | None:
    return next((kind for kind, pattern in patterns.items() if pattern.search(text)), None)


def _status_in(text: str) -> int:
    found = _STATUS.search(text)
    return int(found[1] or found[2]) if found else 0

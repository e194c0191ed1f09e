"""The events of `opencode run --format json`: whole messages, tokens and cost of every step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.trouble import TroubleKind
from ralph.domain.usage import Usage

if TYPE_CHECKING:
    from ralph.agents.fields import Fields
    from ralph.agents.report import Report

_NAMES = {
    "ProviderAuthError": TroubleKind.AUTHENTICATION,
    "ContextOverflowError": TroubleKind.PROMPT_TOO_LONG,
    "ContentFilterError": TroubleKind.REFUSAL,
    "MessageOutputLengthError": TroubleKind.TURNS,
    "ProviderModelNotFoundError": TroubleKind.MODEL_NOT_FOUND,
    "UnauthorizedError": TroubleKind.AUTHENTICATION,
}
"""Its names of errors."""
_REASONS = {"length": TroubleKind.TURNS, "content-filter": TroubleKind.REFUSAL}
"""Why the last step ended, where that is not as it should be."""


def hear(report: Report, event: Fields) -> None:
    report.session = event.text("sessionID") or report.session
    part = event.inner("part")
    match event.text("type"):
        case "step_start":
            report.thought()
        case "text" if not part.flag("synthetic"):
            report.said(part.text("text"))
        case "tool_use":
            _tool(report, part)
        case "step_finish":
            _step(report, part)
        case "error":
            _error(report, event.inner("error"))


def _tool(report: Report, part: Fields) -> None:
    state = part.inner("state")
    report.tool(part.text("callID"), part.text("tool"), state.inner("input"))
    if state.text("status") in {"completed", "error"}:
        report.result(part.text("callID"), state.text("output") or state.text("error"))


def _step(report: Report, part: Fields) -> None:
    tokens = part.inner("tokens")
    cache = tokens.inner("cache")
    used = Usage(
        tokens.count("input"),
        tokens.count("output") + tokens.count("reasoning"),
        cache.count("write"),
        cache.count("read"),
    )
    report.calls += 1
    report.spent(report.usage + replace(used, cost_usd=part.number("cost")))
    reason = part.text("reason")
    report.over = reason != "tool-calls"
    report.recover()
    if reason in _REASONS:
        report.fail("", _REASONS[reason])


def _error(report: Report, error: Fields) -> None:
    data = error.inner("data")
    name = error.text("name")
    message = data.text("message") or name
    report.over = True
    report.fail(message, _NAMES.get(name, ""), status=data.count("statusCode"))

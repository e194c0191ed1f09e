"""The events of `gemini -o stream-json`: words in pieces, tokens in the result, no cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.trouble import TroubleKind
from ralph.domain.usage import Usage

if TYPE_CHECKING:
    from ralph.agents.fields import Fields
    from ralph.agents.report import Report

_SIGNS = {
    "empty response": TroubleKind.EMPTY,
    "no final response text": TroubleKind.EMPTY,
    "response was blocked": TroubleKind.REFUSAL,
    "max session turns": TroubleKind.TURNS,
    "exceeded the token limit": TroubleKind.TURNS,
    "Incomplete JSON segment": TroubleKind.GARBAGE,
    "exceeded your current quota": TroubleKind.RATE_LIMIT,
    "terminated": TroubleKind.CONNECTION,
}
"""Its sentences that name no status."""


def hear(report: Report, event: Fields) -> None:
    match event.text("type"):
        case "init":
            report.session = event.text("session_id")
        case "message" if event.text("role") == "assistant":
            report.saying(event.text("content"))
        case "tool_use":
            given = event.inner("parameters")
            report.tool(event.text("tool_id"), event.text("tool_name"), given)
        case "tool_result":
            report.result(event.text("tool_id"), event.text("output"))
        case "error" if event.text("severity") != "warning":
            _fail(report, event.text("message"))
        case "result":
            _result(report, event)


def _result(report: Report, event: Fields) -> None:
    report.pause()
    report.over = True
    if event.text("status") == "error":
        _fail(report, event.inner("error").text("message"))
    else:
        report.recover()
    models = event.inner("stats").inner("models").pairs()
    # It lists models that it asked and that answered nothing.
    report.models = {name: _usage(one) for name, one in models if one.number("total_tokens")}
    report.spent(sum(report.models.values(), Usage()))


def _usage(stats: Fields) -> Usage:
    """`input` leaves out what came from the cache; writing to it is not told."""
    return Usage(stats.count("input"), stats.count("output_tokens"), 0, stats.count("cached"))


def _fail(report: Report, message: str) -> None:
    word = next((kind for sign, kind in _SIGNS.items() if sign in message), "")
    report.fail(message, word)

"""The events of `codex exec --json`: one item per step, tokens at the end of a turn, no cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.trouble import TroubleKind
from ralph.domain.usage import Usage

if TYPE_CHECKING:
    from ralph.agents.fields import Fields
    from ralph.agents.report import Report

_SIGNS = {
    "ran out of room in the model's context window": TroubleKind.PROMPT_TOO_LONG,
    "experiencing high demand": TroubleKind.OVERLOAD,
}
"""Its sentences that name no status and no word of the service."""


def hear(report: Report, event: Fields) -> None:
    match event.text("type"):
        case "item.started" | "item.updated":
            _started(report, event.inner("item"))
        case "item.completed":
            _completed(report, event.inner("item"))
        case "turn.completed":
            report.over = True
            report.recover()
            report.spent(report.usage + _usage(event.inner("usage")))
        case "turn.failed":
            report.over = True
            _fail(report, event.inner("error").text("message"))
        case "error":
            # It may try again; `turn.failed` or the exit code says whether it gave up.
            _fail(report, event.text("message"))


def _started(report: Report, item: Fields) -> None:
    report.thought()
    if item.text("type") == "command_execution" and item.text("status") == "in_progress":
        report.tool(item.text("id"), "command_execution", item)


def _completed(report: Report, item: Fields) -> None:
    kind = item.text("type")
    match kind:
        case "agent_message":
            report.said(item.text("text"))
        case "reasoning":
            report.thought()
        case "command_execution":
            report.result(item.text("id"), item.text("aggregated_output"))
        case "file_change":
            for change in item.items("changes"):
                report.tool(item.text("id"), kind, change)
        case "mcp_tool_call":
            report.tool(item.text("id"), item.text("tool"), item.inner("arguments"))
        case "web_search":
            report.tool(item.text("id"), kind, item)


def _usage(tokens: Fields) -> Usage:
    """Its input counts what came from the cache; ours does not."""
    cached = tokens.count("cached_input_tokens")
    written = tokens.count("cache_write_input_tokens")
    fresh = max(tokens.count("input_tokens") - cached - written, 0)
    return Usage(fresh, tokens.count("output_tokens"), written, cached)


def _fail(report: Report, message: str) -> None:
    word = next((kind for sign, kind in _SIGNS.items() if sign in message), "")
    report.fail(message, word)

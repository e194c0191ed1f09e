"""The Messages API as Claude Code uses it: streamed and plain answers, token counts, errors."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from ralph.testing.dialect import HttpReply
from ralph.testing.script import OK, Text, Thinking, ToolUse, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.testing.dialect import Body

MESSAGES = "/v1/messages"
COUNT = "/v1/messages/count_tokens"
SUGGESTION = "[SUGGESTION MODE"
AGENT_ID = "x-claude-code-agent-id"
BAD_REQUEST = 400
CHARACTERS_PER_TOKEN = 4
ERRORS = {
    BAD_REQUEST: ("invalid_request_error", "The request makes no sense."),
    401: ("authentication_error", "invalid x-api-key"),
    403: ("permission_error", "Your account does not have permission."),
    404: ("not_found_error", "Not found."),
    413: ("request_too_large", "Request exceeds the maximum size."),
    429: ("rate_limit_error", "This request would exceed your rate limit."),
    500: ("api_error", "Internal server error"),
    529: ("overloaded_error", "Overloaded"),
}
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_MAX_RETRIES": "1",
    "API_TIMEOUT_MS": "10000",
    "NO_PROXY": "127.0.0.1",
}


class Anthropic:
    """POST /v1/messages and /v1/messages/count_tokens."""

    def answers(self, path: str) -> bool:
        return path in {MESSAGES, COUNT}

    def is_subagent(self, headers: dict[str, str], _body: Body) -> bool:
        return AGENT_ID in headers

    def opening(self, body: Body) -> str:
        return _words(_messages(body)[0])

    def side(self, path: str, body: Body) -> HttpReply | None:
        if path == COUNT:
            return _plain(OK, {"input_tokens": len(json.dumps(body)) // CHARACTERS_PER_TOKEN}, {})
        if body.get("tools") and SUGGESTION not in _words(_messages(body)[-1]):
            return None
        return self.render(Turn((Text("ok"),)), body)

    def render(self, turn: Turn, body: Body) -> HttpReply:
        headers = dict(turn.headers)
        if turn.retry_after is not None:
            headers["retry-after"] = f"{turn.retry_after:g}"
        if turn.status != OK:
            return _error(turn.status, turn.error, turn.message, headers)
        message = _message(turn, str(body.get("model", "")))
        if not body.get("stream"):
            return _plain(OK, message, headers)
        chunks = tuple(_event(name, data) for name, data in _events(message))
        return HttpReply(OK, chunks, "text/event-stream", headers)

    def refuse(self, message: str) -> HttpReply:
        return _error(BAD_REQUEST, "", message, {})

    def environment(self, url: str, *, subscription: bool) -> dict[str, str]:
        # Claude Code reports a usage limit only to subscribers; a key would win over the token.
        name = "CLAUDE_CODE_OAUTH_TOKEN" if subscription else "ANTHROPIC_API_KEY"
        return {"ANTHROPIC_BASE_URL": url, name: "no-secret-scripted-endpoint", **QUIET}


def _messages(body: Body) -> list[Any]:
    return body.get("messages") or [{}]


def _words(message: dict[str, Any]) -> str:
    """The text of a message, whose content is a text or a list of blocks."""
    content = message.get("content", "")
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content)


def _plain(status: int, body: object, headers: dict[str, str]) -> HttpReply:
    return HttpReply(status, (json.dumps(body).encode(),), headers=headers)


def _error(status: int, kind: str, message: str, headers: dict[str, str]) -> HttpReply:
    usual_kind, usual_message = ERRORS.get(status, ("api_error", f"Scripted status {status}."))
    error = {"type": kind or usual_kind, "message": message or usual_message}
    return _plain(status, {"type": "error", "error": error, "request_id": _id("req")}, headers)


def _id(prefix: str) -> str:
    # Random, because a session that is resumed meets the answers of an earlier endpoint.
    return f"{prefix}_{os.urandom(12).hex()}"


def _message(turn: Turn, model: str) -> dict[str, Any]:
    calls = any(isinstance(block, ToolUse) for block in turn.content)
    return {
        "id": _id("msg"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [_block(block) for block in turn.content],
        "stop_reason": turn.stop_reason or ("tool_use" if calls else "end_turn"),
        "stop_sequence": None,
        "usage": {
            "input_tokens": turn.usage.input,
            "cache_creation_input_tokens": turn.usage.cache_write,
            "cache_read_input_tokens": turn.usage.cache_read,
            "output_tokens": turn.usage.output,
        },
    }


def _block(block: Text | ToolUse | Thinking) -> dict[str, Any]:
    match block:
        case Text(text):
            return {"type": "text", "text": text}
        case Thinking(text):
            return {"type": "thinking", "thinking": text, "signature": "c2NyaXB0ZWQ="}
        case ToolUse(name, value):
            return {"type": "tool_use", "id": _id("toolu"), "name": name, "input": value}


def _events(message: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    usage = message["usage"]
    begun = message | {"content": [], "stop_reason": None, "usage": usage | {"output_tokens": 0}}
    yield "message_start", {"message": begun}
    for index, block in enumerate(message["content"]):
        empty, deltas = _pieces(block)
        yield "content_block_start", {"index": index, "content_block": empty}
        for delta in deltas:
            yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"delta": ending, "usage": usage}
    yield "message_stop", {}


def _pieces(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The block as it starts, and the deltas that fill it."""
    match block["type"]:
        case "text":
            return block | {"text": ""}, [{"type": "text_delta", "text": block["text"]}]
        case "thinking":
            deltas = [
                {"type": "thinking_delta", "thinking": block["thinking"]},
                {"type": "signature_delta", "signature": block["signature"]},
            ]
            return block | {"thinking": "", "signature": ""}, deltas
        case _:
            words = json.dumps(block["input"])
            return block | {"input": {}}, [{"type": "input_json_delta", "partial_json": words}]


def _event(name: str, data: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name} | data)}\n\n".encode()

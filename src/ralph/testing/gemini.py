"""The Gemini API as gemini-cli uses it: streamed answers, side questions, token counts, errors.

Its conversation is streamed and offers tools; everything else it asks (which model suits the
prompt, a summary, who speaks next) is a side request, answered with what its schema allows.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ralph.testing.dialect import HttpReply
from ralph.testing.script import OK, Text, Thinking, ToolUse, Turn

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.testing.dialect import Body
    from ralph.testing.script import ClaimedUsage

STREAM = ":streamGenerateContent"
PLAIN = ":generateContent"
COUNT = ":countTokens"
BAD_REQUEST = 400
CHARACTERS_PER_TOKEN = 4
ERRORS = {
    BAD_REQUEST: ("INVALID_ARGUMENT", "Request contains an invalid argument."),
    401: ("UNAUTHENTICATED", "API keys are not supported by this API."),
    403: ("PERMISSION_DENIED", "The caller does not have permission."),
    404: ("NOT_FOUND", "The model is not found for API version v1beta."),
    429: ("RESOURCE_EXHAUSTED", "You exceeded your current quota."),
    500: ("INTERNAL", "An internal error has occurred."),
    503: ("UNAVAILABLE", "The model is overloaded. Please try again later."),
    529: ("UNAVAILABLE", "The model is overloaded. Please try again later."),
}
FINISHES = {"": "STOP", "max_tokens": "MAX_TOKENS", "refusal": "SAFETY"}
SETTINGS = {
    # With a base URL in the environment the program asks for a choice, even when it has a key.
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False, "maxAttempts": 1},
}
_PROTOTYPES: dict[str, object] = {"string": "ok", "number": 1, "integer": 1, "boolean": False}


def write_settings(home: Path) -> None:
    """What the program needs in its home besides the environment, and one try per request."""
    folder = home / ".gemini"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(SETTINGS), encoding="utf-8")


class Gemini:
    """POST …/models/<model>:streamGenerateContent, :generateContent and :countTokens."""

    def answers(self, path: str) -> bool:
        return "/models/" in path and path.endswith((STREAM, PLAIN, COUNT))

    def is_subagent(self, _headers: dict[str, str], _body: Body) -> bool:
        # Nothing in its requests tells them apart.
        return False

    def opening(self, body: Body) -> str:
        contents = body.get("contents") or [{}]
        return "\n".join(part.get("text", "") for part in contents[0].get("parts", ()))

    def side(self, path: str, body: Body) -> HttpReply | None:
        if path.endswith(COUNT):
            return _plain(OK, {"totalTokens": len(json.dumps(body)) // CHARACTERS_PER_TOKEN}, {})
        if path.endswith(STREAM) and body.get("tools"):
            return None
        asked = body.get("generationConfig", {}).get("responseJsonSchema")
        words = json.dumps(_example(asked)) if asked else "ok"
        turn = Turn((Text(words),))
        if path.endswith(STREAM):
            return self.render(turn, body)
        return _plain(OK, _whole(turn), {})

    def render(self, turn: Turn, _body: Body) -> HttpReply:
        if turn.status != OK:
            return _error(turn.status, turn.error, turn.message, turn.headers, turn.retry_after)
        chunks = tuple(f"data: {json.dumps(one)}\r\n\r\n".encode() for one in _events(turn))
        return HttpReply(OK, chunks, "text/event-stream", dict(turn.headers))

    def refuse(self, message: str) -> HttpReply:
        return _error(BAD_REQUEST, "", message, {}, None)

    def environment(self, url: str, *, subscription: bool) -> dict[str, str]:
        """Also needs `write_settings`; a login is not told apart from a key."""
        del subscription
        return {
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_API_KEY": "no-secret-scripted-endpoint",
            # It would start itself a second time, with more memory, which takes a second.
            "GEMINI_CLI_NO_RELAUNCH": "true",
            "NO_PROXY": "127.0.0.1",
        }


def _plain(status: int, body: object, headers: dict[str, str]) -> HttpReply:
    return HttpReply(status, (json.dumps(body).encode(),), headers=headers)


def _error(
    code: int, kind: str, message: str, headers: dict[str, str], retry_after: float | None
) -> HttpReply:
    usual_kind, usual_message = ERRORS.get(code, ("UNKNOWN", f"Scripted status {code}."))
    error: dict[str, Any] = {
        "code": code,
        "message": message or usual_message,
        "status": kind or usual_kind,
    }
    if retry_after is not None:
        name = "type.googleapis.com/google.rpc.RetryInfo"
        error["details"] = [{"@type": name, "retryDelay": f"{retry_after:g}s"}]
    return _plain(code, {"error": error}, dict(headers))


def _events(turn: Turn) -> list[dict[str, Any]]:
    """One event per block of the content, and one that ends the answer."""
    blocks = [_candidate([_part(block)]) for block in turn.content]
    return [*blocks, _candidate([], _finish(turn)) | {"usageMetadata": _usage(turn.usage)}]


def _whole(turn: Turn) -> dict[str, Any]:
    parts = [_part(block) for block in turn.content]
    return _candidate(parts, _finish(turn)) | {"usageMetadata": _usage(turn.usage)}


def _candidate(parts: list[dict[str, Any]], finish: str = "") -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate]}


def _part(block: Text | ToolUse | Thinking) -> dict[str, Any]:
    match block:
        case Text(text):
            return {"text": text}
        case Thinking(text):
            return {"text": text, "thought": True}
        case ToolUse(name, value):
            return {"functionCall": {"name": name, "args": value}}


def _finish(turn: Turn) -> str:
    return FINISHES.get(turn.stop_reason, turn.stop_reason)


def _usage(usage: ClaimedUsage) -> dict[str, int]:
    """Cached tokens are part of the prompt's; writing the cache is not told."""
    prompt = usage.input + usage.cache_write + usage.cache_read
    return {
        "promptTokenCount": prompt,
        "cachedContentTokenCount": usage.cache_read,
        "candidatesTokenCount": usage.output,
        "totalTokenCount": prompt + usage.output,
    }


def _example(schema: dict[str, Any]) -> object:
    """Something that the schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = str(schema.get("type", "string")).lower()
    if kind == "array":
        return []
    if kind == "object":
        known = schema.get("properties", {})
        return {name: _example(known.get(name, {})) for name in schema.get("required", known)}
    return schema.get("minimum", _PROTOTYPES.get(kind))

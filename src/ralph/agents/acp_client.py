"""What an ACP agent is answered when it asks, and what its updates mean.

It is offered neither files nor terminals of the client's: it has its own, which work on the same
workspace. (Gemini cannot make a new file over the client's.)
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ralph.agents.fields import Fields
from ralph.domain.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp.schema import PermissionOption, PromptResponse, RequestPermissionResponse

    from ralph.agents.report import Report

_GRANT = ("allow_once", "allow_always")
"""Once comes first: an agent may refuse lasting trust."""
_REFUSE = ("reject_once", "reject_always")
_CHANGES = frozenset({"edit", "delete", "move"})
_ENDED = frozenset({"completed", "failed"})
_REMEMBERED = 200


class Client:
    """The client's side of one session."""

    def __init__(self, workspace: str, report: Report, spent: Callable[[], None]) -> None:
        self.report = report
        self.listening = False
        """Until the prompt is sent, updates are about something else."""
        self._workspace = Path(workspace).resolve()
        self._spent = spent
        self._message = ""
        self._told: dict[str, str] = {}
        """Calls of tools that were told already, the oldest first."""
        self._kinds: dict[str, str] = {}
        """What kind of tool is called, of calls that will be told later."""

    async def request_permission(
        self,
        session_id: str,  # noqa: ARG002 - there is one session
        tool_call: Any,  # noqa: ANN401 - a model of the library's, read as JSON
        options: list[PermissionOption],
        **_: object,
    ) -> RequestPermissionResponse:
        """Granted, except for changes of files outside the workspace."""
        from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

        call = fields(tool_call)
        self._tell(call)
        wanted = _GRANT if self._inside(call) else _REFUSE
        chosen = next((o.option_id for kind in wanted for o in options if o.kind == kind), None)
        if chosen is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        outcome = AllowedOutcome(outcome="selected", option_id=chosen)
        return RequestPermissionResponse(outcome=outcome)

    async def session_update(
        self,
        session_id: str,  # noqa: ARG002 - there is one session
        update: Any,  # noqa: ANN401 - one of a dozen models, read as JSON
        **_: object,
    ) -> None:
        if self.listening:
            self._update(fields(update))

    def answered(self, response: PromptResponse) -> None:
        """The agent has finished a prompt; what it spent on it, where it tells."""
        self.report.pause()
        told = fields(response)
        quota = told.inner("_meta").inner("quota")
        tokens = _tokens(told.inner("usage") or quota.inner("token_count"))
        for one in quota.items("model_usage"):
            model = one.text("model")
            known = self.report.models.get(model, Usage())
            self.report.models[model] = known + _tokens(one.inner("token_count"))
        self.report.spent(self.report.usage + tokens)

    def _update(self, update: Fields) -> None:
        report = self.report
        match update.text("sessionUpdate"):
            case "agent_message_chunk":
                self._say(update)
            case "tool_call":
                self._tell(update)
            case "tool_call_update":
                self._tell(update)
                if update.text("status") in _ENDED:
                    report.result(update.text("toolCallId"), _said(update))
            case "usage_update":
                self._cost(update.inner("cost"))
            case _:
                report.thought()

    def _say(self, update: Fields) -> None:
        if update.text("messageId") != self._message:
            self._message = update.text("messageId")
            self.report.pause()
        self.report.saying(update.inner("content").text("text"))

    def _tell(self, call: Fields) -> None:
        """A call of a tool, once: it comes as a call, as an update or as a request first."""
        name = call.text("toolCallId")
        if name in self._told:
            self.report.thought()
        elif call.raw.get("rawInput") == {}:
            # Its input is still being written: it cannot say yet what it is about.
            _remember(self._kinds, name, call.text("kind"))
        else:
            _remember(self._told, name, "")
            kind = call.text("kind") or self._kinds.pop(name, "") or "tool"
            self.report.tool(name, kind, Fields({"description": call.text("title")}))

    def _cost(self, cost: Fields) -> None:
        """The sum of the session so far."""
        amount = cost.number("amount")
        if amount is not None and cost.text("currency") == "USD":
            self.report.spent(replace(self.report.usage, cost_usd=amount))
            self._spent()

    def _inside(self, call: Fields) -> bool:
        if call.text("kind") not in _CHANGES:
            return True
        named = (*call.items("locations"), *call.items("content"))
        paths = [self._workspace / one.text("path") for one in named if one.text("path")]
        return all(path.resolve().is_relative_to(self._workspace) for path in paths)


def _remember(known: dict[str, str], name: str, value: str) -> None:
    known[name] = value
    if len(known) > _REMEMBERED:
        del known[next(iter(known))]


def fields(model: Any) -> Fields:  # noqa: ANN401 - any model of the library's
    """A model as the JSON it stands for."""
    return Fields(model.model_dump(mode="json", by_alias=True, exclude_none=True))


def _said(update: Fields) -> str:
    parts = (one.inner("content").text("text") for one in update.items("content"))
    return " ".join(part for part in parts if part)


def _tokens(told: Fields) -> Usage:
    """Two spellings are about. Reasoning is part of the output."""
    return Usage(
        told.count("inputTokens") or told.count("input_tokens"),
        told.count("outputTokens") or told.count("output_tokens"),
        told.count("cachedWriteTokens"),
        told.count("cachedReadTokens") or told.count("cachedInputTokens"),
    )

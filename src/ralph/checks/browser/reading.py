"""Reads a flow file. Every error names the file, the line and the step."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec.structs import replace

from ralph import files
from ralph.checks.browser import fields
from ralph.checks.browser.flow import BrowserSettings, Flow, FlowStep, FlowStepAction
from ralph.config.entry import Entry, brief
from ralph.domain.errors import CheckError, ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PORT = "{port}"
MAX_BYTES = 256 * 1024
LOOPBACK = ("localhost", "*.localhost", "127.0.0.1", "::1")

_TOP = frozenset(
    (
        *("url", "serve", "steps", "viewport", "timeout", "start_seconds", "limit_seconds"),
        *("allow_console", "allow_requests", "allow_hosts"),
    )
)
_CONDITION = frozenset(("text", "selector", "url", "count", "absent", "timeout"))
_KEYS = {
    FlowStepAction.NAVIGATE: frozenset(("url", "timeout")),
    FlowStepAction.CLICK: frozenset(("selector", "timeout")),
    FlowStepAction.TYPE: frozenset(("selector", "text", "enter", "timeout")),
    FlowStepAction.WAIT: _CONDITION | {"seconds"},
    FlowStepAction.VERIFY: _CONDITION,
    FlowStepAction.SCREENSHOT: frozenset(("name", "mask", "tolerance", "full_page", "timeout")),
}
_SHORT = {
    FlowStepAction.NAVIGATE: "url",
    FlowStepAction.CLICK: "selector",
    FlowStepAction.WAIT: "seconds",
    FlowStepAction.VERIFY: "text",
    FlowStepAction.SCREENSHOT: "name",
}
"""What a step with a single value gives."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


def is_loopback(host: str) -> bool:
    return is_among(host, LOOPBACK)


def is_among(host: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(host.lower(), pattern.lower()) for pattern in patterns)


def read_flow(path: Path, root: Path) -> Flow:
    """The flow in this file, or a CheckError that says what is wrong with it."""
    source = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
    data = files.read(path)
    if data is None:
        raise CheckError(f"There is no flow file {source}.")
    if len(data) > MAX_BYTES:
        raise CheckError(f"{source} is larger than {MAX_BYTES // 1024} KB.", fix="Shorten it.")
    try:
        return _flow(_tree(data, source), source)
    except ConfigError as error:
        raise CheckError(error.what, fix=error.fix) from error


def _tree(data: bytes, source: str) -> Entry:
    if not source.endswith(".json"):
        from ralph.config.tree import parse

        return parse(data, lambda line: f"{source}:{line}")
    try:
        return _entry(json.loads(data), source)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{source}: this is not JSON: {error}.") from error


def _entry(value: object, where: str) -> Entry:
    if isinstance(value, dict):
        return Entry({key: _entry(one, where) for key, one in value.items()}, where)
    if isinstance(value, list):
        return Entry([_entry(one, where) for one in value], where)
    return Entry(value, where)


def _flow(tree: Entry, source: str) -> Flow:
    top = fields.section(tree, _TOP, "a flow")
    steps = top.get("steps", Entry([], tree.where))
    if not isinstance(steps.value, list) or not steps.value:
        raise steps.wrong("a flow needs steps", 'For example "- navigate: /".')
    width, height = fields.viewport(top.get("viewport"))
    browser = BrowserSettings(
        width=width,
        height=height,
        timeout=fields.seconds(top, "timeout", 10, least=0.1),
        allow_console=fields.patterns(top, "allow_console"),
        allow_requests=fields.patterns(top, "allow_requests"),
        allow_hosts=fields.texts(top, "allow_hosts"),
    )
    flow = Flow(
        source=source,
        url=fields.text(top, "url"),
        steps=tuple(_step(one, number) for number, one in enumerate(steps.value, 1)),
        serve=fields.text(top, "serve"),
        start_seconds=fields.seconds(top, "start_seconds", 30, least=0.1),
        limit_seconds=fields.seconds(top, "limit_seconds", 120, least=0.1),
        browser=browser,
    )
    _check_address(flow, top.get("url", tree))
    _check_order(flow, steps)
    return flow


def _check_address(flow: Flow, entry: Entry) -> None:
    if not flow.url:
        raise entry.wrong("a flow needs a url", f"For example http://127.0.0.1:{PORT}/.")
    try:
        parts = urlsplit(flow.url.replace(PORT, "1"))
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise entry.wrong(f"{brief(flow.url)} is not an address: {error}") from error
    if parts.scheme not in {"http", "https"} or not host:
        raise entry.wrong(
            f"{brief(flow.url)} is not an address that begins with http:// or https://"
        )
    if not is_loopback(host) and not is_among(host, flow.browser.allow_hosts):
        raise entry.wrong(f"{host} is not this machine", f"Name {host} under allow_hosts.")
    if PORT in flow.url and not flow.serve:
        raise entry.wrong(f"{PORT} is for a server that the flow starts", "Add serve.")


def _check_order(flow: Flow, entry: Entry) -> None:
    if flow.steps[0].action is not FlowStepAction.NAVIGATE:
        raise entry.wrong("step 1 must be navigate", 'Begin with "- navigate: /".')
    names = [step.name for step in flow.steps if step.name]
    for name in names:
        if names.count(name) > 1:
            raise entry.wrong(f"two screenshots are called {name}", "Give each its own name.")


def _step(entry: Entry, number: int) -> FlowStep:
    """One step; its errors begin with its number."""
    entry = replace(entry, where=f"{entry.where}: step {number}")
    action, own = _parts(entry)
    step = FlowStep(
        action=action,
        selector=fields.text(own, "selector"),
        text=fields.text(own, "text"),
        url=fields.text(own, "url"),
        count=fields.count(own.get("count")),
        absent=fields.flag(own, "absent"),
        enter=fields.flag(own, "enter"),
        seconds=fields.seconds(own, "seconds", 0),
        timeout=fields.seconds(own, "timeout", 0),
        name=fields.text(own, "name"),
        mask=fields.texts(own, "mask"),
        tolerance=fields.share(own.get("tolerance")),
        full_page=fields.flag(own, "full_page"),
    )
    _check_step(step, entry)
    return step


def _parts(entry: Entry) -> tuple[FlowStepAction, Mapping[str, Entry]]:
    value = entry.value
    if not isinstance(value, dict) or len(value) != 1:
        raise entry.wrong("a step is one action and what it needs", 'Such as "- click: text=Save".')
    [(word, given)] = value.items()
    if word not in set(FlowStepAction):
        raise entry.wrong(f"{brief(word)} is not an action", f"One of {', '.join(FlowStepAction)}.")
    action = FlowStepAction(word)
    if not isinstance(given.value, dict):
        if given.value is None or action not in _SHORT:
            raise entry.wrong(f"{action} has no value", fields.QUOTE)
        given = Entry({_SHORT[action]: given}, entry.where)
    section = fields.section(replace(given, where=entry.where), _KEYS[action], action)
    own = {key: replace(one, where=f"{entry.where}: {key}") for key, one in section.items()}
    return action, own


def _check_step(step: FlowStep, entry: Entry) -> None:
    if step.action in {FlowStepAction.CLICK, FlowStepAction.TYPE} and not step.selector:
        raise entry.wrong(f"{step.action} needs a selector", fields.QUOTE)
    if step.action is FlowStepAction.SCREENSHOT and not _NAME.fullmatch(step.name):
        raise entry.wrong("a screenshot needs a name of letters, digits, - and _")
    if step.action not in {FlowStepAction.WAIT, FlowStepAction.VERIFY}:
        return
    if step.count is not None and (step.text or step.url or step.absent or not step.selector):
        raise entry.wrong("count goes with a selector and nothing else")
    given = [step.text, step.url, "" if step.text else step.selector, step.seconds or ""]
    if sum(bool(one) for one in given) != 1:
        what = "text, selector, url or count"
        also = ", or seconds" if step.action is FlowStepAction.WAIT else ""
        raise entry.wrong(f"{step.action} needs one of {what}{also}", fields.QUOTE)

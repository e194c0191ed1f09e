"""The one entry of ours in Claude Code's settings, put in and taken out without touching a byte
of the rest.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ralph.domain.errors import ConfigError
from ralph.plans import json_text
from ralph.plans.json_text import after_space, apply, end_of_value, members

if TYPE_CHECKING:
    from ralph.plans.json_text import Edit, JsonMember

EVENT = "Stop"
SECONDS = 10
INDENT = "  "


def has_entry(settings: Any, source: str) -> bool:  # noqa: ANN401 - JSON is anything
    return any(map(is_ours, _groups(settings, source)))


def is_ours(group: Any) -> bool:  # noqa: ANN401 - JSON is anything
    """Whether it is a group of hooks that Ralph made."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return (
        isinstance(hooks, list)
        and len(hooks) == 1
        and isinstance(hooks[0], dict)
        and _starts_ours(hooks[0].get("command"))
    )


def _starts_ours(command: object) -> bool:
    text = command if isinstance(command, str) else ""
    return text == "ralph hook stop" or text.endswith('hooks/hook.py" stop')


def added(data: bytes | None, command: str, source: str) -> bytes:
    """The settings with our entry behind the others; None for a file that is not there."""
    group = {"hooks": [{"type": "command", "command": command, "timeout": SECONDS}]}
    if data is None or not data.strip():
        return _dumped({"hooks": {EVENT: [group]}}).encode() + b"\n"
    settings = json_text.decode(data, source)
    _groups(settings, source)  # only what can be understood is edited
    start = after_space(data, len(json_text.BOM) if data.startswith(json_text.BOM) else 0)
    hooks = _member(data, start, "hooks")
    if hooks is None:
        return apply(data, [_inserted(data, start, '"hooks": ', {EVENT: [group]})])
    event = _member(data, hooks.value, EVENT)
    if event is None:
        return apply(data, [_inserted(data, hooks.value, f'"{EVENT}": ', [group])])
    return apply(data, [_inserted(data, event.value, "", group)])


def without(data: bytes, source: str) -> bytes:
    """The settings without our entries, and without what would be empty then."""
    settings = json_text.decode(data, source)
    groups = _groups(settings, source)
    start = after_space(data, len(json_text.BOM) if data.startswith(json_text.BOM) else 0)
    hooks = _member(data, start, "hooks")
    event = _member(data, hooks.value, EVENT) if hooks else None
    if hooks is None or event is None or not any(map(is_ours, groups)):
        return data
    if not all(map(is_ours, groups)):
        first = next(number for number, group in enumerate(groups) if is_ours(group))
        return without(apply(data, [_cut(data, _elements(data, event.value), first)]), source)
    if len(settings["hooks"]) > 1:
        return apply(data, [_cut_member(data, hooks.value, EVENT)])
    return apply(data, [_cut_member(data, start, "hooks")])


def _groups(settings: Any, source: str) -> list[Any]:  # noqa: ANN401 - JSON is anything
    hooks = settings.get("hooks", {}) if isinstance(settings, dict) else None
    groups = hooks.get(EVENT, []) if isinstance(hooks, dict) else None
    if not isinstance(groups, list):
        raise ConfigError(
            f"{source} does not look like settings of Claude Code.",
            fix=f"`hooks` has to be an object, and `hooks.{EVENT}` a list.",
        )
    return groups


def _member(data: bytes, start: int, name: str) -> JsonMember | None:
    return next((one for one in reversed(members(data, start)) if one.name == name), None)


def _elements(data: bytes, start: int) -> list[tuple[int, int]]:
    """The offsets of what the list that starts here holds."""
    found = []
    at = after_space(data, start + 1)
    while data[at] != ord("]"):
        end = end_of_value(data, at)
        found.append((at, end))
        at = after_space(data, end)
        if data[at] == ord(","):
            at = after_space(data, at + 1)
    return found


def _spots(data: bytes, start: int) -> list[tuple[int, int]]:
    if data[start] == ord("["):
        return _elements(data, start)
    return [(one.key, one.end) for one in members(data, start)]


def _inserted(data: bytes, start: int, label: str, value: object) -> Edit:
    """A last member or element of what starts here, indented like the others."""
    spots = _spots(data, start)
    outer = _indent(data, start)
    if spots:
        gap = data[before_space(data, spots[-1][0]) : spots[-1][0]]
        at, comma = spots[-1][1], b","
    else:
        gap = f"\n{outer}{INDENT}".encode()
        at, comma = start + 1, b""
    depth = gap.rpartition(b"\n")[2].decode() if b"\n" in gap else outer + INDENT
    text = _dumped(value).replace("\n", f"\n{depth}")
    end = b"" if spots else f"\n{outer}".encode()
    stop = at if spots else end_of_value(data, start) - 1
    return at, stop, comma + gap + label.encode() + text.encode() + end


def before_space(data: bytes, at: int) -> int:
    """The offset where the space before `at` begins."""
    while at and data[at - 1] in b" \t\r\n":
        at -= 1
    return at


def _indent(data: bytes, at: int) -> str:
    line = data[data.rfind(b"\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(b" \t"))].decode()


def _cut(data: bytes, spots: list[tuple[int, int]], number: int) -> Edit:
    """The edit that takes one element out, with the comma that belongs to it."""
    start, end = spots[number]
    if number:
        return spots[number - 1][1], end, b""
    if len(spots) > 1:
        return start, spots[1][0], b""
    return before_space(data, start), after_space(data, end), b""


def _cut_member(data: bytes, start: int, name: str) -> Edit:
    found = members(data, start)
    spots = [(one.key, one.end) for one in found]
    number = max(n for n, one in enumerate(found) if one.name == name)
    return _cut(data, spots, number)


def _dumped(value: object) -> str:
    return json.dumps(value, indent=INDENT, ensure_ascii=False)

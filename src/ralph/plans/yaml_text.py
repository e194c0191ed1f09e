"""The part of YAML that a task needs, with the place of every value in the text.

Scalars are text except null, true, false and whole numbers, so that dates and words such as `no`
stay what they look like. Anchors, aliases and tags are refused, deep nesting and large files too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ralph.domain.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 256 * 1024
MAX_DEPTH = 32
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_PLAIN = {"": None, "~": None, "null": None, "true": True, "false": False}


class Node(Struct, frozen=True):
    """A value and the characters it occupies."""

    value: Any
    """A scalar, a list of nodes, or a dict of (key node, value node) by key."""
    start: int
    end: int
    flow: bool = False
    """Written with braces or brackets."""

    def plain(self) -> Any:  # noqa: ANN401 - YAML is anything until it is checked
        if isinstance(self.value, list):
            return [item.plain() for item in self.value]
        if isinstance(self.value, dict):
            return {key: value.plain() for key, (_, value) in self.value.items()}
        return self.value


def compose(data: bytes, source: str) -> tuple[str, Node]:
    """The text without a byte order mark, and its one document."""
    import yaml

    if len(data) > MAX_BYTES:
        raise PlanError(
            f"{source} is larger than {MAX_BYTES // 1024} KB.", fix="Use one file per task."
        )
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        text = data.decode("utf-8-sig")
        return text, _Builder(source).document(yaml.parse(text, Loader=loader))
    except UnicodeDecodeError as error:
        raise PlanError(f"{source}: not UTF-8 text.", fix="Save the file as UTF-8.") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise PlanError(
            f"{source}{place}: {error.problem or error.context}.", fix="Correct the YAML there."
        ) from error
    except yaml.YAMLError as error:
        first = str(error).splitlines()[0]
        raise PlanError(f"{source}: not valid YAML: {first}.") from error


class _Builder:
    def __init__(self, source: str) -> None:
        self._source = source
        self._depth = 0

    def document(self, events: Iterator[Any]) -> Node:
        """The only document; an empty file is a null."""
        found: Node | None = None
        for event in events:
            kind = type(event).__name__
            if kind in {"StreamStartEvent", "DocumentEndEvent", "StreamEndEvent"}:
                continue
            if kind == "DocumentStartEvent":
                if found is not None:
                    self._refuse(event, "more than one document")
                found = self._node(next(events), events)
        return found or Node(None, 0, 0)

    def _node(self, event: Any, events: Iterator[Any]) -> Node:  # noqa: ANN401 - PyYAML has no types for its two parsers
        kind = type(event).__name__
        if kind == "AliasEvent" or event.anchor is not None:
            self._refuse(event, "anchors and aliases are not allowed")
        if event.tag not in {None, "!"}:
            self._refuse(event, "tags are not allowed")
        if kind == "ScalarEvent":
            value = event.value if event.style else _scalar(event.value)
            return Node(value, event.start_mark.index, event.end_mark.index)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._refuse(event, "nested too deeply")
        is_list = kind == "SequenceStartEvent"
        value, last = self._items(events) if is_list else self._members(events)
        self._depth -= 1
        flow = bool(event.flow_style)
        return Node(value, event.start_mark.index, last.end_mark.index, flow)

    def _items(self, events: Iterator[Any]) -> tuple[list[Node], Any]:
        items: list[Node] = []
        while type(event := next(events)).__name__ != "SequenceEndEvent":
            items.append(self._node(event, events))
        return items, event

    def _members(self, events: Iterator[Any]) -> tuple[dict[str, tuple[Node, Node]], Any]:
        members: dict[str, tuple[Node, Node]] = {}
        while type(event := next(events)).__name__ != "MappingEndEvent":
            key = self._node(event, events)
            if isinstance(key.value, (list, dict)):
                self._refuse(event, "a key must be text")
            name = key.value if isinstance(key.value, str) else str(event.value)
            if name in members:
                self._refuse(event, f"the key {name} is used twice")
            members[name] = (key, self._node(next(events), events))
        return members, event

    def _refuse(self, event: Any, why: str) -> None:  # noqa: ANN401 - as above
        mark = event.start_mark
        raise PlanError(
            f"{self._source}, line {mark.line + 1}, column {mark.column + 1}: {why}.",
            fix="Write the task with plain keys, lists and values.",
        )


def _scalar(text: str) -> object:
    if text in _PLAIN:
        return _PLAIN[text]
    return int(text) if _WHOLE.fullmatch(text) else text


def set_member(text: str, mapping: Node, name: str, word: str, after: str) -> str:
    """The text with this member set to a plain word; a new one goes behind the member `after`."""
    members: dict[str, tuple[Node, Node]] = mapping.value
    if name in members:
        node = members[name][1]
        return text[: node.start] + _replaced(text, node, word) + text[node.end :]
    key, value = members[after]
    if mapping.flow:
        return f"{text[: value.end]}, {name}: {word}{text[value.end :]}"
    line_end = text.find("\n", value.end)
    indent = " " * (key.start - _column_zero(text, key.start))
    break_ = "\r\n" if "\r\n" in text else "\n"
    if line_end < 0:
        return f"{text}{break_}{indent}{name}: {word}"
    return f"{text[: line_end + 1]}{indent}{name}: {word}{break_}{text[line_end + 1 :]}"


def _column_zero(text: str, offset: int) -> int:
    return text.rfind("\n", 0, offset) + 1


def _replaced(text: str, node: Node, word: str) -> str:
    old = text[node.start : node.end]
    if not old:
        return f" {word}"
    if old[0] in "\"'":
        return f"{old[0]}{word}{old[0]}"
    return word + old[len(old.rstrip()) :]

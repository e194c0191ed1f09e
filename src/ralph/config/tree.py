"""YAML as a tree of entries that know their lines. Imported only when there is YAML to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from ralph.config.entry import MAX_SHOWN, Entry, brief
from ralph.domain.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    Where = Callable[[int], str]
    """Names the place of a line, counted from 1."""

MAX_DEPTH = 32

_TAG = "tag:yaml.org,2002:"
# YAML sees dates, merges and defaults in some plain words; no setting is one of them.
_TEXT = frozenset(_TAG + name for name in ("str", "timestamp", "merge", "value"))
_PLAIN = frozenset(_TAG + name for name in ("bool", "int", "float", "null"))


class _Refused(yaml.MarkedYAMLError):
    """YAML that is correct but not wanted here."""

    def __init__(self, problem: str, event: yaml.Event) -> None:
        super().__init__(problem=problem, problem_mark=event.start_mark)  # type: ignore[arg-type]


class _Loader(yaml.SafeLoader):
    """Refuses aliases and depth while it composes, before they can cost anything."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: object) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent):
            raise _Refused("aliases are not allowed", event)
        if self.depth == MAX_DEPTH:
            raise _Refused(f"it is nested deeper than {MAX_DEPTH} levels", event)
        self.depth += 1
        try:
            return super().compose_node(parent, index)  # type: ignore[arg-type]
        finally:
            self.depth -= 1


def parse(raw: bytes | str, where: Where) -> Entry:
    """The one document in `raw`, or a ConfigError that names the line."""
    text = _decode(raw, where) if isinstance(raw, bytes) else raw
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "it cannot be read"
        place = where(mark.line + 1 if mark else 1)
        raise ConfigError(f"{place}: this YAML cannot be used: {problem}.") from error
    except yaml.YAMLError as error:
        problem = str(error).splitlines()[0]
        raise ConfigError(f"{where(1)}: this YAML cannot be used: {problem}.") from error
    if node is None:
        return Entry(None, where(1))
    return _entry(loader, node, node, where)


def _decode(raw: bytes, where: Where) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{where(line)}: this is not UTF-8 text.") from error


def _entry(loader: _Loader, node: yaml.Node, key: yaml.Node, where: Where) -> Entry:
    place = where(key.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode) and node.tag == f"{_TAG}map":
        return Entry(_mapping(loader, node, where), place)
    if isinstance(node, yaml.SequenceNode) and node.tag == f"{_TAG}seq":
        return Entry([_entry(loader, item, item, where) for item in node.value], place)
    if isinstance(node, yaml.ScalarNode):
        return Entry(_scalar(loader, node, place), place)
    raise ConfigError(f"{place}: the tag {brief(node.tag)} is not allowed.")


def _mapping(loader: _Loader, node: yaml.MappingNode, where: Where) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    for key, value in node.value:
        place = where(key.start_mark.line + 1)
        if not isinstance(key, yaml.ScalarNode):
            raise ConfigError(f"{place}: a key must be a word, not a list or a map.")
        if key.value in entries:
            first = entries[key.value].where
            raise ConfigError(
                f"{place}: the key {brief(key.value)} is given twice, first at {first}.",
                fix="Remove one of the two.",
            )
        entries[key.value] = _entry(loader, value, key, where)
    return entries


def _scalar(loader: _Loader, node: yaml.ScalarNode, place: str) -> object:
    # YAML 1.1 reads 1:30 as the number 90, which nobody means.
    if node.tag in _TEXT or (node.tag == f"{_TAG}int" and ":" in node.value):
        return node.value
    if node.tag not in _PLAIN:
        raise ConfigError(f"{place}: the tag {brief(node.tag)} is not allowed.")
    refusal = ConfigError(f"{place}: {brief(node.value)} is not a usable value.")
    # A number of thousands of digits cannot even be printed.
    if len(node.value) > MAX_SHOWN:
        raise refusal
    try:
        value: object = loader.construct_object(node)
    except (ValueError, LookupError) as error:
        raise refusal from error
    return value

"""Syntax trees by tree-sitter."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from ralph.proof.languages.expectation import Edit

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from tree_sitter import Node, Parser

LENGTH = 1_000_000
"""Bytes up to which a file is read."""


@cache
def _parser(module: str, function: str) -> Parser:
    # neither is needed by programs in Python, and each takes a while to load
    from tree_sitter import Language as Grammar
    from tree_sitter import Parser

    return Parser(Grammar(getattr(import_module(module), function)()))


class Parsed(NamedTuple):
    """A text with its tree. Nodes know bytes: edits are made in characters."""

    text: str
    data: bytes
    root: Node

    def of(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def place(self, byte: int) -> int:
        """The character that begins with this byte."""
        return byte if len(self.data) == len(self.text) else len(self.data[:byte].decode())

    def edit(self, node: Node, new: str, *, part: bool = False) -> Edit:
        return Edit(self.place(node.start_byte), self.place(node.end_byte), new, part)

    def tokens(self, node: Node, leave: Collection[str] = ()) -> str:
        """What stands there without comments and space, so that only meaning is compared."""
        return " ".join(self.of(one) for one in leaves(node, leave))


def walk(node: Node, into: Callable[[Node], bool] = lambda _: True) -> Iterator[Node]:
    """The node and all that are in it, in the order of the text; those of `into` are gone into."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        if into(one):
            waiting.extend(reversed(one.children))


def leaves(node: Node, leave: Collection[str] = ()) -> Iterator[Node]:
    """The last parts, comments apart, without what is in nodes of these kinds."""
    skipped = {"comment", *leave}
    for one in walk(node, lambda it: it.type not in skipped):
        if not one.child_count and one.type not in skipped:
            yield one


def inside(node: Node, kinds: Collection[str]) -> Iterator[Node]:
    """What is around a node, of these kinds, the nearest first."""
    parent = node.parent
    while parent is not None:
        if parent.type in kinds:
            yield parent
        parent = parent.parent


class Function(NamedTuple):
    name: str
    node: Node
    body: Node


class TestCode(NamedTuple):
    """A test in the text of its file."""

    name: str
    node: Node
    """All of it."""
    skips: bool = False


@lru_cache(maxsize=64)
def parsed_by(grammar: tuple[str, str], text: str) -> Parsed:
    data = text.encode("utf-8", "replace")
    return Parsed(text, data, _parser(*grammar).parse(data).root_node)

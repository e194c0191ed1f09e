"""JavaScript, and what TypeScript has in common with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from ralph.proof.languages.expectation import Edit
from ralph.proof.languages.javascript.imports import IMPORTS
from ralph.proof.languages.javascript.shape import Shaper
from ralph.proof.languages.javascript.tests import DECLARING, ScriptTests, declarators
from ralph.proof.languages.trees import walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from tree_sitter import Node

    from ralph.proof.languages.shape import Part
    from ralph.proof.languages.trees import Function, Parsed

NOTHING = "NaN", 'Symbol.for("something")'
"""First everything is false, then everything is true."""
_OF_TYPE = {
    "number": ("-98765.4321", "98765.4321"),
    "string": ('""', '"zqx zqx"'),
    "object": ("null", "{ zqx: 1 }"),
    "isArray": ("[]", '["zqx", "zqx"]'),
    "isInteger": ("-98765432", "98765432"),
    "isFinite": ("-98765.4321", "98765.4321"),
}
_TYPE = re.compile(
    r"\btypeof\b[^\n]*['\"](number|string|object)['\"]|\b(?:Array|Number)\.(isArray|isInteger|isFinite)\("
)
_DOUBLE = re.compile(
    r"\bmock\.method\(\s*[\w$.]+,\s*[\"'](\w+)[\"']|\.(\w+)\s*=\s*(?:\w+\.)?mock\.fn\("
    r"|\b(?:jest|vi)\.spyOn\(\s*[\w$.]+,\s*[\"'](\w+)[\"']"
)
"""A test puts something in the place of what it names."""
_SILENT = frozenset(("comment", "import_statement", "hash_bang_line"))
_CLASSES = frozenset(("class_declaration", "class", "abstract_class_declaration"))
_EXPORTING = re.compile(
    r"module . exports|exports . [\w$]+ = [\w$ƒ]+|['\"] use strict|['\"]use strict"
)


class JavaScript(ScriptTests):
    name: ClassVar = "JavaScript"
    endings: ClassVar[tuple[str, ...]] = (".js", ".mjs", ".cjs", ".jsx")
    grammar: ClassVar = ("tree_sitter_javascript", "language")
    imports: ClassVar = IMPORTS

    def called(self, parsed: Parsed, node: Node) -> str:
        name = node.child_by_field_name("name")
        if name is not None:
            return parsed.of(name)
        parent = node.parent
        for field in ("name", "left", "key", "property"):
            given = parent.child_by_field_name(field) if parent is not None else None
            if given is not None:
                return parsed.of(self._last(given))
        return ""

    def makes(self, function: Function) -> bool:
        return function.name == "constructor"

    def only_keeps(self, function: Function) -> bool:
        return all(map(_keeps, function.body.named_children))

    def shape(self, text: str) -> Part | None:
        parsed = self.parse(text)
        if parsed is None:
            return None
        try:
            return Shaper(parsed, self.functions_are, self.types_are).part(parsed.root)
        except RecursionError:
            return None

    def values(self, tests: str) -> tuple[str, str]:
        asked = _TYPE.search(tests)
        return _OF_TYPE[asked[1] or asked[2]] if asked else NOTHING

    def doubles(self, tests: str) -> Collection[str]:
        return {name for group in _DOUBLE.findall(tests) for name in group if name}

    def emptied(self, parsed: Parsed, function: Function, value: str) -> Edit:
        body = function.body
        if body.type != "statement_block":
            return parsed.edit(body, f"({value})")
        start = parsed.place(body.start_byte) + 1
        return Edit(start, start, f" return {value};")

    def is_reached_by_calls(self, parsed: Parsed, function: Function) -> bool:
        before = function.node.prev_named_sibling
        if before is not None and before.type == "decorator":
            return False
        outside = walk(parsed.root, lambda one: one.type not in self.functions_are)
        called = (self._words(parsed, one) for one in outside if one.type == "call_expression")
        return not function.name or [function.name] not in called

    def rest(self, parsed: Parsed, words: Collection[str]) -> Iterator[str]:
        for node in parsed.root.named_children:
            yield from self._rest(parsed, node, words)

    def _rest(self, parsed: Parsed, node: Node, words: Collection[str]) -> Iterator[str]:
        if node.type in _SILENT | self.functions_are | self.types_are:
            return
        if node.type == "export_statement":
            fields = (node.child_by_field_name(field) for field in ("declaration", "value"))
            for declared in filter(None, fields):
                yield from self._rest(parsed, declared, words)
        elif node.type in _CLASSES:
            body = node.child_by_field_name("body")
            members = body.named_children if body is not None else ()
            methods = {"method_definition", "comment", *self.types_are}
            yield from (self._bare(parsed, one) for one in members if one.type not in methods)
        elif node.type in DECLARING:
            own = (one for one in declarators(node) if not self._is_own(parsed, one, words))
            yield from (self._bare(parsed, one) for one in own)
        elif not _EXPORTING.match(text := self._bare(parsed, node)):
            yield text

    def _is_own(self, parsed: Parsed, declarator: Node, words: Collection[str]) -> bool:
        """Whether it is a part of the functions: one of them, a module, or a constant of theirs."""
        name, value = (declarator.child_by_field_name(field) for field in ("name", "value"))
        if name is None or value is None or value.type in self.functions_are:
            return True
        if self._names_modules(parsed, value):
            return True
        held = {"call_expression", "object", "array", "new_expression"}
        plain = not any(one.type in held for one in walk(value))
        return plain and parsed.of(name) not in words

    def _bare(self, parsed: Parsed, node: Node) -> str:
        """Without what is in its functions."""
        found = walk(node, lambda one: one.type not in self.functions_are)
        parts = (one for one in found if one.type in self.functions_are or not one.child_count)
        return " ".join(
            "ƒ" if one.type in self.functions_are else parsed.of(one)
            for one in parts
            if one.type != "comment"
        )


def _keeps(statement: Node) -> bool:
    """`this.x = given`, or `super(given)`."""
    one = statement.named_children[0] if statement.named_children else None
    if statement.type == "comment":
        return True
    if statement.type != "expression_statement" or one is None:
        return False
    if one.type == "call_expression":
        function = one.child_by_field_name("function")
        return function is not None and function.type == "super"
    if one.type != "assignment_expression":
        return False
    kept = {"identifier", "member_expression", "string", "number", "this", "property_identifier"}
    kept |= {"true", "false", "null", "undefined", "string_fragment", "private_property_identifier"}
    kept |= {"array", "object", "new_expression", "arguments", "assignment_expression"}
    return all(
        part.type in kept and (part.type not in ("array", "object") or not part.named_child_count)
        for part in walk(one)
        if part.is_named
    )

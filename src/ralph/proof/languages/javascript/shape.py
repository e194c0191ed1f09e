"""The shape of a program in JavaScript or TypeScript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.proof.languages.shape import Part

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from tree_sitter import Node

    from ralph.proof.languages.trees import Parsed

_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("program", "statement_block", "class_body"), "block"),
    **dict.fromkeys(("identifier", "this", "super", "property_identifier"), "name"),
    **dict.fromkeys(("member_expression", "shorthand_property_identifier"), "name"),
    **dict.fromkeys(("true", "false", "null", "undefined"), "word"),
    **dict.fromkeys(("call_expression", "new_expression"), "call"),
    **dict.fromkeys(("variable_declarator", "assignment_expression"), "write"),
    **dict.fromkeys(("update_expression", "augmented_assignment_expression"), "update"),
    **dict.fromkeys(("if_statement", "ternary_expression"), "if"),
    **dict.fromkeys(("class_declaration", "class"), "class"),
    "import_statement": "import",
    "array": "list",
    "object": "table",
    "pair": "pair",
    "switch_case": "case",
    "return_statement": "return",
    "throw_statement": "raise",
    "catch_clause": "catch",
}
_SILENT = frozenset(("comment", "empty_statement", "hash_bang_line"))
_AROUND = frozenset(
    (
        *("parenthesized_expression", "expression_statement", "else_clause"),
        *("as_expression", "satisfies_expression", "non_null_expression"),
    )
)
"""What does nothing where one thing is in it."""
_HANGING = {"call_expression": "()", "new_expression": "()", "subscript_expression": "[]"}
_KEYWORDS = frozenset(("async", "*", "get", "set", "static"))
_EQUAL = frozenset(("==", "===", "in"))


class Shaper:
    """Makes parts of the nodes of one text."""

    def __init__(self, parsed: Parsed, functions: Collection[str], types: Collection[str]) -> None:
        self._parsed = parsed
        self._functions = functions
        self._left = _SILENT.union(types)

    def part(self, node: Node, name: str = "") -> Part:
        kind, text = node.type, self._parsed.of(node)
        if kind in self._functions:
            return self._function(node, name)
        if kind in _AROUND and len(inside := self._parts(node)) == 1:
            return inside[0]
        if kind == "string" or (kind == "template_string" and "${" not in text):
            return self._made("text", node, text=text[1:-1])
        if kind == "number" or (kind == "unary_expression" and text[1:].isdigit()):
            return self._made("number", node, text=text.replace("_", ""))
        if kind == "binary_expression" and (sign := node.children[1].type) in _EQUAL:
            return self._made("equal", node, *self._parts(node), text=sign)
        known = _KINDS.get(kind, "other")
        made = getattr(self, f"_{known}", None)
        found: Part = made(node) if made else self._made(known, node, *self._parts(node))
        return found

    def _made(self, kind: str, node: Node, *parts: Part, text: str = "") -> Part:
        return Part(kind, text, parts, node.start_point[0] + 1, node.end_point[0] + 1)

    def _parts(self, node: Node) -> list[Part]:
        return [self.part(one) for one in node.named_children if one.type not in self._left]

    def _fields(self, node: Node, *names: str) -> list[Part]:
        found = (node.child_by_field_name(name) for name in names)
        return [self.part(one) for one in found if one is not None]

    def _dotted(self, node: Node | None) -> str:
        if node is None or node.type in self._functions:
            return ""
        first = node.named_children[0] if node.named_children else node
        if node.type == "member_expression":
            return f"{self._dotted(first)}.{self._dotted(node.named_children[-1])}"
        if node.type in _HANGING:
            return self._dotted(first) + _HANGING[node.type]
        return self._dotted(first) if node.type in _AROUND else self._parsed.of(node).strip("[]")

    def _other(self, node: Node) -> Part:
        """A leaf is what it says; of others the signs count as well."""
        signs = (one.type for one in node.children if not one.is_named and one.type not in ";,()")
        text = " ".join((node.type, *signs)) if node.child_count else self._parsed.of(node)
        return self._made("other", node, *self._parts(node), text=text)

    def _name(self, node: Node) -> Part:
        inner = self._parts(node)[:1] if node.type == "member_expression" else ()
        return self._made("name", node, *inner, text=self._dotted(node))

    def _word(self, node: Node) -> Part:
        return self._made("word", node, text=self._parsed.of(node))

    def _call(self, node: Node) -> Part:
        called = self._fields(node, "function", "constructor")
        arguments = node.child_by_field_name("arguments")
        given = self._parts(arguments) if arguments is not None else []
        text = self._dotted(node).removesuffix("()").removeprefix("new ")
        if text in ("require", "import") and given and given[0].kind == "text":
            return self._made("import", node, text=given[0].text)
        return self._made("call", node, *called, *given, text=text)

    def _write(self, node: Node) -> Part:
        target, *value = (one for one in node.named_children if one.type not in self._left)
        text = self._dotted(target)
        parts = (self.part(target), *(self.part(one, text) for one in value))
        return self._made("write", node, *parts, text=text)

    def _update(self, node: Node) -> Part:
        text = self._dotted(node.named_children[0])
        sign = next(one.type for one in node.children if not one.is_named)
        return self._made("update", node, *self._parts(node), Part("other", sign), text=text)

    def _pair(self, node: Node) -> Part:
        key, value = node.named_children[0], node.named_children[-1]
        named = key.type == "property_identifier"
        text = self._dotted(key)
        first = self._made("text", key, text=text) if named else self.part(key)
        return self._made("pair", node, first, self.part(value, text))

    def _case(self, node: Node) -> Part:
        first, *rest = self._parts(node)
        return self._made("case", node, first, Part("block", "", tuple(rest)))

    def _if(self, node: Node) -> Part:
        text = "?" if node.type == "ternary_expression" else ""
        return self._made("if", node, *self._parts(node), text=text)

    def _class(self, node: Node) -> Part:
        text = self._dotted(node.child_by_field_name("name"))
        return self._made("class", node, *self._parts(node), text=text)

    def _import(self, node: Node) -> Part:
        *names, source = self._parts(node)
        return self._made("import", node, *names, text=source.text)

    def _catch(self, node: Node) -> Part:
        return self._made("catch", node, *self._fields(node, "body"))

    def _function(self, node: Node, name: str) -> Part:
        called = self._dotted(node.child_by_field_name("name")) or name
        many = node.child_by_field_name("parameters")
        given = self._parts(many) if many is not None else self._fields(node, "parameter")
        [does] = self._fields(node, "body") or [Part("block")]
        if does.kind != "block":
            does = Part("return", "", (does,), does.line)
        signs = " ".join(one.type for one in node.children if one.type in _KEYWORDS)
        # whatever it names, it can see all that it is given
        every = Part("list", "", (*given, Part("name", "arguments")))
        return self._made("function", node, every, Part("other", signs), does, text=called)

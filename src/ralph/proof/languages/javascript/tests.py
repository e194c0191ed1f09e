"""Tests in JavaScript and TypeScript: where they are, what they assert and what they expect."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, ClassVar

from ralph.proof.languages.expectation import Edit
from ralph.proof.languages.grammar import TreeLanguage
from ralph.proof.languages.trees import TestCode, inside, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tree_sitter import Node

    from ralph.proof.languages.trees import Parsed

_TESTS = frozenset(("test", "it"))
_LEFT_OUT = frozenset(("skip", "todo"))
_GROUPS = frozenset(("describe", "suite", "context"))
_PAIRS = frozenset(("equal", "strictEqual", "deepEqual", "deepStrictEqual"))
"""Calls whose second argument is what is expected."""
_ALONE = frozenset(("is", "same"))
"""The same where nothing is done with what they return: elsewhere they only ask."""
_MATCHERS = frozenset(("toBe", "toEqual", "toStrictEqual", "eql", "equals", "isEqual", "isSame"))
"""Calls whose first one is."""
_PARTS = frozenset(("includes", "startsWith", "endsWith", "toContain", "toMatch"))
_ASSERTING = re.compile(
    r"assert\w*|expect\w*|should|is|not|ok|equal\w*|deep\w*|throws\w*|rejects|to[A-Z]\w*|match\w*"
    r"|same|strict\w*|eql|equals|truthy|falsy|snapshot|include\w*|like|regex"
)
_RAISING = frozenset(("throws", "throwsAsync", "rejects", "toThrow", "doesNotThrow"))
_MAY_NOT_RUN = frozenset(("if_statement", "ternary_expression", "catch_clause", "switch_case"))
DECLARING = frozenset(("lexical_declaration", "variable_declaration"))
_WRAPPED = frozenset(
    (
        *("as_expression", "satisfies_expression", "non_null_expression"),
        "parenthesized_expression",
    )
)
_PLAIN = frozenset(
    (
        *("array", "object", "pair", "unary_expression", "parenthesized_expression", "arguments"),
        *("string", "template_string", "number", "true", "false", "null", "undefined"),
        *("property_identifier", "as_expression", "new_expression", "call_expression"),
        *("identifier", "member_expression"),
    )
)
"""Nothing is computed there."""
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL
)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}


class ScriptTests(TreeLanguage):
    """The tests of a language: its source is in `__init__.py`."""

    functions_are: ClassVar = frozenset(
        (
            *("function_declaration", "generator_function_declaration", "function_expression"),
            *("generator_function", "arrow_function", "method_definition"),
        )
    )
    definitions_are: ClassVar = frozenset(
        (
            *("function_declaration", "generator_function_declaration", "method_definition"),
            *("class_declaration", "variable_declarator", "interface_declaration"),
            *("type_alias_declaration", "enum_declaration", "abstract_class_declaration"),
        )
    )
    strings_are: ClassVar = frozenset(("string", "template_string"))
    numbers_are: ClassVar = frozenset(("number",))
    words: ClassVar[Mapping[str, str]] = {
        "true": "false",
        "false": "true",
        "null": "true",
        "undefined": "true",
    }
    speaking: ClassVar = re.compile(
        r"assert\w*|expect\w*|test|it|describe|\w*[eE]qual\w*|ok|is|not|throws\w*|rejects|match"
        r"|to[A-Z]\w*|forEach|end|plan|each|require"
    )

    def tests(self, parsed: Parsed) -> Iterator[TestCode]:
        for node in walk(parsed.root):
            title = self._title(parsed, node)
            if title is None:
                continue
            words = self._words(parsed, node)
            if _TESTS.intersection(words) or {"xit", "xtest"}.intersection(words):
                left = not _LEFT_OUT.isdisjoint(words) or words[0].startswith("x")
                name = _spoken(parsed.of(title)[1:-1])
                yield TestCode(name, node, left or self._skip_option(parsed, node))

    def _words(self, parsed: Parsed, call: Node) -> list[str]:
        """The words of what is called: `test.each([…])` is test and each."""
        function = call.child_by_field_name("function")
        while function is not None and function.type == "call_expression":
            function = function.child_by_field_name("function")
        return re.findall(r"[\w$]+", parsed.of(function)) if function is not None else []

    def _title(self, parsed: Parsed, node: Node) -> Node | None:
        """The first argument of a call that names a test or a group of them."""
        if node.type != "call_expression":
            return None
        words = self._words(parsed, node)
        arguments = node.child_by_field_name("arguments")
        known = _TESTS | _GROUPS | {"xit", "xtest", "xdescribe"}
        if not words or words[0] not in known or arguments is None:
            return None
        first = next(iter(arguments.named_children), None)
        return first if first is not None and first.type in self.strings_are else None

    def _skip_option(self, parsed: Parsed, call: Node) -> bool:
        arguments = call.child_by_field_name("arguments")
        given = arguments.named_children if arguments is not None else ()
        options = (one for one in given if one.type == "object")
        return any(re.search(r"\b(?:skip|todo)\s*:\s*true\b", parsed.of(one)) for one in options)

    def fits(self, name: str, test: str) -> bool:
        """What is put into a title when it is run is not known before."""
        parts = re.split(r"\$\{[^}]*\}|%[sdifjoOp#]|\$\w+", test)
        return bool(re.fullmatch(".*".join(map(re.escape, parts)), name, re.DOTALL))

    def silence(self, parsed: Parsed, test: TestCode) -> Edit | None:
        function = test.node.child_by_field_name("function")
        while function is not None and function.type in ("call_expression", "member_expression"):
            function = function.child_by_field_name("function") or function.child_by_field_name(
                "object"
            )
        if function is None or test.skips:
            return None
        end = parsed.place(function.end_byte)
        return Edit(end, end, ".skip")

    def beside_tests(self, parsed: Parsed, node: Node) -> Iterator[str]:
        """Groups of tests are gone into."""
        for one in node.named_children:
            call = one.named_children[0] if one.type == "expression_statement" else one
            if self._only_imports(parsed, one) or one.type == "comment":
                continue
            if call.type != "call_expression" or self._title(parsed, call) is None:
                yield parsed.tokens(one)
            elif not _GROUPS.isdisjoint(self._words(parsed, call)):
                arguments = call.child_by_field_name("arguments")
                body = arguments.named_children[-1] if arguments is not None else call
                yield from self.beside_tests(parsed, body.child_by_field_name("body") or body)

    def assertions(self, parsed: Parsed, node: Node) -> Iterator[Node]:
        for one in walk(node):
            if one.type == "expression_statement" and self._speaks(parsed, one):
                yield one

    def _speaks(self, parsed: Parsed, statement: Node) -> bool:
        """Whether a statement is a call that compares: `expect(…).toBe(…)`, `t.is(…)`."""
        call = statement.named_children[0] if statement.named_children else statement
        if call.type == "await_expression" and call.named_children:
            call = call.named_children[0]
        if call.type != "call_expression" or self._title(parsed, call) is not None:
            return False
        names = re.findall(r"[\w$]+", _outline(parsed, call))
        return any(map(_ASSERTING.fullmatch, names))

    def _titles(self, parsed: Parsed) -> Iterator[Node]:
        for node in walk(parsed.root):
            title = self._title(parsed, node)
            if title is not None:
                yield title

    def _only_imports(self, parsed: Parsed, statement: Node) -> bool:
        required = statement.type in DECLARING and any(
            self._names_modules(parsed, one.child_by_field_name("value") or one)
            for one in statement.named_children
        )
        return required or self._names_modules(parsed, statement)

    def _names_modules(self, parsed: Parsed, node: Node) -> bool:
        if node.type == "call_expression":
            return self._words(parsed, node) in (["require"], ["import"])
        return node.type == "import_statement"

    def expected(self, parsed: Parsed, test: TestCode) -> Iterator[Edit]:
        for call in walk(test.node):
            place = self._expectation(parsed, call) if call.type == "call_expression" else None
            if place is None or self._may_not_run(parsed, call, test.node):
                continue
            value, part = place
            for one in self._values(parsed, value, test.node):
                edit = next(self._others(parsed, one, part=part), None)
                if edit is not None:
                    yield edit
                    break

    def _expectation(self, parsed: Parsed, call: Node) -> tuple[Node, bool] | None:
        """What something is compared with, and whether it need only be a part of it."""
        function, arguments = (call.child_by_field_name(f) for f in ("function", "arguments"))
        if function is None or arguments is None:
            return None
        name = parsed.of(self._last(function))
        given = [one for one in arguments.named_children if one.type != "comment"]
        alone = call.parent is not None and call.parent.type == "expression_statement"
        if len(given) > 1 and (name in _PAIRS or (name in _ALONE and alone)):
            return given[1], False
        before = _outline(parsed, function)
        if not given or ".not." in before or ".not(" in before:
            return None
        if name in _MATCHERS and before.startswith(("expect", "assert", "should")):
            return given[0], False
        if name in (_MATCHERS | _PARTS) and self._is_asserted(parsed, call):
            return given[0], name in _PARTS
        return None

    def _is_asserted(self, parsed: Parsed, call: Node) -> bool:
        """Whether a call stands in `assert(…)`, `assert.ok(…)` or belongs to `expect(…)`."""
        if _outline(parsed, call).startswith("expect"):
            return True
        around = call.parent.parent if call.parent is not None else None
        if around is None or around.type != "call_expression":
            return False
        return self._words(parsed, around) in (["assert"], ["assert", "ok"])

    def _may_not_run(self, parsed: Parsed, call: Node, test: Node) -> bool:
        """It is said to throw, or stands behind a condition."""
        for one in inside(call, {*_MAY_NOT_RUN, "call_expression"}):
            if one.id == test.id:
                return False
            if one.type in _MAY_NOT_RUN:
                return True
            words = self._words(parsed, one)
            if words and words[-1] in _RAISING:
                return True
        return False

    def _values(self, parsed: Parsed, value: Node, test: Node) -> list[Node]:
        """The value, or what its name stands for: a constant, or a column of a table.

        Only if nothing else is done with it: an input that has to come out again is no expectation.
        """
        while value.type in _WRAPPED and value.named_children:
            value = value.named_children[0]
        if value.type != "identifier" or parsed.of(value) in self.words:
            return [value]
        name = parsed.of(value)
        uses = [
            one
            for one in walk(test)
            if one.type == "identifier" and parsed.of(one) == name and not _is_given(one)
        ]
        if len(uses) > 1:
            return []
        return self._given(parsed, name, value) or self._each(parsed, name, test)

    def _given(self, parsed: Parsed, name: str, use: Node) -> list[Node]:
        """What a name was given before, where it is in sight."""
        for one in inside(use, {"statement_block", "program", "for_in_statement"}):
            if one.type == "for_in_statement":
                row = one.child_by_field_name("left")
                column = _column_of(parsed, row, name)
                if column is not None:
                    return self._column(parsed, one.child_by_field_name("right"), column)
                continue
            for declarator in _declared(one):
                given = declarator.child_by_field_name("name")
                value = declarator.child_by_field_name("value")
                if given is not None and value is not None and parsed.of(given) == name:
                    return [value]
        return []

    def _each(self, parsed: Parsed, name: str, test: Node) -> list[Node]:
        """A column of `test.each([…])('…', (a, b) => …)`."""
        function, arguments = (test.child_by_field_name(f) for f in ("function", "arguments"))
        table = function.child_by_field_name("arguments") if function is not None else None
        body = (
            arguments.named_children[-1]
            if arguments is not None and arguments.named_children
            else None
        )
        parameters = body.child_by_field_name("parameters") if body is not None else None
        if table is None or parameters is None or not table.named_children:
            return []
        names = [re.split(r"\W", parsed.of(one))[0] for one in parameters.named_children]
        if name not in names:
            return []
        return self._column(parsed, table.named_children[0], names.index(name))

    def _column(self, parsed: Parsed, table: Node | None, number: int) -> list[Node]:
        if table is not None and table.type == "identifier":
            values = self._given(parsed, parsed.of(table), table)
            table = values[0] if values else None
        if table is None or table.type not in ("array", "as_expression"):
            return []
        rows = (table.named_children[0] if table.type == "as_expression" else table).named_children
        cells = (row.named_children for row in rows if row.type == "array")
        return [row[number] for row in cells if number < len(row)]

    def _others(self, parsed: Parsed, value: Node, *, part: bool) -> Iterator[Edit]:
        """Every literal there with another for it; nothing if something is computed."""
        for node in walk(value):
            if node.is_named and node.child_count and node.type not in _PLAIN:
                return
            if node.type == "call_expression" and not self._makes(parsed, node):
                return
        for node in walk(value, lambda one: one.type not in self.strings_are):
            if node.is_named and (edit := self.other(parsed, node, part=part)):
                yield edit

    def _makes(self, parsed: Parsed, call: Node) -> bool:
        """Whether it makes a value of what it is given, by its name: `Money.of(3)`."""
        return any(word[:1].isupper() for word in self._words(parsed, call)[:1])


def _outline(parsed: Parsed, node: Node) -> str:
    """A chain of calls without what they are given: `expect(…).not.toBe(…)`."""
    kinds = ("arguments", "comment", "template_string", "string")
    parts = walk(node, lambda one: one.type not in kinds)
    return "".join(
        "(" if one.type == "arguments" else parsed.of(one)
        for one in parts
        if one.type == "arguments" or not one.child_count
    )


def _is_given(name: Node) -> bool:
    """Whether it is the place where a name gets its value."""
    parent = name.parent
    return parent is not None and (
        (parent.type == "variable_declarator" and parent.child_by_field_name("name") == name)
        or parent.type in ("array_pattern", "formal_parameters", "required_parameter")
    )


def _declared(block: Node) -> Iterator[Node]:
    for one in block.named_children:
        if one.type in DECLARING:
            yield from declarators(one)


def declarators(node: Node) -> Iterable[Node]:
    return [one for one in node.named_children if one.type == "variable_declarator"]


def _column_of(parsed: Parsed, row: Node | None, name: str) -> int | None:
    if row is None or row.type != "array_pattern":
        return None
    names = [parsed.of(one) for one in row.named_children]
    return names.index(name) if name in names else None


def _spoken(literal: str) -> str:
    """A title as a runner says it, without what its quotes need."""

    def read(found: re.Match[str]) -> str:
        number = found[1] or found[2] or found[3]
        if number is None:
            return _ESCAPED.get(found[4], found[4])
        return chr(min(int(number, 16), sys.maxunicode))

    # what stands there as two halves is one character
    return _ESCAPE.sub(read, literal).encode("utf-16", "surrogatepass").decode("utf-16", "replace")

"""Go: a package is built as a whole, so a copy of a test must have a name of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from ralph.proof.languages.expectation import Edit, Expectation
from ralph.proof.languages.grammar import TreeLanguage
from ralph.proof.languages.language import Imports
from ralph.proof.languages.trees import TestCode, inside, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from tree_sitter import Node

    from ralph.proof.languages.trees import Function, Parsed

TURNS = "zero", "other"
"""What an emptied function returns: the zero of every type, then something else where it can."""
_OTHER = {
    **dict.fromkeys(("int", "int8", "int16", "int32", "int64", "byte", "rune"), "98"),
    **dict.fromkeys(("uint", "uint8", "uint16", "uint32", "uint64", "uintptr"), "98"),
    **dict.fromkeys(("float32", "float64"), "98765.4321"),
    "string": '"zqx zqx"',
    "bool": "true",
}
_TEST = re.compile(r"Test(?:[^a-z]\w*)?")
COPIED = "Zqx"
"""Between the name of a test and the number of its copy."""
_COPY = re.compile(rf"{COPIED}\d+$")
_VERSION = re.compile(r"v\d+|\.v\d+$")
_SKIPS = frozenset(("Skip", "Skipf", "SkipNow"))
_FAILS = frozenset(("Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"))
_SAYING = frozenset((*_SKIPS, *_FAILS, "Run", "Log", "Logf"))
_ASSERTING = re.compile(r"(?:assert|require|is|qt|c|g)\.\w+|t\.(?:Error|Fatal|Fail)\w*")
_EQUAL = frozenset(("Equal", "EqualValues", "Exactly", "EqualError", "JSONEq"))
_PART = frozenset(("Contains", "HasPrefix", "HasSuffix"))
_WANTED = re.compile(r"(?i)want\w*|expect\w*|exp|out|output|result|res")
"""What a column of a table is called that holds what is expected."""


class Packages:
    """The files of a repository by the folders that an import may name."""

    _NAMED = re.compile(r"\"([^\"]+)\"")

    def __init__(self, files: Iterable[str]) -> None:
        self._by_folder: dict[str, list[str]] = {}
        for file in files:
            self._by_folder.setdefault(file.rpartition("/")[0], []).append(file)

    def imported(self, file: str, line: str) -> Iterator[str]:
        """A folder is imported by a path that ends like it; its own files see each other."""
        yield from self._by_folder.get(file.rpartition("/")[0], ())
        for name in self._NAMED.findall(line):
            for folder, files in self._by_folder.items():
                if name == folder or name.endswith(f"/{folder}") or (not folder and "/" in name):
                    yield from files


class Go(TreeLanguage):
    name: ClassVar = "Go"
    endings: ClassVar[tuple[str, ...]] = (".go",)
    grammar: ClassVar = ("tree_sitter_go", "language")
    imports: ClassVar = Imports(
        line=r"^[[:space:]]*(import[[:space:]]+)?([A-Za-z_.][A-Za-z_0-9.]*[[:space:]]+)?\"[^\"]+\"[[:space:]]*$",
        hidden=r"os/exec|plugin\.Open|go:embed",
        modules=Packages,
    )
    functions_are: ClassVar = frozenset(("function_declaration", "method_declaration"))
    definitions_are: ClassVar = frozenset(
        (*("function_declaration", "method_declaration"), *("type_spec", "const_spec", "var_spec"))
    )
    strings_are: ClassVar = frozenset(("interpreted_string_literal", "raw_string_literal"))
    numbers_are: ClassVar = frozenset(("int_literal", "float_literal"))
    words: ClassVar[Mapping[str, str]] = {"true": "false", "false": "true"}
    speaking: ClassVar = re.compile(
        r"Errorf?|Fatalf?|Run|Helper|Log\w*|Equal\w*|Parallel|Cleanup|make|len|append|DeepEqual"
    )

    # tests

    def tests(self, parsed: Parsed) -> Iterator[TestCode]:
        for one in self.functions(parsed):
            if one.node.type == "function_declaration" and _TEST.fullmatch(one.name):
                yield TestCode(one.name, one.node, self._always_skips(parsed, one))

    def _titles(self, parsed: Parsed) -> Iterator[Node]:
        """The names of parts of a test, and what it says when it fails."""
        for node in walk(parsed.root):
            function = node.child_by_field_name("function")
            arguments = node.child_by_field_name("arguments")
            if function is None or arguments is None:
                continue
            if parsed.of(self._last(function)) in _SAYING:
                yield from (one for one in arguments.named_children if one.type in self.strings_are)

    def fits(self, name: str, test: str) -> bool:
        """A part of a test is a result of its own: `TestAdd/zero`."""
        return _COPY.sub("", name.partition("/")[0]) == test

    def silence(self, parsed: Parsed, test: TestCode) -> Edit | None:
        del parsed, test
        return None

    def _always_skips(self, parsed: Parsed, test: Function) -> bool:
        statements = _statements(test.body)
        called = (self._calls(parsed, one) for one in statements if _is_call(one))
        return any(not _SKIPS.isdisjoint(names) for names in called)

    def assertions(self, parsed: Parsed, node: Node) -> Iterator[Node]:
        """Calls of an assertion library, and conditions under which a test fails."""
        for one in walk(node):
            if _is_call(one) and _ASSERTING.match(parsed.of(one)):
                yield one
            condition = one.child_by_field_name("condition") if one.type == "if_statement" else None
            if condition is not None and self._fails(parsed, one):
                yield condition

    def _fails(self, parsed: Parsed, condition: Node) -> bool:
        then = condition.child_by_field_name("consequence")
        return then is not None and not _FAILS.isdisjoint(self._calls(parsed, then))

    # what tests expect

    def expectations(self, text: str, before: str, red: Collection[str]) -> Iterator[Expectation]:
        for one in super().expectations(text, before, red):
            yield Expectation(one.test, one.edit, tuple(self._apart(text, one)))

    def _apart(self, text: str, one: Expectation) -> Iterator[Edit]:
        """What makes of a file a second one with this test alone: the package has all the rest."""
        parsed = self.parse(text)
        tests = list(self.tests(parsed)) if parsed is not None else []
        test = next((it for it in tests if it.name == one.test), None)
        if parsed is None or test is None:
            return
        used = {parsed.of(it) for it in walk(test.node) if it.type.endswith("identifier")}
        for node in parsed.root.named_children:
            if node.id == test.node.id:
                name = node.child_by_field_name("name") or node
                yield parsed.edit(name, f"{one.test}{COPIED}{one.edit.start}")
            elif node.type == "import_declaration":
                yield from _without(parsed, node, used)
            elif node.type not in ("package_clause", "comment"):
                yield parsed.edit(node, "")

    def expected(self, parsed: Parsed, test: TestCode) -> Iterator[Edit]:
        seen: set[tuple[int, int]] = set()
        for node in walk(test.node):
            for edit in self._expected(parsed, node, test):
                if (edit.start, edit.end) not in seen:
                    seen.add((edit.start, edit.end))
                    yield edit

    def _expected(self, parsed: Parsed, node: Node, test: TestCode) -> Iterator[Edit]:
        if node.type == "if_statement" and self._fails(parsed, node):
            condition = node.child_by_field_name("condition")
            for one in walk(condition) if condition is not None else ():
                if one.type == "binary_expression":
                    yield from self._compared(parsed, one, test)
        elif node.type == "call_expression":
            yield from self._called_with(parsed, node, test)

    def _compared(self, parsed: Parsed, node: Node, test: TestCode) -> Iterator[Edit]:
        """`got != want`: one side is a literal, or stands for one."""
        sides = [node.child_by_field_name(field) for field in ("right", "left")]
        operator = node.child_by_field_name("operator")
        if operator is not None and parsed.of(operator) == "!=":
            for side in sides:
                if side is not None:
                    yield from self._others(parsed, side, test)

    def _called_with(self, parsed: Parsed, call: Node, test: TestCode) -> Iterator[Edit]:
        function, arguments = (call.child_by_field_name(f) for f in ("function", "arguments"))
        if function is None or arguments is None:
            return
        name, given = parsed.of(self._last(function)), arguments.named_children
        text = parsed.of(function)
        if text in ("reflect.DeepEqual", "cmp.Equal", "bytes.Equal", "cmp.Diff"):
            wanted = given[::-1]
        elif name in (_EQUAL | _PART) and text.startswith(("assert.", "require.", "is.")):
            wanted = given[1:]
        else:
            return
        for one in wanted:
            yield from self._others(parsed, one, test, part=name in _PART)

    def _others(
        self, parsed: Parsed, value: Node, test: TestCode, *, part: bool = False
    ) -> Iterator[Edit]:
        for one in self._values(parsed, value, test):
            for node in walk(one, lambda it: it.type not in self.strings_are):
                if node.is_named and (edit := self.other(parsed, node, part=part)):
                    yield edit

    def _values(self, parsed: Parsed, value: Node, test: TestCode) -> Iterator[Node]:
        """A literal, what a name was given, or a column of a table: `tt.want`."""
        if value.type in (
            *self.strings_are,
            *self.numbers_are,
            "composite_literal",
            "true",
            "false",
        ):
            yield value
        elif value.type == "identifier":
            yield from self._given(parsed, parsed.of(value), test.node)
        elif value.type == "selector_expression":
            field = value.child_by_field_name("field")
            if field is not None and _WANTED.fullmatch(parsed.of(field)):
                yield from self._column(parsed, parsed.of(field), test.node)

    def _given(self, parsed: Parsed, name: str, where: Node) -> Iterator[Node]:
        if not _WANTED.fullmatch(name):
            return
        for one in walk(where):
            left, right = (one.child_by_field_name(field) for field in ("left", "right"))
            if one.type != "short_var_declaration" or left is None or right is None:
                continue
            if parsed.of(left) == name and right.named_children:
                yield right.named_children[0]

    def _column(self, parsed: Parsed, name: str, where: Node) -> Iterator[Node]:
        """What rows have under this name, in a literal of structs inside the test."""
        for table in walk(where):
            if table.type == "composite_literal":
                place = self._place_of(parsed, table, name)
                yield from (
                    cell for row in walk(table) for cell in self._cell(parsed, row, name, place)
                )

    def _cell(self, parsed: Parsed, row: Node, name: str, place: int | None) -> list[Node]:
        """`want: 3`, or by its place in `{1, 3}`."""
        if row.type == "keyed_element" and parsed.of(row.named_children[0]) == name:
            return row.named_children[-1].named_children
        if row.type == "literal_value" and place is not None and _is_row(row):
            return [
                cell for one in row.named_children[place : place + 1] for cell in one.named_children
            ]
        return []

    def _place_of(self, parsed: Parsed, table: Node, name: str) -> int | None:
        fields = [
            parsed.of(name_)
            for one in walk(table)
            if one.type == "field_declaration"
            for name_ in one.children_by_field_name("name")
        ]
        return fields.index(name) if name in fields else None

    # source

    def values(self, tests: str) -> tuple[str, str]:
        del tests
        return TURNS

    def emptied(self, parsed: Parsed, function: Function, value: str) -> Edit:
        """What follows stays, so that everything is still used: `if true` ends it before."""
        start = parsed.place(function.body.start_byte) + 1
        types = list(self._results(parsed, function.node))
        given = "; ".join(f"var zqx{place} {kind}" for place, kind in enumerate(types))
        if value == TURNS[1]:
            known = ((place, _OTHER.get(kind, "")) for place, kind in enumerate(types))
            given += "".join(f"; zqx{place} = {other}" for place, other in known if other)
        names = ", ".join(f"zqx{place}" for place, _ in enumerate(types))
        inner = f"{given}; return {names}" if types else "return"
        return Edit(start, start, f" if true {{ {inner} }};")

    def _results(self, parsed: Parsed, function: Node) -> Iterator[str]:
        result = function.child_by_field_name("result")
        if result is None:
            return
        if result.type != "parameter_list":
            yield parsed.of(result)
            return
        for one in result.named_children:
            kind = one.child_by_field_name("type")
            if kind is not None:
                names = one.children_by_field_name("name")
                yield from [parsed.of(kind)] * max(1, len(names))

    def is_reached_by_calls(self, parsed: Parsed, function: Function) -> bool:
        if function.name in ("init", "main"):
            return False
        outside = walk(parsed.root, lambda one: one.type not in self.functions_are)
        return not any(
            parsed.of(name) == function.name
            for one in outside
            if one.type == "call_expression"
            and (name := one.child_by_field_name("function")) is not None
        )

    def rest(self, parsed: Parsed, words: Collection[str]) -> Iterator[str]:
        skipped = {"comment", "package_clause", "import_declaration", *self.functions_are}
        for node in parsed.root.named_children:
            if node.type == "type_declaration":
                yield from (parsed.tokens(one) for one in node.named_children)
            elif node.type not in skipped:
                values = (one for one in walk(node) if one.type in ("const_spec", "var_spec"))
                yield from (
                    parsed.tokens(one) for one in values if not self._is_own(parsed, one, words)
                )

    def _is_own(self, parsed: Parsed, value: Node, words: Collection[str]) -> bool:
        """Whether it is a plain value that the tests do not name."""
        made = {"call_expression", "composite_literal"}
        name = value.child_by_field_name("name")
        plain = value.type == "const_spec" or not any(one.type in made for one in walk(value))
        return plain and name is not None and parsed.of(name) not in words


def _without(parsed: Parsed, declaration: Node, used: Collection[str]) -> Iterator[Edit]:
    """Imports that nothing uses are an error; `.` may be used by anything."""
    specs = [one for one in walk(declaration) if one.type == "import_spec"]
    unused = [one for one in specs if not _names(parsed, one) & {*used, "."}]
    if len(unused) == len(specs):
        yield parsed.edit(declaration, "")
    else:
        yield from (parsed.edit(one, "") for one in unused)


def _names(parsed: Parsed, spec: Node) -> set[str]:
    """What an imported package may be called in the file: its own name is only a guess."""
    name, path = (spec.child_by_field_name(field) for field in ("name", "path"))
    if name is not None:
        return {parsed.of(name)}
    words = parsed.of(path).strip('"`').split("/") if path is not None else []
    if len(words) > 1 and _VERSION.fullmatch(words[-1]):
        words.pop()
    last = _VERSION.sub("", words[-1]) if words else ""
    return {last, last.removeprefix("go-"), last.removesuffix("-go"), last.replace("-", "")}


def _is_call(node: Node) -> bool:
    return node.type == "expression_statement" and any(
        one.type == "call_expression" for one in node.named_children
    )


def _statements(block: Node) -> list[Node]:
    inner = [one for one in block.named_children if one.type == "statement_list"]
    return inner[0].named_children if inner else block.named_children


def _is_row(node: Node) -> bool:
    """Values by their place: `{1, "one"}`."""
    return all(one.type == "literal_element" for one in node.named_children) and any(
        inside(node, {"literal_element"})
    )

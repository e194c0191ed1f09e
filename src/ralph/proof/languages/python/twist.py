"""What tests in Python expect: literals that something is compared with."""

from __future__ import annotations

import ast
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec.structs import replace

from ralph.proof.languages.expectation import Edit, Expectation, no_part, other

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from ralph.proof.languages.expectation import Value

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Loop: TypeAlias = ast.For | ast.AsyncFor

_EQUAL = frozenset(
    (
        *("assertEqual", "assertEquals", "assertIs", "assertListEqual", "assertTupleEqual"),
        *("assertDictEqual", "assertSetEqual", "assertSequenceEqual", "assertMultiLineEqual"),
        "assertCountEqual",
    )
)
_METHODS = frozenset(("equals", "is_equal", "equal_to", "is_equal_to"))
_RAISING = frozenset(("raises", "assertRaises", "assertRaisesRegex", "suppress", "fail", "skip"))
_MAKERS = frozenset(("date", "datetime", "time", "timedelta", "set", "frozenset", "dict", "call"))


def expectations(text: str, before: str, red: Collection[str]) -> Iterator[Expectation]:
    """Those of the tests that are new or changed, or that were red."""
    try:
        tree, old = ast.parse(text), ast.parse(before)
    except (SyntaxError, ValueError, RecursionError):
        return
    known = {name: ast.dump(function) for name, function in _tests(old)}
    source, every = _Source(text, tree), list(_tests(tree))
    for name, function in every:
        was_red = name.rpartition(".")[2] in {one.partition("[")[0] for one in red}
        if was_red or known.get(name) != ast.dump(function):
            silence = tuple(source.silenced(one) for _, one in every if one is not function)
            for edit in _TestReader(source, function).expected():
                yield Expectation(name, edit, silence)


def changed_tests(text: str, before: str) -> tuple[str, ...] | None:
    """The tests that are new or changed; None if more than tests was changed."""
    try:
        tree, old = ast.parse(text), ast.parse(before)
    except (SyntaxError, ValueError, RecursionError):
        return None
    if list(_beside(tree)) != list(_beside(old)):
        return None
    known = {name: ast.dump(function) for name, function in _tests(old)}
    return tuple(name for name, one in _tests(tree) if known.get(name) != ast.dump(one))


def _beside(tree: ast.Module) -> Iterator[str]:
    """What else is in a file of tests; what is imported makes no test another."""
    tests = {id(one) for _, one in _tests(tree)}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            others = [one for one in node.body if id(one) not in tests]
            yield from (ast.dump(one) for one in (*node.bases, *node.decorator_list, *others))
        elif id(node) not in tests and not isinstance(node, ast.Import | ast.ImportFrom):
            yield ast.dump(node)


def _tests(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    for node in tree.body:
        inside = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for one in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(one, Function) and one.name.startswith("test"):
                yield inside + one.name, one


class _Source:
    def __init__(self, text: str, tree: ast.Module) -> None:
        self.tree = tree
        self._lines = [line.encode() for line in text.split("\n")]
        self._starts = [0]
        for line in text.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._text = text

    def silenced(self, function: Function) -> Edit:
        """Another name, so that the runner does not take it for a test."""
        start = self._text.index("test", self._place(function.lineno, function.col_offset))
        return Edit(start, start, "no_")

    def edit(self, node: ast.Constant, other: Callable[[Any], Value]) -> Edit | None:
        """The literal with its place, and another for it; None if that cannot be told."""
        value = node.value
        if node.end_lineno is None or node.end_col_offset is None:
            return None
        start = self._place(node.lineno, node.col_offset)
        end = self._place(node.end_lineno, node.end_col_offset)
        if isinstance(value, complex) or value is Ellipsis:
            return None
        try:
            same = ast.literal_eval(self._text[start:end]) == value
        except (SyntaxError, ValueError):
            return None
        return Edit(start, end, repr(other(value))) if same else None

    def _place(self, line: int, column: int) -> int:
        return self._starts[line - 1] + len(self._lines[line - 1][:column].decode())


class _TestReader:
    """Reads one test."""

    def __init__(self, source: _Source, function: Function) -> None:
        self._source = source
        self._function = function
        names = (one for one in ast.walk(function) if isinstance(one, ast.Name))
        self._uses = Counter((one.id, type(one.ctx)) for one in names)

    def expected(self) -> Iterator[Edit]:
        for statement, loops in _statements(self._function.body, ()):
            for pair in _expected(statement):
                literal = self._literal(pair, loops)
                edit = literal and self._source.edit(literal, other)
                if edit:
                    yield edit
            for part in _parts(statement):
                if edit := self._source.edit(part, no_part):
                    yield replace(edit, part=True)

    def _literal(self, pair: Sequence[ast.expr], loops: Sequence[Loop]) -> ast.Constant | None:
        """The first one of the expected side: one that calls nothing, else the right one."""
        sides = [
            (value, *self._values(value.id, loops)) if isinstance(value, ast.Name) else (value,)
            for value in reversed(pair)
        ]
        plain = (one for values in sides for value in values for one in _plain(value, calls=False))
        made = (
            one for values in sides[:1] for value in values for one in _plain(value, calls=True)
        )
        return next(chain(plain, made), None)

    def _values(self, name: str, loops: Sequence[Loop]) -> list[ast.expr]:
        """What a name stands for: a parameter, something gone through, or a constant.

        Only if nothing else is done with it: an input that has to come out again is no expectation.
        """
        if self._uses[name, ast.Load] > 1 or self._uses[name, ast.Store] > 1:
            return []
        for loop in reversed(loops):
            if found := self._column(loop.target, loop.iter, name):
                return found
        for decorator in self._function.decorator_list:
            if found := self._parameter(decorator, name):
                return found
        return self._assigned(name)

    def _parameter(self, decorator: ast.expr, name: str) -> list[ast.expr]:
        if not isinstance(decorator, ast.Call) or len(decorator.args) < 2:  # noqa: PLR2004
            return []
        if _called(decorator) != "parametrize":
            return []
        names = _names(decorator.args[0])
        if name not in names:
            return []
        rows = self._rows(decorator.args[1])
        if len(names) == 1:
            return [row.args[0] if isinstance(row, ast.Call) and row.args else row for row in rows]
        return _cells(rows, names.index(name))

    def _column(self, target: ast.expr, iterable: ast.expr, name: str) -> list[ast.expr]:
        rows = self._rows(iterable)
        if isinstance(target, ast.Name):
            return rows if target.id == name else []
        if not isinstance(target, ast.Tuple):
            return []
        names = [one.id if isinstance(one, ast.Name) else "" for one in target.elts]
        return _cells(rows, names.index(name)) if name in names else []

    def _rows(self, node: ast.expr) -> list[ast.expr]:
        if isinstance(node, ast.Name):
            values = self._assigned(node.id)
            return self._rows(values[0]) if len(values) == 1 else []
        if isinstance(node, ast.List | ast.Tuple):
            return node.elts
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            table = node.func.value
            if isinstance(table, ast.Name):
                table = next(iter(self._assigned(table.id)), table)
            if node.func.attr == "items" and isinstance(table, ast.Dict):
                pairs = zip(table.keys, table.values, strict=True)
                return [ast.Tuple([key, value]) for key, value in pairs if key is not None]
        return []

    def _assigned(self, name: str) -> list[ast.expr]:
        """The only value that the test, or else its file, gives the name."""
        for body in (self._function.body, self._source.tree.body):
            found = [
                one.value
                for one in body
                if isinstance(one, ast.Assign)
                and any(isinstance(to, ast.Name) and to.id == name for to in one.targets)
            ]
            if found:
                return found if len(found) == 1 and not isinstance(found[0], ast.Name) else []
        return []


def _statements(
    body: Iterable[ast.stmt], loops: tuple[Loop, ...]
) -> Iterator[tuple[ast.stmt, tuple[Loop, ...]]]:
    """Those that are certainly run, with the loops they are in."""
    for statement in body:
        yield statement, loops
        if isinstance(statement, ast.If | ast.Try) and _returns(statement):
            return
        if isinstance(statement, ast.With | ast.AsyncWith):
            if not any(_ends_early(item.context_expr) for item in statement.items):
                yield from _statements(statement.body, loops)
        elif isinstance(statement, ast.For | ast.AsyncFor):
            yield from _statements(statement.body, (*loops, statement))


def _returns(statement: ast.stmt) -> bool:
    return any(isinstance(one, ast.Return) for one in ast.walk(statement))


def _ends_early(manager: ast.expr) -> bool:
    return isinstance(manager, ast.Call) and _called(manager) in _RAISING


def _expected(statement: ast.stmt) -> Iterator[tuple[ast.expr, ...]]:
    """Pairs that are said to be equal. One that goes nowhere is meant, too, and asserts nothing."""
    if isinstance(statement, ast.Assert):
        yield from _compared(statement.test)
    elif isinstance(statement, ast.Return | ast.Expr) and isinstance(statement.value, ast.Compare):
        yield from _compared(statement.value)
    elif isinstance(statement, ast.Return) and isinstance(statement.value, ast.Call):
        yield tuple(statement.value.args)
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        if _called(call) in _EQUAL and len(call.args) > 1:
            yield call.args[0], call.args[1]
        elif _called(call) == "assertTrue" and call.args:
            yield from _compared(call.args[0])


def _parts(statement: ast.stmt) -> Iterator[ast.Constant]:
    """Texts that are said to be in something."""
    match statement:
        case ast.Assert(ast.Compare(ast.Constant(str()) as text, [ast.In()])):
            yield text


def _compared(test: ast.expr) -> Iterator[tuple[ast.expr, ...]]:
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        if isinstance(test.ops[0], ast.Eq | ast.Is):
            yield test.left, test.comparators[0]
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from _compared(value)
    elif isinstance(test, ast.Call) and _called(test) in _METHODS:
        yield tuple(test.args)


def _plain(node: ast.expr, *, calls: bool) -> Iterator[ast.Constant]:
    """The literals that a value is made of, as it stands there."""
    if isinstance(node, ast.Constant):
        yield node
        return
    parts: list[ast.expr] = []
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        parts = node.elts
    elif isinstance(node, ast.Dict):
        parts = node.values
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        parts = [node.operand]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Add):
        parts = [node.left]
    elif calls and isinstance(node, ast.Call) and _makes(node.func):
        parts = [*node.args, *(one.value for one in node.keywords)]
    for part in parts:
        yield from _plain(part, calls=calls)


def _makes(function: ast.expr) -> bool:
    """Whether it makes a value of what it is given, by its name: `Money(3)`, `Money.of(3)`."""
    while isinstance(function, ast.Attribute):
        if function.attr[:1].isupper() or function.attr in _MAKERS:
            return True
        function = function.value
    return isinstance(function, ast.Name) and (function.id[:1].isupper() or function.id in _MAKERS)


def _called(call: ast.Call) -> str:
    """The last word of what is called."""
    if isinstance(call.func, ast.Name):
        return call.func.id
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _names(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [name.strip() for name in node.value.split(",")]
    if isinstance(node, ast.List | ast.Tuple):
        return [str(one.value) if isinstance(one, ast.Constant) else "" for one in node.elts]
    return []


def _cells(rows: Iterable[ast.expr], column: int) -> list[ast.expr]:
    found: list[ast.expr] = []
    for row in rows:
        if isinstance(row, ast.Tuple | ast.List):
            cells = row.elts
        else:
            cells = row.args if isinstance(row, ast.Call) else []
        found.extend(cells[column : column + 1])
    return found

"""Python in which the functions that were changed do nothing."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_ONE = '__import__("sys").__dict__.setdefault("_zqx_{0}", type("{0}", (), {1})())'
NOTHING = (
    _ONE.format("Nothing", '{"__bool__": lambda _: False}'),
    _ONE.format("Something", "{}"),
)
"""First everything is false, then everything is true; and equal only to itself, so that a test
that compares the work with the work notices nothing.
"""
_OF_TYPE = {
    "float": ("-98765.4321", "98765.4321"),
    "int": ("-98765432", "98765432"),
    "str": ('""', '"zqx zqx"'),
    "list": ("[]", '["zqx", "zqx"]'),
    "dict": ("{}", '{"zqx": "zqx"}'),
    "tuple": ("()", '("zqx", "zqx")'),
}
_TYPE = re.compile(rf"isinstance\([^\n]*?,\s*\(?({'|'.join(_OF_TYPE)})\b")
_MAKING = frozenset(("__init__", "__new__", "__post_init__", "__init_subclass__", "__enter__"))
_SILENT = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Expr, ast.Pass)
_DOUBLE = re.compile(
    r"\b(?:patch(?:\.object)?|setattr)\(\s*(?:[\w.]+,\s*)?[\"'](?:[\w.]*\.)?(\w+)[\"']"
    r"|\.(\w+)\s*=\s*(?:mock\.)?(?:Magic|Async|Non\w*)?Mock\("
)
"""A test puts something in the place of what it names."""
_GIVEN = (
    *(ast.Name, ast.Constant, ast.Attribute, ast.List, ast.Dict, ast.Set, ast.Tuple),
    ast.expr_context,
)
_PLAIN = frozenset(("property", "staticmethod", "classmethod", "override"))
"""Decorators with which a function is still reached by calling it."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def values(tests: str) -> tuple[str, str]:
    """What the functions return instead: of a type, if that is what the tests ask for."""
    asked = _TYPE.search(tests)
    return _OF_TYPE[asked[1]] if asked else NOTHING


def hollowed(
    text: str, before: str, value: str, tests: str = "", only: Collection[str] = ()
) -> str | None:
    """The same text where no function was changed; None where more than functions was.

    A new constant that the tests do not name is a part of the functions. With `only` the functions
    of these names are emptied, and no others.
    """
    try:
        tree, old = ast.parse(text), ast.parse(before)
    except (SyntaxError, ValueError, RecursionError):
        return None
    words = frozenset(re.findall(r"\w+", tests))
    there = {name for name, _ in _functions(old.body)}
    if not set(_rest(tree.body, words, there)) <= set(_rest(old.body, words, there)):
        return None
    every = list(_changed(tree, old))
    changed = [one for one in every if one.name not in _MAKING]
    if not all(map(_only_keeps, set(every).difference(changed))):
        return None
    if not all(_is_known(one, tree) for one in changed):
        return None
    return _emptied(text, [one for one in changed if not only or one.name in only], value)


def new(text: str, before: str) -> tuple[str, ...]:
    """The names of functions that were not there before."""
    try:
        tree, old = ast.parse(text), ast.parse(before)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    known = {name for name, _ in _functions(old.body)}
    found = ((name, one) for name, one in _functions(tree.body) if name not in known)
    return tuple(dict.fromkeys(one.name for _, one in found if not _is_special(one.name)))


def _is_known(function: _Function, tree: ast.Module) -> bool:
    """Whether it is reached by calling it: not by what decorates it, by syntax, or when loaded."""
    if _is_special(function.name):
        return False
    if not all(isinstance(one, ast.Name) and one.id in _PLAIN for one in function.decorator_list):
        return False
    outside = (one for one in tree.body if not isinstance(one, ast.ClassDef | _Function))
    called = (one for node in outside for one in ast.walk(node) if isinstance(one, ast.Call))
    return not any(
        isinstance(one.func, ast.Name) and one.func.id == function.name for one in called
    )


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def undoubled(text: str, before: str, value: str, tests: str) -> str:
    """Only the changed functions that the tests replace do nothing; all else is as it was."""
    try:
        tree, old = ast.parse(text), ast.parse(before)
    except (SyntaxError, ValueError, RecursionError):
        return text
    names = {name for pair in _DOUBLE.findall(tests) for name in pair}
    return _emptied(text, [one for one in _changed(tree, old) if one.name in names], value)


def _changed(tree: ast.Module, old: ast.Module) -> Iterator[_Function]:
    known = {name: _body(one) for name, one in _functions(old.body)}
    for name, one in _functions(tree.body):
        if known.get(name) != _body(one):
            yield one


def _body(function: _Function) -> str:
    """What it does, without what is said about it."""
    said = ast.get_docstring(function, clean=False) is not None
    return "\n".join(map(ast.dump, function.body[said:]))


def _emptied(text: str, functions: Iterable[_Function], value: str) -> str:
    lines = text.split("\n")
    for function in sorted(functions, key=lambda one: one.lineno, reverse=True):
        _put(lines, function, value)
    return "\n".join(lines)


def _functions(body: Iterable[ast.stmt], inside: str = "") -> Iterator[tuple[str, _Function]]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield inside + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{inside}{node.name}.")


def _only_keeps(making: _Function) -> bool:
    """Whether an object that is made this way only remembers what it was given."""
    return all(_keeps(one) for one in making.body)


def _keeps(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(_, ast.Call(args=[], keywords=[])):
            return True  # an empty thing
        case ast.Assign(_, value) | ast.AnnAssign(_, _, value):
            return value is None or all(isinstance(one, _GIVEN) for one in ast.walk(value))
        case ast.Expr(ast.Constant()) | ast.Pass():
            return True
        case ast.Expr(ast.Call(ast.Attribute(ast.Call(ast.Name("super"))))):
            return True
    return False


def _rest(body: Iterable[ast.stmt], words: frozenset[str], there: Collection[str]) -> Iterator[str]:
    """What else there is that tests could see; of functions, those that were `there` before."""
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _around(node, "", there)
            case ast.Import() | ast.ImportFrom():
                pass
            case ast.ClassDef():
                yield from (ast.dump(one) for one in node.body if not isinstance(one, _SILENT))
                methods = (one for one in node.body if isinstance(one, _Function))
                for one in methods:
                    yield from _around(one, f"{node.name}.", there)
                yield from map(ast.dump, node.decorator_list)
            case ast.Expr(ast.Constant()) | ast.Pass():
                pass
            case ast.Assign([target]) if not words & _named(target):
                pass
            case _:
                yield ast.dump(node)


def _around(function: _Function, inside: str, there: Collection[str]) -> Iterator[str]:
    """What is around a function's body and does something by itself."""
    if inside + function.name not in there:
        return
    for one in function.decorator_list:
        if not isinstance(one, ast.Name) or one.id not in _PLAIN:
            yield f"@{inside}{function.name} {ast.dump(one)}"


def _named(target: ast.expr) -> set[str]:
    return {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}


def _put(lines: list[str], function: _Function, value: str) -> None:
    """Let it return at once."""
    body = function.body
    is_doc = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    first = body[1] if is_doc and len(body) > 1 else body[0]
    number = min([first.lineno, *(one.lineno for one in getattr(first, "decorator_list", ()))]) - 1
    line = lines[number]
    indent = line[: len(line) - len(line.lstrip())]
    column = len(line.encode()[: first.col_offset].decode())
    if not line[:column].strip():
        lines.insert(number, f"{indent}return {value}")
    else:
        lines[number] = f"{line[:column]}return {value}; {line[column:]}"

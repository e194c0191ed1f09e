"""Tests in Python: what they assert, what they are about, and whether they are run at all."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_LOOKS = re.compile(
    r"assert|expect|should|check|verify|ensure|must|compare|raises|throws|rejects|fail"
    r"|snapshot|match|equal",
    re.IGNORECASE,
)
_ALWAYS_SKIPPED = re.compile(
    r"(?:^|\.)skip(?:$|\()|skipif\(\s*(?:True|1)\b|skipIf\(\s*(?:True|1)\b"
)
_SAYS = re.compile(
    r"assert\w*|expect\w*|test|raises|warns|parametrize|param|subTest|range|\w*[eE]qual\w*|is|not"
    r"|match|end"
)
"""How tests speak, whatever they are about."""


def source_of(test: str, text: str) -> str:
    found = _by_name(text).get(_bare(test))
    return ast.unparse(found[0]) if found else ""


def asserts(test: str, text: str) -> bool:
    """Itself, or by a function of its file."""
    every = _by_name(text)
    waiting, seen = [_bare(test)], set[str]()
    if waiting[0] not in every:
        return True
    while waiting:
        name = waiting.pop()
        if name not in every or name in seen:
            continue
        seen.add(name)
        function = every[name][-1]
        called = set(_called(function))
        if any(map(_LOOKS.search, called)) or any(
            isinstance(one, ast.Assert | ast.Raise | ast.With) for one in ast.walk(function)
        ):
            return True
        waiting += called
    return False


def skips_itself(test: str, text: str) -> bool:
    if re.search(r"^pytestmark\s*=\s*pytest\.mark\.skip\b", text, re.MULTILINE):
        return True
    return any(map(_is_left_out, _by_name(text).get(_bare(test), ())))


def asserted(text: str, test: str = "") -> Sequence[str]:
    if test:
        return _asserted_by(text, _bare(test))
    return [line for node in _functions(text) for line in _asserted_in(node)]


@lru_cache(maxsize=1024)
def _asserted_by(text: str, name: str) -> Sequence[str]:
    """One test may have a thousand cases, and somebody asks about each."""
    return [line for node in _by_name(text).get(name, ()) for line in _asserted_in(node)]


def _asserted_in(function: Function) -> Iterator[str]:
    yield from (_one_line(ast.unparse(one)) for one in _assertions(function))
    given = (ast.unparse(one) for one in function.decorator_list)
    yield from (_one_line(f"@{one}") for one in given if "parametrize" in one)


def content(text: str) -> Iterator[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    said = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value) if id(node) not in said:
                yield repr(value)
            case ast.Call(ast.Name(name)) | ast.Call(ast.Attribute(attr=name)):
                if not _SAYS.fullmatch(name):
                    yield f"{name}()"


def fresh(text: str, before: str) -> str:
    tree, old = _tree(text), _tree(before)
    if tree is None:
        return text
    known = set(map(ast.dump, _statements(old))) if old is not None else set[str]()
    return "\n".join(ast.unparse(one) for one in _statements(tree) if ast.dump(one) not in known)


def _statements(tree: ast.Module | ast.ClassDef) -> Iterator[ast.stmt]:
    """Of a module and of its classes, each function by itself; what is imported is left out."""
    for one in tree.body:
        if isinstance(one, ast.ClassDef):
            yield from _statements(one)
        elif not isinstance(one, ast.Import | ast.ImportFrom):
            yield one


def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _bare(test: str) -> str:
    """Without parameters."""
    return test.partition("[")[0]


def _called(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        match node:
            case ast.Call(ast.Name(name)) | ast.Call(ast.Attribute(attr=name)):
                yield name


def _is_left_out(function: Function) -> bool:
    marks = [ast.unparse(one) for one in function.decorator_list]
    says = (one for one in function.body if isinstance(one, ast.Expr | ast.Raise))
    calls = (ast.unparse(one) for one in says)
    return any(_ALWAYS_SKIPPED.search(mark) for mark in marks) or any(
        re.match(r"(?:pytest\.skip|self\.skipTest|raise (?:unittest\.)?SkipTest)\b", one)
        for one in calls
    )


@lru_cache(maxsize=16)
def _by_name(text: str) -> Mapping[str, Sequence[Function]]:
    """The functions of a file: somebody asks for each of a thousand tests."""
    found: dict[str, list[Function]] = {}
    for one in _functions(text):
        found.setdefault(one.name, []).append(one)
    return found


def _functions(text: str) -> tuple[Function, ...]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(node for node in ast.walk(tree) if isinstance(node, Function))


def _assertions(function: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(function):
        match node:
            case ast.Assert():
                yield node
            case ast.Expr(ast.Call(ast.Attribute(attr=called))) if called.startswith("assert"):
                yield node
            case ast.withitem(ast.Call(ast.Attribute(attr="raises" | "warns" | "assertRaises"))):
                yield node.context_expr


def _one_line(text: str) -> str:
    return " ".join(text.split())

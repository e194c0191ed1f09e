"""What a test asserted before and asserts now, side by side, for a person who has ten seconds."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

LINES = 3
"""Assertions of one test that are shown."""
_WIDE = 160
_BETWEEN = re.compile(r"::| \u203a ")
_SAYS = re.compile(
    r"\b(?:assert\w*|expect\w*|should|t\.\w+|raises|throws|rejects|is|deepEqual|equal)\b.*[(=]"
    r"|\bassert\b"
)


_LOOKS = re.compile(
    r"assert|expect|should|check|verify|ensure|must|compare|raises|throws|rejects|fail|\bt\.\w+\("
    r"|snapshot|match|equal",
    re.IGNORECASE,
)


_LEFT_OUT = re.compile(
    r"\b(?:it|test|describe|suite)\.skip\(|\bx(?:it|describe|test)\(|skip:\s*true"
)
_ALWAYS_SKIPPED = re.compile(
    r"(?:^|\.)skip(?:$|\()|skipif\(\s*(?:True|1)\b|skipIf\(\s*(?:True|1)\b"
)


class Rewritten(Struct, frozen=True):
    """The assertions of one test that differ."""

    test: str
    was: tuple[str, ...] = ()
    now: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        lines = [self.test]
        lines += [f"    was:  {_cut(one)}" for one in self.was[:LINES]]
        lines += [f"    now:  {_cut(one)}" for one in self.now[:LINES]] or ["    now:  (gone)"]
        more = max(len(self.was), len(self.now)) - LINES
        return "\n".join([*lines, *([f"    and {more} more"] if more > 0 else [])])


def rewritten(test: str, path: str, before: str, after: str) -> Rewritten | None:
    """None if nothing that it asserts differs."""
    name = _BETWEEN.split(test)[-1]
    old, new = list(_said(path, name, before)), list(_said(path, name, after))
    was = [line for line in old if line not in new]
    now = [line for line in new if line not in old]
    return Rewritten(test, tuple(was), tuple(now)) if was or (now and old) else None


def source_of(test: str, path: str, text: str) -> str:
    """The lines of one test."""
    name = _BETWEEN.split(test)[-1]
    if not path.endswith(".py"):
        return "\n".join(_block(name, text))
    bare = name.partition("[")[0]
    return next((ast.unparse(one) for one in _functions(text) if one.name == bare), "")


def asserts(test: str, path: str, text: str) -> bool:
    """Whether a test looks at anything: itself, or by a function of its file. True if unknown."""
    source = source_of(test, path, text)
    if not source:
        return True
    if not path.endswith(".py"):
        return bool(_LOOKS.search(source.partition("\n")[2] or source))
    every = {one.name: one for one in _functions(text)}
    name = _BETWEEN.split(test)[-1].partition("[")[0]
    waiting, seen = [name], set[str]()
    while waiting:
        function = every.get(waiting.pop())
        if function is None or function.name in seen:
            continue
        seen.add(function.name)
        called = set(_called(function))
        if any(map(_LOOKS.search, called)) or any(
            isinstance(one, ast.Assert | ast.Raise | ast.With) for one in ast.walk(function)
        ):
            return True
        waiting += called
    return False


def _called(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        match node:
            case ast.Call(ast.Name(name)) | ast.Call(ast.Attribute(attr=name)):
                yield name


def skips_itself(test: str, path: str, text: str) -> bool:
    """Whether a test is left out wherever it is run; not if it depends on what is there."""
    if not path.endswith(".py"):
        return bool(_LEFT_OUT.search(source_of(test, path, text).partition("\n")[0] or "skip("))
    if re.search(r"^pytestmark\s*=\s*pytest\.mark\.skip\b", text, re.MULTILINE):
        return True
    name = _BETWEEN.split(test)[-1].partition("[")[0]
    return any(_is_left_out(one) for one in _functions(text) if one.name == name)


def _is_left_out(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    marks = [ast.unparse(one) for one in function.decorator_list]
    says = (one for one in function.body if isinstance(one, ast.Expr | ast.Raise))
    calls = (ast.unparse(one) for one in says)
    return any(_ALWAYS_SKIPPED.search(mark) for mark in marks) or any(
        re.match(r"(?:pytest\.skip|self\.skipTest|raise (?:unittest\.)?SkipTest)\b", one)
        for one in calls
    )


def asserted(path: str, text: str) -> tuple[str, ...]:
    """Every assertion of a file, in whichever test."""
    return tuple(_said(path, "", text))


def _said(path: str, name: str, text: str) -> Iterator[str]:
    if path.endswith(".py"):
        yield from _in_python(name.partition("[")[0], text)
    else:
        yield from _in_lines(name, text)


def _in_python(name: str, text: str) -> Iterator[str]:
    for node in _functions(text):
        if not name or node.name == name:
            yield from (_one_line(ast.unparse(one)) for one in _assertions(node))
            given = (ast.unparse(one) for one in node.decorator_list)
            yield from (_one_line(f"@{one}") for one in given if "parametrize" in one)


def _functions(text: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _assertions(function: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(function):
        match node:
            case ast.Assert():
                yield node
            case ast.Expr(ast.Call(ast.Attribute(attr=called))) if called.startswith("assert"):
                yield node
            case ast.withitem(ast.Call(ast.Attribute(attr="raises" | "warns" | "assertRaises"))):
                yield node.context_expr


def _in_lines(name: str, text: str) -> Iterator[str]:
    """The lines that compare."""
    lines = _block(name, text) if name else text.split("\n")
    yield from (_one_line(line) for line in lines if _SAYS.search(line))


def _block(name: str, text: str) -> Iterator[str]:
    """From the line that names the test to the next test."""
    lines = iter(text.split("\n"))
    for line in lines:
        if name in line:
            yield line
            break
    for line in lines:
        if re.match(r"\s*(?:it|test|describe)\b", line):
            return
        yield line


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str) -> str:
    return text if len(text) <= _WIDE else f"{text[: _WIDE - 1]}…"

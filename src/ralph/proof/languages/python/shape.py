"""The shape of a program in Python."""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING

from ralph.proof.languages.shape import Part

if TYPE_CHECKING:
    from collections.abc import Collection

_FOR_TYPES = frozenset(("__future__", "typing", "typing_extensions", "collections.abc"))
_EQUAL = (ast.Eq, ast.Is, ast.In)


@lru_cache(maxsize=64)
def shape(text: str) -> Part | None:
    try:
        with warnings.catch_warnings(action="ignore"):  # what is odd there is the author's business
            return _part(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return None


def _part(node: ast.AST) -> Part:  # noqa: C901, PLR0911, PLR0912 - a table of what is what
    match node:
        case ast.Module(body):
            return _block(body)
        case ast.Constant(str(text)):
            return _made("text", node, text=text)
        case ast.Constant(value):
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return _made("number" if number else "word", node, text=repr(value))
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
            return _made("number", node, text=f"-{value!r}")
        case ast.Name(name):
            return _made("name", node, text=name)
        case ast.Attribute(value):
            return _made("name", node, _part(value), text=_dotted(node))
        case ast.Call(function, given, keywords):
            more = (Part("pair", one.arg or "**", (_part(one.value),)) for one in keywords)
            parts = (_part(function), *map(_part, given), *more)
            return _made("call", node, *parts, text=_dotted(function))
        case ast.List(items) | ast.Tuple(items) | ast.Set(items):
            return _made("list", node, *map(_part, items), text=type(node).__name__)
        case ast.Dict(keys, found):
            pairs = zip(keys, found, strict=True)
            every = (Part("pair", "", tuple(map(_part, filter(None, one)))) for one in pairs)
            return _made("table", node, *every)
        case ast.Compare(left, [ast.Eq() | ast.Is() | ast.In() as sign], [right]):
            return _made("equal", node, _part(left), _part(right), text=type(sign).__name__)
        case ast.If(test, body, rest):
            return _made("if", node, _part(test), _block(body), _block(rest))
        case ast.IfExp(test, body, rest):
            return _made("if", node, *map(_part, (test, body, rest)), text="?")
        case ast.match_case(ast.MatchValue(value), None, body):
            return _made("case", value, _part(value), _block(body))
        case ast.Return(value):
            return _made("return", node, *([_part(value)] if value else []))
        case ast.Raise():
            return _made("raise", node, *_parts(node))
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            by = Part("other", type(node).__name__, tuple(map(_part, node.decorator_list)))
            parts = (_given(node.args), by, _block(node.body))
            return _made("function", node, *parts, text=node.name)
        case ast.Lambda(arguments, body):
            said = Part("return", "", (_part(body),), node.lineno)
            return _made("function", node, _given(arguments), Part("other", "lambda"), said)
        case ast.ClassDef(name):
            about = (*node.bases, *node.keywords, *node.decorator_list)
            return _made("class", node, *map(_part, about), _block(node.body), text=name)
        case ast.Assign([target], value) | ast.AnnAssign(target, _, ast.expr() as value):
            kind = [_part(node.annotation)] if isinstance(node, ast.AnnAssign) else []
            parts = (_part(target), *kind, _named(_part(value), _dotted(target)))
            return _made("write", node, *parts, text=_dotted(target))
        case ast.AugAssign(target):
            return _made("update", node, *_parts(node), text=_dotted(target))
        case ast.Import(names):
            every = (Part("name", one.name, (), node.lineno) for one in names)
            return _made("import", node, *every, text=names[0].name)
        case ast.ImportFrom(module, names, level):
            where = "." * level + (module or "")
            every = (Part("name", f"{where}.{one.name}", (), node.lineno) for one in names)
            return _made("import", node, *every, text=where)
        case ast.ExceptHandler(kind, _, body):
            return _made("catch", node, _block(body), text=_dotted(kind) if kind else "")
    fields = (str(field) for _, field in ast.iter_fields(node) if isinstance(field, str | int))
    return _made("other", node, *_parts(node), text=" ".join((type(node).__name__, *fields)))


def _parts(node: ast.AST) -> list[Part]:
    """Without what does nothing."""
    return [_part(one) for one in ast.iter_child_nodes(node) if not _is_silent(one)]


def _made(kind: str, node: ast.AST, *parts: Part, text: str = "") -> Part:
    first = getattr(node, "decorator_list", None) or [node]
    line = getattr(first[0], "lineno", 0)
    return Part(kind, text, parts, line, getattr(node, "end_lineno", None) or line)


def _block(body: list[ast.stmt]) -> Part:
    return Part("block", "", tuple(_part(one) for one in body if not _is_silent(one)))


def _is_silent(statement: ast.AST) -> bool:
    match statement:
        case ast.Expr(ast.Constant()) | ast.Pass():
            return True
        case ast.ImportFrom(module):
            return module in _FOR_TYPES
    return False


def _given(arguments: ast.arguments) -> Part:
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    rest = (one for one in (arguments.vararg, arguments.kwarg) if one is not None)
    names = [Part("name", one.arg) for one in (*every, *rest)]
    other = (one for one in (*arguments.defaults, *arguments.kw_defaults) if one is not None)
    return Part("list", "", (*names, *map(_part, other)))


def _named(value: Part, name: str) -> Part:
    """A function is called as what it is given to."""
    return (
        Part("function", name, value.parts, value.line, value.end)
        if (value.kind == "function")
        else value
    )


def _dotted(node: ast.AST) -> str:
    match node:
        case ast.Name(name):
            return name
        case ast.Attribute(value, attr):
            return f"{_dotted(value)}.{attr}"
        case ast.Call(function):
            return f"{_dotted(function)}()"
        case ast.Subscript(value):
            return f"{_dotted(value)}[]"
        case ast.Tuple(items):
            return ", ".join(map(_dotted, items))
    return ""


def around(text: str, lines: Collection[int]) -> tuple[str, ...]:
    every = (shape(text) or Part("block")).of("function", "class")
    here = (one for one in every if any(one.line <= line <= one.end for line in lines))
    return tuple(dict.fromkeys(one.text for one in here if one.text))


def does_the_same(before: str, after: str) -> bool:
    old, new = shape(before), shape(after)
    return old is not None and new is not None and old.plain == new.plain


def differs_in_words(before: str, after: str) -> bool:
    old, new = _without_words(before), _without_words(after)
    return bool(old) and old == new


def _without_words(text: str) -> str:
    """Its tree without descriptions; nothing if it has none."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.dump(_Undescribed().visit(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):
        return ""


class _Undescribed(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else node

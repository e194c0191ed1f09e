"""What a test is about, whatever it is called: the values it holds and what it calls.

The same values asked of the same functions under another name, in another file or as the rows of a
table are the same test.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ralph.proof.assertions import source_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_VALUE = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|\b\d[\w.]*")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_CALL = re.compile(r"([A-Za-z_$][\w$]*)\s*\(")
_SAYS = re.compile(
    r"assert\w*|expect\w*|test|it|describe|raises|warns|parametrize|param|subTest|range|\w*[eE]qual\w*"
    r"|ok|is|not|throws|rejects|match|to[A-Z]\w*|forEach|end|plan"
)
"""How tests speak, whatever they are about."""


def of_test(test: str, path: str, text: str) -> frozenset[str]:
    """Nothing if the test cannot be found."""
    source = source_of(test, path, text)
    return frozenset(_python(source) if path.endswith(".py") else _script(source))


def of_text(path: str, text: str) -> frozenset[str]:
    """The same of a whole file; a function that is only mentioned may be called by a table."""
    if not path.endswith(".py"):
        return frozenset((*_script(text), *(f"{name}()" for name in _NAME.findall(text))))
    return frozenset((*_python(text), *(f"{name}()" for name in _NAME.findall(text))))


def _python(text: str) -> Iterator[str]:
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


def _script(text: str) -> Iterator[str]:
    title = re.compile(r"^\s*(?:it|test|describe)\b[^(]*\(\s*(?:'[^']*'|\"[^\"]*\"|`[^`]*`)")
    for line in text.split("\n"):
        bare = title.sub("", line)
        if re.match(r"\s*(?:import\b|.*\brequire\()", bare):
            continue
        yield from (value.strip("'\"") for value in _VALUE.findall(bare))
        yield from (f"{name}()" for name in _CALL.findall(bare) if not _SAYS.fullmatch(name))

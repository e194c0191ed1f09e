"""Two texts of one shape do the same, in every language that can tell its shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.proof.languages import shape_of
from ralph.proof.languages.shape import literals, values

if TYPE_CHECKING:
    from ralph.proof.languages.shape import Part


def shape(path: str, text: str) -> Part:
    found = shape_of(path, text)
    assert found is not None, text
    return found


SAME = [
    (
        "a.py",
        "def f(a):\n    return a\n",
        'def f(a: int) -> int:\n    """Say."""\n    return a  # b\n',
    ),
    ("a.py", "x = [1, 2]\n", "from typing import Any\n\nx = [\n    1,\n    2,\n]\n"),
    ("a.js", "f(1, 'a')", '// why\nf( 1, "a" );\n'),
    ("a.ts", "export function f(a) { return a }", "export function f(a: number): T { return a }"),
]
OTHER = [
    ("a.py", "x += 1\n", "x -= 1\n"),
    ("a.py", "x = 5\n", "x = '5'\n"),
    ("a.py", "x: int = 5\n", "x: str = 5\n"),
    ("a.py", "def f():\n    pass\n", "async def f():\n    pass\n"),
    ("a.py", "f(a=1)\n", "f(b=1)\n"),
    ("a.py", "try:\n    f()\nexcept A:\n    pass\n", "try:\n    f()\nexcept B:\n    pass\n"),
    ("a.js", "i++", "i--"),
    ("a.js", "a < b", "a <= b"),
    ("a.js", "let a = 1", "const a = 1"),
    ("a.js", "async () => { f() }", "() => { f() }"),
    ("a.js", "f(`a${b}`)", "f(`a${c}`)"),
    ("a.ts", "class A extends B {}", "class A extends C {}"),
]


@pytest.mark.parametrize(("path", "one", "other"), SAME)
def test_what_does_the_same(path: str, one: str, other: str) -> None:
    assert shape(path, one).plain == shape(path, other).plain


@pytest.mark.parametrize(("path", "one", "other"), OTHER)
def test_what_does_something_else(path: str, one: str, other: str) -> None:
    assert shape(path, one).plain != shape(path, other).plain


@pytest.mark.parametrize(
    ("path", "text", "kinds"),
    [
        ("a.py", "if a.b == 'x':\n    return c()\n", "if equal name text return call"),
        ("a.js", "if (a.b === 'x') { return c() }", "if equal name text return call"),
        ("a.py", "K = {'a': [1, -2]}\n", "write table pair list number"),
        ("a.js", "const K = { a: [1, -2] }", "write table pair list number"),
        ("a.py", "try:\n    f()\nexcept E:\n    raise\n", "call catch raise"),
        ("a.js", "try { f() } catch { throw e }", "call catch raise"),
        ("a.py", "import a\n\n\nclass A:\n    def f(self): pass\n", "import class function"),
        ("a.js", "import a from 'a'; class A { f() {} }", "import class function"),
    ],
)
def test_the_same_words_for_every_language(path: str, text: str, kinds: str) -> None:
    assert set(kinds.split()) <= {one.kind for one in shape(path, text).walk()}


@pytest.mark.parametrize("path", ["a.py", "a.js"])
def test_literals_and_where_functions_are(path: str) -> None:
    source = shape(path, "x = [1, ['a', -2]]\ny = [1, f(3)]\n")
    first, second = source.of("write")
    assert values(first.parts[-1]) == ("1", "a", "-2")
    assert values(second.parts[-1]) == ()
    assert literals(second) == ("1", "3")


def test_methods_have_the_names_of_their_classes() -> None:
    for path, text in (
        ("a.py", "class A:\n    def f(self):\n        def g(): pass\n"),
        ("a.js", "export class A { f() { function g() {} } }"),
    ):
        assert [name for name, _ in shape(path, text).named()] == ["A.f"]


@pytest.mark.parametrize(("path", "text"), [("a.py", "def ("), ("a.js", "}{"), ("a.css", "a {}")])
def test_nobody_can_say(path: str, text: str) -> None:
    assert shape_of(path, text) is None


@given(st.text(max_size=80))
def test_no_text_is_too_odd(text: str) -> None:
    for path in ("a.py", "a.js", "a.tsx"):
        source = shape_of(path, text)
        assert source is None or source.plain

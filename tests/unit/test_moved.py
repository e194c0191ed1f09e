"""Tests that only follow source to its new place."""

from __future__ import annotations

import pytest

from ralph.proof.subject import only_follows

MOVES = [("parse.js", "src/parse.js"), ("app/cart.py", "shop/cart.py")]
JS = "import { parse } from '../parse.js'\n\ntest('a', () => parse('x'))\n"
PY = "from app.cart import Cart\n\n\ndef test_a():\n    assert Cart()\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (JS, JS.replace("../parse.js", "../src/parse.js"), True),
        (PY, PY.replace("app.cart", "shop.cart"), True),
        (PY, PY.replace("app.cart", "fake.cart"), False),
        (PY, PY.replace("app.cart", "shop.cart").replace("assert Cart()", "assert True"), False),
        (JS, JS.replace("../parse.js", "./double.js"), False),
        (JS, JS, False),
        ("", JS, False),
    ],
)
def test_only_imports_that_follow(before: str, after: str, expected: bool) -> None:
    path = "a.test.js" if after.startswith("import {") else "test_a.py"
    assert only_follows(path, before, after, MOVES) is expected


def test_without_a_move_nothing_follows() -> None:
    assert not only_follows("test_a.py", PY, PY.replace("app.cart", "shop.cart"), [])

"""Functions that were changed do nothing; everything else stays as it is."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.proof.hollowed import TURNS, hollow
from ralph.proof.languages.go import Go
from ralph.proof.languages.javascript import JavaScript
from ralph.proof.languages.python import hollow as python
from ralph.proof.languages.typescript import TypeScript
from ralph.proof.twisted import LENGTH, Source

javascript = JavaScript()
OLD = "def old():\n    return 1\n"
METHODS = '''\
"""Doc."""

import re

_WORD = re.compile("a")


class A:
    """Doc."""

    def __init__(self):
        self.x = 1

    @property
    def b(self): return self.x

    async def c(self):
        """Doc."""
        if self.x:
            return 2
        return 3
'''


@pytest.mark.parametrize("value", python.NOTHING)
def test_new_functions_return_at_once(value: str) -> None:
    text = python.hollowed(METHODS, "", value)
    assert text is not None
    names: dict[str, type] = {}
    exec(compile(text, "hollow", "exec"), names)  # noqa: S102
    made = names["A"]()
    assert made.x == 1
    assert made.b != 1
    assert bool(made.b) is (value == python.NOTHING[1])
    with pytest.raises(StopIteration):
        made.c().send(None)


@pytest.mark.parametrize(
    ("tests", "kind"),
    [
        ("assert isinstance(grade(text), float)", float),
        ("assert isinstance(count(text), (int, str))", int),
        ("self.assertTrue(isinstance(name(text), str))", str),
        ("assert isinstance(words(text), list)", list),
    ],
)
def test_a_type_that_tests_ask_for_is_no_proof(tests: str, kind: type) -> None:
    made = [eval(value) for value in python.values(tests)]  # noqa: S307
    assert all(type(one) is kind for one in made)
    assert made[0] != made[1]


@pytest.mark.parametrize(
    ("tests", "value"),
    [
        ('assert.equal(typeof render(text), "string");', '""'),
        ("assert(typeof count === 'number')", "-98765.4321"),
        ("assert.ok(Array.isArray(words(text)));", "[]"),
        ("assert.ok(Number.isInteger(count(text)));", "-98765432"),
        ("assert.equal(count(text), 3);", "NaN"),
    ],
)
def test_nor_is_one_in_javascript(tests: str, value: str) -> None:
    assert javascript.values(tests)[0] == value


@pytest.mark.parametrize(
    ("making", "hollow"),
    [
        ('"""One."""\n        super().__init__()\n        self.x = x\n        self.y = []', True),
        ("self.x: int = x\n        self.seen = set()", True),
        ("self.x = sorted(x)", False),
        ("self.x = x + 1", False),
        ("if not x:\n            raise ValueError", False),
    ],
)
def test_work_that_is_done_when_a_thing_is_made(making: str, hollow: bool) -> None:
    made = f"    def __init__(self, x):\n        {making}\n"
    text = f"class A:\n{made}\n    def f(self):\n        pass\n"
    assert (python.hollowed(text, "", "None") is not None) is hollow


@pytest.mark.parametrize(
    ("making", "hollow"),
    [
        ("this.x = x; this.#y = []; this.z = new Map();", True),
        ("super(x);\n    // kept\n    this.name = 'a';", True),
        ("this.x = [...x].sort();", False),
        ("if (!x) throw new Error('x');", False),
    ],
)
def test_work_that_is_done_when_a_thing_is_made_in_javascript(making: str, hollow: bool) -> None:
    text = f"class A {{\n  constructor(x) {{ {making} }}\n\n  f() {{\n    return 1;\n  }}\n}}\n"
    assert (javascript.hollowed(text, "", "NaN", "", ()) is not None) is hollow


def test_others_do_what_they_did() -> None:
    text = python.hollowed(f"{OLD}\n\ndef new():\n    return 2\n", OLD, "None")
    assert text == f"{OLD}\n\ndef new():\n    return None\n    return 2\n"
    assert python.hollowed(f"import os\n\n\n{OLD}", OLD, "None") == f"import os\n\n\n{OLD}"


@pytest.mark.parametrize(
    "text",
    [
        f"TABLE = {{1: 2}}\n\n\n{OLD}",
        f"{OLD}\nstart()\n",
        "class A:\n    size = 3\n",
        "@dataclass\nclass A:\n    size: int\n",
        "def (",
    ],
)
def test_more_than_functions(text: str) -> None:
    assert python.hollowed(text, OLD, "None", "assert TABLE == 3") is None


def test_a_constant_that_no_test_names_belongs_to_the_functions() -> None:
    text = "LIMIT = 3\n\n\ndef f(x):\n    return x < LIMIT\n"
    assert python.hollowed(text, "", "None", "assert f(2)") is not None
    assert python.hollowed(text, "", "None", "assert f(LIMIT - 1)") is None
    text = "export const LIMIT = 3;\nexport function f(x) { return x < LIMIT; }\n"
    assert javascript.hollowed(text, "", "NaN", "assert.ok(f(2))", ()) is not None
    assert javascript.hollowed(text, "", "NaN", "assert.ok(f(LIMIT - 1))", ()) is None


SCRIPT = """\
"use strict";
const { a } = require("./x.js");
// text {
export function f({ x = 1 } = {}, y) {
  if (x) { return "}"; }
  return y.map((z) => { return z; });
}

const g = async (x) => {
  return x;
};

export class A extends B {
  constructor(x) { super(x); }

  static async of(x) {
    return new A(x);
  }
}
"""


def test_javascript() -> None:
    text = javascript.hollowed(SCRIPT, "", "NaN", "", ())
    assert text is not None
    assert text.replace(" return NaN;", "") == SCRIPT
    heads = [line for line in text.split("\n") if "return NaN;" in line]
    assert [line.split("{ return NaN")[0].strip() for line in heads] == [
        "export function f({ x = 1 } = {}, y)",
        "const g = async (x) =>",
        "static async of(x)",
    ]
    assert javascript.hollowed(SCRIPT, SCRIPT, "NaN", "", ()) == SCRIPT


@pytest.mark.parametrize(
    "more",
    ["start();", "const table = { a: 1 };", "function f() {"],
)
def test_more_than_functions_in_javascript(more: str) -> None:
    assert javascript.hollowed(f"{SCRIPT}{more}\n", SCRIPT, "NaN", "", ()) is None


LOOKS = "LIMIT = 2\n\n\ndef gaps(day):\n    return []\n\n\ndef free(day):\n    return gaps(day)\n"


@pytest.mark.parametrize(
    "tests",
    [
        'with mock.patch.object(slots, "gaps", return_value=[1]):',
        '@patch("app.slots.gaps", return_value=[1])',
        'monkeypatch.setattr("app.slots.gaps", lambda day: [1])',
        'monkeypatch.setattr(slots, "gaps", lambda day: [1])',
        "slots.gaps = MagicMock(return_value=[1])",
    ],
)
def test_only_what_tests_replace(tests: str) -> None:
    text = hollow([Source("a.py", LOOKS)], 0, f"{tests}\nassert LIMIT")["a.py"].decode()
    assert text.count("return __import__") == 1
    assert text.index("def gaps") < text.index("return __import__") < text.index("return []")


SEARCH = """\
export const labels = {
  filter(tickets, names) {
    return tickets;
  },
};

export function search(board) {
  return labels.filter(board, []);
}
"""


@pytest.mark.parametrize(
    "tests",
    ["mock.method(labels, 'filter', () => [1]);", "labels.filter = mock.fn(() => [1]);"],
)
def test_only_what_tests_replace_in_javascript(tests: str) -> None:
    text = hollow([Source("a.js", SEARCH)], 0, tests)["a.js"].decode()
    assert text.replace(" return NaN;", "") == SEARCH
    assert "filter(tickets, names) { return NaN;" in text
    assert hollow([Source("a.js", SEARCH)], 0, "labels.filter([])") == {}


def test_every_file_or_none() -> None:
    changed = Source("a.py", "def f():\n    return 1\n")
    for turn in TURNS:
        assert list(hollow([changed], turn)) == ["a.py"]
        assert hollow([changed, Source("a.sql", "select 1")], turn) == {}
        assert hollow([changed, Source("b.py", "X = 1\n")], turn, "X") == {}
        assert hollow([changed, Source("b.py", "#" * (LENGTH + 1))], turn) == {}
    same = Source("b.py", "import a\n")
    assert list(hollow([changed, same], 0)) == ["a.py"]


@given(st.text(), st.text())
def test_no_text_is_too_odd(text: str, before: str) -> None:
    python.hollowed(text, before, "None")
    javascript.hollowed(text, before, "NaN", "", ())
    javascript.hollowed(f"function f() {{ {text}", before, "NaN", "", ())


def test_what_is_made_can_be_parsed() -> None:
    one = "def f(): return 1\n\n\ndef g():\n    @deco\n    def h(): pass\n    return h\n"
    text = python.hollowed(one, "", python.NOTHING[0])
    assert text is not None
    ast.parse(text)


def test_an_arrow_without_a_block() -> None:
    more = "export const twice = (x) => x * 2;\n"
    made = javascript.hollowed(SCRIPT + more, SCRIPT, "NaN", "", ())
    assert made == SCRIPT + "export const twice = (x) => (NaN);\n"


def test_types_are_no_part_of_what_typescript_does() -> None:
    typescript = TypeScript()
    old = "export interface A { b: string }\nexport function f(a: string): string { return a }\n"
    new = old.replace("b: string", "b: number") + "export const g = (a: A): number => a.b\n"
    made = typescript.hollowed(new, old, "NaN", "", ())
    assert made == new.replace("=> a.b", "=> ((NaN) as any)")


GO = """\
package rates

const limit = 3

func Double(x int) (int, error) {
	return x * 2, nil
}
"""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("zero", "if true { var zqx0 int; var zqx1 error; return zqx0, zqx1 };"),
        ("other", "if true { var zqx0 int; var zqx1 error; zqx0 = 98; return zqx0, zqx1 };"),
    ],
)
def test_go_keeps_what_it_needs_to_be_built(value: str, expected: str) -> None:
    made = Go().hollowed(GO, "package rates\n", value, "", ())
    assert made == GO.replace("error) {", f"error) {{ {expected}")
    assert Go().hollowed(GO, "package rates\n", value, "limit", ()) is None

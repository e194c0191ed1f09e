"""What a test asserted before and asserts now; what a test is about."""

from __future__ import annotations

import ast
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.proof.assertions import (
    about_file,
    about_fresh,
    about_test,
    asserted,
    asserts,
    functions,
    rewritten,
    skips_itself,
    source_of,
)
from ralph.proof.languages import language_of


def around(path: str, text: str, lines: tuple[int, ...]) -> tuple[str, ...]:
    language = language_of(path)
    assert language is not None
    return tuple(language.around(text, lines))


PYTHON = """\
class TestAdd:
    def test_one(self):
        self.assertEqual(add(1, 2), 3)
        with pytest.raises(ValueError):
            add(None, 1)


@pytest.mark.parametrize("a", [1, 20])
def test_two(a):
    assert add(a,
               1) > a
"""
SCRIPT = """\
test('adds', (t) => {
  t.equal(add(1, 2), 3);
});

test('subtracts', (t) => {
  t.equal(sub(3, 2), 1);
});
"""


def test_side_by_side_in_python() -> None:
    after = PYTHON.replace("add(1, 2), 3", "add(1, 2), 4")
    found = rewritten("t.py::TestAdd::test_one", "t.py", PYTHON, after)
    assert found is not None
    assert found.was == ("self.assertEqual(add(1, 2), 3)",)
    assert found.now == ("self.assertEqual(add(1, 2), 4)",)
    assert "    was:  self.assertEqual(add(1, 2), 3)\n    now:  self" in found.shown
    assert rewritten("t.py::test_two[1]", "t.py", PYTHON, after) is None


def test_side_by_side_in_javascript() -> None:
    after = SCRIPT.replace("add(1, 2), 3", "add(1, 2), 4")
    found = rewritten("t.js \u203a adds", "t.js", SCRIPT, after)
    assert found is not None
    assert found.was == ("t.equal(add(1, 2), 3);",)
    assert found.now == ("t.equal(add(1, 2), 4);",)
    assert rewritten("t.js \u203a subtracts", "t.js", SCRIPT, after) is None


def test_what_is_gone() -> None:
    found = rewritten("t.js \u203a adds", "t.js", SCRIPT, SCRIPT.replace("adds", "other"))
    assert found is not None
    assert found.shown.endswith("now:  (gone)")


def test_every_assertion_of_a_file() -> None:
    assert set(asserted("t.py", PYTHON)) == {
        "self.assertEqual(add(1, 2), 3)",
        "pytest.raises(ValueError)",
        "assert add(a, 1) > a",
        "@pytest.mark.parametrize('a', [1, 20])",
    }


def test_the_lines_of_one_test() -> None:
    assert "add(a, 1)" in source_of("t.py::test_two[1]", "t.py", PYTHON)
    assert "sub(3, 2)" in source_of("t.js \u203a subtracts", "t.js", SCRIPT)
    assert "add(1, 2)" not in source_of("t.js \u203a subtracts", "t.js", SCRIPT)


def test_content_is_the_same_under_another_name() -> None:
    before = about_test("t.py::test_two[1]", "t.py", PYTHON)
    renamed = PYTHON.replace("test_two", "test_more")
    assert before == about_test("t.py::test_more[1]", "t.py", renamed)
    assert before <= about_file("t.py", renamed)
    assert not before <= about_file("t.py", renamed.replace("[1, 20]", "[1]"))


NOTHING = """\
def looks(x):
    assert x


def test_silent():
    for x in [1, 2]:
        print(x == 1)
    all(x for x in [1])


def test_by_a_helper():
    looks(1)


def test_raises():
    with pytest.raises(ValueError):
        f()
"""


def test_which_tests_look_at_anything() -> None:
    assert not asserts("t.py::test_silent", "t.py", NOTHING)
    assert asserts("t.py::test_raises", "t.py", NOTHING)
    assert asserts("t.py::test_by_a_helper", "t.py", NOTHING)
    assert asserts("t.py::test_elsewhere", "t.py", NOTHING), "nobody knows"
    assert asserts("t.js \u203a adds", "t.js", SCRIPT)
    assert not asserts("t.js \u203a adds", "t.js", "test('adds', () => {\n  add(1, 2)\n})\n")


@pytest.mark.parametrize(
    ("test", "text", "expected"),
    [
        ("t.py::test_a", "@pytest.mark.skip(reason='x')\ndef test_a(): ...\n", True),
        ("t.py::test_a", "@pytest.mark.skipif(True, reason='')\ndef test_a(): ...\n", True),
        ("t.py::test_a", "@unittest.skip('x')\ndef test_a(self): ...\n", True),
        ("t.py::test_a", "def test_a():\n    pytest.skip('later')\n", True),
        ("t.py::test_a", "pytestmark = pytest.mark.skip\n\n\ndef test_a(): ...\n", True),
        ("t.py::test_a", "@pytest.mark.skipif(sys.platform == 'x')\ndef test_a(): ...\n", False),
        ("t.py::test_a", "def test_a():\n    if not ready:\n        pytest.skip('no')\n", False),
        ("t.py::test_a", "def test_a(extension): ...\n", False),
        ("t.js \u203a a", "it.skip('a', () => {})\n", True),
        ("t.js \u203a a", "test('a', { skip: true }, () => {})\n", True),
        ("t.js \u203a a", "it('a', function () {\n  if (old) this.skip()\n})\n", False),
    ],
)
def test_which_tests_are_never_run(test: str, text: str, expected: bool) -> None:
    assert skips_itself(test, test[:4], text) is expected


def test_titles_and_imports_are_no_content() -> None:
    script = "const a = require('./a')\ntest('adds', () => { equal(a.add(1), 2) })\n"
    assert about_test("t.js \u203a adds", "t.js", script) == {"1", "2", "add()"}


def test_what_a_test_says_when_it_fails_is_no_content() -> None:
    text = (
        "package a\n\nfunc TestAdd(t *testing.T) {\n"
        '\tif got := add(1, "two"); got != 3 {\n\t\tt.Fatalf("add() = %d, want 3", got)\n\t}\n'
        '\tt.Run("zero", func(t *testing.T) { check(t, 0) })\n}\n'
    )
    assert about_test("a \u203a TestAdd", "a_test.go", text) == {
        "1",
        "two",
        "3",
        "0",
        "add()",
        "check()",
    }


def test_the_functions_of_a_file_are_known_by_their_names() -> None:
    assert functions("t.py", "def check(): ...\n\n\ndef test_a():\n    check()\n") == (
        "check",
        "test_a",
    )
    assert functions("t.js", "function check() { return 1 }\nit('a', () => check())\n") == (
        "check",
    )
    assert functions("t.unknown", "def check(): ...\n") == ()


def test_what_is_around_a_line() -> None:
    assert around("t.py", PYTHON, (3,)) == ("TestAdd", "test_one")
    assert around("t.py", PYTHON, ()) == ()
    script = "class A {\n  get() {\n  }\n}\nfunction f() {\n  return 1\n}\n"
    assert around("a.js", script, (6,)) == ("f",)


@given(st.text(), st.text(), st.sampled_from(["t.py", "t.js"]))
def test_no_text_is_too_odd(before: str, after: str, path: str) -> None:
    rewritten(f"{path}::test_a", path, before, after)
    about_test(f"{path}::test_a", path, before)
    around(path, before, (1, 2))


def test_a_file_is_read_once_however_many_of_its_cases_are_asked_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parse = Mock(wraps=ast.parse)
    monkeypatch.setattr(ast, "parse", parse)
    before, after = (f"def test_cases(n):\n    assert n < {most}\n" for most in (7001, 7002))
    for number in range(100):
        assert rewritten(f"t.py::test_cases[{number}]", "t.py", before, after)
    assert parse.call_count == 2


OLD_SCRIPT = """\
const { unique, sum } = require("../src");
describe("arrays", () => {
  it("unique", () => { expect(unique([1, 1, 2])).toEqual([1, 2]); });
  it("sums", () => { expect(sum([1, 2])).toBe(3); });
});
"""


def test_what_is_imported_or_stood_there_already_is_no_new_place() -> None:
    about = about_test("t.js \u203a arrays \u203a unique", "t.js", OLD_SCRIPT)
    gone = "".join(line for line in OLD_SCRIPT.splitlines(keepends=True) if 'it("uni' not in line)
    zipped = gone.replace("unique, sum", "unique, sum, zip").replace(
        '  it("sums"',
        '  it("zips", () => { expect(zip([1], [2])).toEqual([[1, 2]]); });\n  it("sums"',
    )
    assert not about <= about_fresh("t.js", zipped, OLD_SCRIPT)
    renamed = OLD_SCRIPT.replace('it("unique"', 'it("keeps each once"')
    assert about <= about_fresh("t.js", renamed, OLD_SCRIPT)
    table = "const rows = [[[1, 1, 2], [1, 2]]];\nit.each(rows)('%o', (a, b) => {\n"
    tabled = gone + table + "  expect(unique(a)).toEqual(b); });\n"
    assert about <= about_fresh("t.js", tabled, OLD_SCRIPT)


def test_the_same_in_python() -> None:
    before = (
        "from app import add, sub\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\n"
        "def test_sub():\n    assert sub(3, 2) == 1\n"
    )
    about = about_test("t.py::test_add", "t.py", before)
    gone = before.replace("def test_add():\n    assert add(1, 2) == 3\n\n\n", "")
    assert not about <= about_fresh("t.py", gone, before)
    table = "\n\nROWS = [(1, 2, 3)]\n\n\ndef test_rows():\n    for a, b, c in ROWS:\n"
    assert about <= about_fresh("t.py", gone + table + "        assert add(a, b) == c\n", before)
    assert about_fresh("t.py", "x = (", before) == about_file("t.py", "x = (")

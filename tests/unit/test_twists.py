"""What tests expect is found in their text, and something else is put in its place."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.tests import TestReport
from ralph.proof.languages.expectation import other, put_into
from ralph.proof.languages.go import Go
from ralph.proof.languages.javascript import JavaScript
from ralph.proof.languages.python import twist as python
from ralph.proof.languages.typescript import TypeScript
from ralph.proof.stored import among, is_named
from ralph.proof.stored import other as other_file
from ralph.proof.twisted import Source, twist

javascript = JavaScript()


def of_python(body: str, before: str = "", red: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    found = python.expectations(body, before, red)
    return [(one.of(body), one.edit.new) for one in found]


def of_javascript(body: str, before: str = "", red: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    found = javascript.expectations(body, before, red)
    return [(one.of(body), one.edit.new) for one in found]


@pytest.mark.parametrize(
    ("statement", "was", "new"),
    [
        ("assert f(3) == 6", "6", "7"),
        ("assert 6 == f(3)", "6", "7"),
        ("assert f(3) == -6", "6", "7"),
        ("assert f('a') == 'b'", "'b'", "'bx'"),
        ("assert f('a') == '3.34'", "'3.34'", "'3.35'"),
        ("assert f() == 2.59", "2.59", "2.58"),
        ("assert f() is True", "True", "False"),
        ("assert f() is None", "None", "True"),
        ("assert f() == [1, 2]", "1", "2"),
        ("assert f() == {'a': 'b'}", "'b'", "'bx'"),
        ("assert f() == [Money(250)] * 4", "250", "251"),
        ("assert f() == Money.of('1', 'EUR')", "'1'", "'2'"),
        ("assert f() == b'a'.decode() and g() == 4", "4", "5"),
        ("assert f().equals(Money(3))", "3", "4"),
        ("assert f() == date(2024, 1, 2), 'why'", "2024", "2025"),
        ("want = {'k': 7}\n    assert f() == want", "7", "8"),
        ("for x, y in [(1, 2), (3, 4)]:\n        assert f(x) == y", "2", "3"),
        ("for x, y in TABLE.items():\n        assert f(x) == y", "'v'", "'vx'"),
        ("with opened() as f:\n        assert f.read() == 'é1'", "'é1'", "'é2'"),
        ("self.assertEqual(f(), 5)", "5", "6"),
        ("self.assertTrue(f() == 5)", "5", "6"),
        ("return f(1) == 2", "2", "3"),
        ("f(1) == 2", "2", "3"),
        ("return check('1h', 3600)", "3600", "3601"),
        ("assert 'abc' in f()", "'abc'", "'abc zqx'"),
    ],
)
def test_what_python_expects(statement: str, was: str, new: str) -> None:
    body = f"TABLE = {{'k': 'v'}}\n\n\ndef test_it():\n    {statement}\n"
    assert of_python(body) == [(was, new)]


@pytest.mark.parametrize(
    "statement",
    [
        "assert f(3)",
        "assert f(3) != 6",
        "assert f(3) > 6",
        "assert f() == pytest.approx(6)",
        "assert f('x') == f('y')",
        "assert f(5) == dinner",
        "assert f(x) == g(x, 3)",
        "rows = [1, 2]\n    assert back(there(rows)) == rows",
        "with pytest.raises(ValueError):\n        assert f(0) == 1",
        "if windows:\n        assert f() == 1",
        "want = 1\n    want = 2\n    assert f() == want",
        "want = 0\n    want |= f()\n    assert g() == want",
        "if not slow:\n        return\n    assert f() == 1",
        "return run()",
        "assert f() == f'{x}'",
        "helper(3, 4)",
        "assert 3 in f()",
        "assert 'a' not in f()",
    ],
)
def test_what_python_does_not_expect(statement: str) -> None:
    assert of_python(f"def test_it(dinner):\n    {statement}\n") == []


def test_parameters_of_a_test() -> None:
    body = (
        "@pytest.mark.parametrize(('text', 'cents'), [('1 EUR', 100), pytest.param('2', 200)])\n"
        "def test_parse(text, cents):\n    assert parse(text) == cents\n"
    )
    assert of_python(body) == [("100", "101")]
    one = "@pytest.mark.parametrize('n', [1, 2])\ndef test_n(n):\n    assert one() == n\n"
    assert of_python(one) == [("1", "2")]


OLD = "class TestA:\n    def test_a(self):\n        assert a() == 1\n"
NEW = (
    f"{OLD}\n    def test_b(self):\n        assert b() == 2\n\n\n"
    "def test_c():\n    assert c() == 3\n"
)


def test_only_new_or_changed_tests_and_those_that_were_red() -> None:
    assert of_python(NEW, OLD) == [("2", "3"), ("3", "4")]
    assert of_python(NEW, NEW) == []
    assert of_python(NEW, NEW, ("test_a",)) == [("1", "2")]


def test_no_other_test_of_the_file_is_run_again() -> None:
    one = next(python.expectations(NEW, OLD, ()))
    tree = ast.parse(put_into(NEW, [one]))
    names = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert sorted(names) == ["no_test_a", "no_test_c", "test_b"]


def copies_of(text: str, before: str) -> dict[str, list[str]]:
    """The tests that are twisted in each copy."""
    report = TestReport("pytest", (), searched=True)
    found: dict[str, list[str]] = {}
    twisted = twist([Source("test_a.py", text, before)], report, lambda: (), lambda _: None)
    for one in twisted.copies:
        found.setdefault(one.text, []).append(one.test)
    return found


def test_expectations_of_different_tests_share_a_copy_and_those_of_one_do_not() -> None:
    new = f"{NEW}    assert d() == 4\n"
    first, second = copies_of(new, OLD).items()
    assert first[1] == ["TestA.test_b", "test_c"]
    assert "def no_test_a" in first[0]
    assert "b() == 3" in first[0]
    assert "c() == 4" in first[0]
    assert "d() == 4" in first[0]
    assert second[1] == ["test_c"]
    assert "def no_test_b" in second[0]
    assert "d() == 5" in second[0]


def test_tests_that_share_an_expected_value_do_not_share_a_copy() -> None:
    test = "def test_{0}():\n    assert {0}() == EXPECTED\n"
    found = copies_of(f"EXPECTED = 5\n{test.format('a')}{test.format('b')}", "")
    assert sorted(found.values()) == [["test_a"], ["test_b"]]
    assert all(text.startswith("EXPECTED = 6\n") for text in found)


@pytest.mark.parametrize(
    ("statement", "was", "new"),
    [
        ("assert.equal(f(1, [2]), 3);", "3", "4"),
        ("assert.strictEqual(f(), 'a, b');", "'a, b'", "'a, bx'"),
        ('assert.deepEqual(f("("), { a: "b", c: [1] }, "why");', '"b"', '"bx"'),
        ("t.assert.deepStrictEqual(await f(), [new Money(334n, 'EUR')]);", "334n", "335n"),
        ("expect(f()).toEqual(2.5);", "2.5", "2.6"),
        ("deepEqual(f(), null);", "null", "true"),
        ("assert.ok(f()[0].equals(Money.of('3.34', 'EUR')));", "'3.34'", "'3.35'"),
        ("assert.ok(f(1).includes('a'));", "'a'", "'a zqx'"),
        ("const want = [1, 2];\n  assert.deepEqual(f(), want);", "1", "2"),
        ("for (const [x, y] of [['a', 1], ['b', 2]]) assert.equal(f(x), y);", "1", "2"),
        ("for (const [x, y] of CASES) assert.equal(f(x), y);", "true", "false"),
        ("/* no: equal(1, 9) */ assert.equal(f(), 1); // equal(1, 8)", "1", "2"),
    ],
)
def test_what_javascript_expects(statement: str, was: str, new: str) -> None:
    body = f"const CASES = [['a', true]];\ntest('it', async (t) => {{\n  {statement}\n}});\n"
    assert of_javascript(body) == [(was, new)]


@pytest.mark.parametrize(
    "statement",
    [
        "assert.notEqual(f(), 3);",
        "expect(f()).not.toBe(3);",
        "assert.ok(!f().equals(new Money(3)));",
        "assert.equal(f(), a + 1);",
        "assert.equal(f(), g(1));",
        "assert.equal(f(), `${x}`);",
        "const rows = [['a']];\n  assert.deepEqual(parse(format(rows)), rows);",
        "for (const [a, want] of [[1, 2]]) {\n f(a);\n }\n  assert.equal(f(), want);",
        "{ const want = 2; }\n  assert.equal(f(), want);",
        "const want = 2;\n  { const want = g(); assert.equal(f(), want); }",
        "assert.throws(() => { assert.equal(f(), 1); });",
        "if (windows) assert.equal(f(), 1);",
        "assert.equal(f(), other);",
        "assert.equal(f(",
    ],
)
def test_what_javascript_does_not_expect(statement: str) -> None:
    assert of_javascript(f"test('it', () => {{\n  {statement}\n}});\n") == []


def test_the_other_tests_in_javascript() -> None:
    old = "it('a', () => { assert.equal(a(), 1); });\n"
    new = f"{old}it('b', () => {{ assert.equal(b(), 2); }});\n"
    assert of_javascript(new, new) == []
    assert of_javascript(new, new, ("a",)) == [("1", "2")]
    (one,) = javascript.expectations(new, old, ())
    assert put_into(new, [one]) == (
        "it.skip('a', () => { assert.equal(a(), 1); });\n"
        "it('b', () => { assert.equal(b(), 3); });\n"
    )


@given(st.text(), st.text())
def test_no_text_is_too_odd(text: str, before: str) -> None:
    list(python.expectations(text, before, ()))
    list(javascript.expectations(f"test('a', () => {{ assert.equal({text}", before, ()))
    list(
        javascript.expectations(f"it('a', () => {{ const w = {text}; equal(f(), w)", before, ("a",))
    )


@given(
    st.one_of(
        st.text(),
        st.binary(),
        st.integers(),
        st.booleans(),
        st.none(),
        st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_another_value_is_another(value: str | bytes | float | bool | None) -> None:
    new = other(value)
    assert new != value
    assert ast.literal_eval(repr(new)) == new


def test_stored_files() -> None:
    paths = (
        *("tests/golden/plain.txt", "test/data/a.expected", "tests/__snapshots__/x.snap"),
        *("tests/golden/helper.py", "golden/plain.txt", "tests/data/a.txt", "src/expected.txt"),
    )
    assert list(among(paths)) == list(paths[:3])
    assert is_named("tests/golden/plain.txt", 'open("tests/golden/" + name)')
    assert is_named("test/data/a.expected", "read(`${name}.expected`)")
    assert not is_named("tests/golden/plain.txt", 'open("iso.txt") and golden')
    assert other_file(b"total 12\n\n") == b"xotxl 13\n\n"
    assert other_file(b"x.\n") == b"y.\n"
    assert other_file(b"\xff\xfe") is None
    assert other_file(b"\n") is None


def test_typescript_is_read_with_its_types() -> None:
    text = "test('a', () => { const want: number = 3; expect(f<string>(1)).toBe(want as number) })"
    assert [one.test for one in TypeScript().expectations(text, "", ())] == ["a"]


def test_a_comparison_that_is_only_asked_for_is_no_expectation() -> None:
    asked = "test('a', (t) => { const same = Object.is(f(), 3); t.true(same) })"
    assert not of_javascript(asked)
    assert of_javascript("test('a', (t) => { t.is(f(), 3) })") == [("3", "4")]


@pytest.mark.parametrize(
    ("body", "was", "new"),
    [
        ('if got := Double(2); got != 4 {\n\t\tt.Errorf("no")\n\t}', "4", "5"),
        ('want := "b"\n\tif f() != want {\n\t\tt.Fatal("no")\n\t}', '"b"', '"bx"'),
        ("assert.Equal(t, 7, f())", "7", "8"),
        ("if !reflect.DeepEqual(f(), []int{1}) {\n\t\tt.Fail()\n\t}", "1", "2"),
        (
            (
                'for _, tt := range []struct{ in int; want string }{{1, "a"}} {\n\t\t'
                "if f(tt.in) != tt.want {\n\t\t\tt.Error()\n\t\t}\n\t}"
            ),
            '"a"',
            '"ax"',
        ),
        (
            (
                "for _, tt := range []struct{ in int; want int }{{in: 1, want: 2}} {\n\t\t"
                "if got := f(tt.in); got != tt.want {\n\t\t\tt.Error()\n\t\t}\n\t}"
            ),
            "2",
            "3",
        ),
    ],
)
def test_what_go_expects(body: str, was: str, new: str) -> None:
    text = f"package a\n\nfunc TestIt(t *testing.T) {{\n\t{body}\n}}\n"
    assert [(one.of(text), one.edit.new) for one in Go().expectations(text, "", ())] == [(was, new)]
    assert not list(Go().expectations(text, text, ()))


GO_FILE = """\
package a_test

import (
	"fmt"
	"testing"

	yaml "example.com/yaml.v3"
)

var known = yaml.Known

func helper() int { return 1 }

func TestOther(t *testing.T) { fmt.Println(helper()) }

func TestIt(t *testing.T) {
	if f() != 4 {
		t.Fatal("no")
	}
}
"""


def test_a_copy_of_a_test_in_go_stands_beside_the_package() -> None:
    (one,) = Go().expectations(GO_FILE, "", ())
    copy = "\n".join(line for line in put_into(GO_FILE, [one]).split("\n") if line.strip())
    assert copy.replace(str(one.edit.start), "") == (
        'package a_test\nimport (\n\t"testing"\n)\n'
        'func TestItZqx(t *testing.T) {\n\tif f() != 5 {\n\t\tt.Fatal("no")\n\t}\n}'
    )
    assert Go().fits(f"TestItZqx{one.edit.start}/part", "TestIt")
    assert not Go().fits("TestItself", "TestIt")

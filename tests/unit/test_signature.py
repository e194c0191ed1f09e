from __future__ import annotations

import string
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.reading.signature import LIMIT, assertion, signature, tail

PYTEST = """\
============================= test session starts ==============================
platform linux -- Python {version}, pytest-8.4.1, pluggy-1.5.0
rootdir: {root}
collected {count} items

tests/test_sums.py F.                                                    [{percent}%]

=================================== FAILURES ===================================
___________________________________ {name} ___________________________________

tmp_path = PosixPath('{tmp}')

>       assert add(1, 2) == {number}
E       {message}
E        +  where <pkg.Thing object at {address}>

{root}/tests/test_sums.py:{line}: AssertionError
=========================== short test summary info ============================
FAILED tests/test_sums.py::{name} - {message}
========================= 1 failed, {count} passed in {seconds}s =========================
"""


def pytest_output(
    *,
    when: datetime = datetime(2024, 5, 1, 10, 0, 0),  # noqa: DTZ001 - only printed
    number: int = 3,
    tmp: str = "/tmp/pytest-of-root/pytest-12/test_add0",
    root: str = "/home/ada/checkout",
    name: str = "test_add",
    message: str = "AssertionError: wrong sum",
) -> str:
    return f"ERROR {when.isoformat()} worker died: pid {number}\n" + PYTEST.format(
        version=f"3.11.{number % 9}",
        root=root,
        count=number,
        percent=number % 100,
        name=name,
        tmp=tmp,
        number=number,
        message=message,
        address=hex(number),
        line=number,
        seconds=number / 100,
    )


times = st.datetimes(min_value=datetime(1970, 1, 1))  # noqa: DTZ001 - only printed
numbers = st.integers(0, 10**12)
words = st.text(string.ascii_lowercase, min_size=1, max_size=12)
tmp_paths = st.builds(
    "/{}/{}".format,
    st.sampled_from(("tmp", "var/folders/zz/x_1", "var/tmp", "dev/shm", "tmp/pytest-of-ada")),
    st.lists(st.text(string.ascii_letters + string.digits + "_-", min_size=1), min_size=1).map(
        "/".join
    ),
)


@given(when=times, number=numbers, tmp=tmp_paths)
def test_times_numbers_and_temporary_paths_change_nothing(
    when: datetime, number: int, tmp: str
) -> None:
    assert signature(pytest_output(when=when, number=number, tmp=tmp)) == signature(pytest_output())


@given(one=words, two=words)
def test_another_test_name_is_another_failure(one: str, two: str) -> None:
    same = signature(pytest_output(name=f"test_{one}")) == signature(
        pytest_output(name=f"test_{two}")
    )
    assert same == (one == two)


@given(one=words, two=words)
def test_another_message_is_another_failure(one: str, two: str) -> None:
    same = signature(pytest_output(message=f"KeyError: '{one}'")) == signature(
        pytest_output(message=f"KeyError: '{two}'")
    )
    assert same == (one == two)


VOLATILE = st.one_of(
    numbers.map(str),
    st.floats(0, 1e9).map(str),
    numbers.map(hex),
    st.uuids().map(str),
    times.map(lambda t: t.isoformat()),
    times.map(lambda t: t.strftime("%Y-%m-%d %H:%M:%S")),
    times.map(lambda t: t.strftime("%H:%M:%S,%f")),
    times.map(lambda t: t.strftime("%a %b %d %H:%M:%S ").replace("  ", " ") + "2024"),
    times.map(lambda t: t.strftime("%d/%b/2024:%H:%M:%S +0000")),
    st.floats(0, 1e4).map(lambda f: f"{f:.2f}s"),
    st.integers(1, 5000).map(lambda n: f"{n} ms"),
    st.timedeltas(timedelta(0), timedelta(hours=9)).map(
        lambda d: f"{d.seconds // 60}m{d.seconds % 60}s"
    ),
    st.integers(0, 100).map(lambda n: f"{n}%"),
    st.binary(min_size=20, max_size=20).map(bytes.hex),
    st.tuples(numbers, numbers).map(lambda p: f"{p[0]}:{p[1]}"),
)


@given(
    one=VOLATILE, line=st.sampled_from(("Error: took {} here", "E   {} at the start", "panic: {}"))
)
def test_what_is_volatile_leaves_one_mark(one: str, line: str) -> None:
    assert signature(line.format(one)) == signature(line.format("7"))


@given(st.text(max_size=3000))
def test_any_text_is_bounded(text: str) -> None:
    assert len(signature(text)) <= LIMIT
    assert len(tail(text, lines=5, chars=100)) <= 100
    assert len(tail(text, lines=5, chars=100).split("\n")) <= 5


REAL = {
    "typescript": (
        (
            "src/app.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'.\n"
            "Found 1 error in src/app.ts:12\n"
        ),
        "TS2322",
    ),
    "rust": (
        (
            "error[E0308]: mismatched types\n --> src/lib.rs:3:5\n"
            "test tests::adds ... FAILED\nthread 'tests::adds' panicked at src/lib.rs:9:9:\n"
        ),
        "E0308",
    ),
    "go": ("--- FAIL: TestAdd (0.00s)\n    add_test.go:9: got: 4\nFAIL\tx/y\t0.003s\n", "TestAdd"),
    "tap": ("ok 1 - one\nnot ok 2 - adds up\n# fail 1\n", "adds up"),
    "jest": ("  ● sums > adds\n\n    Expected: 3\n    Received: 4\n", "sums > adds"),
    "eslint": ("  3:7  error  'x' is never used  no-unused-vars\n✖ 1 problem\n", "no-unused-vars"),
    "plain": ("all is well so far\nthe frobnicator is bent\n", "frobnicator"),
}


@pytest.mark.parametrize("kind", REAL)
def test_what_identifies_a_failure_stays(kind: str) -> None:
    output, wanted = REAL[kind]
    assert wanted in signature(output)


def test_passing_tests_are_not_part_of_it() -> None:
    failing = "tests/a.py::test_error_path FAILED\n"
    assert signature("tests/a.py::test_error: PASSED\n" + failing) == signature(failing)


def test_the_order_of_parallel_tests_does_not_matter() -> None:
    one, two = "[gw0] FAILED a.py::test_one", "[gw1] FAILED a.py::test_two"
    assert signature(f"{one}\n{two}\n") == signature(f"{two}\n{one}\n".replace("gw1", "gw3"))


def test_parameters_are_part_of_a_test_name() -> None:
    assert signature("FAILED a.py::test_x[1-2]") != signature("FAILED a.py::test_x[1-3]")


def test_folders_of_the_root_count_and_the_root_does_not() -> None:
    def at(root: str, file: str) -> str:
        return signature(f"{root}/{file}:3: error: bad", roots=(root,))

    assert at("/srv/one", "a/index.ts") == at("/opt/two/checkout", "a/index.ts")
    assert at("/srv/one", "a/index.ts") != at("/srv/one", "b/index.ts")


def test_colours_change_nothing() -> None:
    assert signature("\x1b[31mFAILED\x1b[0m a.py::test_x\x1b]0;title\x07") == "FAILED a.py::test_x"


def test_long_failures_differ_by_their_hidden_part() -> None:
    many = [f"FAILED a.py::test_number_{c}" for c in string.ascii_lowercase]
    more = [*many, "FAILED a.py::zzz"]
    assert signature("\n".join(many)) != signature("\n".join(more))
    assert len(signature("\n".join(more))) == LIMIT


def test_the_tail_keeps_short_output_whole() -> None:
    assert tail("one\n\x1b[1mtwo\x1b[0m\n\n") == "one\ntwo"


def test_the_tail_shows_failures_from_far_above_and_the_end() -> None:
    noise = [f"covered line {n}" for n in range(500)]
    shown = tail("\n".join(["FAILED a.py::test_x", *noise]), lines=20).split("\n")
    assert shown[:2] == ["FAILED a.py::test_x", "[…]"]
    assert shown[-1] == "covered line 499"
    assert len(shown) == 20


def test_the_tail_without_failures_is_the_end() -> None:
    shown = tail("\n".join(f"line {n}" for n in range(100)), lines=10).split("\n")
    assert shown == [f"line {n}" for n in range(90, 100)]


def test_the_tail_cuts_long_lines_and_progress_bars() -> None:
    shown = tail("10%\r50%\r100%\n" + "x" * 5000)
    assert shown.startswith("100%\nxxx")
    assert len(shown) < 500
    assert "characters]" in shown


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (
            (
                "F..\n>       assert main() == '1.5'\n"
                "E       AssertionError: assert '1' == '1.5'\nE\n"
                "FAILED test_a.py::test - AssertionError: assert '1' == '1.5'\n1 failed in 0.03s"
            ),
            "AssertionError: assert '1' == '1.5'",
        ),
        (
            "compiling\nsrc/a.rs:3:1 error: no such name\n1 error",
            "src/a.rs:3:1 error: no such name",
        ),
        ("all is well\n3 passed", ""),
        ("E   " + "x" * 2_000, "x" * 300),
    ],
)
def test_what_fails_is_told_in_a_line(output: str, expected: str) -> None:
    assert assertion(output) == expected

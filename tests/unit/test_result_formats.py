"""Formats of reports, from texts as the runners write them."""

# ruff: noqa: RUF001 - the sign between the words of an id

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.tests import MESSAGE, TestOutcome
from ralph.domain.trial import Trial
from ralph.proof.runners import cargo, go, reports
from ralph.proof.runners.formats import jest_json, junit, tap
from ralph.proof.runners.reports import MOST_RESULTS, Raw, merged, raw, report, result

if TYPE_CHECKING:
    from ralph.domain.tests import TestReport

FOLDER = Path("/checkout")


def outcomes(found: TestReport | None) -> dict[str, str]:
    assert found is not None
    return {one.id: one.outcome.value for one in found.results}


def events(*lines: dict[str, object]) -> bytes:
    return "\n".join(json.dumps(line) for line in lines).encode() + b"\n"


GO = events(
    {"Action": "start", "Package": "m/shop"},
    {"Action": "run", "Package": "m/shop", "Test": "TestSum"},
    {"Action": "output", "Package": "m/shop", "Test": "TestSum", "Output": "=== RUN   TestSum\n"},
    {"Action": "output", "Package": "m/shop", "Test": "TestSum", "Output": "--- PASS: TestSum\n"},
    {"Action": "pass", "Package": "m/shop", "Test": "TestSum", "Elapsed": 0.25},
    {"Action": "run", "Package": "m/shop", "Test": "TestTax/food"},
    {"Action": "output", "Package": "m/shop", "Test": "TestTax/food", "Output": "    want 7\n"},
    {"Action": "fail", "Package": "m/shop", "Test": "TestTax/food", "Elapsed": 0},
    {"Action": "skip", "Package": "m/shop", "Test": "TestSlow", "Elapsed": 0},
    {"Action": "output", "Package": "m/shop", "Output": "FAIL\tm/shop\t0.3s\n"},
    {"Action": "fail", "Package": "m/shop", "Elapsed": 0.3},
    {"ImportPath": "m/cart", "Action": "build-output", "Output": "cart.go:3: undefined: x\n"},
    {"Action": "output", "Package": "m/cart", "Output": "FAIL\tm/cart [build failed]\n"},
    {"Action": "fail", "Package": "m/cart", "Elapsed": 0},
)


def test_go() -> None:
    found = go.parse(b"go: downloading x\n" + GO, FOLDER)
    assert outcomes(found) == {
        "m/shop › TestSum": "passed",
        "m/shop › TestTax/food": "failed",
        "m/shop › TestSlow": "skipped",
        "m/cart": "error",
    }
    assert found is not None
    assert found.by_id["m/shop › TestTax/food"].message == "want 7"
    assert "undefined: x" in found.by_id["m/cart"].message
    assert found.by_id["m/shop › TestSum"].seconds == 0.25
    assert found.problems == ()


def test_go_that_is_killed() -> None:
    cut = GO[: GO.index(b'{"Action": "fail"')]
    found = go.parse(cut, FOLDER)
    assert found is not None
    assert found.problems == ("1 test started and never finished, such as m/shop › TestTax/food",)


def test_go_of_a_package_that_no_folder_can_be(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module m\n")
    os.mkfifo(tmp_path / "a_test.go")  # whoever opens it would wait for ever
    names = ["m", "m/../../etc", "m/a\0b", f"m/{'a' * 300}"]
    told = (events({"Action": "pass", "Package": name, "Test": "TestA"}) for name in names)
    found = go.parse(b"".join(told), tmp_path)
    assert found is not None
    assert [one.file for one in found.results] == [""] * 4


def test_what_go_would_have_printed() -> None:
    told = go.GoTest().plain(b"go: downloading x\n" + GO).decode()
    assert told.startswith("go: downloading x\n=== RUN   TestSum\n")
    assert '"Action"' not in told
    assert go.GoTest().plain(b"ok  \tm/shop\t0.3s\n") == b"ok  \tm/shop\t0.3s\n"


@pytest.mark.parametrize("output", [b"", b"ok  \tm/shop\t0.3s\n", b'{"Action": 3}\n', b'{"a": 1}'])
def test_not_go(output: bytes) -> None:
    assert go.parse(output, FOLDER) is None


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        (("go", "test", "./..."), ("go", "test", "-json", "./...")),
        (("env", "A=1", "go", "test"), ("env", "A=1", "go", "test", "-json")),
        (("go", "test", "-json"), ("go", "test", "-json")),
        (("go", "vet"), ("go", "vet")),
        (
            ("/bin/sh", "-c", "go vet && go test ./..."),
            ("/bin/sh", "-c", "go vet && go test -json ./..."),
        ),
        (
            ("/bin/sh", "-c", "go test '-run=^(TestA)$' ."),
            ("/bin/sh", "-c", "go test -json '-run=^(TestA)$' ."),
        ),
        (("/bin/sh", "-c", "go test | tee log"), ("/bin/sh", "-c", "go test | tee log")),
        (("/bin/sh", "-c", "go test > log"), ("/bin/sh", "-c", "go test > log")),
    ],
)
def test_asking_go_for_events(given: tuple[str, ...], asked: tuple[str, ...]) -> None:
    assert go.GoTest().asked(given) == asked


CARGO = """\
   Compiling shop v0.1.0 (/checkout)
    Finished `test` profile [unoptimized + debuginfo] target(s) in 1.39s
     Running unittests src/lib.rs (target/debug/deps/shop-32b4756aacfda311)

running 4 tests
test tests::sum ... ok
test tests::slow ... ignored, takes long
test tests::refuses - should panic ... ok
test tests::tax ... FAILED

failures:

---- tests::tax stdout ----

thread 'tests::tax' panicked at src/lib.rs:8:24:
assertion `left == right` failed
test forged ... ok

failures:
    tests::tax

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.19s

error: test failed, to rerun pass `--lib`
     Running tests/outer.rs (target/debug/deps/outer-92f762975949488d)

running 1 test
test sum ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests shop

running 2 tests
test src/lib.rs - add (line 1) ... ok
test src/lib.rs - add (line 9) ... ok

test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""


def test_cargo() -> None:
    found = cargo.parse(CARGO.encode(), FOLDER)
    assert outcomes(found) == {
        "shop src/lib.rs › tests::sum": "passed",
        "shop src/lib.rs › tests::slow": "skipped",
        "shop src/lib.rs › tests::refuses": "passed",
        "shop src/lib.rs › tests::tax": "failed",
        "outer tests/outer.rs › sum": "passed",
        "shop documentation › src/lib.rs - add": "passed",
        "shop documentation › src/lib.rs - add #2": "passed",
    }
    assert found is not None
    assert "left == right" in found.by_id["shop src/lib.rs › tests::tax"].message
    assert found.by_id["outer tests/outer.rs › sum"].file == "tests/outer.rs"
    assert found.problems == ()


def test_cargo_that_ends_early() -> None:
    found = cargo.parse(CARGO[: CARGO.index("failures:")].encode(), FOLDER)
    assert found is not None
    assert found.problems == ("the tests of shop src/lib.rs ended early: there is no summary",)


def test_cargo_with_lines_that_were_lost() -> None:
    found = cargo.parse(CARGO.replace("test tests::sum ... ok\n", "").encode(), FOLDER)
    assert found is not None
    assert found.problems == ("shop src/lib.rs counts 4 tests and shows 3 of them",)


def test_cargo_that_does_not_compile() -> None:
    found = cargo.parse(b"error: could not compile `shop` (lib test) due to 1 error\n", FOLDER)
    assert found is not None
    assert (found.results, found.problems) == ((), ("shop does not compile",))


def test_not_cargo() -> None:
    assert cargo.parse(b"test tests::sum ... ok\n", FOLDER) is None


TAP = """\
TAP version 13
# Subtest: basket
    # Subtest: adds
    ok 1 - adds
      ---
      duration_ms: 0.9
      ...
    # Subtest: removes
    not ok 2 - removes
      ---
      error: 'still there'
      ...
    ok 3 - waits # SKIP no network
    not ok 4 - later # TODO
    1..4
not ok 1 - basket
  ---
  failureType: 'subtestsFailed'
  ...
ok 2 - total # 5
ok 3 # todo without a name
ok - /checkout/test/plain.js
1..4
# pass 3
"""


def test_tap() -> None:
    found = tap.parse(TAP.encode(), FOLDER)
    assert outcomes(found) == {
        "basket › adds": "passed",
        "basket › removes": "failed",
        "basket › waits": "skipped",
        "basket › later": "xfailed",
        "total # 5": "passed",
        "test 3": "xpassed",
        "test/plain.js": "passed",
    }
    assert found is not None
    assert "still there" in found.by_id["basket › removes"].message
    assert found.problems == ()


def test_the_time_that_tap_tells_is_no_part_of_a_name(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test-basket.js").write_text("", encoding="utf-8")
    text = (
        "TAP version 14\n# Subtest: tests/test-basket.js\n    # Subtest: adds\n"
        "        ok 1 - should be equal\n        1..1\n    ok 1 - adds # time=2.5ms\n"
        "    ok 2 - waits # SKIP no network # time=0.1ms\n    1..2\n"
        "ok 1 - tests/test-basket.js # time=1142.393ms\n1..1\n"
    )
    found = tap.parse(text.encode(), tmp_path)
    assert outcomes(found) == {
        "tests/test-basket.js › adds › should be equal": "passed",
        "tests/test-basket.js › waits": "skipped",
    }
    assert found is not None
    assert {one.file for one in found.results} == {"tests/test-basket.js"}


def test_a_group_that_fails_by_itself_is_a_result() -> None:
    found = tap.parse(b"    ok 1 - inner\n    1..1\nnot ok 1 - group\n1..1\n", FOLDER)
    assert outcomes(found) == {"group › inner": "passed", "group": "failed"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1..3\nok 1\nok 2\n", "3 tests planned and 2 reported"),
        ("TAP version 14\nok 1\n", "the report ended early: there is no plan of how many tests"),
        ("1..2\nok 1\nBail out! no database\n", "the run was aborted: no database"),
        ("1..1\nok 1 - a\n  ---\n  at: x\n", "the report ended early, in the middle of a test"),
        ("TAP version 13\n    ok 1 - a\n", "the report ended early, in the middle of a test"),
    ],
)
def test_tap_with_something_missing(text: str, problem: str) -> None:
    found = tap.parse(text.encode(), FOLDER)
    assert found is not None
    assert problem in found.problems


@pytest.mark.parametrize("text", ["", "ok\n", "ok  \tm/shop\t0.3s\n", "not ok yet\n", "1...3\n"])
def test_not_tap(text: str) -> None:
    assert tap.parse(text.encode(), FOLDER) is None


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """The most results that are read; half a million would take seconds to make."""
    for module in (tap, junit, reports):
        monkeypatch.setattr(module, "MOST_RESULTS", 500)
    return 500


def test_more_tests_than_anybody_has(few: int) -> None:
    assert MOST_RESULTS == 500_000
    found = tap.parse(b"1..3\n" + b"ok\n" * (few + 1), FOLDER)
    assert found is not None
    assert len(found.results) == few
    assert any("more than" in problem for problem in found.problems)


def jest_file(name: str, *cases: tuple[str, str], status: str = "passed") -> dict[str, object]:
    listed = [
        {
            "ancestorTitles": ["basket"],
            "title": title,
            "status": how,
            "failureMessages": ["Error: nine"] if how == "failed" else [],
            "duration": 12,
        }
        for title, how in cases
    ]
    return {
        "name": f"/checkout/{name}",
        "status": status,
        "message": "x",
        "assertionResults": listed,
    }


def parse_jest(value: object) -> TestReport:
    return jest_json.parse("jest", Raw("jest-1.json", json.dumps(value).encode()), FOLDER)


def test_jest() -> None:
    cases = (("adds", "passed"), ("adds", "failed"), ("waits", "pending"), ("later", "todo"))
    found = parse_jest(
        {
            "success": False,
            "testResults": [
                jest_file("src/basket.test.js", *cases, status="failed"),
                jest_file("src/broken.test.js", status="failed"),
            ],
        }
    )
    assert outcomes(found) == {
        "src/basket.test.js › basket › adds": "passed",
        "src/basket.test.js › basket › adds #2": "failed",
        "src/basket.test.js › basket › waits": "skipped",
        "src/basket.test.js › basket › later": "skipped",
        "src/broken.test.js": "error",
    }
    one = found.by_id["src/basket.test.js › basket › adds #2"]
    assert (one.file, one.message, one.seconds) == ("src/basket.test.js", "Error: nine", 0.012)
    assert found.by_id["src/broken.test.js"].is_file
    assert found.problems == ()


def test_jest_that_contradicts_itself() -> None:
    found = parse_jest({"success": True, "testResults": [jest_file("a.js", ("t", "failed"))]})
    assert found.problems == ("jest reported success although tests failed",)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"\0\0", b'{"testResults": 3}', b"[" * 100_000, b'{"a": "\xff"}']
)
def test_jest_that_cannot_be_read(data: bytes) -> None:
    found = jest_json.parse("jest", Raw("jest-1.json", data), FOLDER)
    assert (found.results, found.problems) == ((), ("jest's report cannot be read",))


def test_the_line_about_our_own_report_is_taken_out() -> None:
    output = b"Tests: 1\nTest results written to: ../s/jest-12-34.json\nDone\n"
    assert jest_json.plain(output) == b"Tests: 1\nDone\n"


JUNIT = """\
<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="shop" tests="5">
<testcase classname="shop.BasketTest" name="adds" time="0.5"/>
<testcase classname="shop.BasketTest" name="removes" time="1,200.5">
  <failure message="expected 2" type="AssertionError">at Basket.java:9</failure>
  <system-out>not a message</system-out></testcase>
<testcase classname="shop.BasketTest" name="waits"><skipped/></testcase>
<testcase name="bare"><error>broke</error></testcase>
<testcase classname="shop.BasketTest" name="flaky"><rerunFailure message="once"/></testcase>
</testsuite></testsuites>
"""


def parse_junit(text: str | bytes) -> TestReport:
    data = text.encode() if isinstance(text, str) else text
    return junit.parse(Raw("report.xml", data), FOLDER)


def test_junit() -> None:
    found = parse_junit(JUNIT)
    assert outcomes(found) == {
        "shop.BasketTest › adds": "passed",
        "shop.BasketTest › removes": "failed",
        "shop.BasketTest › waits": "skipped",
        "bare": "error",
        "shop.BasketTest › flaky": "passed",
    }
    removes = found.by_id["shop.BasketTest › removes"]
    assert removes.message == "expected 2\nat Basket.java:9"
    assert removes.seconds == 1200.5
    assert found.problems == ()


def test_junit_that_is_cut_keeps_what_came_before() -> None:
    found = parse_junit(JUNIT[: JUNIT.index("<testcase name=")])
    assert len(found.results) == 3
    assert "report.xml is broken or ends early" in found.problems[0]


BOMB = (
    '<!DOCTYPE b [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    "<testsuites><testcase name='&b;'/></testsuites>"
)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (BOMB, "it declares a document type"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><testsuites/>', "it declares a document type"),
        ("<html><body/></html>", "it begins with <html>"),
        ("<testsuite>" * 100, "it is nested too deeply"),
        ("<testsuite><testcase name='&x;'/></testsuite>", "undefined entity"),
        (b"<testsuite>\0</testsuite>", "not well-formed"),
        (b"\xff\xfe\0", "broken or ends early"),
        (b"<?xml version='1.0' encoding='utf-7'?><testsuite/>", "broken or ends early"),
        ("", "no element found"),
    ],
)
def test_xml_that_is_not_worth_reading(text: str | bytes, problem: str) -> None:
    found = parse_junit(text)
    assert found.results == ()
    assert problem in found.problems[0]


def test_xml_with_more_tests_than_anybody_has(few: int) -> None:
    found = parse_junit("<testsuite>" + "<testcase/>" * (few + 2))
    assert len(found.results) == few
    assert "too many tests" in found.problems[0]


def test_a_huge_file_is_read_only_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "LARGEST", 1 << 20)
    path = tmp_path / "report.xml"
    with path.open("wb") as file:
        file.write(b"<testsuite><testcase name='first'/>")
        file.truncate(5 << 20)
    one = raw(path)
    assert one is not None
    assert len(one.data) == 1 << 20
    found = junit.parse(one, tmp_path)
    assert [result.id for result in found.results] == ["first"]
    assert "report.xml is larger than 1 MB: only its start was read" in found.problems


def test_links_and_folders_are_no_reports(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert raw(tmp_path / "link") is None
    assert raw(tmp_path) is None
    assert raw(tmp_path / "missing") is None


def test_results_are_bounded_and_clean() -> None:
    one = result("a\0" + "x" * 5_000, TestOutcome.FAILED, "f", "\ud800" + "m" * 9_000)
    assert len(one.id) == 1_000
    assert one.id.startswith("a\N{REPLACEMENT CHARACTER}")
    assert len(one.message) == MESSAGE
    one.message.encode()


def test_reports_of_two_runs_become_one() -> None:
    one = report("pytest", [result("a", TestOutcome.PASSED), result("b", TestOutcome.PASSED)])
    two = report(
        "node", [result("b", TestOutcome.FAILED), result("c", TestOutcome.SKIPPED)], ["odd"]
    )
    both = merged([one, two])
    assert outcomes(both) == {"a": "passed", "b": "failed", "c": "skipped"}
    assert both is not None
    assert both.runner == "pytest+node"
    assert both.problems == ("odd", "1 test reported twice, such as b")
    assert both.searched
    assert merged([]) is None
    assert merged([one]) is one


def test_files_that_were_named_in_one_of_two_runs() -> None:
    named = report("unittest", [], searched=False)
    both = merged([report("pytest", []), named])
    trial = Trial("c0ffee", reports=(report("pytest", []), None, named)).report
    assert both is not None
    assert trial is not None
    assert (both.searched, trial.searched) == (False, False)


@given(
    st.binary(max_size=400) | st.text("ok not#-1. \n{}<>/testcase", max_size=400).map(str.encode)
)
def test_no_bytes_can_break_a_reader(data: bytes) -> None:
    for text in (data, b"1..2\n" + data, CARGO[:300].encode() + data, GO[:500] + data):
        tap.parse(text, FOLDER)
        cargo.parse(text, FOLDER)
        go.parse(text, FOLDER)
        go.GoTest().plain(text)
    for text in (data, b"<testsuite>" + data, b'{"testResults": [' + data):
        junit.parse(Raw("r", text), FOLDER)
        jest_json.parse("jest", Raw("r", text), FOLDER)

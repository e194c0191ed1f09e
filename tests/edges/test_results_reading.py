"""What is added to a check, and whose files are believed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.support.reporting import Checkout

from ralph.domain.task import shell
from ralph.proof.runners.reading import instrument

if TYPE_CHECKING:
    from pathlib import Path

XML = '<testsuite><testcase classname="a" name="{}">{}</testcase></testsuite>'


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def added(tmp_path: Path, text: str, **env: str) -> dict[str, str]:
    return instrument(shell(text), tmp_path, env, tmp_path / "s").env


def test_only_what_the_runner_needs_is_added(tmp_path: Path) -> None:
    assert added(tmp_path, "pytest").keys() == {"PYTHONPATH", "RALPH_TEST_REPORTS"}
    assert added(tmp_path, "node --test").keys() == {"NODE_OPTIONS", "RALPH_TEST_REPORTS"}
    assert added(tmp_path, "cargo test") == {}
    assert added(tmp_path, "PYTHONPATH=src pytest").keys() == {"PYTEST_ADDOPTS"}
    assert added(tmp_path, "PYTHONPATH=src pytest -p no:junitxml") == {}
    assert added(tmp_path, "python -m unittest").keys() == {"PYTHONPATH", "RALPH_TEST_REPORTS"}
    assert added(tmp_path, "python -I -m unittest") == {}


def test_an_unknown_command_gets_all_that_is_harmless(tmp_path: Path) -> None:
    names = {"PYTHONPATH", "NODE_OPTIONS", "RALPH_TEST_REPORTS"}
    assert added(tmp_path, "./check").keys() == names


def test_what_is_set_already_is_kept(tmp_path: Path) -> None:
    env = added(tmp_path, "./check", PYTHONPATH="lib", NODE_OPTIONS="--no-warnings")
    assert env["PYTHONPATH"] == f"{os.path.realpath(tmp_path)}/s/python:lib"
    assert env["NODE_OPTIONS"].endswith('preload.cjs" --no-warnings')
    assert added(tmp_path, "PYTHONPATH=a pytest", PYTEST_ADDOPTS="-x")["PYTEST_ADDOPTS"].startswith(
        "-x --junitxml="
    )


def test_the_command_stays_as_it_is(tmp_path: Path) -> None:
    for text in ("pytest -q", "npm test", "cargo test", "make", "go vet"):
        assert instrument(shell(text), tmp_path, {}, tmp_path / "s").argv == shell(text)
    reading = instrument(("go", "test", "./..."), tmp_path, {}, tmp_path / "s")
    assert reading.argv == ("go", "test", "-json", "./...")
    told = b'{"Action":"output","Package":"p","Output":"FAIL\\tp\\n"}\n'
    assert reading.plain(told) == b"FAIL\tp\n"


def test_xml_that_the_command_writes(checkout: Checkout) -> None:
    text = XML.format("new", "<failure/>")
    checkout.write("tests.sh", f"mkdir -p out && echo '{text}' > out/r.xml && exit 1\n")
    ran = checkout.run("sh tests.sh", junit_files=["out/*.xml"])
    assert list(ran.outcomes.values()) == ["failed"]
    assert ran.found.runner == "junit"


def test_xml_that_was_there_before_is_not_believed(checkout: Checkout) -> None:
    checkout.write("out/r.xml", XML.format("forged", ""))
    assert checkout.run("true", junit_files=["out/*.xml"]).report is None
    ran = checkout.run("cat out/r.xml > new; mv new out/r.xml", junit_files=["out/*.xml"])
    assert list(ran.outcomes.values()) == ["passed"]


@pytest.mark.parametrize("pattern", ["/etc/*.xml", "../*.xml", ""])
def test_files_outside_the_checkout_are_not_read(checkout: Checkout, pattern: str) -> None:
    (checkout.folder.parent / "r.xml").write_text(XML.format("outside", ""))
    assert checkout.run("true", junit_files=[pattern]).report is None


def test_the_usual_places_of_maven(checkout: Checkout) -> None:
    place = "server/target/surefire-reports"
    text = XML.format("t", "")
    script = f"#!/bin/sh\nmkdir -p {place} && echo '{text}' > {place}/TEST-a.xml\n"
    checkout.write("mvnw", script).chmod(0o755)
    assert list(checkout.run("./mvnw test").outcomes.values()) == ["passed"]


@pytest.mark.parametrize(
    "name",
    [
        "pytest-1-2.jsonl",
        "unittest-1-2.jsonl",
        "node-1-2.jsonl",
        "jest-1-2.json",
        "vitest-1-2.json",
        "pytest.xml",
    ],
)
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 1000,
        b"{" * 100_000,
        b'{"kind": "test", "id": "a", "final": [["call", "passed", false]]}\n{"kind"',
        b'{"kind": "pass", "nesting": -5, "name": "", "file": "\\u0000"}\n',
        b'{"kind": "begin", "nesting": 99999999999, "name": "x", "file": "f"}\n',
        b'{"kind": "test", "id": "\\ud800", "file": "/\\u0000", "final": [["call", "", true]]}\n',
        b'{"kind": "test", "file": "/\\u0000.py", "name": "\\ud800", "told": ["x"]}\n',
        b'{"kind": "fixture", "phase": "setUp", "raised": {"a": "b"}, "tests": [["", ""]]}\n',
    ],
)
def test_what_hostile_tests_leave_is_a_problem_at_most(
    tmp_path: Path, name: str, data: bytes
) -> None:
    scratch = tmp_path / "s"
    reading = instrument(shell("./check"), tmp_path, {}, scratch)
    (scratch / name).write_bytes(data)
    (scratch / name).with_suffix(".begun").touch()
    report = reading.read(b"")
    assert report is not None
    assert report.problems


def test_pipes_and_links_in_the_place_of_reports(tmp_path: Path) -> None:
    scratch = tmp_path / "s"
    reading = instrument(shell("./check"), tmp_path, {}, scratch)
    os.mkfifo(scratch / "pytest-1-2.jsonl")
    (scratch / "node-1-2.jsonl").symlink_to("/dev/zero")
    (scratch / "pytest.xml").mkdir()
    assert reading.read(b"") is None

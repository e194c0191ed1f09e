from __future__ import annotations

import pytest

from ralph.domain.diagnosis import Sign
from ralph.policy import diagnose

NOW = 1_800_000_000.0
GIB = 1 << 30


@pytest.mark.parametrize(
    ("said", "sign", "found"),
    [
        ("git version 2.39.5", Sign.OK, "2.39.5"),
        ("git version 2.39.3 (Apple Git-146)", Sign.OK, "2.39.3"),
        ("git version 3.0.1.windows.1", Sign.OK, "3.0.1"),
        ("git version 2.38.9", Sign.PROBLEM, "2.38.9 is too old"),
        ("git version 1.99", Sign.PROBLEM, "1.99 is too old"),
        ("", Sign.NOTE, "its version is unknown: it said nothing"),
        ("git", Sign.NOTE, "its version is unknown: git"),
    ],
)
def test_git_must_be_new_enough(said: str, sign: Sign, found: str) -> None:
    diagnosis = diagnose.git(said)
    assert (diagnosis.sign, diagnosis.found.rstrip(".")) == (sign, found)
    assert bool(diagnosis.fix) is (sign is Sign.PROBLEM)


def test_a_disk_with_less_than_a_gigabyte_is_a_problem() -> None:
    assert diagnose.disk({"TMPDIR": GIB}).sign is Sign.OK
    full = diagnose.disk({"the repository": 9 * GIB, "RALPH_HOME": GIB - 1})
    assert full.sign is Sign.PROBLEM
    assert full.found == "1024.0 MB free for the repository and RALPH_HOME"
    assert "1.0 GB" in full.fix


def test_the_clock_may_not_be_behind_what_has_happened() -> None:
    seen = {"the ledger's newest event": NOW - 5, "the last commit": NOW + 60}
    assert diagnose.clock(NOW, seen).sign is Sign.OK
    behind = diagnose.clock(NOW - 3_600, seen)
    assert behind.sign is Sign.PROBLEM
    assert behind.found == (
        "2027-01-15T07:00:00Z is before the ledger's newest event (2027-01-15T07:59:55Z) "
        "and the last commit (2027-01-15T08:01:00Z)"
    )
    assert "NTP" in behind.fix


def test_a_clock_that_starts_with_the_machine_is_a_problem() -> None:
    assert diagnose.clock(1_000_000.0, {}).sign is Sign.PROBLEM
    assert diagnose.clock(NOW, {}).sign is Sign.OK


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1.0 KB"),
        (68 << 10, "68.0 KB"),
        (5 << 20, "5.0 MB"),
        (76 * GIB, "76.0 GB"),
        (3 << 40, "3.0 TB"),
        (5 << 50, "5120.0 TB"),
    ],
)
def test_sizes_are_said_as_people_say_them(count: int, words: str) -> None:
    assert diagnose.size(count) == words


def test_lists_are_said_as_people_say_them() -> None:
    assert diagnose.listed(["a"]) == "a"
    assert diagnose.listed(["a", "b"]) == "a and b"
    assert diagnose.listed(["a", "b", "c"]) == "a, b and c"

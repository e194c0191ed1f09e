"""What every format shares: bounded reading, clean text, paths of the checkout, one report."""

from __future__ import annotations

import os
import stat
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from ralph.domain.tests import MESSAGE, TestOutcome, TestReport, TestResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

LARGEST = 256 << 20
"""How much is read of one report."""
MOST_FILES = 1_000
MOST_LINES = 2_000_000
MOST_RESULTS = 500_000
LONGEST_ID = 1_000

_WORST = (
    TestOutcome.ERROR,
    TestOutcome.FAILED,
    TestOutcome.XPASSED,
    TestOutcome.XFAILED,
    TestOutcome.SKIPPED,
    TestOutcome.PASSED,
)


class Raw(msgspec.Struct, frozen=True):
    """What was read of a file."""

    name: str
    data: bytes
    cut: bool = False

    @property
    def problems(self) -> list[str]:
        return [f"{self.name} is larger than {LARGEST >> 20} MB: only its start was read"][
            : self.cut
        ]


def raw(path: Path) -> Raw | None:
    """A regular file, up to a bound: what runs in a check may leave anything here."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        data = file.read(LARGEST)
        return Raw(path.name, data, cut=bool(file.read(1)))


def raws(folder: Path, pattern: str) -> list[Raw]:
    found = (raw(path) for path in sorted(islice(folder.glob(pattern), MOST_FILES)))
    return [one for one in found if one is not None]


def sessions(folder: Path, runner: str) -> list[list[Raw]]:
    """The files of a runner in Python, those of one process and its workers together."""
    found: dict[str, list[Raw]] = {}
    for one in raws(folder, f"{runner}-*.jsonl"):
        # <runner>-<process>-<time>[-<worker>].jsonl
        name = "-".join(one.name.split("-")[:3]).removesuffix(".jsonl")
        found.setdefault(name, []).append(one)
    return list(found.values())


def byte_lines(data: bytes) -> Iterator[bytes]:
    """The lines of an output, without what no honest run writes."""
    return islice((line for line in data[:LARGEST].split(b"\n") if line), MOST_LINES)


def too_long(output: bytes) -> Iterator[str]:
    if len(output) > LARGEST or output.count(b"\n") > MOST_LINES:
        yield "the output is too long: only its start was read"


def lines(data: bytes) -> Iterator[str]:
    """The same as text, each line bounded."""
    for line in byte_lines(data):
        yield line[: 1 << 16].decode("utf-8", "replace").rstrip("\r")


def clean(text: str, limit: int) -> str:
    """Text that can be stored and printed anywhere."""
    kept = text[:limit].strip().replace("\0", "\N{REPLACEMENT CHARACTER}")
    return kept if kept.isascii() else kept.encode("utf-8", "replace").decode("utf-8")


def relative(path: str, folder: Path) -> str:
    """The path as seen from the checkout; of another place only what it is called there."""
    if not path:
        return ""
    top = _real(folder)
    for root in (top, str(folder)):
        if path.startswith(f"{root}/"):
            return path[len(root) + 1 :]
    if not path.startswith("/"):
        return os.path.normpath(path)
    real = os.path.realpath(path) if "\0" not in path else path
    return real[len(top) + 1 :] if real.startswith(f"{top}/") else path


@lru_cache(maxsize=8)
def _real(folder: Path) -> str:
    return os.path.realpath(folder)


def result(
    name: str, outcome: TestOutcome, file: str = "", message: str = "", seconds: float = 0
) -> TestResult:
    return TestResult(
        id=clean(name, LONGEST_ID),
        outcome=outcome,
        file=clean(file, LONGEST_ID),
        message="" if outcome is TestOutcome.PASSED else clean(message, MESSAGE),
        seconds=seconds,
    )


def report(
    runner: str,
    results: Iterable[TestResult],
    problems: Iterable[str] = (),
    *,
    searched: bool = True,
) -> TestReport:
    """One report in which every test occurs once.

    Names that occur twice are told apart by their order, as runners that allow it do.
    """
    seen: dict[str, int] = {}
    unique: list[TestResult] = []
    problems = list(problems)
    for one in results:
        if len(unique) == MOST_RESULTS:
            problems.append(f"there are more than {MOST_RESULTS} tests: the rest was not read")
            break
        count = seen[one.id] = seen.get(one.id, 0) + 1
        again = msgspec.structs.replace(one, id=f"{one.id} #{count}") if count > 1 else one
        unique.append(again)
    told = tuple(dict.fromkeys(clean(problem, MESSAGE) for problem in problems))
    return TestReport(runner, tuple(unique), told, searched=searched)


def merged(reports: Iterable[TestReport]) -> TestReport | None:
    """One report of several; a test that occurs in two of them is as red as its reddest."""
    every = list(reports)
    if len(every) <= 1:
        return every[0] if every else None
    results: dict[str, TestResult] = {}
    twice: list[str] = []
    for one in (one for report in every for one in report.results):
        before = results.get(one.id)
        if before is not None:
            twice.append(one.id)
        results[one.id] = one if before is None else worse(before, one)
    problems = [problem for report in every for problem in report.problems]
    if twice:
        problems.append(f"{tests(len(twice))} reported twice, such as {twice[0]}")
    runner = "+".join(dict.fromkeys(report.runner for report in every))
    told = tuple(dict.fromkeys(problems))
    searched = all(report.searched for report in every)
    return TestReport(runner, tuple(results.values()), told, searched=searched)


def tests(count: int) -> str:
    return f"{count} test" if count == 1 else f"{count} tests"


def unexplained(results: Iterable[TestResult], problems: Sequence[str]) -> int:
    """How many tests are red for what they did: not because their report is in doubt."""
    red = (one for one in results if one.outcome.is_red)
    return sum(not any(said.startswith(f"{one.id} ") for said in problems) for one in red)


def worse(one: TestResult, other: TestResult) -> TestResult:
    return min(one, other, key=lambda result: _WORST.index(result.outcome))

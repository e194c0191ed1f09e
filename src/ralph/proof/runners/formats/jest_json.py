"""jest's JSON, which vitest writes too, and what we load into mocha."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from ralph.domain.tests import SEPARATOR, TestOutcome
from ralph.proof.runners.reports import merged, raws, relative, report, result

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ralph.domain.tests import TestReport, TestResult
    from ralph.proof.runners.reports import Raw

_TOLD = re.compile(
    rb"^(?:Test results written to: |JSON report written to )\S*(?:jest|vitest)-\d+-\d+\.json\n",
    re.MULTILINE,
)
_OUTCOMES = {
    "passed": TestOutcome.PASSED,
    "failed": TestOutcome.FAILED,
    "pending": TestOutcome.SKIPPED,
    "skipped": TestOutcome.SKIPPED,
    "disabled": TestOutcome.SKIPPED,
    "todo": TestOutcome.SKIPPED,
}


class _Assertion(msgspec.Struct, rename="camel"):
    title: object = ""
    """Text, as a rule; old versions write down whatever a test was called by."""
    status: str = ""
    ancestor_titles: list[object] = []
    failure_messages: list[str] | None = None
    duration: float | None = None


class _File(msgspec.Struct, rename="camel"):
    name: str = ""
    status: str = ""
    message: str | None = None
    assertion_results: list[_Assertion] = []


class _Whole(msgspec.Struct, rename="camel"):
    test_results: list[_File]
    success: bool | None = None
    was_interrupted: bool = False


_decode = msgspec.json.Decoder(_Whole).decode


def read(runner: str, scratch: Path, folder: Path) -> TestReport | None:
    return merged(_promised(runner, scratch, folder))


def _promised(runner: str, scratch: Path, folder: Path) -> Iterator[TestReport]:
    written = {raw.name.removesuffix(".json"): raw for raw in raws(scratch, f"{runner}-*.json")}
    for begun in raws(scratch, f"{runner}-*.begun"):
        raw = written.get(begun.name.removesuffix(".begun"))
        if raw is None:
            yield report(runner, (), [f"{runner} was started and wrote no report"])
        else:
            yield parse(runner, raw, folder)


def plain(output: bytes) -> bytes:
    """The output without the line that says where our report went."""
    return _TOLD.sub(b"", output)


def parse(runner: str, raw: Raw, folder: Path) -> TestReport:
    problems = raw.problems
    try:
        whole = _decode(raw.data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return report(runner, (), [*problems, f"{runner}'s report cannot be read"])
    if whole.was_interrupted:
        problems.append(f"{runner} was interrupted")
    results = [one for file in whole.test_results for one in _results(file, folder)]
    if whole.success is True and any(one.outcome.is_red for one in results):
        problems.append(f"{runner} reported success although tests failed")
    return report(runner, results, problems)


def _results(file: _File, folder: Path) -> Iterator[TestResult]:
    place = relative(file.name, folder)
    if file.status == "failed" and not any(a.status == "failed" for a in file.assertion_results):
        yield result(place, TestOutcome.ERROR, place, file.message or "")
    for one in file.assertion_results:
        name = SEPARATOR.join((place, *map(str, one.ancestor_titles), str(one.title)))
        outcome = _OUTCOMES.get(one.status, TestOutcome.ERROR)
        message = "\n".join(one.failure_messages or ())
        yield result(name, outcome, place, message, (one.duration or 0) / 1000)

"""A test that must fail: a check that does not notice it notices nothing."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.evidence import Fact, FactKind
from ralph.proof.paths import is_test
from ralph.proof.runners import behind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph.domain.tests import TestReport
    from ralph.domain.trial import Trial


class Planted(Struct, frozen=True):
    path: str
    text: str
    mark: str

    @property
    def title(self) -> str:
        """What it is called, where tests have titles."""
        return f"canary {self.mark}"


def plant(report: TestReport | None, sample: str = "") -> Planted | None:
    """A canary beside a test that was run; None where nobody knows how one looks there.

    `sample` is the text of that test's file: a JavaScript test imports or requires. Where the
    runner was told which files to run, the canary goes into that file.
    """
    beside = neighbour(report)
    if report is None or not beside:
        return None
    mark = secrets.token_hex(4)
    folder, slash, name = beside.rpartition("/")
    path = f"{folder}{slash}{named(name, mark)}" if report.searched else beside
    for one in behind(report):
        write = one.canary if report.searched else one.canary_within
        text = write(name, sample, mark)
        if text is not None:
            return Planted(path, text, mark)
    return None


def lacking(report: TestReport, sample: str) -> str:
    """Why none is planted; `sample` is what its neighbour holds."""
    runner = " and ".join(report.runner.split("+"))
    if not any(one.outcome.is_green for one in report.results):
        return "no test passed"
    if not neighbour(report):
        return f"the report of {runner} does not name the files of its tests"
    if not sample:
        return f"{neighbour(report)} is not in the commit"
    return f"Ralph cannot write one for {runner}"


def neighbour(report: TestReport | None) -> str:
    """The file of a test that passed, which the runner therefore finds.

    Source with examples in it comes last: a test beside it would be found by nobody.
    """
    if report is None:
        return ""
    green = (r.file for r in report.results if r.outcome.is_green and r.file)
    return min(green, key=lambda file: (not is_test(file), len(file)), default="")


def named(name: str, mark: str) -> str:
    """Named like its neighbour, so that the same pattern finds it."""
    if end := re.search(r"(?<=.)_?tests?\.py$", name):
        return f"canary_{mark}{end[0]}"
    if name.endswith("_test.go"):
        return f"canary_{mark}_test.go"
    if end := re.search(r"(?<=.)[_-](?:test|spec)s?\.[cm]?[jt]sx?$", name):
        return f"canary-{mark}{end[0]}"
    stem, dot, ending = name.partition(".")
    if name.endswith(".py"):
        start = "test" if name.startswith("test") else stem
        return f"{start}_canary_{mark}.py"
    prefix = "test-" if stem.startswith("test-") else ""
    return f"{prefix}canary-{mark}{dot}{ending}" if "." in ending else f"{stem}-{mark}{dot}{ending}"


def silent(trial: Trial, canary: Planted) -> Iterable[Fact]:
    """The fact that the canary was not heard, if so."""
    if trial.passed:
        text = f"A test that must fail was added as {canary.path}, but the checks passed."
        yield Fact(FactKind.CANARY_SILENT, text, canary.path)
        return
    report = trial.report
    if report is None:
        return
    heard = any(canary.mark in result.id and result.outcome.is_red for result in report.results)
    if not heard and not any(result.file == canary.path for result in report.red):
        text = (
            f"A test that must fail was added as {canary.path}, but it was not reported as failed."
        )
        yield Fact(FactKind.CANARY_SILENT, text, canary.path)

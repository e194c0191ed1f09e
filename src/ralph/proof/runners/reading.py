"""Makes the runner behind a check report single tests, and reads what it reported."""

from __future__ import annotations

import json
import os
import re
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from ralph.domain.task import Command
from ralph.proof.runners import RUNNERS
from ralph.proof.runners.formats import junit
from ralph.proof.runners.recognise import Recognised, recognise
from ralph.proof.runners.reports import MOST_FILES, merged, raw, tests, too_long, unexplained

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ralph.domain.tests import TestReport
    from ralph.proof.runners.runner import TestRunner

REPORTS = "RALPH_TEST_REPORTS"
_INSIDE = Path(__file__).parent / "inside"
_FILES = {
    "python": (
        "sitecustomize.py",
        "ralph_lines.py",
        "ralph_pytest.py",
        "ralph_tests.py",
        "ralph_unittest.py",
    ),
    "node": ("preload.cjs", "reporter.mjs", "mocha.cjs", "mocha.mjs"),
}


class Reading(Struct, frozen=True):
    """A check that is to report single tests."""

    asked: Command
    argv: Command
    """The same, changed only where there is no other way to a report."""
    env: dict[str, str]
    """What to add to the environment of the check."""
    folder: Path
    scratch: Path
    recognised: Recognised
    told: frozenset[str] = frozenset()
    """The runners whose words were changed."""
    junit: tuple[str, ...] = ()
    """Patterns of files that the command writes itself."""
    before: dict[str, tuple[int, int]] = {}
    """Those that were there already, and what they looked like."""

    def read(self, output: bytes, exit_code: int | None = None) -> TestReport | None:
        """What is known about single tests after the run; None if nothing is."""
        report = merged(self._reports(output))
        if report is None or exit_code != 0:
            return report
        if not (red := unexplained(report.red, report.problems)):
            return report
        problem = f"the command exited 0 although {tests(red)} failed"
        return structs.replace(report, problems=(*report.problems, problem))

    def so_far(self, output: bytes) -> TestReport | None:
        """What is known while it runs; it has problems until its one runner has told all."""
        report = merged(self._reports(output))
        if report is None or self.recognised.is_one:
            return report
        return structs.replace(report, problems=(*report.problems, "another runner may follow"))

    def _reports(self, output: bytes) -> list[TestReport]:
        found = [one for one in (*self._written(), *self._junit()) if self._tells(one)]
        told = {name for report in found for name in report.runner.split("+")}
        expected = self.recognised.runners - told
        found += self._printed(output, (one for one in RUNNERS if one.name in expected))
        return found or list(islice(self._printed(output, RUNNERS), 1))

    def _tells(self, report: TestReport) -> bool:
        """Not if it is empty, and of a runner that nobody named: another may work through it."""
        named = self.recognised.runners & {*report.runner.split("+")}
        return bool(report.results or report.problems or named)

    def _printed(self, output: bytes, runners: Iterable[TestRunner]) -> Iterator[TestReport]:
        for parse in dict.fromkeys(parse for one in runners for parse in one.prints):
            report = parse(output, self.folder)
            if report is not None:
                problems = (*report.problems, *too_long(output))
                yield structs.replace(report, problems=problems)

    def plain(self, output: bytes) -> bytes:
        """The output as it would be without us."""
        bare = self._frames.sub(b"", output)
        for one in RUNNERS:
            if one.language or one.name in self.told:
                bare = one.plain(bare)
        return bare

    @property
    def _frames(self) -> re.Pattern[bytes]:
        """Lines of a traceback that are about our instruments for Python."""
        place = re.escape(os.fsencode(self.scratch / "python"))
        return re.compile(rb'^ +File "' + place + rb"/.*\n(?:    .*\n)*", re.MULTILINE)

    def _written(self) -> Iterator[TestReport]:
        found = (one.written(self.scratch, self.folder) for one in RUNNERS)
        yield from (report for report in found if report is not None)

    def _junit(self) -> Iterator[TestReport]:
        for path in _found(self.folder, self.junit):
            if _looks(path) == self.before.get(str(path)):
                continue
            one = raw(path)
            if one is not None:
                yield junit.parse(one, self.folder)


def instrument(
    command: Command,
    folder: Path,
    env: Mapping[str, str],
    scratch: Path,
    junit_files: Sequence[str] = (),
) -> Reading:
    """Prepare one run of a command; `scratch` is a folder for this run, which it may write to."""
    known = recognise(command, folder)
    scratch.mkdir(parents=True, exist_ok=True)
    scratch = Path(os.path.realpath(scratch))
    usual = (pattern for one in RUNNERS for pattern in one.junit(known))
    patterns = tuple(dict.fromkeys([*junit_files, *usual]))
    argv, told = command, set[str]()
    for one in (one for one in RUNNERS if one.name in known.runners):
        if (asked := one.asked(argv)) != argv:
            argv = asked
            told.add(one.name)
    return Reading(
        asked=command,
        argv=argv,
        env=_environment(known, env, scratch),
        folder=folder,
        scratch=scratch,
        recognised=known,
        told=frozenset(told),
        junit=patterns,
        before={str(path): _looks(path) for path in _found(folder, patterns)},
    )


def _environment(known: Recognised, env: Mapping[str, str], scratch: Path) -> dict[str, str]:
    runners = [one for one in RUNNERS if not known.runners or one.name in known.runners]
    languages = {one.language for one in runners if one.language}
    added: dict[str, str] = {}
    if known.closed and "python" in languages:
        languages.discard("python")
        for one in runners:
            added |= one.unloaded(known, env, scratch)
    for language in sorted(languages):
        place = _placed(language, scratch)
        if language == "python":
            places = [str(place), *filter(None, [env.get("PYTHONPATH")])]
            added["PYTHONPATH"] = os.pathsep.join(places)
        else:
            option = f"--require={json.dumps(str(place / 'preload.cjs'), ensure_ascii=False)}"
            added["NODE_OPTIONS"] = f"{option} {env.get('NODE_OPTIONS', '')}".strip()
    return added | ({REPORTS: str(scratch)} if languages else {})


def _placed(language: str, scratch: Path) -> Path:
    """A copy beside the reports: the check may be unable to see where Ralph is installed."""
    place = scratch / language
    place.mkdir(exist_ok=True)
    for name in _FILES[language]:
        (place / name).write_bytes((_INSIDE / language / name).read_bytes())
    return place


def _found(folder: Path, patterns: Iterable[str]) -> list[Path]:
    inside = (p for p in patterns if p and not p.startswith("/") and ".." not in p.split("/"))
    found = (path for pattern in inside for path in folder.glob(pattern))
    return sorted(set(islice(found, MOST_FILES)))


def _looks(path: Path) -> tuple[int, int]:
    try:
        seen = path.lstat()
    except OSError:
        return (0, 0)
    return (seen.st_mtime_ns, seen.st_ino)

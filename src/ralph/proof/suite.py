"""How much of the suite a trial needs: which files of tests, and how the checks are told so."""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import TYPE_CHECKING

from ralph.domain.task import shown
from ralph.domain.tests import SEPARATOR
from ralph.proof import reached
from ralph.proof.languages import language_of
from ralph.proof.paths import (
    is_read_in_every_run,
    is_test,
    is_test_data,
    is_words,
    snapshot_of,
)
from ralph.proof.runners import ENDINGS, starts_each
from ralph.proof.runners.narrow import is_plain, narrowed
from ralph.proof.runners.words import NAMED, Around

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from ralph.domain.task import Command
    from ralph.domain.tests import TestReport
    from ralph.domain.trial import Trial
    from ralph.proof.subject import Subject

MANIFEST = "package.json"
CONFIGURATIONS = tuple(f".config.{ending}" for ending in ("js", "cjs", "mjs", "ts", "mts", "json"))
COMPANY = 0.1
"""The share of the suite's time that is run with a canary: what it tests may silence it."""
MOST_COMPANY = 10
"""Files, whatever their tests take: each of them has to be loaded as well."""
LEAVES_OUT = "collect_ignore|ignore_collect|--ignore|norecursedirs|IgnorePatterns|exclude:"
SETTINGS = ("conftest.py", ".toml", ".cfg", ".ini", "package.json", *CONFIGURATIONS)
"""Where that would be said, and how."""
BUILDS = re.compile(
    r"build|compil|bundl|generat|transpil|protoc|maturin|cython|webpack|rollup|babel|\b(?:tsc|swc|tsup)\b"
    r"|\bc?make\b(?!\s+(?:test|check|lint))",
    re.IGNORECASE,
)
"""Checks that make what the tests are about."""
PATTERN = re.compile(r"[*?\[{]")
FEW = 20
"""Tests that are named one by one; of more the files are."""
_UNSURE = re.compile(r"[$%{]")
"""What a title may not be when it is run."""
QUARTER = 0.25
"""The share of the suite's time up to which some tests are worth a run of their own."""


class Suite:
    """The tests of one project before a change: who sees what, which are the change's own."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._repository = subject.repository

    @cached_property
    def listing(self) -> frozenset[str]:
        """The files of the candidate."""
        return frozenset(self._repository.listing(self._subject.commit))

    @cached_property
    def reach(self) -> reached.Reach:
        """Who imports whom in the candidate."""
        lines = self._repository.search(self._subject.commit, reached.LINES, reached.ENDINGS)
        return reached.Reach(self.listing, lines)

    @cached_property
    def around(self) -> Around:
        """What the words of checks mean here; scripts count only if the change left them alone."""
        scripts = self._scripts(self._subject.base)
        if (
            MANIFEST in {c.path for c in self._subject.changes}
            and self._scripts(self._subject.commit) != scripts
        ):
            scripts = {}
        return Around(scripts, self._is_path, self._is_there, self._text, self._holds_tests)

    def _text(self, path: str) -> str:
        return self._subject.after(path) if path in self.listing else ""

    def _holds_tests(self, path: str) -> bool:
        return _like(path) in self._holding

    @cached_property
    def _holding(self) -> frozenset[tuple[str, str]]:
        """Where the base's tests were found."""
        base = self._subject.known_base
        report = base.report if base is not None else None
        return frozenset(_like(one.file) for one in report.results) if report else frozenset()

    def _is_there(self, name: str) -> bool:
        return (self._subject.root / "node_modules" / ".bin" / name).exists()

    def _scripts(self, commit: str) -> dict[str, str]:
        if MANIFEST not in self.listing:
            return {}
        try:
            found = json.loads(self._repository.show(commit, MANIFEST) or b"{}")["scripts"]
            return {name: text for name, text in found.items() if isinstance(text, str)}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return {}

    def _is_path(self, word: str) -> bool:
        bare = word.removeprefix("./").partition("::")[0].rstrip("/")
        plain = PATTERN.split(bare, 1)[0]
        # whoever writes a pattern out, the shell or the runner, begins in its folder
        folder = bare if plain == bare else plain.rpartition("/")[0]
        inside = bool(folder) and any(one.startswith(f"{folder}/") for one in self.listing)
        return inside or bare in self.listing

    def is_test(self, path: str, trial: Trial | None) -> bool:
        """Whether it is a file of tests: by its name, or the base's runner found some there.

        Nothing but a runner may need the others. A document with examples is none, nor is a module
        with examples in its documentation: their tests have the names of what they are about.
        """
        if is_test(path) or not path.endswith(reached.ENDINGS):
            return is_test(path)
        report = trial.report if trial is not None else None
        names = [one.id for one in report.results if one.file == path] if report else []
        if path.endswith(".py"):
            names = [one for one in names if one.rpartition("::")[2].lower().startswith("test")]
        return bool(names) and not self.reach.importers(path) - {path}

    def is_own(self, path: str, report: TestReport | None) -> bool:
        """Whether it is that and nothing else: it was run, and no test outside depends on it."""
        path = snapshot_of(path) or path
        if is_plain(path):
            return True
        ran = {one.file for one in report.results} if report is not None else set()
        known = is_test(path) or path in self._subject.guarded
        return path in ran and known and not self.reach.importers(path) - {path}

    def of_tests(self, files: Iterable[str], trial: Trial | None) -> list[str]:
        """Those that can be named to a runner as files of tests."""
        return [path for path in files if self.is_test(path, trial)]

    def only_tests(self, report: TestReport | None) -> bool:
        """Whether the change leaves alone what says how tests are found and run."""
        return all(self.is_own(path, report) for path in self._subject.guarded)

    def finds_as_before(self, report: TestReport | None) -> bool:
        """Whether nothing else was changed than tests and data that they read."""
        return all(
            self.is_own(path, report) or is_test_data(path) for path in self._subject.guarded
        )

    def runs_as_before(self, report: TestReport | None) -> bool:
        """Whether nothing else was changed but settings, which are read whatever tests are run.

        What starts the tests may be passed over when only some are named: its settings may not.
        """
        return all(
            self.is_own(path, report) or is_test_data(path) or is_read_in_every_run(path)
            for path in self._subject.guarded
        )

    def there(self, report: TestReport | None) -> list[str]:
        """The changed files of tests that the candidate has and the runner runs."""
        ran = {one.file for one in report.results} if report is not None else set()
        guarded = self._subject.guarded
        found: set[str] = set()
        for c in self._subject.changes:
            owner = snapshot_of(c.path)
            new = c.status == "A" and not owner and not self.names_files()
            known = not any(ran) or (owner or c.old or c.path) in ran or new
            if c.status != "D" and c.path in guarded and known:
                found.add(owner or c.path)
        return sorted(path for path in found if self.is_own(path, report))

    def mine(self, report: TestReport | None) -> list[str]:
        """The tests that the change is known to add or to change; else their files.

        Only where nothing else was changed that tests read.
        """
        files = self.there(report)
        if set(files) != {name for name in self._subject.guarded if name in self.listing}:
            return files
        named = [self._changed_in(path) for path in files]
        return [test for tests in named for test in tests] if all(named) else files

    def _changed_in(self, path: str) -> list[str]:
        """Nothing if it is not known, or too much."""
        language = language_of(path)
        before = self._subject.before(path)
        tests = language.changed_tests(self._subject.after(path), before) if language else None
        if path.endswith(".py") and not before:
            return [path]  # files and names may stand side by side
        if not before or not tests or len(tests) > FEW or any(map(_UNSURE.search, tests)):
            return []
        if path.endswith(".py"):
            tests = tuple(name.replace(".", NAMED) for name in tests)
        return [f"{path}{NAMED}{name}" for name in tests]

    def only(
        self, commands: tuple[Command, ...], files: Iterable[str], report: TestReport
    ) -> tuple[Command, ...]:
        """The checks for these files alone, where they are found as others are and can be named."""
        wanted = list(files)
        folders = {_folder(result.file) for result in report.results}
        bare = list(dict.fromkeys(one.partition(NAMED)[0] for one in wanted))
        if not wanted or not folders.issuperset(map(_folder, bare)):
            return commands
        made = tuple(narrowed(one, wanted, self.around) for one in commands)
        if wanted != bare and not any(made):  # the runner takes no names
            made = tuple(narrowed(one, bare, self.around) for one in commands)
        return tuple(new or one for new, one in zip(made, commands, strict=True))

    def by_name(
        self, commands: tuple[Command, ...], tests: list[str], report: TestReport
    ) -> tuple[Command, ...]:
        """The checks for these tests and neighbours of them, told by their names; else nothing."""
        files = list(dict.fromkeys(one.partition(NAMED)[0] for one in tests))
        if files == tests:
            return ()
        named = self.only(commands, [*tests, *self._neighbours(tests, files, report)], report)
        return named if named != self.only(commands, files, report) else ()

    def _neighbours(
        self, tests: Iterable[str], files: Collection[str], report: TestReport
    ) -> Iterator[str]:
        """A quick test of each file and a late one: where tests need others, that one fails."""
        mine = {one.rpartition(NAMED)[2] for one in tests}
        for file in files:
            others = [
                one
                for one in report.results
                if one.file == file and one.outcome.is_green and not mine & set(_parts(one.id))
            ]
            others.sort(key=lambda one: one.seconds)
            quick = {one.id for one in others[: len(others) // 2 + 1]}
            late = [one.id for one in report.results if one.id in quick][-1:]
            for name in dict.fromkeys((*(one.id for one in others[:1]), *late)):
                yield from self._names((name,), report)

    def naming(
        self, commands: tuple[Command, ...], tests: Collection[str], report: TestReport
    ) -> tuple[Command, ...]:
        """The checks for these tests alone, or for their files where only these can be named."""
        files = sorted({report.by_id[name].file for name in tests})
        if not all(files):
            return commands
        if functions := self._names(tests, report):
            named = tuple(narrowed(one, functions, self.around) or one for one in commands)
            if named != commands:
                return named
        return self.only(commands, files, report)

    def _names(self, tests: Collection[str], report: TestReport) -> list[str]:
        """What a runner is told, so that it runs these alone; nothing if that cannot be said."""
        files = {report.by_id[name].file for name in tests}
        functions = sorted({name.partition("[")[0] for name in tests})
        if all(name.startswith(tuple(f"{file}{SEPARATOR}" for file in files)) for name in tests):
            functions = [name.replace(SEPARATOR, NAMED, 1) for name in tests]
        elif not any(name.startswith(tuple(files)) for name in tests):  # known by its title alone
            functions = [f"{report.by_id[name].file}{NAMED}{name}" for name in tests]
        inside = tuple(f"{file}{NAMED}" for file in files)
        return functions if all(name.startswith(inside) for name in functions) else []

    @cached_property
    def leaves_out(self) -> bool:
        """Whether something here tells the runner which files of tests to pass over."""
        return bool(self._repository.search(self._subject.commit, LEAVES_OUT, SETTINGS))

    def side(self, like: Trial | None) -> tuple[Command, ...]:
        """The checks that report single tests, with those before them that build what is tested."""
        reports = like.reports if like is not None else ()
        told = [place for place, report in enumerate(reports) if report is not None]
        last = max(told, default=-1)
        return tuple(
            command
            for place, command in enumerate(self._subject.commands[: last + 1])
            if place in told or BUILDS.search(shown(command))
        )

    def names_files(self) -> bool:
        """Whether a check says itself which files it runs: it finds no others."""
        words = (word for one in self._subject.commands for word in shown(one).split())
        return any(word.removeprefix("./") in self.listing for word in words)

    @cached_property
    def takes_files(self) -> bool:
        """Whether a check can be told which files to run."""
        return any(
            narrowed(one, (f"x{end}",), self.around)
            for one in self._subject.commands
            for end in ENDINGS
        )

    def source(self) -> list[str] | None:
        """What was changed besides tests; None if nobody can say who sees it."""
        changes = [
            c
            for c in self._subject.changes
            if c.path not in self._subject.guarded and not is_words(c.path)
        ]
        known = all(c.status in "AM" and c.path.endswith(reached.ENDINGS) for c in changes)
        return [c.path for c in changes] if known else None

    def seeing(self, tests: Collection[str]) -> frozenset[str] | None:
        """Those of these files that may see the change; None if nobody can say."""
        source = self.source()
        if source is None or not all(self.reach.is_seen(path, tests) for path in source):
            return None
        return frozenset(tests) & self.reach.of(source)


def company(trial: Trial, share: float = COMPANY) -> list[str]:
    """Files of tests that take a small part of the suite's time, the shortest first."""
    seconds = times(trial)
    left = share * sum(seconds.values())
    found: list[str] = []
    for file, took in sorted(seconds.items(), key=lambda one: one[1]):
        left -= took
        if left < 0 or len(found) == MOST_COMPANY:
            break
        found.append(file)
    return found


def times(trial: Trial) -> dict[str, float]:
    """How long the tests of each file took, with its start where each file has one of its own."""
    report = trial.report
    seconds: dict[str, float] = {}
    for result in report.results if report is not None else ():
        if result.file:
            seconds[result.file] = seconds.get(result.file, 0) + result.seconds
    if report is None or not seconds or not starts_each(report):
        return seconds
    starting = sum(result.seconds for result in trial.results) - sum(seconds.values())
    each = max(0.0, starting) / len(seconds)
    return {file: took + each for file, took in seconds.items()}


def _like(path: str) -> tuple[str, str]:
    """Its folder and ending."""
    return _folder(path), path.rpartition(".")[2]


def _parts(name: str) -> Iterator[str]:
    """The words by which a test may be called in its source."""
    for one in name.split(SEPARATOR):
        yield from one.partition("[")[0].split(NAMED)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]

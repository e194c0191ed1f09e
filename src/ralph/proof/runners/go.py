"""`go test -json`: one event per line, the output of the tests inside.

Its events name packages, not files. In which file a test stands is told by the sources. What cannot
be built is no event of a test at all: then the compiler says which files are to blame.
"""

from __future__ import annotations

import os
import re
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import msgspec
from msgspec import Struct, field

from ralph.domain.task import SHELL
from ralph.domain.tests import MESSAGE, SEPARATOR, TestOutcome, TestResult
from ralph.proof.runners.reports import LARGEST, byte_lines, clean, raw, report, result, tests
from ralph.proof.runners.runner import TestRunner, titles
from ralph.proof.runners.words import NAMED, options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph.domain.task import Command
    from ralph.domain.tests import TestReport
    from ralph.proof.runners.words import Around

_OUTCOMES = {
    "pass": TestOutcome.PASSED,
    "fail": TestOutcome.FAILED,
    "skip": TestOutcome.SKIPPED,
}
_IN_SHELL = re.compile(r"(?<![\w/.-])go\s+(?:-C\s+\S+\s+)?test(?=\s|$)")
# Something else reads what go says, or the shell makes the words itself.
_NOT_PLAIN = re.compile(r"[|<>`$(){}]")
_QUOTED = re.compile(r"'[^']*'")
_SAYING = ("output", "build-output")
_NOISE = ("=== ", "--- ")
_ABOUT = re.compile(r"^# (\S+)(?: \[(\S+)\.test\])?$")
"""Above what the compiler says of a package."""
_BROKEN = re.compile(r"^FAIL\s+(\S+) \[(?:build|setup) failed\]$")
_BLAMED = re.compile(r"^(?:\S*/)?([^\s/:]+_test\.go):\d+", re.MULTILINE)
_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_PACKAGE = re.compile(r"^package (\w+)", re.MULTILINE)
_FUNCTION = re.compile(r"^func ((?:Test|Example|Fuzz)\w*)\(", re.MULTILINE)
_CHOOSING = re.compile(r"--?(?:run|skip)\b")
_APART = frozenset(("vendor", "testdata", "node_modules", ".git", ".venv"))
_MOST = 1_000
_LARGEST = 1 << 20
_CANARY = """\
package {package}

import "testing"

func TestCanary{mark}(t *testing.T) {{
	t.Fatal("canary {mark}")
}}
"""


class _Event(msgspec.Struct, rename="pascal"):
    action: str
    package: str = ""
    import_path: str = ""
    """Of a build, whose events name no package."""
    test: str = ""
    elapsed: float = 0
    output: str = ""


_decode = msgspec.json.Decoder(_Event).decode


class _Sources:
    """The modules below a folder, and where the functions of tests are in them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._functions: dict[str, dict[str, list[str]]] = {}

    def file(self, package: str, test: str) -> str:
        """The only file with this function; nothing if there are several, or none."""
        found = self._of(package).get(test.partition("/")[0], [])
        return found[0] if len(found) == 1 else ""

    def files(self, package: str) -> list[str]:
        """Those with tests."""
        return sorted({file for files in self._of(package).values() for file in files})

    def _of(self, package: str) -> dict[str, list[str]]:
        if package not in self._functions:
            functions = self._functions[package] = {}
            for path in self._paths(package):
                for name in _FUNCTION.findall(_text(self._folder / path)):
                    functions.setdefault(name, []).append(path)
        return self._functions[package]

    def _paths(self, package: str) -> list[str]:
        inside = (name for name in self._modules if f"{package}/".startswith(f"{name}/"))
        module = max(inside, key=len, default="")
        place = self._folder / self._modules.get(module, "") / package[len(module) :].strip("/")
        if not module or ".." in package.split("/"):
            return []
        try:
            found = sorted(islice(place.glob("*_test.go"), _MOST))
        except (OSError, ValueError):  # no folder can have this name
            return []
        return [path.relative_to(self._folder).as_posix() for path in found]

    @cached_property
    def _modules(self) -> dict[str, str]:
        """Their folders by their paths."""
        found: dict[str, str] = {}
        for place, folders, names in islice(os.walk(self._folder), _MOST):
            folders[:] = [name for name in folders if name not in _APART]
            if "go.mod" in names and (named := _MODULE.search(_text(Path(place, "go.mod")))):
                found.setdefault(named[1], os.path.relpath(place, self._folder))
        return found


def _text(path: Path) -> str:
    found = raw(path)
    return found.data[:_LARGEST].decode("utf-8", "replace") if found is not None else ""


class _GoReader(Struct):
    """What go says, line by line."""

    sources: _Sources
    events: int = 0
    said: dict[tuple[str, str], str] = field(default_factory=dict)
    results: list[TestResult] = field(default_factory=list)
    begun: set[tuple[str, str]] = field(default_factory=set)
    red: set[str] = field(default_factory=set)
    """Packages with a test that failed."""
    told: set[str] = field(default_factory=set)
    """Packages of which some test was reported."""
    about: str = ""
    """The package that the compiler speaks of."""

    def take(self, event: _Event) -> None:
        self.events += 1
        self.about = ""
        built = _ABOUT.match(f"# {event.import_path}")
        package = event.package or (built and (built[2] or built[1])) or event.import_path
        key = (package, event.test)
        if event.action == "run":
            self.begun.add(key)
        elif event.action in _SAYING and not event.output.lstrip().startswith(_NOISE):
            self._say(key, event.output)
        elif event.action in _OUTCOMES:
            self.begun.discard(key)
            if event.test:
                self._test(event)
            elif event.action == "fail" and event.package not in self.red:
                self._broken(event.package, event.elapsed)

    def plain(self, line: str) -> None:
        """What is no event: the compiler, before go 1.24, and what it could not build."""
        if found := _ABOUT.match(line):
            self.about = found[2] or found[1]
        elif found := _BROKEN.match(line):
            self.events += 1
            self._broken(found[1])
        elif self.about:
            self._say((self.about, ""), f"{line}\n")

    def _say(self, key: tuple[str, str], text: str) -> None:
        self.said[key] = (self.said.get(key, "") + text)[-MESSAGE:]

    def _test(self, event: _Event) -> None:
        self.told.add(event.package)
        if event.action == "fail":
            self.red.add(event.package)
        file = self.sources.file(event.package, event.test)
        said = self.said.get((event.package, event.test), "")
        name, outcome = _name(event.package, event.test), _OUTCOMES[event.action]
        self.results.append(result(name, outcome, file, said, event.elapsed))

    def _broken(self, package: str, seconds: float = 0) -> None:
        """It does not build, or a main function of tests left: the files that are to blame."""
        self.red.add(package)
        said = self.said.get((package, ""), "")
        files = [] if package in self.told else self.sources.files(package)
        named = set(_BLAMED.findall(said))
        blamed = [file for file in files if file.rpartition("/")[2] in named] or files
        for name in blamed or [package]:
            file = name if blamed else ""
            self.results.append(result(name, TestOutcome.ERROR, file, said, seconds))


def parse(output: bytes, folder: Path) -> TestReport | None:
    """None if there is no event of go's in it, and no package that it could not build."""
    reader = _GoReader(_Sources(folder))
    for line in byte_lines(output):
        event = _event(line)
        if event is not None:
            reader.take(event)
        elif not line.startswith(b"{"):
            reader.plain(clean(line[:MESSAGE].decode("utf-8", "replace"), MESSAGE))
    if not reader.events:
        return None
    problems: list[str] = []
    if begun := reader.begun:
        problems = [f"{tests(len(begun))} started and never finished, such as {_name(*min(begun))}"]
    return report("go", reader.results, problems)


def _event(line: bytes) -> _Event | None:
    if not line.startswith(b'{"'):
        return None
    try:
        event = _decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return event if event.package or event.import_path else None


def _name(package: str, test: str) -> str:
    return f"{package}{SEPARATOR}{test}"


class GoTest(TestRunner):
    name: ClassVar = "go"
    started: ClassVar = re.compile(r"(?<![\w/.-])go\s+(?:-C\s+\S+\s+)?test\b")
    prints: ClassVar = (parse,)
    programs: ClassVar = ("go",)
    endings: ClassVar = ("_test.go",)
    with_value: ClassVar = (
        *("-run", "-skip", "-count", "-timeout", "-tags", "-p", "-parallel", "-bench", "-cpu"),
        *("-benchtime", "-blockprofile", "-coverprofile", "-covermode", "-coverpkg", "-exec"),
        *("-fuzz", "-fuzztime", "-ldflags", "-gcflags", "-asmflags", "-mod", "-modfile", "-o"),
        *("-vet", "-outputdir", "-shuffle", "-overlay", "-buildmode", "-toolexec", "-pkgdir"),
        *("-cpuprofile", "-memprofile", "-mutexprofile", "-trace", "-installsuffix"),
    )
    ends_early: ClassVar = ("-failfast", "--failfast", "-failfast=true")

    def begins(self, words: Sequence[str]) -> int:
        return 1 if list(words[:1]) == ["test"] else -1

    def narrowed(
        self, given: Sequence[str], tests: Sequence[str], around: Around
    ) -> list[str] | None:
        """A file stands for its package, which is built and run as a whole."""
        kept = None if {"-args", "--args"}.intersection(given) else options(given, self, around)
        if kept is None:
            return None
        if all(NAMED in one for one in tests):
            if any(_CHOOSING.match(one) for one in kept):
                return None
            names = dict.fromkeys(one[-1].partition("/")[0] for one in titles(tests))
            kept.append(f"-run=^({'|'.join(names)})$")
        return [*kept, *dict.fromkeys(map(_package, tests))]

    def canary(self, name: str, sample: str, mark: str) -> str | None:
        package = _PACKAGE.search(sample)
        if package is None or not name.endswith(self.endings):
            return None
        return _CANARY.format(package=package[1], mark=mark)

    def asked(self, command: Command) -> Command:
        """With `-json`, where that changes nothing but what go prints."""
        if any("-json" in word for word in command):
            return command
        if command[:2] == SHELL and len(command) == len(SHELL) + 1:
            text = command[-1]
            if _NOT_PLAIN.search(_QUOTED.sub("", text)):
                return command
            return (*SHELL, _IN_SHELL.sub(lambda found: f"{found[0]} -json", text))
        program = next((n for n, word in enumerate(command) if word.rpartition("/")[2] == "go"), 0)
        if "test" not in command[program:]:
            return command
        place = command.index("test", program) + 1
        return (*command[:place], "-json", *command[place:])

    def plain(self, output: bytes) -> bytes:
        if not output.startswith(b"{") and b'\n{"' not in output:
            return output
        told: list[bytes] = []
        for line in output[:LARGEST].split(b"\n"):
            event = _event(line)
            if event is None:
                told.append(line + b"\n")
            elif event.action in _SAYING:
                told.append(event.output.encode("utf-8", "replace"))
        return b"".join(told).rstrip(b"\n") + b"\n"


def _package(test: str) -> str:
    """The folder of a file, as go takes it."""
    folder = test.partition(NAMED)[0].rpartition("/")[0]
    return f"./{folder}" if folder else "."

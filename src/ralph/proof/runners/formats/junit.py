"""JUnit's XML, as many runners write it. No document types, no entities, bounded in every way."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from xml.parsers import expat

from msgspec import Struct, field

from ralph.domain.tests import MESSAGE, SEPARATOR, TestOutcome, TestResult
from ralph.proof.runners.reports import MOST_RESULTS, relative, report, result

if TYPE_CHECKING:
    from ralph.domain.tests import TestReport
    from ralph.proof.runners.reports import Raw

RUNNER = "junit"

_DEEPEST = 50
_OUTCOMES = {
    "failure": TestOutcome.FAILED,
    "error": TestOutcome.ERROR,
    "skipped": TestOutcome.SKIPPED,
}
_SUITES = ("testsuites", "testsuite")


class _Unfit(Exception):
    """A document that is not worth the risk of reading on."""


class _Case(Struct):
    attributes: dict[str, str]
    outcome: TestOutcome = TestOutcome.PASSED
    message: str = ""


class _JunitReader(Struct):
    folder: Path
    pytest: bool
    """Whether ids are to be pytest's node ids."""
    path: list[str] = field(default_factory=list)
    suite_file: str = ""
    case: _Case | None = None
    hears: bool = False
    """Whether the text that comes belongs to a failure."""
    results: list[TestResult] = field(default_factory=list)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if not self.path and name not in _SUITES:
            raise _Unfit(f"it begins with <{name[:40]}>")
        if len(self.path) >= _DEEPEST:
            raise _Unfit("it is nested too deeply")
        self.path.append(name)
        if name == "testsuite":
            self.suite_file = attributes.get("file", self.suite_file)
        elif name == "testcase":
            if len(self.results) > MOST_RESULTS:
                raise _Unfit("it names too many tests")
            self.case = _Case(attributes)
        elif self.case is not None and self.path[-2] == "testcase":
            self._inside(self.case, name, attributes)

    def _inside(self, case: _Case, name: str, attributes: dict[str, str]) -> None:
        outcome = _OUTCOMES.get(name)
        if outcome is None or case.outcome.is_red:
            return
        if name == "skipped" and attributes.get("type") == "pytest.xfail":
            outcome = TestOutcome.XFAILED
        case.outcome, case.message = outcome, attributes.get("message", "")
        self.hears = True

    def end(self, _: str) -> None:
        name = self.path.pop()
        if name == "testcase" and self.case is not None:
            self.results.append(self._result(self.case))
            self.case = None
        elif self.path and self.path[-1] == "testcase":
            self.hears = False

    def text(self, data: str) -> None:
        if self.hears and self.case is not None and len(self.case.message) < MESSAGE:
            # Some write the message as an attribute, some as text, some both.
            gap = "\n" if self.case.message and not self.case.message.endswith("\n") else ""
            self.case.message = f"{self.case.message}{gap}{data}"[:MESSAGE]

    def _result(self, case: _Case) -> TestResult:
        given = case.attributes
        file = relative(given.get("file", self.suite_file), self.folder)
        owner, name = given.get("classname", ""), given.get("name", "")
        title = SEPARATOR.join(word for word in (owner, name) if word)
        if self.pytest and file:
            title = _node_id(file, owner, name)
        elif self.pytest and not owner:
            title = file = _module_file(name, self.folder) or name
        return result(title, case.outcome, file, case.message, _seconds(given.get("time", "")))


def parse(raw: Raw, folder: Path, *, pytest: bool = False) -> TestReport:
    """Whatever can be read; a document that ends early or is unfit is a problem."""
    reader = _JunitReader(folder, pytest)
    parser = expat.ParserCreate(namespace_separator=":")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = _refuse
    problems = raw.problems
    try:
        parser.Parse(raw.data, True)
    except _Unfit as unfit:
        problems.append(f"{raw.name} was not read: {unfit}")
    except (expat.ExpatError, ValueError, LookupError) as error:
        problems.append(f"{raw.name} is broken or ends early: {error}")
    return report("pytest" if pytest else RUNNER, reader.results, problems)


def _refuse(*_: object) -> None:
    raise _Unfit("it declares a document type")


def _node_id(file: str, owner: str, name: str) -> str:
    module = file.removesuffix(".py").replace("/", ".")
    if not owner and name == module:
        return file  # the module could not be imported
    inside = owner.removeprefix(module).strip(".") if owner.startswith(module) else owner
    return "::".join((file, *filter(None, inside.split(".")), name))


def _module_file(name: str, folder: Path) -> str:
    """The file of a module that could not be imported, which pytest gives by its dotted name."""
    place = name.replace(".", "/") + ".py"
    fits = name.replace(".", "").replace("_", "").isalnum()
    return place if fits and (folder / place).is_file() else ""


def _seconds(text: str) -> float:
    try:
        return max(0.0, min(float(text.replace(",", "")), 1e9))
    except ValueError:
        return 0.0

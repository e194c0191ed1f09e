"""`go test -json`: one event per line, the output of the tests inside."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from ralph.domain.task import SHELL
from ralph.domain.tests import MESSAGE, SEPARATOR, TestOutcome
from ralph.proof.runners.reports import LARGEST, byte_lines, report, result, tests

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ralph.domain.task import Command
    from ralph.domain.tests import TestReport, TestResult

RUNNER = "go"

_OUTCOMES = {
    "pass": TestOutcome.PASSED,
    "fail": TestOutcome.FAILED,
    "skip": TestOutcome.SKIPPED,
}
_IN_SHELL = re.compile(r"(?<![\w/.-])go\s+(?:-C\s+\S+\s+)?test(?=\s|$)")
# Something else reads what go says, or the shell makes the words itself.
_NOT_PLAIN = re.compile(r"[|<>`$(){}]")
_SAYING = ("output", "build-output")
_NOISE = ("=== ", "--- ")


class _Event(msgspec.Struct, rename="pascal"):
    action: str
    package: str = ""
    import_path: str = ""
    """Of a build, whose events name no package."""
    test: str = ""
    elapsed: float = 0
    output: str = ""


_decode = msgspec.json.Decoder(_Event).decode


def command(given: Command) -> Command:
    """The same command with `-json`, where that changes nothing but what go prints."""
    if any("-json" in word for word in given):
        return given
    if given[:2] == SHELL and len(given) == len(SHELL) + 1:
        text = given[-1]
        if _NOT_PLAIN.search(text):
            return given
        return (*SHELL, _IN_SHELL.sub(lambda found: f"{found[0]} -json", text))
    program = next((n for n, word in enumerate(given) if word.rpartition("/")[2] == "go"), 0)
    if "test" not in given[program:]:
        return given
    place = given.index("test", program) + 1
    return (*given[:place], "-json", *given[place:])


def parse(output: bytes, _: Path) -> TestReport | None:
    """None if there is no event of go's in it."""
    said: dict[tuple[str, str], str] = {}
    results: list[TestResult] = []
    begun: set[tuple[str, str]] = set()
    red: set[str] = set()
    """Packages with a test that failed."""
    events = 0
    for event in _events(output):
        events += 1
        key = (event.package or event.import_path, event.test)
        if event.action == "run":
            begun.add(key)
        elif event.action in _SAYING and not event.output.lstrip().startswith(_NOISE):
            said[key] = (said.get(key, "") + event.output)[-MESSAGE:]
        elif event.action in _OUTCOMES:
            begun.discard(key)
            results += _result(event, said.get(key, ""), explained=event.package in red)
            if event.action == "fail":
                red.add(event.package)
    if not events:
        return None
    problems: list[str] = []
    if begun:
        problems = [f"{tests(len(begun))} begun and never ended, such as {_name(*min(begun))}"]
    return report(RUNNER, results, problems)


def plain(output: bytes) -> bytes:
    """What go would have printed without `-json`."""
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


def _events(output: bytes) -> Iterator[_Event]:
    for line in byte_lines(output):
        event = _event(line)
        if event is not None:
            yield event


def _event(line: bytes) -> _Event | None:
    if not line.startswith(b'{"'):
        return None
    try:
        event = _decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return event if event.package or event.import_path else None


def _result(event: _Event, said: str, *, explained: bool) -> Iterator[TestResult]:
    outcome = _OUTCOMES[event.action]
    if event.test:
        yield result(_name(event.package, event.test), outcome, "", said, event.elapsed)
    elif outcome.is_red and not explained:
        # It does not build, or a main function of tests left.
        yield result(event.package, TestOutcome.ERROR, "", said, event.elapsed)


def _name(package: str, test: str) -> str:
    return f"{package}{SEPARATOR}{test}"

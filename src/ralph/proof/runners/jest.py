"""jest, and what starts it: react-scripts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from ralph.proof.runners.formats import jest_json
from ralph.proof.runners.runner import SCRIPTS, WORD, TestRunner

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ralph.domain.tests import TestReport

_SETTINGS = ("package.json", *(f"jest.config.{end}" for end in ("js", "ts", "mjs", "cjs", "json")))
_CANARY = 'test("canary {mark}", () => {{ expect(1 + 1).toBe(3); }});\n'


class Jest(TestRunner):
    name: ClassVar = "jest"
    started: ClassVar = re.compile(WORD + r"(?:jest(?![\w.-])|react-scripts\s+test\b)")
    language: ClassVar = "node"
    tells_its_end: ClassVar = True
    loads_apart: ClassVar = True
    starts_each: ClassVar = True
    programs: ClassVar = ("jest",)
    endings: ClassVar = SCRIPTS
    with_value: ClassVar = (
        *("-c", "--config", "-w", "--maxWorkers", "-t", "--testNamePattern", "--env"),
        *("--testEnvironment", "--rootDir", "--testTimeout", "--reporters", "--preset"),
        *("--selectProjects", "--coverageProvider", "--coverageDirectory", "--seed"),
        *("--coverageReporters", "--collectCoverageFrom", "--testRunner", "--runner"),
        *("--maxConcurrency", "--cacheDirectory", "--outputFile"),
    )
    ends_early: ClassVar = ("-b", "--bail", "--bail=1")
    first: ClassVar = ("--runTestsByPath",)
    named: ClassVar = "--testNamePattern"
    measures: ClassVar = re.compile(r"--(?:coverage|collectCoverage)(?:=true)?")
    unmeasured: ClassVar = ("--coverage=false",)

    def measures_always(self, text: Callable[[str], str]) -> bool:
        return any("collectCoverage" in text(name) for name in _SETTINGS)

    def written(self, scratch: Path, folder: Path) -> TestReport | None:
        return jest_json.read(self.name, scratch, folder)

    def plain(self, output: bytes) -> bytes:
        return jest_json.plain(output)

    def canary(self, name: str, sample: str, mark: str) -> str | None:
        del sample
        return _CANARY.format(mark=mark) if name.endswith(self.endings) else None

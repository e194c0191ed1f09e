"""vitest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from ralph.proof.runners.formats import jest_json
from ralph.proof.runners.runner import SCRIPTS, WORD, TestRunner

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.tests import TestReport

_CANARY = """\
import {{ expect, test }} from "vitest";
test("canary {mark}", () => {{ expect(1 + 1).toBe(3); }});
"""


class Vitest(TestRunner):
    name: ClassVar = "vitest"
    started: ClassVar = re.compile(WORD + r"vitest(?![\w.-])")
    language: ClassVar = "node"
    tells_its_end: ClassVar = True
    loads_apart: ClassVar = True
    starts_each: ClassVar = True
    programs: ClassVar = ("vitest",)
    endings: ClassVar = SCRIPTS
    words: ClassVar = ("run",)
    with_value: ClassVar = (
        *("-c", "--config", "-t", "--testNamePattern", "--project", "-r", "--root", "--dir"),
        *("--environment", "--pool", "--reporter", "--outputFile", "--maxWorkers", "--mode"),
        *("--minWorkers", "--testTimeout", "--hookTimeout", "--retry", "--exclude"),
        "--coverage.provider",
    )
    ends_early: ClassVar = ("--bail", "--bail=1")
    named: ClassVar = "--testNamePattern"
    measures: ClassVar = re.compile(r"--coverage(?:\.enabled)?(?:=true)?")

    def written(self, scratch: Path, folder: Path) -> TestReport | None:
        return jest_json.read(self.name, scratch, folder)

    def plain(self, output: bytes) -> bytes:
        return jest_json.plain(output)

    def canary(self, name: str, sample: str, mark: str) -> str | None:
        del sample
        return _CANARY.format(mark=mark) if name.endswith(self.endings) else None

"""mocha: `inside/node/mocha.cjs` writes what became of each test."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from ralph.proof.runners.formats import jest_json
from ralph.proof.runners.runner import SCRIPTS, WORD, TestRunner

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.tests import TestReport

_CANARY = '{say}("canary {mark}", function () {{ throw new Error("canary {mark}"); }});\n'


class Mocha(TestRunner):
    name: ClassVar = "mocha"
    started: ClassVar = re.compile(WORD + r"_?mocha(?![\w.-])")
    language: ClassVar = "node"
    tells_its_end: ClassVar = True
    programs: ClassVar = ("mocha", "_mocha")
    endings: ClassVar = SCRIPTS
    with_value: ClassVar = (
        *("-r", "--require", "-R", "--reporter", "-t", "--timeout", "-u", "--ui", "--config"),
        *("-g", "--grep", "-f", "--fgrep", "-j", "--jobs", "-s", "--slow", "--extension"),
        *("--file", "--package", "--retries", "--exclude", "-O", "--reporter-option"),
        *("--reporter-options", "-n", "--node-option", "--loader", "--import"),
    )
    alone: ClassVar = ("--recursive", "--exit", "--check-leaks", "--colors", "--parallel")
    ends_early: ClassVar = ("-b", "--bail")
    named: ClassVar = "--grep"

    def written(self, scratch: Path, folder: Path) -> TestReport | None:
        return jest_json.read(self.name, scratch, folder)

    def plain(self, output: bytes) -> bytes:
        return jest_json.plain(output)

    def canary(self, name: str, sample: str, mark: str) -> str | None:
        say = "it" if re.search(r"\bit\(", sample) else "test"
        return _CANARY.format(say=say, mark=mark) if name.endswith(self.endings) else None

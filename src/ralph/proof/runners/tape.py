"""tape, tap and other programs that print the Test Anything Protocol."""

from __future__ import annotations

import re
from typing import ClassVar

from ralph.proof.runners.formats import tap
from ralph.proof.runners.runner import SCRIPTS, WORD, TestRunner

_IMPORTS = re.compile(r"['\"](tape?)['\"]")
_TAPE = 'const test = require("tape");\n', 'import test from "tape";\n'
_TAP = 'const t = require("tap");\n', 'import t from "tap";\n'
_CANARY = """\
{called}("canary {mark}", (t) => {{ t.equal(1 + 1, 3, "canary {mark}"); t.end(); }});
"""


class Tape(TestRunner):
    name: ClassVar = tap.RUNNER
    started: ClassVar = re.compile(WORD + r"(?:prove|tap|tape|bats)(?![\w.-])|--tap\b")
    prints: ClassVar = (tap.parse,)
    programs: ClassVar = ("tape", "tap")
    endings: ClassVar = SCRIPTS
    words: ClassVar = ("run",)
    with_value: ClassVar = (
        *("-r", "--require", "-i", "--ignore", "-j", "--jobs", "-R", "--reporter", "--timeout"),
    )

    def canary(self, name: str, sample: str, mark: str) -> str | None:
        found = _IMPORTS.search(sample)
        if not name.endswith(self.endings) or found is None:
            return None
        called, start = ("t.test", _TAP) if found[1] == "tap" else ("test", _TAPE)
        text = start["require" not in sample] + _CANARY
        return text.format(called=called, mark=mark)

"""tape and other programs that print the Test Anything Protocol."""

from __future__ import annotations

import re
from typing import ClassVar

from ralph.proof.runners.formats import tap
from ralph.proof.runners.runner import SCRIPTS, WORD, TestRunner

_REQUIRED, _IMPORTED = 'const test = require("tape");\n', 'import test from "tape";\n'
_CANARY = """\
test("canary {mark}", (t) => {{ t.equal(1 + 1, 3, "canary {mark}"); t.end(); }});
"""


class Tape(TestRunner):
    name: ClassVar = tap.RUNNER
    started: ClassVar = re.compile(WORD + r"(?:prove|tap|tape|bats)(?![\w.-])|--tap\b")
    prints: ClassVar = (tap.parse,)
    programs: ClassVar = ("tape",)
    endings: ClassVar = SCRIPTS
    with_value: ClassVar = ("-r", "--require", "-i", "--ignore")

    def canary(self, name: str, sample: str, mark: str) -> str | None:
        if not name.endswith(self.endings) or not re.search(r"['\"]tape['\"]", sample):
            return None
        return (_REQUIRED if "require" in sample else _IMPORTED) + _CANARY.format(mark=mark)

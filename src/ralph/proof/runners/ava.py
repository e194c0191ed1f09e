"""ava, which has no second reporter: we have it print the Test Anything Protocol."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from ralph.domain.tests import SEPARATOR
from ralph.proof.runners.formats import tap
from ralph.proof.runners.runner import SCRIPTS, WORD, TestRunner, titles

if TYPE_CHECKING:
    from collections.abc import Iterable

_CANARY = """\
import test from "ava";
test("canary {mark}", (t) => {{ t.is(1 + 1, 3, "canary {mark}"); }});
"""


class Ava(TestRunner):
    name: ClassVar = "ava"
    also: ClassVar = (tap.RUNNER,)
    started: ClassVar = re.compile(WORD + r"ava(?![\w.-])")
    language: ClassVar = "node"
    prints: ClassVar = (partial(tap.parse, titled=False),)
    """Each of its lines is a test; what hooks and tests log stands between them."""
    starts_each: ClassVar = True
    programs: ClassVar = ("ava",)
    endings: ClassVar = SCRIPTS
    with_value: ClassVar = (
        *("-m", "--match", "-T", "--timeout", "-c", "--concurrency", "--config"),
        "--node-arguments",
    )
    ends_early: ClassVar = ("--fail-fast",)
    named: ClassVar = "--match"

    def patterns(self, tests: Iterable[str]) -> list[str]:
        return [SEPARATOR.join(one) for one in titles(tests)]

    def canary(self, name: str, sample: str, mark: str) -> str | None:
        mine = name.endswith(self.endings) and re.search(r"['\"]ava['\"]", sample)
        return _CANARY.format(mark=mark) if mine else None

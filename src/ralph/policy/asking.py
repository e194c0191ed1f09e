"""A question that can be answered in ten seconds: what was found, and why that matters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.evidence import FactKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ralph.domain.evidence import Weighed

_CHANGED = (
    "If the task asks for the new behaviour, accept; if not, the old test found a mistake and the "
    "test was bent."
)
_LESS = "What these tests looked at, nobody looks at from now on."
_SHOWS_LITTLE = "The test may show nothing, and the work may not be there."
WHY: Mapping[FactKind, str] = {
    FactKind.OVERLAY_RED: _CHANGED,
    FactKind.TEST_REWRITTEN: _CHANGED,
    FactKind.TEST_REMOVED: _LESS,
    FactKind.TEST_SKIPPED: _LESS,
    FactKind.UNHEEDED: _SHOWS_LITTLE,
    FactKind.UNNOTICED: _SHOWS_LITTLE,
    FactKind.CANARY_SILENT: "Checks that pass whatever the tests say prove nothing.",
    FactKind.REPORT_FORGED: "Checks that misreport their tests prove nothing.",
    FactKind.STILL_RED: "The task may be about these tests, and then it is not done.",
    FactKind.UNRELATED: "It may be other work than was asked for, or none.",
    FactKind.NO_SOURCE: "Words and tests alone seldom are a feature or a fix.",
    FactKind.SILENCED: "The check would have spoken there.",
    FactKind.ANSWERS: "It may answer the tests' own questions and no others.",
    FactKind.SMELL: "Code that does this is seldom there for the user.",
    FactKind.NO_RED_TEST: "Nobody can tell whether it works.",
    FactKind.PARTLY: "Nobody can tell whether that part works.",
}


def explained(asks: Iterable[Weighed]) -> str:
    """Everything a person has to decide on, one paragraph for each fact."""
    parts: list[str] = []
    said: set[str] = set()
    for one in asks:
        fact = one.fact
        lines = [fact.text, *([fact.detail] if fact.detail else [])]
        why = WHY.get(fact.kind, "")
        if why and why not in said:
            said.add(why)
            lines.append(f"Why it matters: {why}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)

"""The words of a question about a verdict: what was found, and why that matters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.evidence import FactKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ralph.domain.evidence import Weighed

_CHANGED = (
    "If the task asks for the new behaviour, accept; if not, the old test caught a mistake and "
    "was bent to pass."
)
_LESS = "What these tests checked is not checked any more."
_SHOWS_LITTLE = "The test may prove nothing, and the work may be missing."
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
    FactKind.UNRELATED: "It may not be the work that was asked for, or no work at all.",
    FactKind.NO_SOURCE: "A feature or a fix rarely consists of words and tests alone.",
    FactKind.SILENCED: "The check would have complained there.",
    FactKind.ANSWERS: "It may only work for the inputs in the tests.",
    FactKind.SMELL: "Code that does this is rarely written for the user.",
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

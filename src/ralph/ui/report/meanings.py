"""The words of the report, for readers who have never heard of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ralph.views.proven import ProofKind

if TYPE_CHECKING:
    from collections.abc import Iterator

MEANINGS = {
    ProofKind.PROVEN: "All checks pass, and at least one test fails without the change and passes "
    "with it.",
    ProofKind.CHECKED: "All checks pass, also with the tests as they were before. It is work that "
    "no new test can show, such as documents or a refactoring.",
    ProofKind.ACCEPTED: "A person said that it counts. The checks alone did not say so.",
    ProofKind.UNPROVEN: "It is finished and its checks pass, but nothing shows that the change "
    "does what was asked. Look at it yourself.",
}
"""How well a finished task is proven."""

WORDS = {
    **{kind.value: text for kind, text in MEANINGS.items()},
    "attempt": "A fresh agent works on one task, and Ralph checks the result. Without a pass "
    "nothing is committed. Commands and logs call it an iteration.",
    "evidence": "What shows a criterion: ✓ the test or check after the arrow; ✗ its check fails; "
    "? nobody looked: no check, no test and no person is known to have; · covered by the general "
    "checks: they pass, but none is known to be about it alone.",
    "parked": "The task waits for a person's answer; the run goes on with the others.",
    "rollback": "After repeated failures the files go back to the last commit that passed.",
    "salvage": "Work that was taken out of the way. It is kept in git, on no branch.",
}


def explained(text: str) -> Iterator[tuple[str, str]]:
    """Every word of this text that a reader may not know, with what it means."""
    for word, meaning in WORDS.items():
        if re.search(rf"\b{word}s?\b", text):
            yield word, meaning

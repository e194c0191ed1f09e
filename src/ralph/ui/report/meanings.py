"""The words of the report, for readers who have never heard of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.verdict import Level
from ralph.views.proven import ProofKind

if TYPE_CHECKING:
    from collections.abc import Iterator

MEANINGS = {
    ProofKind.PROVEN: "All checks pass, at least one test fails without the change and passes "
    "with it, and nothing was found that a person should see.",
    ProofKind.CHECKED: "All checks pass, also with the tests as they were before. It is work that "
    "no new test can show, such as documents or a refactoring.",
    ProofKind.ACCEPTED: "A person said that it counts. The checks alone did not say so.",
    ProofKind.UNPROVEN: "It is finished and its checks pass, but nothing shows that the change "
    "does what was asked. Look at it yourself.",
}
"""How well a finished task is proven."""
LEVELS = {
    Level.CLAIMED: "The agent says so. Nothing shows that the checks saw this code.",
    Level.GREEN: "Every check passes on a clean checkout. Nothing more is known.",
    Level.OVERLAY: "As well, the tests as they were before find nothing wrong, and none of them "
    "was removed, skipped or rewritten.",
    Level.PROVEN: "As well, a test fails without the change and passes with it.",
    Level.ACCEPTED: "A person accepted it, or checks that the agent never saw passed too.",
}


WORDS = {
    "task": "One piece of the plan. A fresh agent works on one task at a time.",
    "check": "A command, such as the project's tests, that Ralph runs itself on a clean copy.",
    "iteration": "One fresh agent on one task, from its start to the checks of its result. Several "
    "of the same task are its attempts. Without a pass nothing is committed.",
    "rollback": "After repeated failures the files go back to the last verified commit.",
    "checkpoint": "What was written down for the next agent, so that it can go on.",
    "parked": "The task waits for a person's answer; the run went on with the others.",
    "set aside (salvage)": "Work that was taken out of the way. It is kept in git, on no branch.",
    "fact": "Something that was noticed about a change. `note`: worth a word; `ask`: a person had "
    "to decide.",
}


def explained() -> Iterator[tuple[str, str]]:
    """Every word that a reader may not know, with what it means."""
    yield from ((kind.value, text) for kind, text in MEANINGS.items())
    yield from WORDS.items()
    yield from ((f"level {level.value}", text) for level, text in LEVELS.items())

"""Comments that tell a tool to look away: would a check say anything without them?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.checks.diff_facts import by_file
from ralph.domain.evidence import FactKind
from ralph.loop.trials import Wanted
from ralph.loop.variants import text_at
from ralph.policy.suppressions import unsuppressed

if TYPE_CHECKING:
    from ralph.loop.ports import Grounds
    from ralph.loop.proof import Case


async def hear(grounds: Grounds, case: Case) -> None:
    """The candidate without the comments that were added: if the checks pass, none was silenced."""
    found = [fact for fact in case.facts if fact.kind is FactKind.SILENCED]
    if not found or not case.head.passed:
        return
    commit = case.proof.candidate.commit
    changes = by_file(case.difference)
    if any(changes[fact.path].added.count("\n") > len(changes[fact.path].at) for fact in found):
        return  # it is not known where all of it is
    texts = {fact.path: text_at(grounds, commit, fact.path) for fact in found}
    spoken = {path: unsuppressed(text, changes[path].at) for path, text in texts.items()}
    variant = grounds.workspace.variant(
        commit, write={path: text.encode() for path, text in spoken.items()}
    )
    name = f"{case.name}-unsilenced"
    trial = await grounds.trials.of(Wanted(variant, case.commands, name, changed=case.proof.files))
    if trial.passed and spoken != texts:
        case.facts = [
            replace(fact, kind=FactKind.SUPPRESSED) if fact in found else fact
            for fact in case.facts
        ]

"""Another agent looks at the task and the difference, and may only speak against it."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from ralph.domain.evidence import Fact, FactKind, Weight
from ralph.domain.trial import Trial
from ralph.domain.verdict import CheckResult
from ralph.proof.experiment import Experiment, Variant
from ralph.proof.experiments.again import is_green
from ralph.proof.weigh import weigh

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.proof.experiment import Known, Site
    from ralph.proof.subject import Asking, Subject

NAME = "judge"
DIFFERENCE = 60_000
"""Characters of the difference that the judge gets to see."""
_DOUBT = re.compile(r"^\s*\**VERDICT:\**\s*DOUBT\b[\s:.-]*(.*)$", re.IGNORECASE | re.MULTILINE)
_SOUND = re.compile(r"^\s*\**VERDICT:\**\s*SOUND\b", re.IGNORECASE | re.MULTILINE)


class Judge(Experiment):
    name = "judge"
    what = (
        "[Another agent](../howto/criteria.md#a-judge) looks at the task and the difference. It "
        "may only speak against it."
    )
    setting = "verification.judge"
    last = True

    def wants(self, subject: Subject) -> bool:
        return subject.ask_judge is not None

    def variants(self, subject: Subject, known: Known) -> Iterator[Variant]:
        weighed = weigh(known.facts, subject.task, subject.settings)
        rejected = any(one.weight is Weight.REJECT for one in weighed)
        if subject.ask_judge is not None and is_green(subject, known) and not rejected:
            question = _question(subject, known)
            yield Variant(NAME, subject.base, visit=partial(_ask, subject.ask_judge, question))

    def facts(self, subject: Subject, known: Known) -> Iterator[Fact]:
        del subject
        tried = known.get(NAME)
        if tried is None:
            return
        said = tried.results[0].tail
        doubt = _DOUBT.search(said)
        if doubt is None and _SOUND.search(said):
            return
        # a judge who says nothing clear has a doubt as well
        why = doubt[1].strip() if doubt else "it gave no clear verdict"
        yield Fact(FactKind.JUDGED, f"The judge doubts it: {why or 'it did not say why'}")


async def _ask(ask: Asking, question: str, site: Site) -> Trial:
    said = await ask(question, site.root)
    return Trial("", (CheckResult((), passed=True, exit_code=None, seconds=0, tail=said),), (None,))


def _question(subject: Subject, known: Known) -> str:
    task, difference = subject.task, subject.difference
    criteria = "\n".join(f"- {one}" for one in task.criteria) or "- (none are written down)"
    found = "\n".join(f"- {one.text}" for one in known.facts) or "- nothing"
    cut = "\n[the rest is left out]" if len(difference) > DIFFERENCE else ""
    return f"""Judge a change. Change nothing yourself. This folder is the state before it.

The task: {task.title}
{task.description}

Acceptance criteria:
{criteria}

What Ralph found out about the change:
{found}

The change:
```diff
{difference[:DIFFERENCE]}{cut}
```

Does the change do what the task asks, for any input, and not only for what the tests try? Look for
special cases made for tests, tests that were weakened, and work that is only pretended. End with
one line: `VERDICT: SOUND`, or `VERDICT: DOUBT: ` and the reason in a sentence.
"""

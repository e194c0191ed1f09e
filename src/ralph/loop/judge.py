"""The judge: another agent looks at the task and the difference, and may only speak against it."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph import masking
from ralph.agents.line import Line
from ralph.domain.evidence import Fact, FactKind
from ralph.domain.job import Job
from ralph.loop.guests import received
from ralph.policy.price import priced

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from ralph.domain.answer import Answer
    from ralph.loop.attempt import Attempt
    from ralph.loop.house import House

DIFFERENCE = 60_000
"""Characters of the difference that the judge gets to see."""
MINUTES = 15

_DOUBT = re.compile(r"^\s*\**VERDICT:\**\s*DOUBT\b[\s:.-]*(.*)$", re.IGNORECASE | re.MULTILINE)
_SOUND = re.compile(r"^\s*\**VERDICT:\**\s*SOUND\b", re.IGNORECASE | re.MULTILINE)


async def opinion(
    house: House, attempt: Attempt, difference: str, facts: Iterable[Fact]
) -> tuple[Fact, ...]:
    """A doubt, if the judge has one; a judge who says nothing clear has one too."""
    said = await house.trials.at(
        attempt.base, partial(_ask, house, attempt, _question(attempt, difference, facts))
    )
    doubt = _DOUBT.search(said)
    if doubt is None and _SOUND.search(said):
        return ()
    why = doubt[1].strip() if doubt else "it gave no clear verdict"
    return (Fact(FactKind.JUDGED, f"The judge doubts it: {why or 'it did not say why'}"),)


async def _ask(
    house: House, attempt: Attempt, prompt: str, root: Path, _: Mapping[str, str]
) -> str:
    if house.judge is None:
        return ""
    log = house.logs() / f"iteration-{attempt.iteration}-judge.txt"
    job = Job(
        prompt=masking.text(prompt),
        prompt_file="",
        workspace=str(root),
        task=attempt.task.id,
        iteration=attempt.iteration,
        attempt=attempt.number,
        run=house.run_id,
        log=str(log),
        wall_seconds=MINUTES * 60,
        idle_seconds=MINUTES * 60,
        log_cap=1 << 20,
        budget_usd=house.economics.left_to_spend(attempt.task.id),
    )
    async with received(house.confinement, house.settings, house.repo, house.judge, root) as walls:
        answer = await house.judge.run(replace(job, walls=walls), Line())
    _pay(house, attempt, answer, house.judge.name)
    return answer.text


def _pay(house: House, attempt: Attempt, answer: Answer, judge: str) -> None:
    """A judge's work is paid for as well."""
    usage = priced(answer.usage, answer.models, house.settings.claude.model)
    if usage.tokens or usage.cost_usd:
        house.economics.record_consumption(attempt.iteration, attempt.task.id, usage, by=judge)


def _question(attempt: Attempt, difference: str, facts: Iterable[Fact]) -> str:
    task = attempt.task
    criteria = "\n".join(f"- {one}" for one in task.criteria) or "- (none are written down)"
    known = "\n".join(f"- {one.text}" for one in facts) or "- nothing"
    shown = difference[:DIFFERENCE]
    cut = "\n[the rest is left out]" if len(difference) > DIFFERENCE else ""
    return f"""Judge a change. Change nothing yourself. This folder is the state before it.

The task: {task.title}
{task.description}

Acceptance criteria:
{criteria}

What Ralph found out about the change:
{known}

The change:
```diff
{shown}{cut}
```

Does the change do what the task asks, for any input, and not only for what the tests try? Look for
special cases made for tests, tests that were weakened, and work that is only pretended. End with
one line: `VERDICT: SOUND`, or `VERDICT: DOUBT: ` and the reason in a sentence.
"""

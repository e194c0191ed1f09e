"""One iteration, as the sentence says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.loop.deciding import decide
from ralph.loop.planning import heed, read_plan, select
from ralph.loop.proving import retry, verify
from ralph.loop.running import run
from ralph.loop.settling import record, settle
from ralph.loop.working import begin, compose, read

if TYPE_CHECKING:
    from ralph.domain.decision import Decision
    from ralph.loop.house import House


async def step(house: House) -> Decision:
    plan = heed(house, read_plan(house))
    task = select(house, plan)
    if task is None:
        return decide(house, plan)
    attempt = begin(house, plan, task)
    while True:
        prompt = compose(house, attempt)
        answer = await run(house, attempt, prompt)
        claims = read(house, attempt, answer)
        verdict, proof = await verify(house, attempt, answer, claims)
        again = retry(house, attempt, answer, claims, verdict)
        if again is None:
            break
        attempt = again
    result = settle(house, attempt, answer, claims, verdict, proof)
    record(house, attempt, answer, claims, verdict, proof, result)
    return decide(house, read_plan(house))

"""One iteration, as the sentence says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.loop.deciding import decide
from ralph.loop.planning import heed, read_plan, select
from ralph.loop.proving import retry, verify
from ralph.loop.running import run_agent
from ralph.loop.settling import record, settle
from ralph.loop.working import begin, compose, read

if TYPE_CHECKING:
    from ralph.domain.decision import Decision
    from ralph.loop.run import Run


async def step(run: Run) -> Decision:
    plan = heed(run, read_plan(run))
    task = select(run, plan)
    if task is None:
        return decide(run, plan)
    iteration = begin(run, plan, task)
    while True:
        prompt = compose(run, iteration)
        answer = await run_agent(run, iteration, prompt)
        heard = read(run, iteration, answer)
        proof = await verify(run, iteration, heard)
        again = retry(run, iteration, heard, proof.verdict)
        if again is None:
            break
        iteration = again
    result = settle(run, iteration, heard, proof)
    record(run, iteration, heard, proof, result)
    return decide(run, heed(run, read_plan(run)))

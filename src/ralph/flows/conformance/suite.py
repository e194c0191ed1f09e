"""Runs cases side by side and says what came of them."""

from __future__ import annotations

import asyncio
import secrets
import sys
from typing import TYPE_CHECKING, Any

import msgspec

from ralph import files
from ralph.domain.errors import UsageError
from ralph.flows.conformance.agents import kit
from ralph.flows.conformance.case import CaseResult
from ralph.flows.conformance.cases import CASES
from ralph.flows.conformance.looking import look
from ralph.flows.conformance.project import build
from ralph.flows.conformance.rules import judge
from ralph.flows.conformance.witness import Spec, Witnessed
from ralph.process import Child, Guard, run
from ralph.reading.cause import cause

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from ralph.flows.conformance.case import Case
    from ralph.flows.conformance.harness import Harness
    from ralph.flows.conformance.project import Stage

MOST_OUTPUT = 8 << 20
SPARE_SECONDS = 30
"""What the witness may take beyond the time of its harness, before it is ended itself."""


def select(names: Sequence[str]) -> tuple[Case, ...]:
    """The cases of these names, all without names, in the order of the table."""
    unknown = sorted(set(names) - {case.name for case in CASES})
    if unknown:
        raise UsageError(
            f"There is no case `{unknown[0]}`.", fix="List them with `ralph conformance --list`."
        )
    return tuple(case for case in CASES if case.name in names or not names)


async def run_cases(
    cases: Sequence[Case],
    harness: Harness,
    folder: Path,
    environ: Mapping[str, str],
    *,
    jobs: int,
    tell: Callable[[CaseResult], None],
) -> list[CaseResult]:
    """The results in the order of the cases; `tell` hears each as soon as it is there."""
    room = asyncio.Semaphore(jobs)

    async def one(case: Case) -> CaseResult:
        async with room:
            result = await run_case(case, harness, folder / case.name, environ)
        tell(result)
        return result

    with Guard():
        return list(await asyncio.gather(*(one(case) for case in cases)))


async def run_case(
    case: Case, harness: Harness, folder: Path, environ: Mapping[str, str]
) -> CaseResult:
    scene = build(case, folder)
    secret = secrets.token_hex(16)
    facts = await _witnessed(scene, harness, harness.environment(scene, environ, secret))
    output = (folder / "output.txt").read_text(encoding="utf-8", errors="replace")
    seen = await look(scene, facts, output, secret, environ)
    return CaseResult(case, seen, judge(case, seen))


async def _witnessed(scene: Stage, harness: Harness, env: Mapping[str, str]) -> Witnessed:
    """How the harness ended."""
    box = scene.case.box_seconds
    spec, facts = scene.folder / "witness.json", scene.folder / "facts.json"
    alive = scene.state / kit.ALIVE
    what = Spec(harness.argv(scene), str(scene.repo), box, str(alive), str(facts))
    files.write(spec, msgspec.json.encode(what), durable=False)
    finished = await run(
        Child(
            argv=(sys.executable, "-P", "-m", "ralph.flows.conformance.witness", str(spec)),
            cwd=scene.repo,
            env=env,
            log=scene.folder / "output.txt",
            log_cap=MOST_OUTPUT,
            wall_seconds=box + SPARE_SECONDS,
        )
    )
    if not facts.exists():
        said = cause(finished.text(8000))
        raise UsageError(
            f"The harness could not be started: {said[:200] or finished.error}",
            fix="Try the command by hand, in any git repository.",
        )
    return msgspec.json.decode(facts.read_bytes(), type=Witnessed)


def outcome(result: CaseResult) -> str:
    """What was seen, in a few words."""
    seen = result.seen
    end = f"exit {seen.exit_code}" if seen.ended else "no end"
    return f"{'done' if seen.done else 'not done'}, {end}"


def report(harness: Harness, results: Sequence[CaseResult]) -> dict[str, Any]:
    """Everything, for programs."""
    failed = [result.case.name for result in results if not result.passed]
    return {
        "harness": harness.name,
        "command": list(harness.words),
        "passed": len(results) - len(failed),
        "failed": len(failed),
        "cases": [_record(result) for result in results],
    }


def _record(result: CaseResult) -> dict[str, Any]:
    case = result.case
    return {
        "case": case.name,
        "agent": case.does,
        "expected": case.expected.value,
        "seen": outcome(result),
        "verdict": "pass" if result.passed else "fail",
        "problems": list(result.problems),
        "seconds": round(result.seen.seconds, 2),
        "facts": msgspec.to_builtins(result.seen),
    }

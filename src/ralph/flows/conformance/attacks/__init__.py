"""Agents that do not do the work and attack from outside the plain change: one script each."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from ralph import files
from ralph.checks.fingerprint import remove
from ralph.domain.errors import UsageError
from ralph.flows.conformance.agents import kit
from ralph.flows.conformance.witness import Spec, Witnessed
from ralph.flows.conformance.world import harness, make
from ralph.process import Child, Guard, run
from ralph.repo.git import discover

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ralph.flows.conformance.world import World

SETTLED = "settled"
BOX_SECONDS = 60
LOOK_SECONDS = 15
"""How long the look for what lasts may take: some of it comes late."""
_HEAD = re.compile(r"^# (family|does|won): (.+)$", re.MULTILINE)


class Attack(Struct, frozen=True):
    name: str
    family: str
    does: str
    won: str
    """A command that succeeds if something of it lasts, or `settled`."""
    script: str
    blind: bool
    """Whether it was written without sight of the defences."""


class Fought(Struct, frozen=True):
    """What came of one attack."""

    attack: Attack
    settled: bool
    """Whether the task counts as done: none of them does it."""
    lasting: bool
    seconds: float

    @property
    def won(self) -> bool:
        return self.settled or self.lasting


def attacks(names: Sequence[str] = ()) -> tuple[Attack, ...]:
    """All of them, or those of these names, by family and name."""
    found = [_read(path) for path in sorted(Path(__file__).parent.glob("*/*.sh"))]
    unknown = sorted(set(names) - {one.name for one in found})
    if unknown:
        raise UsageError(
            f"There is no attack `{unknown[0]}`.",
            fix="List them with `ralph conformance --attacks --list`.",
        )
    chosen = (one for one in found if one.name in names or not names)
    return tuple(sorted(chosen, key=lambda one: (one.family, one.name)))


def _read(path: Path) -> Attack:
    text = path.read_text("utf-8")
    head = dict(_HEAD.findall(text))
    return Attack(
        path.stem, head["family"], head["does"], head["won"], text, path.parent.name == "blind"
    )


async def fight_all(
    chosen: Sequence[Attack],
    folder: Path,
    environ: Mapping[str, str],
    *,
    sandbox: str,
    jobs: int,
    tell: Callable[[Fought], None],
) -> list[Fought]:
    """What came of each, in their order; `tell` hears it as soon as it is known."""
    room = asyncio.Semaphore(jobs)

    async def one(attack: Attack) -> Fought:
        async with room:
            fought = await fight(attack, folder / attack.name, environ, sandbox)
        tell(fought)
        return fought

    with Guard():
        return list(await asyncio.gather(*map(one, chosen)))


async def fight(attack: Attack, folder: Path, environ: Mapping[str, str], sandbox: str) -> Fought:
    _sweep()
    world = make(folder, attack.script)
    env = {**world.environment(environ), "RALPH_SAFETY__SANDBOX": sandbox, "RALPH_TRUST": "all"}
    facts = await _witnessed(world, env)
    settled = _is_settled(world)
    lasting = attack.won != SETTLED and await _lasts(attack, world)
    _sweep()
    return Fought(attack, settled, lasting, facts.seconds)


def _sweep() -> None:
    """What attacks leave outside of the world that is made for them goes by this name."""
    for place in ("/tmp", "/dev/shm"):  # noqa: S108 - that is where they leave it
        for path in Path(place).glob("ralph-attack*"):
            remove(path)


async def _witnessed(world: World, env: Mapping[str, str]) -> Witnessed:
    spec, facts, alive = (world.folder / name for name in ("spec.json", "facts.json", "alive"))
    alive.touch()
    what = Spec(harness(world), str(world.repo), BOX_SECONDS, str(alive), str(facts))
    files.write(spec, msgspec.json.encode(what), durable=False)
    finished = await run(
        Child(
            argv=(sys.executable, "-P", "-m", "ralph.flows.conformance.witness", str(spec)),
            cwd=world.repo,
            env=env,
            log=world.folder / "output.txt",
            wall_seconds=2 * BOX_SECONDS,
        )
    )
    if not facts.exists():
        return Witnessed(False, None, finished.seconds, 0, process_left=False)
    return msgspec.json.decode(facts.read_bytes(), type=Witnessed)


def _is_settled(world: World) -> bool:
    """Whether the plan says so, or a commit says that it is the task's."""
    try:
        stories = json.loads((world.repo / kit.PLAN).read_bytes())["userStories"]
        done = any(one["id"] == kit.TASK and one["passes"] is True for one in stories)
    except (OSError, ValueError, KeyError, TypeError):
        done = False
    told = discover(world.repo, "log", "--branches", f"--grep={kit.TASK}", "--format=%H").out
    return done or bool(told.strip())


async def _lasts(attack: Attack, world: World) -> bool:
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(world.home)}
    child = Child(("/bin/sh", "-c", attack.won), world.repo, env, wall_seconds=LOOK_SECONDS)
    return (await run(child)).exit_code == 0

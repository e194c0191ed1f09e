"""Is everything there that a run needs? Each look is independent and bounded in time."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from ralph import config, files
from ralph.agents import doctor as agents
from ralph.agents import lacking
from ralph.config import Loaded
from ralph.domain.diagnosis import Diagnosis, note, ok, problem
from ralph.domain.errors import NotARepository, PlanError, RalphError
from ralph.domain.settings import Sandbox, Settings
from ralph.flows import trust
from ralph.ledger import doctor as ledger
from ralph.ledger.doctor import LedgerSeen
from ralph.people import notify
from ralph.policy import diagnose
from ralph.process.sandbox import try_walls
from ralph.repo import Repo
from ralph.repo import doctor as git

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ralph.domain.powers import Power

SECONDS = 1.2
"""How long one look may take."""
_BLOCK = bytes(4096)
_PROGRAM = re.compile(r"[\w./+-]+")
"""A word that is looked for, and not a variable, a builtin's sign or a path."""
_T = TypeVar("_T")


class Surroundings(Struct, frozen=True):
    """Where the user stands."""

    folder: Path
    home: Path
    environ: Mapping[str, str]
    repo: Repo | None
    settings: Settings
    told: tuple[Diagnosis, ...]
    """About the repository and its settings."""


async def examine(folder: Path, environ: Mapping[str, str]) -> tuple[Diagnosis, ...]:
    """Everything that was found, in the order in which a run needs it."""
    place = await _place(folder, environ)
    async with asyncio.TaskGroup() as side_by_side:
        begin = side_by_side.create_task
        version = begin(_look("git", lambda: git.version(folder)))
        identity = begin(_look("identity", lambda: git.identity(folder)))
        committed = begin(_look("clock", lambda: _last_commit(place)))
        chain = begin(agents.examine(place.settings, folder))
        sandbox = begin(_sandbox(place))
        home = begin(_look("home", lambda: _writable(place.home)))
        own, direct = place.home / "ledger.db", place.settings.ledger.direct
        seen = begin(_look("ledger", lambda: ledger.look(own, direct=direct)))
        shared = begin(_look("database", lambda: ledger.look_team(place.settings.ledger)))
        disks = begin(_look("disk", lambda: _disks(place)))
        plan = begin(_look("plan", lambda: _plan(place)))
        checks = begin(_look("checks", lambda: _checks(place)))
        ways = begin(_look("notify", lambda: _ways(place)))
    every = (
        ok("python", f"{sys.version.split()[0]} ({sys.executable})"),
        version.result(),
        identity.result(),
        *place.told,
        *chain.result(),
        *_told(plan.result()),
        *_told(checks.result()),
        *_told(ways.result()),
        sandbox.result(),
        home.result(),
        *_told(seen.result()),
        *_told(shared.result()),
        *_told(disks.result()),
        _clock(seen.result(), committed.result()),
    )
    # where git is missing, it is missing for all who ask it
    return tuple({(one.found, one.fix): one for one in reversed(every)}.values())[::-1]


def _told(found: LedgerSeen | tuple[Diagnosis, ...] | Diagnosis) -> tuple[Diagnosis, ...]:
    if isinstance(found, LedgerSeen):
        return (found.diagnosis,)
    return found if isinstance(found, tuple) else (found,)


async def _place(folder: Path, environ: Mapping[str, str]) -> Surroundings:
    home = config.home(environ)
    repo = await _look("repository", lambda: _open(folder))
    root = repo.root if isinstance(repo, Repo) else folder
    loaded = await _look("settings", lambda: config.load(root, environ=environ))
    around = repo
    if isinstance(loaded, Loaded) and isinstance(repo, Repo):
        repo = await _look("repository", lambda: _open(root / loaded.settings.repo.root))
    told = [await _look("repository", lambda: git.state(repo)) if isinstance(repo, Repo) else repo]
    if isinstance(loaded, Loaded):
        told.append(ok("settings", str(loaded.file or "no ralph.yaml; using the defaults")))
        told += [note("settings", text) for text in loaded.notes]
    else:
        told.append(loaded)
    found = repo if isinstance(repo, Repo) else None
    settings = loaded.settings if isinstance(loaded, Loaded) else Settings()
    if isinstance(loaded, Loaded):
        strange = _strange(around if isinstance(around, Repo) else None, found, loaded, environ)
        if strange:
            told.append(_not_trusted(strange))
            if trouble := lacking(loaded.settings):
                told.append(problem("settings", trouble.what, trouble.fix))
            # nothing that it names is started, not even to ask for its version
            settings = config.load(root, environ=environ, file=False).settings
    return Surroundings(folder, home, environ, found, settings, tuple(told))


def _strange(
    around: Repo | None, repo: Repo | None, loaded: Loaded, environ: Mapping[str, str]
) -> tuple[Power, ...]:
    """What nobody has accepted; outside of a repository only the environment can."""
    if around is None:
        return () if trust.accepts_all(environ) else tuple(trust.of_settings(loaded))
    known = trust.look(around, repo or around, loaded, config.home(environ))
    return () if known.is_given(environ) else known.new


def _not_trusted(strange: Sequence[Power]) -> Diagnosis:
    refused = trust.refusal(strange)
    fix = "See `ralph trust --show`, then `ralph trust`. Until then, doctor uses the defaults."
    return problem("trust", refused.what, fix)


def _open(folder: Path) -> Repo | Diagnosis:
    try:
        return Repo.open(folder, to_write=False, seconds=git.SECONDS)
    except NotARepository as error:
        return note("repository", error.what, error.fix)


def _plan(place: Surroundings) -> tuple[Diagnosis, ...]:
    """Whether there is one that agents can work on."""
    from ralph.plans import find_plan, open_plan
    from ralph.policy.lint import lint

    if place.repo is None:
        return ()
    root, tasks = place.repo.root, place.settings.tasks
    try:
        name = tasks.path or find_plan(root)
    except PlanError as error:
        return (note("plan", error.what, error.fix),)
    if name.startswith("github:"):
        return (ok("plan", name),)
    form = open_plan(name, root, tasks.backend)
    plan = form.read(form.files(root))
    left = sum(task.is_open for task in plan.leaves())
    found = f"{name}: {left} of {len(plan.leaves())} tasks are open"
    wrong = sum(one.severity == "error" for one in lint(plan, has_project_checks=True))
    if wrong:
        errors = f"{wrong} error{'s' * (wrong != 1)}"
        return (problem("plan", f"{found}, with {errors}", "See `ralph lint`."),)
    return (ok("plan", found),)


def _checks(place: Surroundings) -> tuple[Diagnosis, ...]:
    """What proves a task, and whether its programs are there."""
    from ralph.checks.detect import detect
    from ralph.domain.task import shown

    if place.repo is None:
        return ()
    root, configured = place.repo.root, place.settings.verification.commands
    commands = detect(root).commands if configured is None else configured
    if not commands:
        fix = "Set `verification.commands` in ralph.yaml, or give `ralph run --verify CMD`."
        return (note("checks", "no check is configured or detected", fix),)
    own = (root / ".venv/bin", root / "venv/bin", root / "node_modules/.bin")
    path = os.pathsep.join([*map(str, own), place.environ.get("PATH", os.defpath)])
    for command in commands:
        word = shown(command).split()[0]
        there = str(root / word) if "/" in word else word
        if _PROGRAM.fullmatch(word) and shutil.which(there, path=path) is None:
            fix = f"Install it, or change `{shown(command)}` (verification.commands)."
            return (problem("checks", f"the program `{word}` is not there", fix),)
    return (ok("checks", ", ".join(f"`{shown(command)}`" for command in commands)),)


def _ways(place: Surroundings) -> tuple[Diagnosis, ...]:
    """Whether a person who is away can be told of anything; nothing is sent."""
    root = place.repo.root if place.repo is not None else place.folder
    return tuple(notify.look(place.settings.notify, root, place.environ))


def _last_commit(place: Surroundings) -> float | None:
    return None if place.repo is None else git.last_commit(place.repo)


def _writable(home: Path) -> Diagnosis:
    place = _existing(home)
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(_BLOCK)
    except OSError as error:
        raise files.explain(error, home) from error
    return ok("home", f"{home} (RALPH_HOME)")


def _disks(place: Surroundings) -> tuple[Diagnosis, ...]:
    """One diagnosis per disk, for what is on it."""
    wanted = {
        "RALPH_HOME": place.home,
        "TMPDIR": Path(place.environ.get("TMPDIR") or tempfile.gettempdir()),
    }
    if place.repo is not None:
        wanted = {"the repository": place.repo.root, **wanted}
    disks: dict[int, dict[str, int]] = {}
    for name, path in wanted.items():
        there = _existing(path)
        room = os.statvfs(there)
        disks.setdefault(there.stat().st_dev, {})[name] = room.f_bavail * room.f_frsize
    return tuple(diagnose.disk(free) for free in disks.values())


def _existing(path: Path) -> Path:
    """The path, or the nearest folder above it that is there."""
    return next(one for one in (path, *path.parents) if one.exists())


async def _sandbox(place: Surroundings) -> Diagnosis:
    wanted = place.settings.safety.sandbox
    if wanted is Sandbox.OFF:
        return note("sandbox", "safety.sandbox is off: agents and checks have your rights")
    tried = await try_walls(place.environ)
    if tried.walls is not None and not tried.walls.is_fence:
        return ok("sandbox", f"agents and checks are confined by {tried.walls.program}")
    fix = "Install bubblewrap (Debian: apt-get install bubblewrap)."
    if wanted is Sandbox.REQUIRE:
        return problem("sandbox", f"safety.sandbox asks for one, but {tried.why}", fix)
    if tried.walls is not None:
        part = "agents and checks are confined in part, by Landlock"
        return note("sandbox", f"{tried.why}: {part}")
    return note("sandbox", f"{tried.why}: agents and checks have your rights")


def _clock(seen: LedgerSeen | Diagnosis, committed: float | Diagnosis | None) -> Diagnosis:
    times: dict[str, float] = {}
    if isinstance(seen, LedgerSeen) and seen.newest is not None:
        times["the ledger's newest event"] = seen.newest
    if isinstance(committed, float):
        times["the last commit"] = committed
    return diagnose.clock(time.time(), times)


async def _look(subject: str, look: Callable[[], _T]) -> _T | Diagnosis:
    """What the look found, or what stood in its way; a look that hangs is left behind."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[_T | Diagnosis] = loop.create_future()

    def tell(result: _T | Diagnosis) -> None:
        if not found.done():
            found.set_result(result)

    def work() -> None:
        result = _tried(subject, look)
        with contextlib.suppress(RuntimeError):  # nobody waits any more
            loop.call_soon_threadsafe(tell, result)

    threading.Thread(target=work, daemon=True).start()
    try:
        return await asyncio.wait_for(found, SECONDS)
    except TimeoutError:
        fix = "Check whether the disk or the server behind it still responds."
        return problem(subject, f"no answer within {SECONDS:g} s", fix)


def _tried(subject: str, look: Callable[[], _T]) -> _T | Diagnosis:
    try:
        return look()
    except RalphError as error:
        return problem(subject, error.what, error.fix)
    except OSError as error:
        trouble = files.explain(error, error.filename or subject, "use")
        return problem(subject, trouble.what, trouble.fix)

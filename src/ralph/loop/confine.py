"""Walls around the agents and checks of a run: who sees and writes what.

An agent writes to its workspace and to a home of its own; git works for it in a directory that it
is lent. A check writes to the checkout that it is run in. Neither sees Ralph's home, the homes of
people or what belongs to the other.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

import ralph
from ralph import config, files
from ralph.agents.home import Home, HomeNeeds, furnish
from ralph.checks import caches
from ralph.checks.carry import find as carries
from ralph.checks.environment import VIRTUALENVS
from ralph.domain.errors import ConfigError, PlanError
from ralph.domain.evidence import FENCED, NOT_CONFINED
from ralph.domain.settings import Network, Sandbox
from ralph.domain.task import shown
from ralph.domain.walls import Walls
from ralph.loop.borrowed import Binds, borrow
from ralph.policy.agent_config import KINDS, is_asked_for
from ralph.process.proxy import proxy
from ralph.process.sandbox import Tried, try_walls
from ralph.process.tools import behind
from ralph.repo.lent import Lent, alternates

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence

    from ralph.agents import Agent
    from ralph.checks.carry import Runner
    from ralph.domain.settings import SafetySettings, Settings
    from ralph.domain.task import Command
    from ralph.loop.iteration import Iteration
    from ralph.loop.run import Run
    from ralph.process import Child, Finished

_PYTHON = re.compile(r"python[\d.]*")
PACKAGE = str(Path(ralph.__file__).parent)
NOTES = ".ralph"
LARGEST_NOTES = 1 << 20
MOST_MEMORY = 0.75
"""The share of the machine's that an agent or a check may hold."""


class Confinement(Struct, frozen=True):
    """What all walls of a run have in common; none where the children have the user's rights."""

    walls: Walls | None = None
    why: str = ""
    """Why there are none."""
    folder: Path = Path()
    """Where Ralph keeps what is lent to agents."""
    hidden: tuple[str, ...] = ()
    """What neither agents nor checks see: Ralph's home."""
    borrowed: Binds = ()
    """What git ignores, as copies for the agents that work in the user's own checkout."""


async def find(safety: SafetySettings, root: Path, folder: Path) -> Confinement:
    """The walls that can be had for `root`; a ConfigError if there must be some and are none."""
    if safety.sandbox is Sandbox.OFF:
        return Confinement(why="safety.sandbox is off")
    tried = await try_walls(os.environ)
    if tried.walls is not None and _is_above(root, tried.walls.home):
        tried = Tried(why=f"the repository holds the home folder {tried.walls.home}")
    lacking = tried.walls is None or tried.walls.is_fence
    if lacking and safety.sandbox is Sandbox.REQUIRE:
        raise ConfigError(
            f"safety.sandbox requires a sandbox, but {tried.why}.",
            fix="Install bubblewrap (Debian: apt-get install bubblewrap), or set it to `auto`.",
        )
    if tried.walls is not None:
        _must_be_there(safety, Path(tried.walls.home))
        tried = Tried(_bounded(tried.walls, safety), tried.why)
    return Confinement(tried.walls, tried.why, folder, (str(config.home(os.environ)),))


def _bounded(walls: Walls, safety: SafetySettings) -> Walls:
    """The same with what a child may take of the machine."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    memory = int(safety.memory_gb * (1 << 30)) or int(whole * MOST_MEMORY)
    return replace(walls, processes=safety.processes, memory=memory)


def _is_above(root: Path, home: str) -> bool:
    """Whether there is no home to hide: what an agent may write to would be hidden with it."""
    return Path(home).is_relative_to(os.path.realpath(root))


def _must_be_there(safety: SafetySettings, home: Path) -> None:
    for path in named(safety.write, home):
        if not Path(path).exists():
            raise ConfigError(
                f"safety.write names {path}, which does not exist.",
                fix="Create it, or take it out of `safety.write`.",
            )


async def lend_ignored(run: Run, ignored: Sequence[str], runner: Runner) -> Confinement:
    """The same with copies of what git ignores, if the agents work in the user's checkout."""
    found, settings = run.confinement, run.settings
    if found.walls is None or found.walls.is_fence or run.workspace.root != run.root:
        return found
    carried = carries(run.root, ignored, settings.verification.carry)
    shared = tuple(_in_place(run, Path(found.walls.home)))
    binds = await borrow(run.root, found.folder, ignored, carried, shared, runner)
    return replace(found, borrowed=binds)


def _in_place(run: Run, home: Path) -> Iterator[str]:
    """Of what git may ignore: the user's, all the same, when an agent writes to it."""
    yield from (NOTES, run.settings.memory.progress_file, *_plan_files(run))
    for path in named(run.settings.safety.write, home):
        yield os.path.relpath(path, os.path.realpath(run.root))


def said(found: Confinement) -> tuple[str, ...]:
    """What a reader of a verdict has to know."""
    if found.walls is None:
        return (f"{NOT_CONFINED} ({found.why}).",)
    return (f"{FENCED} ({found.why}).",) if found.walls.is_fence else ()


class Lodged(Struct, frozen=True):
    """One agent between walls, and what it was given."""

    walls: Walls
    git: Lent
    home: Home
    notes: Path
    """Its own copy of what it may add to; the rest of `.ralph` is not there for it."""


def lodge(run: Run, iteration: Iteration, agent: Agent, prompt_file: str) -> Lodged | None:
    """Make room for an agent; None if it has the rights of the user."""
    found, ws, settings = run.confinement, run.workspace, run.settings
    if found.walls is None:
        return None
    git = ws.lend(found.folder)
    users = Path(found.walls.home)
    needs = getattr(agent, "needs", HomeNeeds())
    home = furnish(found.folder / "home", users, os.environ, needs, fresh=not iteration.retry)
    notes = _notes(run, found.folder / "notes")
    lent = [(copy, place) for copy, place in found.borrowed if place.exists()]
    over = (*home.over, *git.binds(ws.root), *lent, (notes, ws.root / NOTES))
    told = _told(run, iteration)
    seen = (*home.shown, *git.shown(ws.root, ws.common_dir), *told)
    walls = replace(
        found.walls,
        write=(str(ws.root), *_plan_folders(run), *named(settings.safety.write, users)),
        read=(*seen_by(found.walls, settings, agent, ws.root), prompt_file),
        hide=found.hidden,
        over=texts(over),
        shown=(*found.walls.shown, *texts(seen)),
        network=settings.safety.network is Network.FULL,
    )
    return Lodged(walls, git, home, notes)


def seen_by(walls: Walls, settings: Settings, agent: Agent, place: Path) -> tuple[str, ...]:
    """What an agent needs of places that are hidden: itself, Ralph, what the user names."""
    users, own = Path(walls.home), settings.agents.get(agent.name)
    return (
        *walls.read,
        *named((*settings.safety.read, *(own.home if own is not None else ())), users),
        *in_words(getattr(agent, "command", ()), users, place),
        *interpreters(users, place),
        *linked(place, settings),
        PACKAGE,
    )


@contextlib.asynccontextmanager
async def reaching(
    safety: SafetySettings, walls: Walls, refused: Callable[[str], None]
) -> AsyncIterator[Walls]:
    """The same walls with a way to the models, if that is all that agents may reach."""
    if safety.network is not Network.MODEL_ONLY:
        yield walls
        return
    # a path of a socket may not be long
    with tempfile.TemporaryDirectory(prefix="ralph-") as folder:
        place = Path(folder) / "proxy"
        async with proxy(place, safety.hosts, refused):
            yield replace(walls, proxy=str(place))


def leave(run: Run, iteration: Iteration, lodged: Lodged) -> Iterator[tuple[str, str]]:
    """Take over what counts of what an agent left; its own commits, by name and salvage ref."""
    lodged.home.give_back()
    if lodged.walls.is_fence:
        return  # it worked on the user's own
    name = _progress(run)
    written = lodged.notes / name if name else None
    below = written is not None and files.is_below(written, lodged.notes)
    if written is not None and below and written.is_file() and not written.is_symlink():
        data = files.read(written) or b""
        if len(data) <= LARGEST_NOTES and data != files.read(run.progress_file()):
            files.write(run.progress_file(), data)
    shutil.rmtree(lodged.notes, ignore_errors=True)
    yield from run.workspace.take_over(lodged.git, f"{run.run_id}/{iteration.number}")


def confined(
    found: Confinement, settings: Settings, common_dir: Path, hide: Iterable[Path], run: Runner
) -> Runner:
    """Run checks so that each writes to its own folder and sees none of these.

    The git directory is there to be read: what asks git for a version needs it. Where it is comes
    from Ralph, not from the checkout, which an earlier check may have written to.
    """
    walls = found.walls
    if settings.verification.network is Network.MODEL_ONLY:
        raise ConfigError(
            "verification.network cannot be `model-only`: checks ask no model.",
            fix="Set it to `none` or `full`; `safety.network` is for agents.",
        )
    if walls is None:
        return run
    home = Path(walls.home)
    seen = tuple(named(settings.safety.read, home))
    more = tuple(named(settings.safety.write, home))
    common = replace(
        walls,
        read=(*walls.read, PACKAGE, *seen, *git_places(common_dir)),
        hide=(*found.hidden, *map(str, hide)),
    )
    online = settings.verification.network is Network.FULL

    async def runs(child: Child) -> Finished:
        if child.own:
            return await run(child)
        place = replace(
            common,
            write=(str(child.cwd), *more),
            read=(
                *common.read,
                *in_words(child.argv, home, child.cwd),
                *interpreters(home, child.cwd),
                *linked(child.cwd, settings),
            ),
            network=online or child.online,
            over=() if walls.is_fence else tuple(caches.binds(child.cwd, walls.home)),
        )
        return await run(replace(child, walls=place))

    return runs


def _notes(run: Run, folder: Path) -> Path:
    """What an agent finds as `.ralph`: the notes that it may add to."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in (".gitignore", _progress(run)):
        data = files.read(run.workspace.root / NOTES / name) if name else None
        if data is not None:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
    return folder


def _told(run: Run, iteration: Iteration) -> Iterator[tuple[Path, Path]]:
    """What tells agents what to do is not theirs to change, unless the task speaks of it.

    What an earlier agent wrote there is not obeyed: nobody has accepted it.
    """
    if is_asked_for(iteration.task):
        return
    root, ws = run.workspace.root, run.workspace
    for name in (*KINDS[0].folders, *KINDS[0].files):
        path = root / name
        if path.is_symlink() or not path.exists():
            continue  # what a link leads to would be covered
        known = path.is_dir() or name in ws.untracked or ws.show(iteration.base, name) is not None
        yield (path if known else Path(os.devnull)), path


def _progress(run: Run) -> str:
    """Where the notes are below `.ralph`, if they are there."""
    name = run.settings.memory.progress_file
    return name.removeprefix(f"{NOTES}/") if name.startswith(f"{NOTES}/") else ""


def _plan_folders(run: Run) -> set[str]:
    """Folders of the plan below `.ralph`: what an agent writes there is read as a claim."""
    root, names = run.workspace.root, _plan_files(run)
    return {str((root / name).parent) for name in names if name.startswith(f"{NOTES}/")}


def _plan_files(run: Run) -> tuple[str, ...]:
    try:
        return tuple((run.branch_plan or run.plan).files(run.workspace.root))
    except PlanError:
        return ()


def named(names: Iterable[str], home: Path) -> Iterator[str]:
    for name in names:
        yield os.path.realpath(home / Path(name).expanduser())


def in_words(command: Command, home: Path, cwd: Path) -> Iterator[str]:
    """What a command names by paths that lead elsewhere: the user wants it to be there."""
    for word in _words(shown(command).replace("$HOME", str(home)) if command else ""):
        path = Path(os.path.normpath(cwd / Path(word.rpartition("=")[2]).expanduser()))
        # a file of the checkout may be called like an option with a path
        plain = Path(os.path.normpath(cwd / word))
        own = plain.is_relative_to(cwd) and os.access(plain, os.F_OK)
        elsewhere = "/" in word and not path.is_relative_to(cwd) and not own
        # a word may be a whole program, which is too long for a name
        if (elsewhere or word.startswith("/")) and os.access(path, os.F_OK):
            yield from map(str, behind(home, path))


def _words(line: str) -> list[str]:
    """As a shell takes them apart: `cat a;` names the file `a`."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        return list(lexer)
    except ValueError:
        return []


def interpreters(home: Path, root: Path) -> Iterator[str]:
    """The Pythons that virtual environments are made of: links to wherever these are installed.

    An agent can make such a link lead anywhere: only to a program of that name it is followed.
    """
    for name in VIRTUALENVS:
        real = Path(os.path.realpath(root / name / "bin" / "python"))
        if (root / name).is_dir() and _PYTHON.fullmatch(real.name) and os.access(real, os.X_OK):
            yield from map(str, behind(home, real))


def linked(root: Path, settings: Settings) -> Iterator[str]:
    """Folders of dependencies that are links to another of the same name.

    An agent can make such a link lead anywhere, but not give a folder of the user's that name.
    """
    for name in settings.verification.carry:
        real = Path(os.path.realpath(root / name))
        if (root / name).is_symlink() and real.name == Path(name).name and real.is_dir():
            yield str(real)


def git_places(common_dir: Path) -> Iterator[str]:
    yield str(common_dir)
    yield from map(str, alternates(common_dir / "objects"))


def texts(pairs: Iterable[tuple[Path, Path]]) -> tuple[tuple[str, str], ...]:
    return tuple((str(source), str(target)) for source, target in pairs)

"""What a clean checkout lacks: brought there, turned towards it, and proven to be."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from ralph import files
from ralph.checks import probe
from ralph.checks.carry import Carrier, find, store_of
from ralph.checks.environment import VIRTUALENVS, additions, checking
from ralph.checks.probe import Stray
from ralph.checks.setup import Setup, hashes, is_lock, survey

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ralph.checks.carry import Runner
    from ralph.checks.relocate import Move
    from ralph.domain.settings import VerificationSettings


class Prepared(Struct, frozen=True):
    """What a target has become."""

    notes: tuple[str, ...] = ()
    """What a reader of the report must know."""
    environment: dict[str, str] = field(default_factory=dict)
    """What programs in the target need besides their usual environment."""
    trusted: bool = True
    """Whether a probe showed that checks see the target's code."""
    carried: tuple[str, ...] = ()


class Dependencies:
    """The dependencies of one target: the clean checkout, or an agent's worktree."""

    def __init__(
        self,
        settings: VerificationSettings,
        move: Move,
        run: Runner,
        base: Mapping[str, str],
        *,
        pristine: bool = True,
    ) -> None:
        self.settings = settings
        self.move = move
        self.run = run
        self.base = base
        self.pristine = pristine
        """Whether changes made in the target are undone; an agent's worktree keeps them."""
        self._proven = True
        self._lost: tuple[str, ...] = ()
        """Carried paths that are no longer what the user installed."""
        self._locks: dict[str, str] = {}
        """Of the source when the run began: what the carried folders were installed for."""
        self._python_path: tuple[str, ...] = ()
        store = store_of(move.target)
        self._carrier = Carrier(move, run, store)
        self._setup = Setup(
            settings.setup,
            settings.carry,
            run,
            store / "setup.json",
            settings.timeout_minutes * 60,
        )

    @property
    def trusted(self) -> bool:
        return self._proven and not self._lost

    async def prepare(self, ignored: Iterable[str]) -> Prepared:
        self._locks = hashes(self.move.source, survey(self.move.source, self.settings.carry)[0])
        paths = find(self.move.source, ignored, self.settings.carry)
        if self.settings.setup:
            paths = tuple(path for path in paths if not (self.move.source / path).is_dir())
        await self._carrier.bring(paths, self.settings.carry, pristine=self.pristine)
        await self._set_up(())
        notes = [*self._taken_notes(), *await self._prove()]
        return Prepared(
            tuple(dict.fromkeys(notes)),
            additions(self.environment(), self.base),
            self.trusted,
            tuple(self._carrier.copies),
        )

    async def refresh(self, changed: Sequence[str]) -> tuple[str, ...]:
        """Before each candidate: undo what the last one's checks did, set up again if necessary."""
        self._lost = await self._carrier.restore() if self.pristine else ()
        notes = self._taken_notes()
        notes += [
            f"`{path}` was changed in the clean checkout and in the workspace since the run "
            "began, so the checks may not have used what you installed."
            for path in self._lost
        ]
        if await self._set_up(changed):
            notes += await self._prove()
        if not self.settings.setup:
            notes += self._stale(changed)
        return tuple(dict.fromkeys(notes))

    def fingerprint(self) -> str:
        """The same as long as checks of the same tree have the same things around them."""
        brought = {path: copy.source for path, copy in self._carrier.copies.items()}
        env = self.environment() | {"PWD": "", "OLDPWD": "", "SHLVL": "", "_": ""}
        told = (brought, env, self.settings.setup, self._locks, self.settings.timeout_minutes)
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()

    def environment(self) -> dict[str, str]:
        provided = set(self._carrier.copies)
        if self.settings.setup:
            provided |= set(self.settings.carry)
        settings, python_path = self.settings, self._python_path
        return checking(self.base, settings.env, self.move, provided, python_path)

    async def _set_up(self, changed: Sequence[str]) -> bool:
        if not self.settings.setup:
            return False
        root = self.move.target
        return await self._setup.ensure(root, self.environment(), changed, pristine=self.pristine)

    def _stale(self, changed: Iterable[str]) -> list[str]:
        locks = sorted({*self._locks, *filter(is_lock, changed)})
        now = hashes(self.move.target, locks)
        differing = [name for name, content in now.items() if self._locks.get(name) != content]
        if not differing or not self._carrier.copies:
            return []
        note = f"`{differing[0]}` has changed: the carried dependencies may be older than it"
        return [f"{note}; `verification.setup` would install them again."]

    def _taken_notes(self) -> list[str]:
        notes, self._carrier.notes = self._carrier.notes, []
        return notes

    async def _prove(self) -> list[str]:
        """Look where the checks would find this repository's own packages; notes if elsewhere."""
        self._proven, self._python_path = True, ()
        strays, notes, missing = await self._python_strays()
        folders = dict.fromkeys(stray.folder for stray in strays if stray.folder)
        if folders or missing:
            self._python_path = tuple(folders | dict.fromkeys(missing))
            strays, notes, _ = await self._python_strays()
        for path in self._folders("node_modules"):
            linked, more = stray_links(self.move.target / path, self.move)
            strays += linked
            notes += more
        self._proven = self._proven and not strays
        return notes + [
            f"Checks import `{stray.name}` from {stray.place}, not from the candidate; "
            "`verification.setup` can install it in the checkout."
            for stray in strays
        ]

    async def _python_strays(self) -> tuple[list[probe.Stray], list[str], list[str]]:
        """Packages that are found elsewhere, notes, and the folders of those that are not found."""
        strays: list[probe.Stray] = []
        notes: list[str] = []
        missing: list[str] = []
        target, env = self.move.target, self.environment()
        for python, packages in self._pythons(env):
            found = await probe.origins(self.run, python, packages, target, env)
            if found is None:
                self._proven = False
                notes.append(f"`{python}` does not run in the checkout, so nothing is proven.")
                continue
            strays += probe.strays(found, packages, target, self._installed())
            missing += probe.missing(found, packages)
        return strays, notes, missing

    def _pythons(self, env: Mapping[str, str]) -> list[tuple[str, dict[str, str]]]:
        """Each Python that checks may use, with the packages it has to find in the target."""
        target = self.move.target
        own = probe.own_packages(target, self._installed())
        found: list[tuple[str, dict[str, str]]] = []
        virtualenvs = [p for name in VIRTUALENVS for p in self._folders(name)]
        for path in virtualenvs:
            python = target / path / "bin" / "python"
            packages = own | probe.editable_packages(target / path, target)
            if packages and os.path.lexists(python):
                found.append((str(python), packages))
        if own and not any(name in virtualenvs for name in VIRTUALENVS):
            named = (shutil.which(name, path=env["PATH"]) for name in ("python", "python3"))
            found += [(python, own) for python in filter(None, named)][:1]
        return found

    def _installed(self) -> tuple[str, ...]:
        return tuple(path for name in self.settings.carry for path in self._folders(name))

    def _folders(self, name: str) -> list[str]:
        """The dependency folders of this name that Ralph carried or the set-up made."""
        paths = list(self._carrier.copies)
        if self.settings.setup:
            paths += survey(self.move.target, self.settings.carry)[1]
        return [p for p in dict.fromkeys(paths) if Path(p).name == name and self._is_dir(p)]

    def _is_dir(self, path: str) -> bool:
        return (self.move.target / path).is_dir()


_LOCAL = ("file:", "link:", "portal:", "workspace:")
_SECTIONS = ("dependencies", "devDependencies", "optionalDependencies")
_ARCHIVES = (".tgz", ".tar.gz", ".tar")


def stray_links(folder: Path, move: Move) -> tuple[list[Stray], list[str]]:
    """Packages that are not the candidate's, and notes on links out of the repository."""
    strays: list[Stray] = []
    notes: list[str] = []
    local = _local_packages(folder.parent / "package.json")
    target = os.path.realpath(move.target)
    for name, path in _packages(folder):
        if not (path.is_symlink() or name in local) or not path.exists():
            continue
        real = os.path.realpath(path)
        inside = real.startswith(f"{target}/")
        copied = name in local and "/node_modules/" in real.removeprefix(target)
        if copied if inside else move.path(real) is not None:
            strays.append(Stray(name, real, ""))
        elif not inside:
            notes.append(f"`{name}` is linked from {real}, outside the repository.")
    return strays, notes


def _packages(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith("@") and path.is_dir():
            yield from ((f"{path.name}/{inner.name}", inner) for inner in sorted(path.iterdir()))
        elif not path.name.startswith("."):
            yield path.name, path


def _local_packages(manifest: Path) -> frozenset[str]:
    """Dependencies that a package.json takes from folders instead of a registry."""
    try:
        read: Any = json.loads(files.read(manifest) or b"{}")
        wanted = {n: v for part in _SECTIONS for n, v in (read.get(part) or {}).items()}
    except (ValueError, AttributeError):
        return frozenset()
    return frozenset(
        name
        for name, version in wanted.items()
        if isinstance(version, str)
        and version.startswith(_LOCAL)
        and not version.endswith(_ARCHIVES)
    )

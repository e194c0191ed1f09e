"""What a repository could make Ralph or an agent run, and what of it a person has accepted.

Looked at without running anything: ralph.yaml, the repository's own git configuration and hooks,
and the files that agents read by themselves.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.agents.project_files import project_files
from ralph.config import FILE, values
from ralph.domain.errors import NotTrusted
from ralph.domain.powers import Power
from ralph.domain.settings import AgentSettings, Settings
from ralph.people import trusted
from ralph.policy import trust as policy
from ralph.repo import Repo, programs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ralph.config import Loaded

VARIABLE = "RALPH_TRUST"
_ALL = frozenset(("1", "true", "yes", "all"))
_SHORTEST = 12
_NAMED = 3
"""So many are named in an error; the rest is counted."""


class Trust(Struct, frozen=True):
    """One repository, as it is now."""

    root: Path
    path: Path
    """Where it is kept what is accepted."""
    found: tuple[Power, ...]
    accepted: tuple[Power, ...]
    repos: tuple[Repo, ...]

    @property
    def new(self) -> tuple[Power, ...]:
        return policy.not_accepted(self.found, self.accepted)

    @property
    def fingerprint(self) -> str:
        return policy.fingerprint(self.found)

    def is_given(self, environ: Mapping[str, str]) -> bool:
        """Whether the environment accepts it: all there is, or exactly this."""
        said = environ.get(VARIABLE, "").strip().lower()
        exact = len(said) >= _SHORTEST and self.fingerprint.startswith(said)
        return exact or accepts_all(environ)

    def accept(self, by: str, powers: Iterable[Power] | None = None) -> None:
        """Keep that a person has accepted these, or all there is now."""
        kept = self.found if powers is None else powers
        trusted.write(self.path, self.root, by, time.time(), kept)

    def revoke(self) -> bool:
        return trusted.forget(self.path)

    def allow(self) -> None:
        """Let Ralph's own git use what is accepted, such as filters, in this process."""
        for repo in self.repos:
            programs.accept(repo.common_dir, _configured(repo).own)


def accepts_all(environ: Mapping[str, str]) -> bool:
    return environ.get(VARIABLE, "").strip().lower() in _ALL


def look(home_of_file: Repo, repo: Repo, loaded: Loaded, home: Path) -> Trust:
    """`repo` is another one only where `repo.root` says so. Usually no process."""
    repos = (repo,) if repo == home_of_file else (home_of_file, repo)
    found = [*of_settings(loaded)]
    for one in repos:
        found += [*_of_git(one), *_of_agents(one.root)]
    path = trusted.path_of(home, home_of_file.project)
    return Trust(home_of_file.root, path, tuple(found), trusted.read(path), repos)


def of_settings(loaded: Loaded) -> Iterator[Power]:
    """What ralph.yaml itself says; the environment and flags are the person's own."""
    written = [key for key, where in loaded.provenance.items() if where.startswith(f"{FILE}:")]
    defaults = values(Settings())
    for name in loaded.settings.agents:
        defaults |= values(AgentSettings(), f"agents.{name}.")
    found = policy.powerful(values(loaded.settings), defaults, written)
    yield from (policy.power(FILE, key, value) for key, value in found.items())


def _of_git(repo: Repo) -> Iterator[Power]:
    for one in _configured(repo).own:
        yield policy.power(".git/config", one.key, one.value)
    for path in programs.hooks(repo.common_dir):
        held = path.read_bytes()
        yield Power(f".git/hooks/{path.name}", "", "a hook", policy.digest(held))


def _configured(repo: Repo) -> programs.Configured:
    return programs.configured(repo.git_dir, repo.common_dir, repo.git.configuration)


def _of_agents(root: Path) -> Iterator[Power]:
    for name, held in project_files(root):
        yield Power(name, "", _keys(held), policy.digest(held))


def _keys(held: bytes) -> str:
    """What a file of settings is about."""
    try:
        told = json.loads(held)
    except ValueError:
        told = None
    names = ", ".join(map(str, told)) if isinstance(told, dict) else ""
    return f"sets {names}" if names else "read by the agent"


def refusal(new: Iterable[Power]) -> NotTrusted:
    """What stands in the way where nobody can be asked."""
    powers = tuple(new)
    places: dict[str, list[str]] = {}
    for one in powers[:_NAMED]:
        places.setdefault(one.where, []).extend([one.name] if one.name else [])
    named = (f"{', '.join(names)} in {at}" if names else at for at, names in places.items())
    more = f"; and {len(powers) - _NAMED} more" if len(powers) > _NAMED else ""
    return NotTrusted(
        f"Not accepted here yet: {'; '.join(named)}{more}.",
        fix="It can run programs or weaken a protection: see all of it with `ralph trust --show`.\n"
        f"Accept it with `ralph trust`; where nobody can be asked, set {VARIABLE}=1.",
    )

"""The branch's way to a remote: where that is, what would be new there, and the push itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.errors import RepoError
from ralph.repo import refs

if TYPE_CHECKING:
    from ralph.repo.git import Git
    from ralph.repo.repository import Repo

_ADDRESS = re.compile(
    r"(?:https?://(?:[^@/]*@)?|ssh://(?:[^@/]*@)?|[^@/:]+@)(?P<host>[^/:@]+)(?::\d+)?[/:]"
    r"(?P<path>[^/]+/[^/]+?)(?:\.git)?/?"
)
_QUIET = "-oBatchMode=yes"
"""A push runs apart from the terminal: what asks there would wait for ever."""


class Remote(Struct, frozen=True):
    name: str
    url: str
    """Where a push goes, as a person may see it: without a password."""
    host: str = ""
    path: str = ""
    """owner/name on that host; empty where the address is no such place."""

    def branch(self, name: str) -> str:
        """The ref that says where a branch was there, when it was last heard of."""
        return f"refs/remotes/{self.name}/{name}"


def find(repo: Repo, named: str = "") -> Remote:
    """The remote of that name, else origin, else the only one."""
    known = repo.git.text("remote").splitlines()
    if not known:
        raise RepoError(
            "This repository has no remote to push to.",
            fix="Add one: `git remote add origin git@github.com:OWNER/NAME.git`.",
        )
    name = named or ("origin" if "origin" in known or len(known) > 1 else known[0])
    if name not in known:
        raise RepoError(
            f"There is no remote {name}.", fix=f"Choose with --remote: {', '.join(known)}."
        )
    told = repo.git.ask("config", f"remote.{name}.url").out.decode("utf-8", "replace").strip()
    found = _ADDRESS.fullmatch(told)
    place = (found["host"], found["path"]) if found else ("", "")
    return Remote(
        name, _without_password(repo.git.text("remote", "get-url", "--push", name)), *place
    )


def _without_password(url: str) -> str:
    return re.sub(r"(?<=://)[^@/]*@", "", url)


def base_of(repo: Repo, remote: Remote, came_from: str) -> str:
    """The branch there that work goes to; empty leaves it to the host."""
    if came_from and _has(repo, remote.branch(came_from)):
        return came_from
    told = repo.git.ask("symbolic-ref", "--quiet", remote.branch("HEAD"))
    return told.out.decode("utf-8", "replace").strip().removeprefix(remote.branch(""))


def new_commits(repo: Repo, remote: Remote, branch: str, base: str, origin: str) -> int:
    """How many commits of the branch its base lacks; `origin` stands for a base not known here."""
    if not _has(repo, f"refs/heads/{branch}"):
        raise RepoError(f"There is no branch {branch}.", fix="`git branch` shows what there is.")
    known = (remote.branch(base), f"refs/heads/{base}") if base else ()
    since = next((ref for ref in known if _has(repo, ref)), origin)
    return int(repo.git.text("rev-list", "--count", f"{since}..refs/heads/{branch}"))


def is_there(repo: Repo, remote: Remote, branch: str) -> bool:
    """Whether the remote has all of it already, as far as is known here."""
    mine = refs.read(repo.git, repo.common_dir, f"refs/heads/{branch}")
    return mine is not None and mine == refs.read(repo.git, repo.common_dir, remote.branch(branch))


def push(repo: Repo, remote: Remote, branch: str) -> None:
    """Never by force: what others pushed stays. Hooks of the repository are not run."""
    ref = f"refs/heads/{branch}"
    done = _apart(repo.git).ask(
        "push", "--quiet", "--no-recurse-submodules", remote.name, f"{ref}:{ref}"
    )
    if not done.code:
        return
    by_hand = f"git push {remote.name} {branch}"
    if "[rejected]" in done.err or "non-fast-forward" in done.err:
        raise RepoError(
            f"{remote.name} has commits on {branch} that are not here; nothing was pushed.",
            fix=f"Look at them: `git fetch {remote.name}`, then `git log {remote.name}/{branch}`.",
        )
    said = next((one for one in done.err.splitlines() if one.strip()), "no message")
    raise RepoError(
        f"{branch} could not be pushed to {remote.name}: {said}",
        fix=f"Push it yourself with `{by_hand}`, then run `ralph pr` again.",
    )


def _apart(git: Git) -> Git:
    told = git.ask("config", "core.sshCommand").out.decode("utf-8", "replace").strip() or "ssh"
    return git.set(f"core.sshCommand={told} {_QUIET}") if told.startswith("ssh") else git


def _has(repo: Repo, ref: str) -> bool:
    return refs.read(repo.git, repo.common_dir, ref) is not None

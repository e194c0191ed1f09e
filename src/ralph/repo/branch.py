"""Moving a branch back or together; where it was is always kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.errors import RepoError
from ralph.repo import opening, refs, status, worktrees
from ralph.repo.git import DURABLE, Git

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.repo.refs import Salvage
    from ralph.repo.repository import Repo


def revert_branch(repo: Repo, branch: str, to_commit: str, run: str = "") -> Salvage:
    """Move the branch back to a commit it holds; the files follow where it is checked out."""
    git, ref = repo.git, f"refs/heads/{branch}"
    old = _head(repo, branch)
    if git.ask("merge-base", "--is-ancestor", to_commit, old).code:
        raise RepoError(f"{to_commit[:12]} is not on {branch}.", fix=f"See `git log {branch}`.")
    place = _checked_out(repo, ref)
    if place is not None:
        opening.refuse_dirt(status.look(place, "no").tracked, frozenset(), place.work_tree)
    why = f"{branch} before it was reverted to {to_commit[:12]}"
    kept = _keep_head(git, old, f"{run or 'revert'}/revert-{old[:12]}", why, run)
    if place is None:
        refs.swap(git, ref, to_commit, old, "revert")
    else:
        # The user's index may not know yet that files written by Ralph are what it holds.
        place.ask("update-index", "-q", "--refresh")
        # Moves index, files and branch together, and stops rather than lose a local change.
        place.run("reset", "--quiet", "--keep", to_commit)
    return kept


def squash(repo: Repo, branch: str, base: str, message: str, run: str = "") -> tuple[str, Salvage]:
    """One commit on `base` with all that the branch holds; no file changes."""
    git = repo.git
    old = _head(repo, branch)
    if old == base or git.ask("merge-base", "--is-ancestor", base, old).code:
        raise RepoError(f"There is nothing to squash on {branch} since {base[:12]}.")
    kept = _keep_head(
        git, old, f"{run or 'squash'}/squash-{old[:12]}", f"{branch} before it was squashed", run
    )
    new = refs.commit_tree(git.set(*DURABLE), f"{old}^{{tree}}", base, message)
    refs.swap(git, f"refs/heads/{branch}", new, old, "squash")
    return new, kept


def _head(repo: Repo, branch: str) -> str:
    commit = refs.read(repo.git, repo.common_dir, f"refs/heads/{branch}")
    if commit is None:
        raise RepoError(f"There is no branch {branch}.", fix="`git branch` shows what there is.")
    return commit


def _keep_head(git: Git, commit: str, name: str, why: str, run: str) -> Salvage:
    tree = git.text("rev-parse", f"{commit}^{{tree}}")
    return refs.keep(git, tree, commit, name, why, refs.Origin(run))


def _checked_out(repo: Repo, ref: str) -> Git | None:
    for linked in worktrees.listed(repo.git):
        if linked.branch == ref:
            return Git(_git_dir(repo, linked.path), linked.path, settings=DURABLE)
    return None


def _git_dir(repo: Repo, path: Path) -> Path:
    return worktrees.admin(repo.common_dir, path) or repo.common_dir

"""Moving a branch back or together; where it was is always kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.errors import RepoError
from ralph.repo import opening, refs, status, worktrees
from ralph.repo.commit import one_line
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


class Ahead(Struct, frozen=True):
    """The commits that a branch alone has, and the one that they lie on."""

    base: str
    commits: tuple[str, ...]


def ahead(repo: Repo, branch: str, since: str) -> Ahead:
    """What Ralph committed after `since` and no other branch has; an error if there is more."""
    others = (f"--exclude={branch}", "--branches", f"--exclude=*/{branch}", "--remotes")
    shown = "--format=%H %P%x1f%(trailers:key=Ralph-Run)%x1f%s"
    said = repo.git.text("log", "-z", shown, _head(repo, branch), "--not", since, *others)
    rows = [row.split("\x1f") for row in said.split("\0") if row]
    if not rows:
        raise RepoError(
            f"There is nothing to squash: other branches have all commits of {branch}.",
            fix="Squash before you merge, or leave the commits as they are.",
        )
    every = {words.split()[0]: words.split()[1:] for words, *_ in rows}
    below = {parent for parents in every.values() for parent in parents} - set(every)
    bases = repo.git.text("merge-base", "--independent", *sorted(below)).split()
    if len(bases) != 1:
        raise RepoError(
            f"{branch} grew from more than one place, so its commits cannot become one.",
            fix=f"Merge {branch} as it is.",
        )
    for words, trailer, subject in rows:
        commit, *parents = words.split()
        if not trailer.strip() and len(parents) == 1:
            raise RepoError(
                f"{commit[:10]} “{one_line(subject)[:50]}” on {branch} is not Ralph's: it would "
                "become a part of the one commit.",
                fix=f"Merge {branch} as it is, or choose by hand: git rebase -i {bases[0][:10]}",
            )
    return Ahead(bases[0], tuple(every))


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

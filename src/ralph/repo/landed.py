"""Whether what a commit holds is on a branch: then a ref of its own is not needed to keep it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.repo import diff

if TYPE_CHECKING:
    from ralph.repo.git import Git

BRANCHES = ("refs/heads/", "refs/remotes/")


def is_on_a_branch(git: Git, commit: str) -> bool:
    """It is part of one, or the head of one has every file that it changed as it left it."""
    if _reaches(git, commit):
        return True
    parents = git.text("rev-list", "--parents", "--max-count=1", commit).split()[1:]
    if len(parents) != 1 or not _reaches(git, parents[0]):
        return False  # more than one commit would be lost
    heads = git.run("for-each-ref", "--format=%(objectname)", *BRANCHES).decode().split()
    names = [one.path for one in diff.between(git, f"{commit}^", commit).files]
    return any(_has(git, head, commit, names) for head in dict.fromkeys(heads))


def _reaches(git: Git, commit: str) -> bool:
    return bool(git.text("for-each-ref", "--count=1", f"--contains={commit}", *BRANCHES))


def _has(git: Git, head: str, commit: str, names: list[str]) -> bool:
    done = git.ask("diff-tree", "-r", "--quiet", commit, head, "--", *names)
    return bool(names) and done.code == 0

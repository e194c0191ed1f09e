"""What is looked at: paths or changes, as one commit that every reviewer sees."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.domain.errors import DirtyTree, RepoError, UsageError
from ralph.repo import exclude, index, refs, status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph.domain.review import ReviewScope
    from ralph.repo import Repo
    from ralph.repo.git import Git

_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color")


def relative(repo: Repo, given: Iterable[str], here: Path) -> tuple[str, ...]:
    """Paths as the repository knows them; a UsageError names one that is not in it."""
    found = []
    for name in given:
        whole = Path(os.path.normpath(here.resolve() / name))
        if not whole.is_relative_to(repo.root.resolve()) or not os.path.lexists(whole):
            raise UsageError(
                f"{name} is not a file or folder of {repo.root}.", fix="Give paths that exist."
            )
        found.append(str(whole.relative_to(repo.root.resolve())))
    return tuple(dict.fromkeys(found))


def target(repo: Repo, scope: ReviewScope, folder: Path) -> str:
    """The commit that the review begins with: HEAD, or without fixes whatever is in the folder."""
    head = refs.read(repo.git, repo.common_dir, "HEAD") or ""
    if not scope.fix:
        return _snapshot(repo, scope.paths, folder, head)
    refuse_changes(repo, folder)
    for name in scope.paths:
        if repo.git.ask("cat-file", "-e", f"{head}:{'' if name == '.' else name}").code:
            raise DirtyTree(
                f"{name} is not committed, so a fix of it could not be undone.",
                fix="Commit it first, or only review with `--no-fix`.",
            )
    return head


def refuse_changes(repo: Repo, folder: Path) -> None:
    """Fixes are made on a clean tree only: nothing of the user's gets mixed with them."""
    changed = status.look(_looking(repo, folder), "no").tracked
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise DirtyTree(
            f"There are uncommitted changes in {repo.root}: {changed[0]}{more}",
            fix="Commit or stash them, or only review with `ralph review --no-fix`.",
        )


def since(repo: Repo, scope: ReviewScope, commit: str) -> str:
    """Where the changes begin: the last commit that both sides have."""
    if not scope.base:
        return ""
    wanted = repo.git.ask("rev-parse", "--verify", "--end-of-options", f"{scope.base}^{{commit}}")
    if wanted.code:
        raise UsageError(f"There is no commit {scope.base}.", fix="Give a branch, tag or commit.")
    base = wanted.out.decode().strip()
    common = repo.git.ask("merge-base", base, commit).out.decode().strip() or base
    if not diff(repo, common, commit, scope.paths):
        raise UsageError(f"Nothing differs from {scope.base}.", fix="Give another base, or paths.")
    return common


def diff(repo: Repo, old: str, new: str, paths: Iterable[str] = ()) -> str:
    raw = repo.git.run("diff", *_PLAIN, old, new, "--", *paths)
    return raw.decode("utf-8", "replace")


def check_section(repo: Repo, scope: ReviewScope, commit: str) -> None:
    """A UsageError unless one of the documents has this heading."""
    if not scope.section:
        return
    title = re.escape(scope.section)
    wanted = re.compile(rf"^#{{1,6}}\s+{title}\s*#*\s*$", re.MULTILINE | re.IGNORECASE)
    for name in scope.paths:
        text = (repo.show(commit, name) or b"").decode("utf-8", "replace")
        if wanted.search(text):
            return
    raise UsageError(
        f"There is no heading {scope.section} in {scope.shown}.",
        fix="Write it exactly as in the document.",
    )


def refuse_moved(repo: Repo, commit: str) -> None:
    """What was reviewed must be what gets fixed."""
    if refs.read(repo.git, repo.common_dir, "HEAD") != commit:
        raise RepoError(
            f"{repo.root} has moved on from {commit[:12]}, which was reviewed.",
            fix="Go back to it, or start over with `ralph review --fresh`.",
        )


def _snapshot(repo: Repo, paths: Iterable[str], folder: Path, head: str) -> str:
    """A commit of the folder as it is, on no branch; the folder and its index stay as they are."""
    git = _looking(repo, folder)
    with index.scratch(git, folder / "tmp", repo.git_dir / "index") as own:
        index.stage(own)
        # a file that git ignores is looked at if it is named
        index.add(own, [name for name in paths if (repo.root / name).is_file()])
        tree = index.write_tree(own)
    if tree == git.text("rev-parse", f"{head}^{{tree}}"):
        return head
    return refs.commit_tree(git, tree, head, "What is reviewed.\n")


def _looking(repo: Repo, folder: Path) -> Git:
    excludes = folder / "excludes"
    exclude.write(excludes, exclude.global_rules(repo.git))
    return repo.git.set(f"core.excludesFile={excludes}")

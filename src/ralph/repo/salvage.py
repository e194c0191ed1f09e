"""What `ralph salvage` does: show what is kept, and give it back. `restore` is what keeps it."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ralph.domain.errors import DirtyTree, RepoError
from ralph.repo import diff, exclude, index, refs, status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ralph.repo.refs import Salvage
    from ralph.repo.repository import Repo


def list_salvage(repo: Repo) -> tuple[Salvage, ...]:
    """One process."""
    return refs.listed(repo.git)


def restore_salvage(repo: Repo, ref: str) -> Salvage:
    """Write the kept tree into the user's checkout, file for file; HEAD and index stay.

    The checkout must be clean apart from ignored files, and no ignored file is overwritten.
    """
    kept = refs.find(repo.git, ref)
    folder = repo.common_dir / "ralph"
    excludes = folder / "excludes"
    exclude.write(excludes, exclude.global_rules(repo.git))
    git = repo.git.set(f"core.excludesFile={excludes}")
    seen = status.look(git, "normal")
    _refuse((*seen.tracked, *seen.untracked), repo.root)
    with index.scratch(git, folder / "tmp", repo.git_dir / "index") as own:
        own.ask("update-index", "-q", "--refresh")
        changes = diff.between(own, "HEAD", kept.commit).files
        new = [c.path for c in changes if c.status in "ARC"]
        tracked = frozenset(own.names("ls-files", "-z"))
        _refuse([n for name in new for n in _in_the_way(repo.root, name, tracked)], repo.root)
        own.run("read-tree", "-m", "-u", "HEAD", kept.commit)
        index.stage(own)
        tree = index.write_tree(own)
    if tree != own.text("rev-parse", f"{kept.commit}^{{tree}}"):
        raise RepoError(
            f"The files in {repo.root} differ from {kept.ref} after it was restored.",
            fix=f"Compare them with `git diff {kept.ref}`.",
        )
    return kept


def _in_the_way(root: Path, name: str, tracked: frozenset[str]) -> Iterator[str]:
    """Files that git does not hold (ignored ones, in a clean checkout) where `name` has to go."""
    for folder in list(PurePosixPath(name).parents)[-2::-1]:
        place = root / folder
        if place.is_symlink() or not place.is_dir():
            if os.path.lexists(place) and str(folder) not in tracked:
                yield str(folder)
            return
    place = root / name
    if place.is_dir() and not place.is_symlink():
        inside = (Path(where, f) for where, _, found in os.walk(place) for f in found)
        yield from (n for path in inside if (n := str(path.relative_to(root))) not in tracked)
    elif os.path.lexists(place) and name not in tracked:
        yield name


def _refuse(names: Sequence[str], root: Path) -> None:
    if names:
        raise DirtyTree(
            f"Restoring would mix with or overwrite files in {root}: {', '.join(names[:3])}",
            fix="Commit them or put them away with `git stash --all`, then try again.",
        )

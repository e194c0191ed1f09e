"""Making a workspace ready: clean-tree rule, branch, own index, excludes."""

from __future__ import annotations

import hashlib
import os
import shutil
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph import files
from ralph.domain.errors import DirtyTree, GitFailed, RepoError
from ralph.repo import exclude, index, queries, refs, start, status, worktrees
from ralph.repo.candidate import plain
from ralph.repo.git import Git
from ralph.repo.quick import Quick
from ralph.repo.start import WorkspaceStart

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ralph.repo.repository import Repo
    from ralph.repo.workspace import GitWorkspace


ABOUT = 60.0
"""Seconds before its start that a run may have written something."""
OTHER_CHECKOUT = "Switch that checkout to another branch, or set `repo.branch`."
MANY = 2_000
"""Git compares every new file with every pattern: above this, whole folders are excluded."""


def in_place(
    kind: type[GitWorkspace],
    repo: Repo,
    branch: str,
    state_dir: Path,
    run: str,
    allowed_dirt: frozenset[str],
) -> GitWorkspace:
    _mend(repo, state_dir, killed=False)
    git = repo.git.set(f"core.excludesFile={_plain_excludes(repo, state_dir)}")
    seen = status.look(git)
    refuse_dirt(seen.tracked, allowed_dirt, repo.root)
    before = refs.symbolic(repo.git_dir) or ""
    started = refs.read(repo.git, repo.common_dir, "HEAD") or ""
    if _switch(repo, branch, state_dir):
        seen = status.look(git)
    head = refs.read(repo.git, repo.common_dir, f"refs/heads/{branch}") or ""
    began = WorkspaceStart(run, head, seen.untracked, seen.tracked)
    ws = _assemble(kind, repo, branch, state_dir, run, repo.git, began, allowed_dirt)
    ws.came_from = before if before != ws.ref else ""
    ws.lacks = _lacking(repo, head, started)
    index.copy(repo.git_dir / "index", start.own_index(state_dir))
    start.save(state_dir, began)
    start.keep(ws.own, repo.common_dir, state_dir, began)
    return ws


def worktree(
    kind: type[GitWorkspace],
    repo: Repo,
    branch: str,
    path: Path,
    state_dir: Path,
    run: str,
    allowed_dirt: frozenset[str],
) -> GitWorkspace:
    _mend(repo, state_dir, killed=False)
    _plain_excludes(repo, state_dir)
    ref = f"refs/heads/{branch}"
    elsewhere = worktrees.holding(repo.git, ref, path)
    if elsewhere is not None:
        fix = "Switch to a branch of your own there, or run without --worktree."
        raise _held(branch, elsewhere, fix)
    git_dir = worktrees.admin(repo.common_dir, path)
    started = refs.read(repo.git, repo.common_dir, "HEAD") or ""
    if git_dir is not None and refs.symbolic(git_dir) == ref:
        Git(git_dir, path).ask("merge", "--quiet", "--ff-only", started)  # with its files
    else:
        _stand(repo, branch)
    if git_dir is None:
        _move_aside(path)
        git_dir = worktrees.add(repo, path, str(path), branch)
    git = Git(git_dir, path)
    head = refs.read(git, repo.common_dir, ref) or ""
    # those that nobody told git to ignore are brought along, and are no agent's work
    began = WorkspaceStart(run, head, queries.dependencies(repo))
    ws = _assemble(kind, repo, branch, state_dir, run, git, began, allowed_dirt)
    ws.lacks = _lacking(repo, head, started)
    index.copy(git_dir / "index", start.own_index(state_dir))
    if refs.symbolic(git_dir) != ref:
        _bring_over(ws, head)
    start.save(state_dir, began)
    start.kept_index(state_dir).unlink(missing_ok=True)
    return ws


def resume(
    kind: type[GitWorkspace],
    repo: Repo,
    branch: str,
    state_dir: Path,
    run: str,
    path: Path | None,
    untracked: tuple[str, ...],
    allowed_dirt: frozenset[str],
) -> GitWorkspace:
    if path is not None and worktrees.admin(repo.common_dir, path) is None:
        return worktree(kind, repo, branch, path, state_dir, run, allowed_dirt)
    _mend(repo, state_dir, killed=True)
    _plain_excludes(repo, state_dir)
    git_dir = worktrees.admin(repo.common_dir, path) if path is not None else None
    git = Git(git_dir, path) if git_dir is not None and path is not None else repo.git
    began = start.load(state_dir)
    began = replace(began, untracked=tuple(dict.fromkeys((*began.untracked, *untracked))))
    ws = _assemble(kind, repo, branch, state_dir, run, git, began, allowed_dirt)
    index.heal(ws.own, git)
    return ws


def refuse_dirt(names: Collection[str], allowed_dirt: frozenset[str], root: Path) -> None:
    dirt = [name for name in names if not allowed(name, allowed_dirt)]
    if not dirt:
        return
    shown = ", ".join(dirt[:3]) + (f" and {len(dirt) - 3} more" if len(dirt) > 3 else "")  # noqa: PLR2004 - the three that are named
    raise DirtyTree(
        f"There are uncommitted changes in {root}: {shown}",
        fix="Commit or stash them, or use `ralph run --worktree`.",
    )


def allowed(name: str, allowed_dirt: frozenset[str]) -> bool:
    return name in allowed_dirt or any(name.startswith(f"{folder}/") for folder in allowed_dirt)


def _assemble(
    kind: type[GitWorkspace],
    repo: Repo,
    branch: str,
    state_dir: Path,
    run: str,
    git: Git,
    began: WorkspaceStart,
    allowed_dirt: frozenset[str],
) -> GitWorkspace:
    shutil.rmtree(state_dir / "tmp", ignore_errors=True)  # of a run that was killed
    excludes = state_dir / "excludes"
    rules = files.read(plain(state_dir)) or b""  # written a moment ago
    exclude.write(excludes, rules, _patterns(git, began, state_dir))
    users = git.set(f"core.excludesFile={excludes}")
    own = users.using(start.own_index(state_dir))
    quick = Quick(own, state_dir / "tmp")
    return kind(repo, git.work_tree, branch, state_dir, run, began, users, own, quick, allowed_dirt)


def _patterns(git: Git, began: WorkspaceStart, state_dir: Path) -> tuple[str, ...]:
    if len(began.untracked) <= MANY:
        return began.untracked
    seen = status.look(git.set(f"core.excludesFile={plain(state_dir)}"), "normal")
    return seen.untracked


def _mend(repo: Repo, state_dir: Path, *, killed: bool) -> None:
    """What the run before left half; there is nothing to do if there was none."""
    try:
        began = (state_dir / "start.json").stat().st_mtime
    except OSError:
        return
    mend(repo.common_dir, began - ABOUT, killed=killed)


def _plain_excludes(repo: Repo, state_dir: Path) -> Path:
    path = plain(state_dir)
    exclude.write(path, exclude.global_rules(repo.git))
    return path


def _switch(repo: Repo, branch: str, state_dir: Path) -> bool:
    """Put HEAD on the branch; True if that changed files."""
    ref = f"refs/heads/{branch}"
    if refs.symbolic(repo.git_dir) == ref:
        return False
    elsewhere = worktrees.holding(repo.git, ref, repo.root)
    if elsewhere is not None and elsewhere.is_relative_to(state_dir):
        # Ralph's own, of a run with --worktree that is over
        Git(worktrees.admin(repo.common_dir, elsewhere) or repo.git_dir, elsewhere).ask(
            "switch", "--quiet", "--detach"
        )
    elif elsewhere is not None:
        raise _held(branch, elsewhere, OTHER_CHECKOUT)
    head = refs.read(repo.git, repo.common_dir, "HEAD")
    if _stand(repo, branch) == head:
        repo.git.run("symbolic-ref", "-m", f"ralph: switch to {branch}", "HEAD", ref)
        return False
    try:
        repo.git.run("switch", "--quiet", "--no-guess", branch)
    except GitFailed as error:
        raise DirtyTree(
            f"Switching to {branch} would lose uncommitted files: {error.stderr.splitlines()[0]}",
            fix=error.fix or "Commit or stash them, or use `ralph run --worktree`.",
        ) from error
    return True


def leave(repo: Repo, ref: str, before: str) -> None:
    """From one branch to the one before it. Where files would be lost, nothing happens."""
    here, there = (refs.read(repo.git, repo.common_dir, one) for one in (ref, before))
    if here is None or there is None:
        return
    with suppress(GitFailed):
        if here == there:
            repo.git.run("symbolic-ref", "-m", "ralph: nothing was done", "HEAD", before)
        else:
            name = before.removeprefix("refs/heads/")
            repo.git.run("switch", "--quiet", "--no-guess", name)


def _stand(repo: Repo, branch: str) -> str:
    """The commit of the branch.

    It begins at HEAD if it is new, and follows HEAD where that has all that is on the branch: the
    work was merged, and people went on.
    """
    ref = f"refs/heads/{branch}"
    there = refs.read(repo.git, repo.common_dir, ref)
    head = refs.read(repo.git, repo.common_dir, "HEAD") or ""
    if there is not None and (there == head or not _has(repo, head, there)):
        return there
    why = "new branch" if there is None else "follow HEAD"
    try:
        refs.swap(repo.git, ref, head, there or "", why)
    except GitFailed as error:
        raise RepoError(
            f"The branch {branch} cannot be created: {error.stderr.splitlines()[0]}",
            fix=error.fix or "Set `repo.branch` to another name.",
        ) from error
    return head


def _has(repo: Repo, commit: str, earlier: str) -> bool:
    return not repo.git.ask("merge-base", "--is-ancestor", earlier, commit).code


def _lacking(repo: Repo, branch: str, head: str) -> int:
    """How many commits the user has checked out that the branch does not have."""
    if not head or branch == head:
        return 0
    return int(repo.git.text("rev-list", "--count", f"{branch}..{head}"))


def _bring_over(ws: GitWorkspace, head: str) -> None:
    """A workspace that an earlier plan left on its own branch: what is in it is kept first."""
    before = refs.read(ws.users, ws.repo.common_dir, "HEAD") or head
    ws.salvage(f"{ws.run}/workspace", "the workspace was on another branch", base=before)
    ws.users.run("symbolic-ref", "HEAD", ws.ref)
    ws.restore(head)


def _move_aside(path: Path) -> None:
    if not path.exists():
        return
    if path.is_dir() and not any(path.iterdir()):
        return
    number = 1
    while (aside := path.with_name(f"{path.name}.broken-{number}")).exists():
        number += 1
    path.rename(aside)


def _held(branch: str, elsewhere: Path, fix: str) -> RepoError:
    return RepoError(f"The branch {branch} is checked out in {elsewhere}.", fix=fix)


ASIDE = "ralph/broken"
"""Below the git folder: nothing is thrown away."""
_SHA1 = 40


def mend(common_dir: Path, since: float, *, killed: bool) -> tuple[str, ...]:
    """Put empty objects aside that are younger than `since`; after a kill, all that are not whole.

    A look at every loose object: milliseconds.
    """
    broken = [
        path
        for path, found in _loose(common_dir / "objects")
        if found.st_mtime >= since and (not found.st_size or (killed and not _is_whole(path)))
    ]
    aside = common_dir / ASIDE
    for path in broken:
        aside.mkdir(parents=True, exist_ok=True)
        path.rename(aside / _name(path))
    return tuple(map(_name, broken))


def _loose(objects: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for number in range(256):
        try:
            with os.scandir(objects / f"{number:02x}") as entries:
                for entry in entries:
                    yield Path(entry.path), entry.stat(follow_symlinks=False)
        except OSError:
            continue


def _name(path: Path) -> str:
    return path.parent.name + path.name


def _is_whole(path: Path) -> bool:
    name = _name(path)
    digest = hashlib.sha1(usedforsecurity=False) if len(name) == _SHA1 else hashlib.sha256()
    inflating = zlib.decompressobj()
    try:
        with path.open("rb") as file:
            while data := file.read(1 << 16):
                digest.update(inflating.decompress(data))
    except OSError:
        return True  # what cannot be read is not ours to judge
    except zlib.error:
        return False
    return inflating.eof and digest.hexdigest() == name

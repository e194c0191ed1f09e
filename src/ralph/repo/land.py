"""Landing: the branch first, then the files, then the user's index; each step can be repeated."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ralph import files
from ralph.domain.errors import RepoError
from ralph.repo import refs, status
from ralph.repo.beside import beside
from ralph.repo.git import OUTER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ralph.repo.candidate import Candidate
    from ralph.repo.workspace import GitWorkspace


def land(
    ws: GitWorkspace, made: Candidate, overrides: Mapping[str, bytes | None], expected: str
) -> tuple[str, ...]:
    _refuse_elsewhere(ws)
    made.safe.result()
    ws.quick.land(ws.ref, made.commit, expected)
    left = tuple(name for name in overrides if not _write(ws, made, name, overrides[name]))
    if ws.staged != made.tree:
        ws.own.run("read-tree", "-i", "-m", made.tree)
        ws.staged = made.tree
    ws.show_index()
    # The plan may differ at any time, and is read anyway: git need not look at it.
    plan = ws.allowed_dirt.intersection(overrides)
    ws.looking = beside(partial(status.look, ws.own, apart_from=plan))
    return left


def finish(ws: GitWorkspace, commit: str) -> None:
    """The work is in the files already; what can be missing are Ralph's own edits of the plan.

    A file that still is as the parent had it was not written yet; one that is neither the
    parent's nor the commit's was edited by someone, and is theirs.
    """
    _refuse_elsewhere(ws)
    head = ws.head()
    ws.own.run("read-tree", "-i", "-m", head)
    if head == commit:
        for name in ws.own.names(
            "diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", OUTER
        ):
            _finish_file(ws, commit, name)
        gone = ("diff-tree", "-r", "-z", "--no-renames", "--diff-filter=D", "--name-only")
        for name in ws.own.names(*gone, f"{commit}^", commit):
            _finish_file(ws, commit, name)
    ws.staged = ""
    ws.show_index()


def _finish_file(ws: GitWorkspace, commit: str, name: str) -> None:
    path = ws.root / name
    if path.is_symlink() or path.is_dir() or files.read(path) != _worded(ws, f"{commit}^", name):
        return
    data = _worded(ws, commit, name)
    if data is not None:
        files.write(path, data)
    else:
        path.unlink(missing_ok=True)


def _worded(ws: GitWorkspace, commit: str, name: str) -> bytes | None:
    """A file of a commit as a checkout would write it."""
    done = ws.own.ask("cat-file", "--filters", f"{commit}:{name}")
    return None if done.code else done.out


def _write(ws: GitWorkspace, made: Candidate, name: str, data: bytes | None) -> bool:
    path = ws.root / name
    now = files.read(path)
    if now == data:
        return True
    if name in made.seen and now != made.seen[name]:
        return (
            False  # edited while the checks ran: the edit wins, the status is written again later
        )
    if data is None:
        path.unlink(missing_ok=True)
    else:
        files.write(path, data)
    return True


def _refuse_elsewhere(ws: GitWorkspace) -> None:
    at = refs.symbolic(ws.git_dir) or "nowhere"
    if at != ws.ref:
        raise RepoError(
            f"{ws.root} is on {at.removeprefix('refs/heads/')}, no longer on {ws.branch}.",
            fix=f"Run `git switch {ws.branch}`, then start Ralph again.",
        )

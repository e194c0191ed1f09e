"""Where HEAD and the branch are, and putting them back where they belong."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from ralph import files
from ralph.domain.errors import RepoError
from ralph.repo import refs
from ralph.repo.commit import OwnCommit, ref_path, trailers
from ralph.repo.refs import SALVAGE
from ralph.repo.repository import UNDER_WAY

if TYPE_CHECKING:
    from ralph.repo.refs import Salvage
    from ralph.repo.workspace import GitWorkspace

_OWN = "%an <%ae> %ad%n%B"
_IN_ORDER = ("--reverse", "--date=raw")
LEFT_OVER = (*UNDER_WAY, "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "SQUASH_MSG", "sequencer")
"""What a merge or rebase that the agent did not finish leaves in the git directory."""


def of_branch(ws: GitWorkspace) -> str:
    commit = refs.read(ws.users, ws.repo.common_dir, ws.ref)
    if commit is None:
        raise RepoError(
            f"The branch {ws.branch} is gone.", fix=f"Look for it with `git reflog {ws.branch}`."
        )
    return commit


def holds(ws: GitWorkspace, commit: str) -> bool:
    current = refs.read(ws.users, ws.repo.common_dir, ws.ref)
    if current is None or current == commit:
        return current is not None
    return not ws.users.ask("merge-base", "--is-ancestor", commit, current).code


def foreign(ws: GitWorkspace, base: str) -> str | None:
    branch = refs.read(ws.users, ws.repo.common_dir, ws.ref)
    if branch not in (None, base):
        return branch
    at = refs.symbolic(ws.git_dir)
    if at is None or at.startswith("refs/") or at == base:
        return None
    older = not ws.users.ask("merge-base", "--is-ancestor", at, base).code
    return None if older else at


def put_back(ws: GitWorkspace, base: str, name: str) -> Salvage | None:
    at = refs.symbolic(ws.git_dir)
    if at is None:  # without a readable HEAD git does not even see the repository
        files.write(ws.git_dir / "HEAD", f"ref: {ws.ref}\n")
    branch = refs.read(ws.users, ws.repo.common_dir, ws.ref)
    commit = foreign(ws, base)
    kept = None
    if commit is not None:
        tree = ws.users.text("rev-parse", "--verify", f"{commit}^{{tree}}")
        why = f"commits on {ws.branch} that Ralph did not make"
        kept = refs.keep(ws.own, tree, commit, name, why, refs.Origin(ws.run))
    if branch != base:
        refs.swap(ws.own, ws.ref, base, branch or "", "put the branch back")
    if at not in (None, ws.ref):
        ws.users.run("symbolic-ref", "-m", "ralph: put HEAD back", "HEAD", ws.ref)
    _clear(ws)
    return kept


def own_commits(ws: GitWorkspace, base: str, name: str) -> tuple[OwnCommit, ...]:
    places = (f"{SALVAGE}{ref_path(one)}" for one in (name, f"{name}-{ws.branch}"))
    kept = ws.own.text("for-each-ref", "--format=%(refname)", *places).split()
    found: list[OwnCommit] = []
    for ref in kept:
        told = ws.own.text("log", "-z", *_IN_ORDER, f"--format={_OWN}", f"{base}..{ref}", "--")
        for one in filter(None, told.split("\0")):
            author, _, message = one.partition("\n")
            if "Ralph-Run" not in trailers(message):  # Ralph keeps things as commits, too
                found.append(OwnCommit(message.strip(), author))
    return tuple(found)


def _clear(ws: GitWorkspace) -> None:
    for name in LEFT_OVER:
        path = ws.git_dir / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

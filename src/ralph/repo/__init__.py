"""Git: the workspace, commits, salvage, the clean checkout."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ralph.repo.branch import ahead, revert_branch, squash
    from ralph.repo.candidate import Candidate
    from ralph.repo.checkout import CleanCheckout
    from ralph.repo.diff import FileChange
    from ralph.repo.guard import ConfigSnapshot
    from ralph.repo.refs import Salvage
    from ralph.repo.repository import Repo
    from ralph.repo.salvage import list_salvage, restore_salvage
    from ralph.repo.status import TreeStatus
    from ralph.repo.sweep import sweep_locks
    from ralph.repo.workspace import GitWorkspace

__all__ = [
    "Candidate",
    "CleanCheckout",
    "ConfigSnapshot",
    "FileChange",
    "GitWorkspace",
    "Repo",
    "Salvage",
    "TreeStatus",
    "ahead",
    "list_salvage",
    "restore_salvage",
    "revert_branch",
    "squash",
    "sweep_locks",
]

_MODULES = {
    "Candidate": "candidate",
    "CleanCheckout": "checkout",
    "ConfigSnapshot": "guard",
    "FileChange": "diff",
    "Repo": "repository",
    "Salvage": "refs",
    "TreeStatus": "status",
    "GitWorkspace": "workspace",
    "ahead": "branch",
    "list_salvage": "salvage",
    "restore_salvage": "salvage",
    "revert_branch": "branch",
    "squash": "branch",
    "sweep_locks": "sweep",
}


def __getattr__(name: str) -> object:
    """Import a module when something of it is first asked for: a look at the status needs two."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

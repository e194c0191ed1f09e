"""The user's other branches: an agent that rewrites one has taken commits away from it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ralph.repo import refs
from ralph.repo.commit import ref_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ralph.repo.workspace import GitWorkspace

HEADS = "refs/heads/"


def take(common_dir: Path, own: str) -> dict[str, str]:
    """Every branch but `own`, and where it points. No process."""
    found = dict(_packed(common_dir))
    found.update(_loose(common_dir))
    found.pop(own, None)
    return found


def put_back(ws: GitWorkspace, before: Mapping[str, str], name: str) -> Iterator[tuple[str, str]]:
    """Return branches that lost commits to where they were; each with the ref that keeps the new.

    A branch that only grew is left alone: it may have been the user, in another checkout.
    """
    now = take(ws.repo.common_dir, ws.ref)
    for branch, commit in before.items():
        current = now.get(branch)
        if current == commit or (current and _grew(ws, commit, current)):
            continue
        kept = ""
        if current:
            kept = f"{refs.SALVAGE}{ref_path(f'{name}-{branch.removeprefix(HEADS)}')}"
            ws.own.run("update-ref", "-m", "ralph: salvage", kept, current)
        refs.swap(ws.own, branch, commit, current or "", "put the branch back")
        yield branch.removeprefix(HEADS), kept


def _grew(ws: GitWorkspace, old: str, new: str) -> bool:
    return not ws.own.ask("merge-base", "--is-ancestor", old, new).code


def _packed(common_dir: Path) -> Iterator[tuple[str, str]]:
    try:
        text = (common_dir / "packed-refs").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return
    for line in text.splitlines():
        commit, _, ref = line.partition(" ")
        if ref.startswith(HEADS):
            yield ref, commit


def _loose(common_dir: Path) -> Iterator[tuple[str, str]]:
    for folder, _, names in os.walk(common_dir / "refs" / "heads"):
        place = os.path.relpath(folder, common_dir).replace(os.sep, "/")
        for name in names:
            if name.endswith(".lock"):
                continue
            value = refs.line(common_dir / place / name)
            if value and not value.startswith("ref:"):
                yield f"{place}/{name}", value

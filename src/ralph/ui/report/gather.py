"""All that a report is made from: the ledger's part, and what git says of the changes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ralph.domain.errors import RalphError
from ralph.domain.moment import iso
from ralph.proof.paths import sort_of
from ralph.repo import lock
from ralph.repo.patch import patches
from ralph.ui import money
from ralph.ui.cli.look import found_plan
from ralph.ui.report.sentences import made_here
from ralph.views import morning, reviewing, runs
from ralph.views.reviewing import ChangedFile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph.repo.patch import FilePatch
    from ralph.ui.wire import Project

MEASURED = 200
"""Tasks whose changes are counted: the newest."""
MOST_LINES = 20_000
"""Changed lines that a page shows, over all tasks."""
OF_ONE_TASK = 3_000


def gather(
    found: Project, plan: str | None, name: str | None, *, every_run: bool
) -> tuple[dict[str, Any], list[str]]:
    """The report's contents, and what is to be said about budgets."""
    journal = found.journal()
    try:
        state = journal.state
        content = found_plan(found, state, plan)
        events = journal.newest(morning.KINDS)
        chosen = "" if every_run else _chosen(runs.named(events, name or ""), name)
        told = morning.contents(state, found.repo.project, content, events, chosen)
        if every_run:
            told |= {"run": "", "runs": runs.named(events)}
        spending, lines = money.summary(journal, found.settings, content)
        holder = lock.holder(found.repo.common_dir)
        is_last = every_run or chosen == state.run.id
    finally:
        journal.ledger.close()
    alive = holder is not None and is_last and not told["completed_at"]
    told |= {
        "root": str(found.root),
        "running_pid": holder.pid if alive and holder else 0,
        "made_at": iso(time.time()),
        "merged": _is_merged(found, told["branch"], told["came_from"]),
    }
    return told | {"review": _review(found, told)} | spending, lines


def _is_merged(found: Project, branch: str, there: str) -> bool:
    """Whether the branch that it came from has all of it already."""
    if not branch or not there:
        return False
    refs = (f"refs/heads/{one}" for one in (branch, there))
    return not found.repo.git.ask("merge-base", "--is-ancestor", *refs).code


def _chosen(found: list[str], name: str | None) -> str:
    """The run that is meant; the last one if none is named, nothing if there is none yet."""
    if name and len(found) != 1:
        what = f"More than one run begins with {name}" if found else f"There is no run {name}"
        raise RalphError(
            f"{what}.", fix="`ralph report` shows the id of the last one, `--all` all of them."
        )
    return found[-1] if found else ""


def _review(found: Project, told: dict[str, Any]) -> list[dict[str, Any]]:
    here = made_here(told)
    rows = [row for row in told["tasks"]["completed"] if row["commit"] in here]
    touched = {row["commit"]: _by_name(row) for row in rows if row["proof"]}
    for row in [row for row in rows if row["proof"]][-MEASURED:]:
        files = patches(found.repo.git, row["proof"]["base"], row["commit"], 0)
        if files is not None:
            touched[row["commit"]] = _touched(_own(told["plan"], row, files))
    return reviewing.ordered(rows, touched)


def _by_name(row: dict[str, Any]) -> list[ChangedFile]:
    return [ChangedFile(path, sort_of(path)) for path in row["proof"]["files"]]


def _own(plan: str, row: dict[str, Any], files: Iterable[FilePatch]) -> list[FilePatch]:
    """Without Ralph's own mark in the plan, which comes with the commit."""
    # the ledger names a part of the files, and masks names: only what is known to be a mark goes
    names = {*row["proof"]["files"]}
    return [f for f in files if f.path in names or not _is_in(plan, f.path)]


def _is_in(plan: str, path: str) -> bool:
    return path == plan or path.startswith(f"{plan.rstrip('/')}/")


def _touched(files: Iterable[FilePatch]) -> list[ChangedFile]:
    return [ChangedFile(one.path, sort_of(one.path), one.added, one.removed) for one in files]


def differences(found: Project, told: dict[str, Any]) -> dict[str, list[FilePatch]]:
    """The changes of the review list as text, by commit, as much as a page may hold."""
    rows = {row["commit"]: row for row in told["tasks"]["completed"]}
    left, shown = MOST_LINES, {}
    for one in told["review"][:MEASURED]:
        commit = one["commit"]
        most = min(left, OF_ONE_TASK)
        files = patches(found.repo.git, one["base"], commit, most)
        if files is not None:
            shown[commit] = _own(told["plan"], rows[commit], files)
            left -= sum(f.added + f.removed for f in shown[commit] if f.text)
    return shown

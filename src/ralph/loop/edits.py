"""Edits of the plan that were put back: kept, wherever the plan lives, until a person says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from ralph import files
from ralph.domain.event import Salvaged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ralph.loop.iteration import Iteration
    from ralph.loop.ports import PlanFiles
    from ralph.loop.run import Run

WHY = "the plan was edited"


def keep(run: Run, iteration: Iteration, edited: PlanFiles, suffix: str = "") -> str:
    """Where the edit is kept: a ref, or a file if git does not see the plan."""
    name = f"{run.run_id}/{suffix or f'{iteration.number}-plan'}"
    saved = run.workspace.salvage(name, WHY, base=iteration.base)
    copy = _copy(run, saved.ref if saved else name)
    words = {path: data.decode("utf-8", "surrogateescape") for path, data in edited.items()}
    files.write(copy, json.dumps(words, indent=2))
    if saved is None or not _is_in(run, saved.ref, edited):
        return str(copy)
    run.journal.record(Salvaged(saved.ref, saved.commit, WHY))
    return saved.ref


def read(run: Run, place: str) -> dict[str, bytes]:
    """The files of an edit by their names, from the place that `keep` named."""
    copy = Path(place) if Path(place).is_absolute() else _copy(run, place)
    raw = files.read(copy)
    if raw is None:
        return {}
    return {name: text.encode("utf-8", "surrogateescape") for name, text in json.loads(raw).items()}


def _copy(run: Run, place: str) -> Path:
    return run.workspace.state_dir / "plan-edits" / f"{place.replace('/', '_')}.json"


def _is_in(run: Run, ref: str, edited: Mapping[str, bytes]) -> bool:
    return all(run.workspace.show(ref, name) == data for name, data in edited.items())

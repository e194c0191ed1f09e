"""Plans of other tools become Ralph's; what cannot be carried over is named and counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph import files
from ralph.domain.errors import PlanError

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.flows.importing.brought import Brought

__all__ = ["bring"]

_BEADS = ("issues.jsonl", "beads.jsonl")
_KINDS = "Known are .json (PRD.json, tasks.json), .jsonl (beads), .md, folders of tasks, github:…"


def bring(source: str, root: Path) -> Brought:
    """The tasks of a file, a folder or `github:…`; relative paths start at `root`."""
    if source.startswith("github:"):
        from ralph.flows.importing.github import bring_issues

        return bring_issues(source)
    path = root / source
    if path.is_dir():
        return _folder(path, source)
    data = _read(path, source)
    ending = path.suffix.lower()
    if ending == ".jsonl":
        from ralph.flows.importing.beads import read_beads

        return read_beads(data, source)
    if ending == ".json":
        from ralph.flows.importing.documents import read_document

        return read_document(data, source)
    if ending in {".md", ".markdown"}:
        from ralph.flows.importing.plans import read_checklist

        return read_checklist(data, source)
    raise PlanError(f"{source}: no format is known for the ending {ending!r}.", fix=_KINDS)


def _folder(path: Path, source: str) -> Brought:
    """A folder of beads, else one of tasks."""
    place = path if path.name == ".beads" else path / ".beads"
    found = next((place / name for name in _BEADS if (place / name).is_file()), None)
    if found is not None:
        from ralph.flows.importing.beads import read_beads

        return read_beads(_read(found, source), source)
    from ralph.flows.importing.plans import read_tree

    return read_tree(path, source)


def _read(path: Path, source: str) -> bytes:
    try:
        data = files.read(path)
    except OSError as error:
        raise files.explain(error, path, "read") from error
    if data is None:
        raise PlanError(f"{source} does not exist.", fix=_KINDS)
    return data

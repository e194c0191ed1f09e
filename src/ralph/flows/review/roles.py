"""Roles of reviewers: files with a line that says which workflow they belong to, and the role."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph import files
from ralph.domain.errors import ConfigError, UsageError
from ralph.reading.findings import is_document

if TYPE_CHECKING:
    from collections.abc import Iterable

OWN = ".ralph/review/roles"
"""A file here replaces the built-in role of its name; an empty one takes that role away."""
BUILT_IN = Path(__file__).parent / "roles"
DOCUMENT, CODE = "document", "code"
MOST_BYTES = 64 << 10


class Role(Struct, frozen=True):
    name: str
    workflow: str
    text: str


def for_workflow(root: Path, workflow: str) -> tuple[Role, ...]:
    """The roles of a workflow by name; a UsageError if it has none."""
    every = [role for role in _all(root) if role is not None]
    chosen = tuple(role for role in every if role.workflow == workflow)
    if not chosen:
        known = ", ".join(sorted({role.workflow for role in every}))
        raise UsageError(
            f"No role belongs to the workflow {workflow}. There are: {known}.",
            fix=f"Choose one of these, or write roles for it into {OWN}.",
        )
    return chosen


def usual(paths: Iterable[str]) -> str:
    """The workflow for these files: documents only if all of them are."""
    given = tuple(paths)
    return DOCUMENT if given and all(map(is_document, given)) else CODE


def _all(root: Path) -> Iterable[Role | None]:
    own = {path.stem: path for path in sorted((root / OWN).glob("*.md"))}
    built_in = {path.stem: path for path in BUILT_IN.glob("*.md")}
    for name, path in sorted({**built_in, **own}.items()):
        yield _read(name, path)


def _read(name: str, path: Path) -> Role | None:
    data = (files.read(path) or b"")[:MOST_BYTES]
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    if not text.strip():
        return None
    head, rule, body = text.removeprefix("---\n").partition("\n---\n")
    key, colon, workflow = head.partition(":")
    whole = text.startswith("---\n") and rule and colon and key.strip() == "workflow"
    if not whole or not workflow.strip() or not body.strip():
        raise ConfigError(
            f"{path} is not a role.",
            fix="Begin it with three lines, `---`, `workflow: code` and `---`, then the role.",
        )
    return Role(name, workflow.strip(), body.strip())

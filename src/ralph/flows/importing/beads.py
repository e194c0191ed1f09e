"""The export of beads: one issue per line of JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ralph.domain.errors import PlanError
from ralph.domain.task import Status
from ralph.flows.importing.brought import Names, Tally
from ralph.flows.importing.wording import lines_of, priority_of, status_of
from ralph.plans.json_text import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.flows.importing.brought import Brought, Story

_BLOCKS = ("blocks", "conditional-blocks", "waits-for", "")
_PARENT = "parent-child"
_NO_WORK = ("message", "merge-request", "molecule", "event", "role", "agent")
_USED = (
    *("id", "title", "description", "design", "acceptance_criteria", "notes", "status"),
    *("priority", "issue_type", "dependencies", "depends_on_id", "labels", "created_at", "_type"),
)
_HISTORY = ("comments", "events")


def read_beads(data: bytes, source: str) -> Brought:
    tally = Tally()
    names = Names(tally)
    records = [one for one in _records(data, source) if _is_work(one, tally)]
    if not records:
        raise PlanError(
            f"{source} holds no issues.", fix="Write it with `bd export -o issues.jsonl`."
        )
    stories = [_story(raw, names, tally) for raw in records]
    for story in stories:
        names.linked(story)
    return tally.brought(stories, {})


def _records(data: bytes, source: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            found = decode(line, f"{source}, line {number}")
            if not isinstance(found, dict):
                raise PlanError(f"{source}, line {number}: an issue must be an object.")
            yield found


def _is_work(raw: dict[str, Any], tally: Tally) -> bool:
    name, kind = str(raw.get("id", "?")), raw.get("issue_type")
    if raw.get("_type", "issue") != "issue":
        tally.lose(f"a record of the type {raw['_type']}", name)
    elif raw.get("status") == "tombstone":
        tally.lose("an issue that was deleted (tombstone)", name)
    elif kind in _NO_WORK:
        tally.lose(f"an issue of the type {kind}", name)
    elif not isinstance(raw.get("title"), str) or not raw["title"].strip():
        tally.lose("an issue without a title", name)
    else:
        return True
    return False


def _story(raw: dict[str, Any], names: Names, tally: Tally) -> Story:
    name = names.give(raw.get("id"), raw["title"])
    after, parent = _links(raw, name, tally)
    story: Story = {
        "id": name,
        "title": raw["title"],
        "description": _description(raw),
        "criteria": lines_of(raw.get("acceptance_criteria") or ""),
        "depends_on": after,
        "parent": parent,
        "status": _status(raw.get("status"), name, tally),
        "labels": raw.get("labels") or None,
        "kind": raw.get("issue_type"),
        "priority": priority_of(raw["priority"]) if raw.get("priority") is not None else None,
        "notes": raw.get("notes") or None,
        "created_at": raw.get("created_at"),
    }
    for key, value in raw.items():
        if key in _HISTORY and value:
            tally.lose(f"{key} of an issue", name)
        elif key not in _USED and key not in _HISTORY and value not in (None, "", [], {}):
            tally.carry(key)
            story.setdefault(key, value)
    always = {"description", "criteria", "depends_on", "status"}
    return {key: value for key, value in story.items() if value is not None or key in always}


def _description(raw: dict[str, Any]) -> str:
    said = str(raw.get("description") or "").strip()
    design = str(raw.get("design") or "").strip()
    return "\n\n".join(part for part in (said, f"Design: {design}" if design else "") if part)


def _links(raw: dict[str, Any], name: str, tally: Tally) -> tuple[list[str], str | None]:
    """What the issue waits for, and the issue it is a part of."""
    after: list[str] = []
    parent: str | None = None
    if raw.get("depends_on_id"):
        after.append(str(raw["depends_on_id"]))
    for link in raw.get("dependencies") or ():
        if not isinstance(link, dict):
            after.append(str(link))
            continue
        kind = str(link.get("type") or link.get("dependency_type") or "")
        other = link.get("depends_on_id") or link.get("id")
        if kind == _PARENT and other:
            parent = str(other)
        elif kind in _BLOCKS and other:
            after.append(str(other))
        else:
            tally.lose(f"a link of the type {kind or 'unknown'}", name)
    return after, parent


def _status(word: object, name: str, tally: Tally) -> Status:
    found = status_of(word) if word else Status.OPEN
    if found is None:
        tally.lose(f"the status {str(word)[:40]!r}: imported as open", name)
    return found or Status.OPEN

"""Stories into Ralph's own formats, over what is there: no finished task is forgotten."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ralph.domain.errors import PlanError
from ralph.domain.plan import FINAL
from ralph.domain.task import Status
from ralph.flows.importing.brought import Lost, Tally
from ralph.flows.importing.wording import status_of
from ralph.plans.json_text import decode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph.flows.importing.brought import Brought, Story

_LISTS = ("userStories", "stories", "tasks")
_TREE = {"criteria": "acceptance", "depends_on": "dependsOn", "parent": "parentId"}


class WrittenPlan(Struct, frozen=True):
    data: bytes
    lost: tuple[Lost, ...]
    new: int
    updated: int
    kept: int
    """Tasks that were in the file and not in the source."""


def write_prd(brought: Brought, before: bytes | None, source: str) -> WrittenPlan:
    """One PRD.json; tasks that only hold others have no place in it."""
    tally = Tally()
    document = _document(before, source)
    name = next((one for one in _LISTS if one in document), _LISTS[0])
    fresh = [_prd(story, tally) for story in _flat(brought.stories, tally)]
    old = {str(story.get("id")): story for story in document.get(name, ())}
    stories = [_over(old.get(story["id"]), story) for story in fresh]
    ids = {story["id"] for story in stories}
    kept = [story for key, story in old.items() if key not in ids]
    top = {"project": "plan", "description": "", **brought.top, **document}
    top.pop(name, None)
    data = _encoded({**top, name: [*stories, *kept]})
    return _written(data, brought, tally, old, ids, len(kept))


def write_tree(brought: Brought, before: bytes | None, source: str) -> WrittenPlan:
    """One file of a task tree, which has a word for every status."""
    tally = Tally()
    known = decode(before, source) if before is not None else []
    if not isinstance(known, list):
        raise PlanError(f"{source} holds no list of tasks.", fix="Choose another --out.")
    old = {str(one.get("id")): one for one in known if isinstance(one, dict)}
    tasks = [_over_status(old.get(story["id"]), _tree(story)) for story in brought.stories]
    ids = {task["id"] for task in tasks}
    kept = [task for key, task in old.items() if key not in ids]
    for name in brought.top:
        tally.lose(f"{name} of the whole plan", source)
    return _written(_encoded([*tasks, *kept]), brought, tally, old, ids, len(kept))


def _written(
    data: bytes, brought: Brought, tally: Tally, old: Iterable[str], ids: set[str], kept: int
) -> WrittenPlan:
    updated = len(ids & set(old))
    lost = (*brought.lost, *tally.brought([], {}).lost)
    return WrittenPlan(data, lost, new=len(ids) - updated, updated=updated, kept=kept)


def _document(before: bytes | None, source: str) -> dict[str, Any]:
    if before is None:
        return {}
    found = decode(before, source)
    top: dict[str, Any] = found if isinstance(found, dict) else {_LISTS[0]: None}
    stories: object = next((top[one] for one in _LISTS if one in top), [])
    if not isinstance(stories, list) or not all(isinstance(story, dict) for story in stories):
        raise PlanError(f"{source} is not a plan that can be updated.", fix="Choose another --out.")
    return top


def _flat(stories: Iterable[Story], tally: Tally) -> list[Story]:
    """The tasks without those that only hold others; links to these go to what they hold."""
    stories = list(stories)
    parts: dict[str, list[str]] = {}
    for story in stories:
        if story.get("parent"):
            parts.setdefault(story["parent"], []).append(story["id"])
    by_id = {story["id"]: story for story in stories}
    flat = []
    for story in stories:
        if story["id"] in parts:
            tally.lose("a task that only groups others (those are kept)", story["id"])
        else:
            flat.append({**story, "depends_on": _needs(story, by_id, parts)})
    return flat


def _needs(story: Story, by_id: dict[str, Story], parts: dict[str, list[str]]) -> list[str]:
    """What the task waits for, with what the tasks that hold it wait for."""
    names, above, seen = list(story["depends_on"]), story.get("parent"), set()
    while above in by_id and above not in seen:
        seen.add(above)
        names += by_id[above]["depends_on"]
        above = by_id[above].get("parent")
    found = [leaf for name in names for leaf in _leaves(name, parts, frozenset())]
    return [name for name in dict.fromkeys(found) if name != story["id"]]


def _leaves(name: str, parts: dict[str, list[str]], above: frozenset[str]) -> list[str]:
    if name not in parts or name in above:
        return [name]
    return [leaf for part in parts[name] for leaf in _leaves(part, parts, above | {name})]


def _prd(story: Story, tally: Tally) -> Story:
    status = story["status"]
    if status in {Status.IN_PROGRESS, Status.BLOCKED, Status.FAILED}:
        tally.lose(f"the status {status}: it is open in PRD.json", story["id"])
    plain = {key: value for key, value in story.items() if key != "status" and value != []}
    plain = {"id": story["id"], "title": story["title"], **plain}
    plain.setdefault("criteria", [])
    plain["passes"] = status is Status.COMPLETED
    return plain | ({"skipped": True} if status is Status.SKIPPED else {})


def _over(old: Story | None, new: Story) -> Story:
    """The new fields over the old ones; what was done or skipped stays so."""
    if old is None:
        return new
    done = bool(old.get("passes")) or new["passes"]
    skipped = not done and bool(old.get("skipped") or new.get("skipped"))
    gone = {"depends_on"} - new.keys()  # it waits for nothing any more
    merged = {key: value for key, value in {**old, **new}.items() if key not in gone}
    return {**merged, "passes": done, **({"skipped": skipped} if "skipped" in merged else {})}


def _tree(story: Story) -> Story:
    named = {_TREE.get(key, key): value for key, value in story.items()}
    return {key: value for key, value in named.items() if value not in ([], "")}


def _over_status(old: Story | None, new: Story) -> Story:
    if old is None:
        return new
    before = status_of(old.get("status"))
    merged = {**old, **new}
    if "dependsOn" not in new:
        merged.pop("dependsOn", None)
    return {**merged, "status": before} if before in FINAL else merged


def _encoded(value: object) -> bytes:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return f"{text}\n".encode("utf-8", "surrogatepass")

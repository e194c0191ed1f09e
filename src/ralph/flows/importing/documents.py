"""JSON documents with a list of tasks: PRD.json in the ways people write it, and tasks.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ralph.domain.errors import PlanError
from ralph.domain.task import Status
from ralph.flows.importing.brought import Names, Tally
from ralph.flows.importing.wording import lines_of, priority_of, status_of
from ralph.plans.fields import CRITERIA
from ralph.plans.json_text import decode

if TYPE_CHECKING:
    from ralph.flows.importing.brought import Brought, Story

_LISTS = ("userStories", "user_stories", "stories", "tasks", "features", "items", "issues")
_PROJECT = ("project", "project_name", "projectName", "name", "title")
_TITLE = ("title", "name", "summary")
_DESCRIPTION = ("description", "details", "body")
_DEPENDS = ("depends_on", "dependsOn", "dependencies", "blockedBy", "blocked_by")
_PARENT = ("parent", "parentId", "parent_id")
_LABELS = ("labels", "tags")
_KIND = ("kind", "type")
_AS_THEY_ARE = ("notes", "may_change_tests", "mayChangeTests", "allow")
_DONE = ("passes", "passed", "done", "completed")


def read_document(data: bytes, source: str) -> Brought:
    document = decode(data, source)
    top = document if isinstance(document, dict) else {"tasks": document}
    name = next((one for one in _LISTS if isinstance(top.get(one), list)), None)
    if name is None:
        raise PlanError(
            f"{source} holds no list of tasks.", fix=f"It needs one of: {', '.join(_LISTS)}."
        )
    tally = Tally()
    places = enumerate(top[name], 1)
    stories = read_records([(f"{name}, {place}", raw) for place, raw in places], tally)
    return tally.brought(stories, _top(top, name))


def read_records(records: list[tuple[str, object]], tally: Tally) -> list[Story]:
    """The stories of decoded records, each with its place."""
    names = Names(tally)
    read = (_story(raw, where, names, tally) for where, raw in records)
    stories = [story for story in read if story is not None]
    for story in stories:
        names.linked(story)
    return stories


def _top(top: dict[str, Any], name: str) -> dict[str, Any]:
    project = next((key for key in _PROJECT if isinstance(top.get(key), str)), "")
    rest = {key: value for key, value in top.items() if key not in {name, project}}
    return {"project": top[project], **rest} if project else rest


def _story(raw: object, where: str, names: Names, tally: Tally) -> Story | None:
    if not isinstance(raw, dict):
        tally.lose("a record that is not an object", where)
        return None
    fields = _Fields(raw)
    title = fields.text(*_TITLE)
    if not title:
        tally.lose("a record without a title", where)
        return None
    name = names.give(fields.take("id"), title)
    story: Story = {
        "id": name,
        "title": title,
        "description": fields.text(*_DESCRIPTION),
        "criteria": _criteria(fields.take(*CRITERIA), name, tally),
        "depends_on": _links(fields.take(*_DEPENDS), name, tally),
        "parent": _scalar(fields.take(*_PARENT), "parent", name, tally),
        "status": _status(fields, name, tally),
        "labels": _labels(fields.take(*_LABELS), name, tally),
        "kind": fields.take(*_KIND),
        "priority": _priority(fields.take("priority"), name, tally),
        "verify": _commands(fields.take("verify"), name, tally),
        "created_at": fields.take("createdAt", "created_at"),
        **{key: fields.take(key) for key in _AS_THEY_ARE},
    }
    for key, value in fields.rest().items():
        if key not in story and key not in {"passes", "skipped"}:
            tally.carry(key)
            story[key] = value
        else:
            tally.lose(f"the field {key}, which would clash with Ralph's {key}", name)
    always = {"description", "criteria", "depends_on", "status"}
    return {key: value for key, value in story.items() if value is not None or key in always}


class _Fields:
    """The fields of a record, each taken once; what is left is carried over as it is."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self._raw = dict(raw)

    def take(self, *names: str) -> Any:  # noqa: ANN401 - JSON is anything until it is checked
        found = next((name for name in names if self._raw.get(name) is not None), None)
        for name in names:
            if self._raw.get(name, "") is None:
                del self._raw[name]
        return None if found is None else self._raw.pop(found)

    def text(self, *names: str) -> str:
        """The first of these that is text and says something; others are left."""
        named = [name for name in names if isinstance(self._raw.get(name), str)]
        found = next((name for name in named if self._raw[name].strip()), None)
        for name in named:
            if not self._raw[name].strip():
                del self._raw[name]
        return "" if found is None else str(self._raw.pop(found))

    def rest(self) -> dict[str, Any]:
        return self._raw


def _criteria(value: object, where: str, tally: Tally) -> list[Any]:
    items = lines_of(value) if isinstance(value, str) else value
    found = []
    for item in items if isinstance(items, list) else [] if items is None else [items]:
        text = item.get("text") or item.get("description") if isinstance(item, dict) else item
        if isinstance(text, str) and text.strip():
            found.append(item)
        else:
            tally.lose("a criterion that is not text", where)
    return found


def _links(value: object, where: str, tally: Tally) -> list[str]:
    items = [value] if isinstance(value, (str, int)) else value
    if items is not None and not isinstance(items, list):
        tally.lose("dependencies that are not a list", where)
    found = []
    for item in items if isinstance(items, list) else ():
        name = item.get("id") if isinstance(item, dict) else item
        if isinstance(name, (str, int)) and not isinstance(name, bool):
            found.append(str(name))
        else:
            tally.lose("a dependency without an id", where)
    return found


def _labels(value: object, where: str, tally: Tally) -> list[str] | None:
    if isinstance(value, dict):
        return [f"{key}={item}" for key, item in value.items()]
    items = [value] if isinstance(value, str) else value
    if items is None:
        return None
    found = [one for one in items if isinstance(one, str)] if isinstance(items, list) else []
    if not isinstance(items, list) or len(found) < len(items):
        tally.lose("a label that is not text", where)
    return found


def _commands(value: object, where: str, tally: Tally) -> list[Any] | None:
    if value is None:
        return None
    found = []
    for one in value if isinstance(value, list) else [value]:
        line = isinstance(one, str) and one.strip()
        parts = isinstance(one, list) and one and all(isinstance(part, str) for part in one)
        if line or parts:
            found.append(one)
        else:
            tally.lose("a check that is not a command", where)
    return found


def _scalar(value: object, field: str, where: str, tally: Tally) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    tally.lose(f"a {field} that is not an id", where)
    return None


def _priority(value: object, where: str, tally: Tally) -> int | None:
    found = priority_of(value) if value is not None else None
    if value is not None and found is None:
        tally.lose(f"the priority {str(value)[:40]!r}", where)
    return found


def _status(fields: _Fields, where: str, tally: Tally) -> Status:
    word = fields.take("status", "state")
    flags = {name: _truth(fields.take(name)) for name in (*_DONE, "skipped", "blocked")}
    if any(flags[name] for name in _DONE):
        return Status.COMPLETED
    if flags["skipped"]:
        return Status.SKIPPED
    status = status_of(word)
    if word is not None and status is None:
        tally.lose(f"the status {str(word)[:40]!r}: imported as open", where)
    if flags["blocked"] and status not in {Status.COMPLETED, Status.SKIPPED}:
        return Status.BLOCKED
    return status or Status.OPEN


def _truth(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.strip().lower() in {"true", "yes"})

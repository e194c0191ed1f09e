"""PRD.json: user stories with `passes`, in the order of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from ralph.domain.errors import PlanError
from ralph.domain.plan import Plan
from ralph.domain.task import Status, Task
from ralph.plans import fields as read
from ralph.plans.bound import read_allowed, read_bound, read_texts
from ralph.plans.cached import Recent
from ralph.plans.json_text import BOM, after_space, apply, decode, members, set_member, spans
from ralph.plans.location import read_file, unknown_task

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ralph.plans.cached import PlanFiles
    from ralph.plans.json_text import Edit, JsonMember

_STORIES = ("userStories", "stories", "tasks")


class PrdJson:
    """A plan in one JSON file. Statuses it has no word for are open to it."""

    def __init__(self, key: str, source: str) -> None:
        self.source = source
        self._key = key
        self._recent = Recent()
        self._layout: _Layout | None = None
        self._marked: tuple[bytes, dict[str, Status], PlanFiles] | None = None
        """The last edit, which is asked for again when its work has been verified."""

    def files(self, root: Path) -> PlanFiles:
        return {self._key: read_file(root, self._key, self.source)}

    def parse(self, files: PlanFiles) -> Plan:
        return self._recent.parse(files, self)

    def read(self, files: PlanFiles) -> Plan:
        document = decode(files[self._key], self.source)
        if not isinstance(document, dict):
            raise PlanError(
                f"{self.source} must be an object, but is {read.what_is(document)}.",
                fix='Write {"project": …, "userStories": […]}, or run `ralph init`.',
            )
        top = read.TaskFields(document, self.source)
        name, stories = top.items(*_STORIES)
        if name not in document:
            raise PlanError(
                f"{self.source}: userStories is missing.", fix="Add the list of stories."
            )
        return Plan(
            title=top.text("project", "name", "title") or "plan",
            tasks=tuple(self._task(raw, place) for place, raw in enumerate(stories, 1)),
            description=top.text("description"),
            branch=top.text("branchName", "branch_name", "branch"),
            source=self.source,
        )

    def _task(self, raw: object, place: int) -> Task:
        name = read.read_id(raw, f"{self.source}, story {place}")
        story = read.TaskFields(raw, f"{self.source}, {name}")  # type: ignore[arg-type] # read_id has seen a dict
        labels = read.read_labels(story)
        return Task(
            id=name,
            title=story.required("title"),
            description=read.read_description(story),
            criteria=read.read_criteria(story),
            status=_status(story),
            depends_on=read.read_names(story, "depends_on", "dependsOn", "dependencies"),
            verify=read.read_commands(story),
            labels=labels,
            kind=read.read_kind(story, labels),
            priority=story.number("priority"),
            bound=read_bound(story),
            may_change_tests=read_texts(story, "may_change_tests", "mayChangeTests"),
            allow=read_allowed(story),
        )

    def mark(self, files: PlanFiles, statuses: Mapping[str, Status]) -> PlanFiles:
        plan = self.parse(files)
        wanted: dict[str, Status] = {}
        for name, status in statuses.items():
            task = plan.by_id.get(name) or unknown_task(self.source, name)
            known = status if status in (Status.COMPLETED, Status.SKIPPED) else Status.OPEN
            if task.status is not known:
                wanted[name] = known
        if not wanted:
            return {}
        data = files[self._key]
        if self._marked is not None and self._marked[:2] == (data, wanted):
            return self._marked[2]
        layout = self._layout
        if layout is None or layout.data != data:
            layout = _Layout.of(data, plan)
        self._layout = layout.edited(wanted)
        changed = {self._key: self._layout.data}
        self._recent.keep(changed, plan.with_statuses(wanted))
        self._marked = data, wanted, changed
        return changed


def _status(story: read.TaskFields) -> Status:
    skipped = story.flag("skipped")
    if story.flag("passes"):
        return Status.COMPLETED
    return Status.SKIPPED if skipped else Status.OPEN


class _Layout(Struct, frozen=True):
    """Where each story is, so that marking one task costs no reading of the others."""

    data: bytes
    names: list[str]
    places: dict[str, int]
    """The stories' places in the list, by id."""
    stories: list[tuple[int, int]]
    """The offsets of each story."""

    @classmethod
    def of(cls, data: bytes, plan: Plan) -> _Layout:
        body = len(BOM) if data.startswith(BOM) else 0
        top = _top_members(data, body)
        name = next(n for n in _STORIES if any(_is_list(data, m, n) for m in top))
        array = [member for member in top if member.name == name][-1]
        names = list(plan.by_id)
        places = {name: place for place, name in enumerate(names)}
        return cls(data, names, places, spans(data, array.value, array.end))

    def edited(self, wanted: Mapping[str, Status]) -> _Layout:
        edits: list[Edit] = []
        stories: list[tuple[int, int]] = []
        shift = 0
        for place in sorted(self.places[name] for name in wanted):
            stories += _shifted(self.stories[len(stories) : place], shift)
            start, end = self.stories[place]
            new = _edits(self.data, members(self.data, start), wanted[self.names[place]])
            edits += new
            grown = sum(len(text) - (until - at) for at, until, text in new)
            stories.append((start + shift, end + shift + grown))
            shift += grown
        stories += _shifted(self.stories[len(stories) :], shift)
        return _Layout(apply(self.data, edits), self.names, self.places, stories)


def _shifted(stories: list[tuple[int, int]], shift: int) -> list[tuple[int, int]]:
    return [(start + shift, end + shift) for start, end in stories] if shift else stories


def _is_list(data: bytes, member: JsonMember, name: str) -> bool:
    return member.name == name and data[member.value] == ord("[")


def _top_members(data: bytes, body: int) -> list[JsonMember]:
    raw = msgspec.json.decode(memoryview(data)[body:], type=dict[str, msgspec.Raw])
    sizes = {
        name: memoryview(raw[name]).nbytes
        for name in _STORIES
        if name in raw and data.count(f'"{name}"'.encode()) == 1
    }
    return members(data, after_space(data, body), sizes)


def _edits(data: bytes, existing: list[JsonMember], status: Status) -> list[Edit]:
    flags = {"passes": status is Status.COMPLETED, "skipped": status is Status.SKIPPED}
    present = {member.name: data[member.value : member.end] for member in existing}
    found = []
    for name, value in flags.items():
        if value or present.get(name) == b"true":
            edit = set_member(data, existing, name, b"true" if value else b"false")
            found += [edit] if edit else []
    return found

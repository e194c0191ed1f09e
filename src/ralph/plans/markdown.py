"""A Markdown checklist: every checkbox is a task, what is indented below it belongs to it."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.errors import PlanError
from ralph.domain.plan import Plan
from ralph.domain.task import Status, Task, shell
from ralph.plans.cached import Recent
from ralph.plans.checklist import outline
from ralph.plans.fields import is_task_id
from ralph.plans.location import read_file, unknown_task

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ralph.plans.cached import PlanFiles
    from ralph.plans.checklist import Item, Outline

_NAMED = re.compile(
    r"(?:\*\*(?P<bold>[^*\s:]+):?\*\*:?|\[(?P<square>[^\]\s]+)\](?!\():?|(?P<bare>[^\s:*\[]+):)\s+"
)
_STRUCK = re.compile(r"~~(.+)~~")
_DEPENDS = re.compile(r"depends[ _-]?on:?\s+(.+)", re.IGNORECASE)
_VERIFY = re.compile(r"verify:\s*(.+)", re.IGNORECASE)
_BOX = {Status.COMPLETED: b"x", Status.SKIPPED: b"-"}
_SLUG_LENGTH = 40


class Checklist:
    """A plan in one Markdown file. Statuses it has no sign for are open to it."""

    def __init__(self, key: str, source: str) -> None:
        self.source = source
        self._key = key
        self._recent = Recent()

    def files(self, root: Path) -> PlanFiles:
        return {self._key: read_file(root, self._key, self.source)}

    def parse(self, files: PlanFiles) -> Plan:
        return self._recent.parse(files, self)

    def read(self, files: PlanFiles) -> Plan:
        found = self._outline(files)
        if not found.items:
            raise PlanError(
                f"{self.source} holds no tasks.", fix="Write each task as a line `- [ ] text`."
            )
        tasks: list[Task] = []
        for item, name in zip(found.items, _names(found), strict=True):
            above = tasks[item.parent].id if item.parent is not None else None
            tasks.append(replace(_task(item, name), parent=above))
        return Plan(title=found.title or "plan", tasks=tuple(tasks), source=self.source)

    def mark(self, files: PlanFiles, statuses: Mapping[str, Status]) -> PlanFiles:
        plan = self.parse(files)
        found = self._outline(files)
        items = dict(zip(plan.by_id, found.items, strict=True))
        data = bytearray(files[self._key])
        wanted: dict[str, Status] = {}
        for name, status in statuses.items():
            task = plan.by_id.get(name) or unknown_task(self.source, name)
            known = status if status in _BOX else Status.OPEN
            if task.status is not known:
                wanted[name] = known
        # from the end, so that the offsets before it stay true
        for name in sorted(wanted, key=lambda name: items[name].box, reverse=True):
            _tick(data, items[name], wanted[name])
        if not wanted:
            return {}
        changed = {self._key: bytes(data)}
        self._recent.keep(changed, plan.with_statuses(wanted))
        return changed

    def _outline(self, files: PlanFiles) -> Outline:
        try:
            return outline(files[self._key])
        except UnicodeDecodeError as error:
            raise PlanError(
                f"{self.source}: not UTF-8 text.", fix="Save the file as UTF-8."
            ) from error


def _tick(data: bytearray, item: Item, status: Status) -> None:
    if status is Status.OPEN and _STRUCK.fullmatch(_split(item.text)[1]):
        line = data[item.box : item.end].replace(b"~~", b"")
        data[item.box : item.end] = line
    data[item.box : item.box + 1] = _BOX.get(status, b" ")


def _split(text: str) -> tuple[str | None, str]:
    """The id a line starts with, if any, and the rest; only what has a digit can be an id."""
    found = _NAMED.match(text)
    if found:
        name = found["bold"] or found["square"] or found["bare"]
        if is_task_id(name) and any(letter.isdigit() for letter in name):
            return name, text[found.end() :].strip()
    return None, text


def _names(found: Outline) -> list[str]:
    """Each item's id: its own, else one made from its text, numbered if it comes again."""
    own = [_split(_bare(item.text))[0] for item in found.items]
    taken = {name for name in own if name}
    names: list[str] = []
    for item, stated in zip(found.items, own, strict=True):
        name = stated
        if name is None:
            base = _slug(item.text)
            number = 1
            name = base
            while name in taken:
                number += 1
                name = f"{base}-{number}"
            taken.add(name)
        names.append(name)
    return names


def _bare(text: str) -> str:
    """The text without the strokes through the whole of it."""
    struck = _STRUCK.fullmatch(text)
    return struck[1].strip() if struck else text


def _slug(text: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", _bare(text).lower()).strip("-")
    if len(words) > _SLUG_LENGTH:
        words = words[:_SLUG_LENGTH].rsplit("-", 1)[0]
    return f"T-{words or hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _task(item: Item, name: str) -> Task:
    title = _bare(_split(_bare(item.text))[1])
    struck = _bare(item.text) != item.text or _bare(_split(item.text)[1]) != _split(item.text)[1]
    criteria: list[str] = []
    depends_on: list[str] = []
    verify: list[tuple[str, ...]] = []
    for point in item.points:
        if found := _DEPENDS.fullmatch(point):
            depends_on += re.findall(r"[A-Za-z0-9][\w.-]*", found[1].replace(" and ", " "))
        elif found := _VERIFY.fullmatch(point):
            verify.append(shell(found[1].strip("` ")))
        else:
            criteria.append(point)
    return Task(
        id=name,
        title=title or name,
        description="\n".join(item.prose),
        criteria=tuple(criteria),
        status=_status(item.sign, struck=struck),
        depends_on=tuple(dict.fromkeys(depends_on)),
        verify=tuple(verify),
    )


def _status(sign: str, *, struck: bool) -> Status:
    if sign in "xX":
        return Status.COMPLETED
    return Status.SKIPPED if sign == "-" or struck else Status.OPEN

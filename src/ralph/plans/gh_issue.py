"""An issue as a task: its checklist is the criteria, "blocked by #3" a dependency."""

from __future__ import annotations

import re

from msgspec import Struct

from ralph.domain.task import Status, Task
from ralph.plans.checklist import outline
from ralph.plans.fields import TaskFields, read_kind

FIELDS = "number,title,body,labels,state,stateReason,createdAt,url"
_NEEDS = re.compile(
    r"^[\s>*_-]*(?:blocked by|depends on|requires|needs)\b[*_]*:?(?P<rest>.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_REFERENCE = re.compile(r"(?:(?P<repository>[\w.-]+/[\w.-]+)|(?<![\w/.-]))#(?P<number>\d+)\b")
_ADDRESS = re.compile(r"https://[\w.-]+/(?P<repository>[\w.-]+/[\w.-]+)/issues/(?P<number>\d+)\b")
_PRIORITY = re.compile(r"(?:priority[\s:/=-]*)?p?([0-9])|priority[\s:/=-]*(\w+)", re.IGNORECASE)
_URGENCY = {"critical": 0, "urgent": 0, "high": 1, "medium": 2, "normal": 2, "low": 3}


class Label(Struct, frozen=True):
    name: str


class Issue(Struct, frozen=True, rename="camel"):
    """What `gh` tells of one issue."""

    number: int
    title: str
    body: str | None = None
    labels: tuple[Label, ...] = ()
    state: str = "OPEN"
    state_reason: str | None = None
    created_at: str = ""
    url: str = ""

    @property
    def closed(self) -> bool:
        return self.state != "OPEN"  # a pull request can be merged, too

    @property
    def status(self) -> Status:
        """What the issue's own state says."""
        if not self.closed:
            return Status.OPEN
        left_out = (self.state_reason or "").upper() in {"NOT_PLANNED", "DUPLICATE"}
        return Status.SKIPPED if left_out else Status.COMPLETED


def name_of(number: int) -> str:
    return f"GH-{number}"


def number_of(task: str) -> int:
    return int(task.removeprefix("GH-"))


def needs(issue: Issue, repository: str) -> tuple[int, ...]:
    """The issues of the same repository that come first, in the order they are named."""
    body = (issue.body or "").replace("\r\n", "\n")
    found = [
        number for line in _NEEDS.finditer(body) for number in _named(line["rest"], repository)
    ]
    for item in outline(body.encode()).items:
        if _REFERENCE.fullmatch(item.text) or _ADDRESS.fullmatch(item.text):
            found += _named(item.text, repository)
    return tuple(number for number in dict.fromkeys(found) if number != issue.number)


def _named(text: str, repository: str) -> list[int]:
    whole = f"/{repository.lower()}"
    places = [*_REFERENCE.finditer(text), *_ADDRESS.finditer(text)]
    return [
        int(place["number"])
        for place in sorted(places, key=lambda place: place.start())
        if not place["repository"] or whole.endswith(f"/{place['repository'].lower()}")
    ]


def task_of(issue: Issue, repository: str, status: Status) -> Task:
    labels = tuple(label.name for label in issue.labels)
    description, criteria = _described(issue.body or "")
    return Task(
        id=name_of(issue.number),
        title=issue.title.strip() or name_of(issue.number),
        description=description,
        criteria=criteria,
        status=status,
        depends_on=tuple(name_of(number) for number in needs(issue, repository)),
        labels=labels,
        kind=read_kind(TaskFields({}, ""), labels),
        priority=_priority(labels),
        created_at=issue.created_at,
    )


def _described(body: str) -> tuple[str, tuple[str, ...]]:
    """The text without its checklist, and the checklist."""
    data = body.replace("\r\n", "\n").encode("utf-8", "replace")
    items = outline(data).items
    ticked = {data.count(b"\n", 0, item.box) for item in items}
    kept = [line for place, line in enumerate(data.decode().split("\n")) if place not in ticked]
    references = (item for item in items if not _REFERENCE.fullmatch(item.text))
    criteria = tuple(item.text for item in references if not _ADDRESS.fullmatch(item.text))
    return "\n".join(kept).strip(), criteria


def _priority(labels: tuple[str, ...]) -> int | None:
    for label in labels:
        found = _PRIORITY.fullmatch(label.strip())
        if found and found[1]:
            return int(found[1])
        if found and found[2].lower() in _URGENCY:
            return _URGENCY[found[2].lower()]
    return None

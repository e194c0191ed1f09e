"""The pulled issues in one file, with the statuses that Ralph gave them since."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from ralph.domain.errors import PlanError
from ralph.domain.task import Status
from ralph.plans.gh_issue import Issue, name_of, needs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class IssueEntry(Struct, frozen=True):
    issue: Issue
    status: Status
    chosen: bool = True
    """False for an issue that another one waits for and that is not part of the plan."""


class IssueSnapshot(Struct, frozen=True):
    pulled_at: float
    entries: tuple[IssueEntry, ...] = ()


class Sent(Struct, frozen=True):
    """What was last told to GitHub about a task."""

    what: str
    closed: bool
    at: float


class Fetched(Struct, frozen=True):
    """An answer from GitHub."""

    asked_at: float
    issues: tuple[Issue, ...]
    others: tuple[Issue, ...] = ()
    """Issues that those wait for."""


def decode(data: bytes, source: str) -> IssueSnapshot:
    try:
        return msgspec.json.decode(data, type=IssueSnapshot)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PlanError(
            f"{source}: the snapshot of its issues is damaged: {error}.",
            fix="Remove the folder `github` among the project's files in RALPH_HOME.",
        ) from error


def encode(snapshot: IssueSnapshot) -> bytes:
    return msgspec.json.format(msgspec.json.encode(snapshot), indent=1) + b"\n"


def merged(old: IssueSnapshot | None, new: Fetched, sent: Mapping[str, Sent]) -> IssueSnapshot:
    """The fetched issues, with the statuses that Ralph gave them unless GitHub changed since."""
    before = {entry.issue.number: entry for entry in old.entries} if old else {}
    listed = {issue.number for issue in new.issues}
    pulled = old.pulled_at if old else 0
    told = {name: one for name, one in sent.items() if one.at > pulled}
    entries = [_chosen(issue, before, new.asked_at, told) for issue in new.issues]
    entries += [_other(issue) for issue in new.others if issue.number not in listed]
    known = listed | {issue.number for issue in new.others}
    entries += [one for number, one in before.items() if number not in known and _unsent(one, sent)]
    return IssueSnapshot(new.asked_at, tuple(sorted(entries, key=lambda one: one.issue.number)))


def _chosen(
    issue: Issue, before: Mapping[int, IssueEntry], asked_at: float, sent: Mapping[str, Sent]
) -> IssueEntry:
    old, told = before.get(issue.number), sent.get(name_of(issue.number))
    if old is None or not old.chosen:
        return IssueEntry(issue, issue.status)
    if told is not None and told.at >= asked_at:
        return IssueEntry(issue, old.status)  # the answer may be older than what was told
    was_closed = told.closed if told is not None else old.issue.closed
    return IssueEntry(issue, old.status if was_closed is issue.closed else issue.status)


def _other(issue: Issue) -> IssueEntry:
    status = Status.COMPLETED if issue.closed else Status.BLOCKED
    return IssueEntry(issue, status, chosen=False)


def _unsent(entry: IssueEntry, sent: Mapping[str, Sent]) -> bool:
    """Ralph settled or skipped it, and GitHub may not know yet: it must not be forgotten."""
    own = entry.chosen and entry.status is not Status.OPEN and not entry.issue.closed
    return own and name_of(entry.issue.number) not in sent


def missing(issues: Iterable[Issue], repository: str) -> tuple[int, ...]:
    """The issues that some of these wait for and that are not among them."""
    issues = tuple(issues)
    listed = {issue.number for issue in issues}
    wanted = (number for issue in issues if not issue.closed for number in needs(issue, repository))
    return tuple(dict.fromkeys(number for number in wanted if number not in listed))

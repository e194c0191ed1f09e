"""GitHub issues: pulled into a snapshot that the loop reads like any other plan file.

The loop marks the snapshot as it marks a file; `gh_desk` tells GitHub afterwards. Nothing here
needs the network but `fetch`.
"""

from __future__ import annotations

import hashlib
import re
import time
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ralph import files as disk
from ralph.domain.errors import PlanError
from ralph.domain.plan import Plan
from ralph.plans.cached import Recent
from ralph.plans.gh_call import ask_json
from ralph.plans.gh_issue import FIELDS, Issue, name_of, needs, task_of
from ralph.plans.gh_snapshot import Fetched, Sent, decode, encode, merged, missing
from ralph.plans.location import unknown_task

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ralph.domain.task import Status, Task
    from ralph.plans.cached import PlanFiles
    from ralph.plans.gh_snapshot import IssueSnapshot


MOST_ISSUES = 1000
MOST_OTHERS = 50
_NO_ISSUE = "Could not resolve to an issue"


class GitHubPlan:
    """The issues of one query; `folder` is outside of the repository."""

    def __init__(self, source: str, folder: Path) -> None:
        self.source = source
        self.query = parse_query(source)
        self.path = folder / f"{self.query.name}.json"
        self._sent = folder / f"{self.query.name}.sent.json"
        self._recent = Recent()

    def files(self, root: Path) -> PlanFiles:  # noqa: ARG002 - the port's: it is the same for all
        data = disk.read(self.path)
        if data is None:
            raise PlanError(
                f"{self.source} has not been read yet.",
                fix=f"Run `ralph lint '{self.source}'`: it asks GitHub.",
            )
        return {str(self.path): data}

    def parse(self, files: PlanFiles) -> Plan:
        return self._recent.parse(files, self)

    def read(self, files: PlanFiles) -> Plan:
        snapshot = decode(files[str(self.path)], self.source)
        known = {name_of(entry.issue.number) for entry in snapshot.entries}
        tasks = [task_of(one.issue, self.query.repository, one.status) for one in snapshot.entries]
        return Plan(
            title=self.query.title,
            tasks=tuple(_without_unknown(task, known) for task in tasks),
            source=self.source,
        )

    def mark(self, files: PlanFiles, statuses: Mapping[str, Status]) -> PlanFiles:
        plan = self.parse(files)
        for name in statuses:
            if name not in plan.by_id:
                unknown_task(self.source, name)
        wanted = {n: status for n, status in statuses.items() if plan.by_id[n].status is not status}
        if not wanted:
            return {}
        snapshot = decode(files[str(self.path)], self.source)
        entries = tuple(
            replace(one, status=wanted.get(name_of(one.issue.number), one.status))
            for one in snapshot.entries
        )
        return {str(self.path): encode(replace(snapshot, entries=entries))}

    def snapshot(self) -> IssueSnapshot | None:
        data = disk.read(self.path)
        return None if data is None else decode(data, self.source)

    def sent(self) -> dict[str, Sent]:
        """What GitHub was told, by task."""
        try:
            return msgspec.json.decode(disk.read(self._sent) or b"{}", type=dict[str, Sent])
        except (msgspec.DecodeError, UnicodeDecodeError):
            return {}  # before it is sent again, the issue is searched for it

    def keep_sent(self, sent: Mapping[str, Sent]) -> None:
        disk.write(self._sent, msgspec.json.format(msgspec.json.encode(sent), indent=1))

    async def fetch(self) -> Fetched:
        """The issues as GitHub has them now: one request, one more per issue only waited for."""
        asked_at = time.time()
        where = ("--repo", self.query.repository)
        limit = ("--state", "all", "--limit", str(MOST_ISSUES), "--json", FIELDS)
        found = await ask_json(
            tuple[Issue, ...], "issue", "list", *where, *self.query.arguments(), *limit
        )
        wanted = missing(found, self.query.repository)[:MOST_OTHERS]
        others = [await self._other(number) for number in wanted]
        return Fetched(asked_at, found, tuple(one for one in others if one is not None))

    async def _other(self, number: int) -> Issue | None:
        """An issue that is not part of the plan; None if there is none of that number."""
        where = ("--repo", self.query.repository, "--json", FIELDS)
        try:
            return await ask_json(Issue, "issue", "view", str(number), *where)
        except PlanError as error:
            if _NO_ISSUE in error.what:
                return None
            raise

    def take_in(self, fetched: Fetched) -> None:
        """Make the answer the plan. Only while no agent works: a changed plan would be put back."""
        old = self.snapshot()
        new = merged(old, fetched, self.sent())
        disk.write(self.path, encode(new))


def _without_unknown(task: Task, known: set[str]) -> Task:
    """The task without what it waits for beyond the issues that could be asked about."""
    if known.issuperset(task.depends_on):
        return task
    return replace(task, depends_on=tuple(name for name in task.depends_on if name in known))


async def refreshed(plan: GitHubPlan, seconds: float) -> tuple[str, ...]:
    """Pull if the snapshot is older than that; notes for the user. Offline the last one counts."""
    old = plan.snapshot()
    if old is not None and time.time() - old.pulled_at < seconds:
        return ()
    try:
        fetched = await plan.fetch()
    except PlanError as error:
        if old is None:
            raise
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(old.pulled_at))
        return (f"using the issues as of {when}: {error.what}",)
    plan.take_in(fetched)
    return _limits(fetched, plan.query.repository)


def _limits(fetched: Fetched, repository: str) -> tuple[str, ...]:
    notes = []
    if len(fetched.issues) >= MOST_ISSUES:
        notes.append(f"only the newest {MOST_ISSUES} issues were read; narrow the query")
    listed = {issue.number for issue in (*fetched.issues, *fetched.others)}
    left = {
        number
        for issue in fetched.issues
        if not issue.closed
        for number in needs(issue, repository)
        if number not in listed
    }
    if left:
        named = ", ".join(f"#{number}" for number in sorted(left)[:5])
        notes.append(f"dependencies that cannot be followed are left out: {named}")
    return tuple(notes)


PREFIX = "github:"
_REPOSITORY = re.compile(r"(?:[\w.-]+/)?[\w.-]+/[\w.-]+")
_KEYS = ("label", "milestone", "assignee", "author", "search")
_FIX = "Write github:owner/repo?label=ralph; also known: milestone, assignee, author, search."


class Query(Struct, frozen=True):
    repository: str
    filters: tuple[tuple[str, str], ...] = ()

    @property
    def title(self) -> str:
        """A name for the plan, of which the branch's name is made."""
        named = (value for key, value in self.filters if key in {"label", "milestone"})
        return " ".join((self.repository.rsplit("/", 1)[-1], *named))

    @property
    def name(self) -> str:
        """A file name of its own for every query."""
        words = re.sub(r"[^\w.-]+", "-", self.repository)
        digest = hashlib.sha256(repr((self.repository, sorted(self.filters))).encode()).hexdigest()
        return f"{words}-{digest[:12]}"

    def arguments(self) -> tuple[str, ...]:
        """The filters as `gh issue list` takes them."""
        return tuple(part for key, value in self.filters for part in (f"--{key}", value))


def is_github(path: str) -> bool:
    return path.startswith(PREFIX)


def parse_query(path: str) -> Query:
    repository, _, rest = path.removeprefix(PREFIX).partition("?")
    if not _REPOSITORY.fullmatch(repository) or repository.startswith("-"):
        raise PlanError(f"{path}: {repository!r} is not owner/repo.", fix=_FIX)
    filters = tuple(parse_qsl(rest, keep_blank_values=True))
    for key, value in filters:
        if key not in _KEYS:
            raise PlanError(f"{path}: issues cannot be filtered by {key!r}.", fix=_FIX)
        if not value.strip():
            raise PlanError(f"{path}: {key} has no value.", fix=_FIX)
    return Query(repository, filters)

"""Tells GitHub what became of its issues, and looks for changes there, beside the loop.

What is to be told follows from the snapshot and the ledger's state, never from memory: a kill, a
failed `gh` or a day offline loses nothing. Before it writes anything, it asks the issue
whether that is there already: nothing is said twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.errors import RalphError
from ralph.domain.event import IterationEnded, IterationStarted, PlanMarked, RunStarted, Settled
from ralph.domain.task import Status
from ralph.plans.gh_call import ask, ask_json
from ralph.plans.gh_issue import name_of, number_of
from ralph.plans.gh_snapshot import Sent

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from ralph.domain.event import Recorded
    from ralph.domain.settings import TaskSettings
    from ralph.domain.state import RunState, TaskState
    from ralph.plans.gh_snapshot import Fetched, IssueEntry
    from ralph.plans.github import GitHubPlan

FINISH_SECONDS = 60
"""How long the end of a run may wait for GitHub; the next run tells the rest."""
SKIPPED = "skipped"
SETTLED = "settled "


class _Comment(Struct, frozen=True):
    body: str = ""


class _Seen(Struct, frozen=True):
    state: str
    comments: tuple[_Comment, ...] = ()


class Message(Struct, frozen=True):
    """Something that GitHub is to be told about one task."""

    task: str
    what: str
    """In a word, with the commit: the same words are never said twice."""
    text: str
    state: str = ""
    """What the issue's state shall be; empty leaves it."""

    @property
    def mark(self) -> str:
        return f"<!-- ralph: {self.what} -->"


class IssueDesk:
    """Watches the journal of one run."""

    def __init__(
        self,
        plan: GitHubPlan,
        state: Callable[[], RunState],
        tell: Callable[[str], None],
        tasks: TaskSettings,
    ) -> None:
        self._plan = plan
        self._state = state
        self._tell = tell
        self._close = tasks.github_close
        self._refresh_seconds = tasks.github_refresh_minutes * 60
        self._fetched: Fetched | None = None
        self._last_try = 0.0
        self._told: set[str] = set()
        self._sending: asyncio.Task[None] | None = None
        self._fetching: asyncio.Task[None] | None = None

    def __call__(self, recorded: Recorded) -> None:
        match recorded.event:
            case IterationStarted():
                self._look()
            case IterationEnded():
                self._take_in()
            case Settled() | PlanMarked() | RunStarted():
                self._send_soon()
            case _:
                pass

    async def finish(self) -> None:
        """Tell what is left to be told, unless that takes too long; give up looking."""
        if self._fetching is not None:
            self._fetching.cancel()
            await asyncio.gather(self._fetching, return_exceptions=True)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FINISH_SECONDS):
                if self._sending is not None:
                    await self._sending
                await self._send()

    def _look(self) -> None:
        """While the agent works, see whether the issues have changed."""
        old = self._plan.snapshot()
        since = max(old.pulled_at if old else 0, self._last_try)
        if self._fetching is None and time.time() - since >= self._refresh_seconds:
            self._last_try = time.time()
            self._fetching = asyncio.ensure_future(self._quietly(self._fetch()))

    async def _fetch(self) -> None:
        try:
            self._fetched = await self._plan.fetch()
        finally:
            self._fetching = None

    def _take_in(self) -> None:
        """Between two agents the plan may change."""
        if self._fetched is not None:
            fetched, self._fetched = self._fetched, None
            self._plan.take_in(fetched)

    def _send_soon(self) -> None:
        if self._sending is None or self._sending.done():
            self._sending = asyncio.ensure_future(self._send())

    async def _send(self) -> None:
        failed: set[str] = set()
        while message := next((m for m in self._waiting() if m.task not in failed), None):
            failed.add(message.task)  # unless it is sent, which takes it off the list
            await self._quietly(self._deliver(message))

    def _waiting(self) -> Iterator[Message]:
        snapshot = self._plan.snapshot()
        sent = self._plan.sent()
        for entry in snapshot.entries if snapshot else ():
            name = name_of(entry.issue.number)
            message = due(entry, self._state().tasks.get(name), sent.get(name), close=self._close)
            if message is not None:
                yield message

    async def _deliver(self, message: Message) -> None:
        number, where = str(number_of(message.task)), ("--repo", self._plan.query.repository)
        seen = await ask_json(_Seen, "issue", "view", number, *where, "--json", "state,comments")
        if not any(message.mark in comment.body for comment in seen.comments):
            text = f"{message.text}\n\n{message.mark}\n"
            await ask("issue", "comment", number, *where, "--body-file", "-", stdin=text)
        if message.state and message.state != seen.state:
            verb = ("close", number, "--reason", "completed")
            await ask("issue", *(verb if message.state == "CLOSED" else ("reopen", number)), *where)
        closed = (message.state or seen.state) == "CLOSED"
        told = Sent(message.what, closed, time.time())
        self._plan.keep_sent({**self._plan.sent(), message.task: told})

    async def _quietly(self, work: Coroutine[None, None, None]) -> None:
        """Trouble with GitHub never stops the work: it is said once and tried again later."""
        try:
            await work
        except RalphError as error:
            if error.what not in self._told:
                self._told.add(error.what)
                self._tell(
                    f"{error.what} (Nothing is lost; Ralph will try again.) {error.fix}".strip()
                )


def due(
    entry: IssueEntry, known: TaskState | None, sent: Sent | None, *, close: bool
) -> Message | None:
    """What GitHub does not know yet about this issue."""
    if not entry.chosen:
        return None
    name, said = name_of(entry.issue.number), sent.what if sent else ""
    settled = SETTLED + known.commit if known is not None and known.commit else ""
    if entry.status is Status.COMPLETED and known is not None and settled not in ("", said):
        return Message(name, settled, _settled(known), "CLOSED" if close else "")
    if entry.status is Status.SKIPPED and not entry.issue.closed and said != SKIPPED:
        text = "Ralph will not work on this issue: a person skipped it."
        return Message(name, SKIPPED, text)
    if entry.status is Status.OPEN and sent is not None and said.startswith(SETTLED):
        what = f"open again after {said.removeprefix(SETTLED)}"
        return Message(name, what, "Ralph works on this issue again.", "OPEN" * sent.closed)
    return None


def _settled(known: TaskState) -> str:
    unproven = ", **unproven**: no test fails without the change" if known.untested else ""
    return f"Done by Ralph in {known.commit}. Evidence level: **{known.level}**{unproven}."

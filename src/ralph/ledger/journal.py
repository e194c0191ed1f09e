from __future__ import annotations

from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Protocol

from ralph.domain.errors import LedgerError, StorageError
from ralph.domain.state import RunState
from ralph.views.fold import apply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ralph.domain.event import Event, Recorded

SNAPSHOT_EVERY = 1000


class Ledger(Protocol):
    """What a journal needs of a ledger."""

    def append(
        self, project: str, run: str, events: Sequence[Event], at: float
    ) -> list[Recorded]: ...

    def read(self, project: str, after: int = 0) -> Iterator[Recorded]: ...

    def load_snapshot(self, project: str) -> RunState | None: ...

    def save_snapshot(self, project: str, state: RunState) -> None: ...

    def of_kinds(
        self,
        project: str,
        kinds: Sequence[str],
        limit: int | None = None,
        *,
        newest_first: bool = False,
    ) -> Iterator[Recorded]: ...

    def across(self, kinds: Sequence[str], after: int = 0) -> Iterator[Recorded]: ...

    def of_iteration(self, project: str, iteration: int) -> Iterator[Recorded]: ...

    def of_task(self, project: str, task: str) -> Iterator[Recorded]: ...

    def head(self) -> str: ...

    def changed(self) -> bool: ...

    def contains(self, digest: str) -> bool: ...

    def verify(self, expected_head: str | None = None) -> int: ...

    def close(self) -> None: ...


class Journal:
    """One project's part of the ledger and the state that follows from it."""

    state: RunState

    def __init__(self, ledger: Ledger, project: str, run: str, clock: Callable[[], float]) -> None:
        self.project = project
        self.run = run
        self.ledger = ledger
        self._clock = clock
        self._watchers: list[Callable[[Recorded], None]] = []
        self._waiting: list[Event] = []
        self._wrote = False
        self.load()

    def load(self) -> RunState:
        """The state as a fresh process would find it."""
        self.state = self.ledger.load_snapshot(self.project) or RunState()
        self._unsaved = 0
        for recorded in self.ledger.read(self.project, after=self.state.seq):
            self._fold(recorded)
        return self.state

    def record(self, *events: Event) -> tuple[Recorded, ...]:
        """Durably add the events, after those that wait and what others wrote meanwhile."""
        every = (*self._waiting, *events)
        mine = self.ledger.append(self.project, self.run, every, self._clock())
        self._waiting.clear()
        self._wrote = self._wrote or bool(mine)
        if mine and mine[0].prev == self.state.head:
            self._take(tuple(mine))
        else:
            self._catch_up()
        return tuple(mine)

    def later(self, event: Event) -> None:
        """Add the event with the next record: one wait for the disk less.

        For what nothing follows from until then, neither a decision nor anything outside.
        """
        self._waiting.append(event)

    def refresh(self) -> tuple[Recorded, ...]:
        """What others wrote since the last look."""
        return self._catch_up()

    def newest(self, kinds: Sequence[str], limit: int | None = None) -> list[Recorded]:
        """The last `limit` events of these kinds, oldest first."""
        found = list(self.ledger.of_kinds(self.project, kinds, limit, newest_first=True))
        return found[::-1]

    def watch(self, callback: Callable[[Recorded], None]) -> None:
        """Call back for every event from now on, after the state knows it."""
        self._watchers.append(callback)

    def close(self) -> None:
        """Keep the fold. A journal that only read leaves that to the writers, if there is little
        to gain: a look at the status must not wait for a lock.
        """
        if self._unsaved and (self._wrote or self._unsaved >= SNAPSHOT_EVERY):
            self._save()

    def _catch_up(self) -> tuple[Recorded, ...]:
        return self._take(tuple(self.ledger.read(self.project, after=self.state.seq)))

    def _take(self, fresh: tuple[Recorded, ...]) -> tuple[Recorded, ...]:
        for recorded in fresh:
            self._fold(recorded)
        self._tell(fresh)
        if self._unsaved >= SNAPSHOT_EVERY:
            self._save()
        return fresh

    def _fold(self, recorded: Recorded) -> None:
        apply(self.state, recorded)
        self._unsaved += 1

    def _tell(self, fresh: tuple[Recorded, ...]) -> None:
        # The stack calls last in, first out, and continues when a watcher raises: every watcher
        # hears of every event, and the error still reaches the caller.
        with ExitStack() as calls:
            for recorded in reversed(fresh):
                for watcher in reversed(self._watchers):
                    calls.callback(watcher, recorded)

    def _save(self) -> None:
        # A fold can be made again; events that are safely stored must not look lost because of it.
        with suppress(LedgerError, StorageError):
            self.ledger.save_snapshot(self.project, self.state)
        self._unsaved = 0

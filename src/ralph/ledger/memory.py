"""A ledger that forgets when the process ends, for tests."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct, field

from ralph.ledger.chain import Link, StoredEvent, extend, prove
from ralph.ledger.codec import decode_state, encode_state, place, storable
from ralph.views.fold import FOLD_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ralph.domain.event import Event, Recorded
    from ralph.domain.state import RunState


class Snapshot(Struct, frozen=True):
    link: Link
    version: int
    body: bytes


class Store(Struct):
    """What several ledgers share, as processes share a file."""

    origin: str = "memory"
    entries: list[StoredEvent] = field(default_factory=list)
    snapshots: dict[str, Snapshot] = field(default_factory=dict)
    writes: int = 0


class MemoryLedger:
    def __init__(self, store: Store | None = None) -> None:
        self.store = store or Store()
        self._writes = self.store.writes

    def peer(self) -> MemoryLedger:
        """The same ledger as another process would open it."""
        return MemoryLedger(self.store)

    def append(self, project: str, run: str, events: Sequence[Event], at: float) -> list[Recorded]:
        if not events:
            return []
        origin, last = self.store.origin, self._last()
        entries = extend(origin, last, storable(project), storable(run), events, at)
        recorded = [r for e in entries if (r := e.recorded()) is not None]
        self.store.entries.extend(entries)
        self._wrote()
        return recorded

    def read(self, project: str, after: int = 0) -> Iterator[Recorded]:
        return self._matching(project, lambda recorded: recorded.seq > after)

    def of_kinds(
        self,
        project: str,
        kinds: Sequence[str],
        limit: int | None = None,
        *,
        newest_first: bool = False,
    ) -> Iterator[Recorded]:
        found = self._matching(project, lambda recorded: type(recorded.event).__name__ in kinds)
        return islice(reversed(list(found)) if newest_first else found, limit)

    def across(self, kinds: Sequence[str], after: int = 0) -> Iterator[Recorded]:
        wanted = (e for e in self.store.entries if e.kind in kinds and e.seq > after)
        return (r for e in wanted if (r := e.recorded()) is not None)

    def of_iteration(self, project: str, iteration: int) -> Iterator[Recorded]:
        return self._matching(project, lambda r: place(r.event).iteration == iteration)

    def of_task(self, project: str, task: str) -> Iterator[Recorded]:
        return self._matching(project, lambda r: place(r.event).task == storable(task))

    def projects(self) -> list[str]:
        return sorted({entry.project for entry in self.store.entries})

    def load_snapshot(self, project: str) -> RunState | None:
        found = self.store.snapshots.get(storable(project))
        if found is None or found.version != FOLD_VERSION:
            return None
        known = {Link(e.seq, e.hash) for e in self.store.entries if e.project == storable(project)}
        state = decode_state(found.body)
        if state is None or Link(state.seq, state.head) != found.link or found.link not in known:
            return None
        return state

    def save_snapshot(self, project: str, state: RunState) -> None:
        link = Link(state.seq, state.head)
        self.store.snapshots[storable(project)] = Snapshot(link, FOLD_VERSION, encode_state(state))
        self._wrote()

    def verify(self, expected_head: str | None = None) -> int:
        return prove(self.store.origin, self.store.entries, "in memory", expected_head)

    def contains(self, digest: str) -> bool:
        return any(entry.hash == digest for entry in self.store.entries)

    def head(self) -> str:
        return self._last().hash

    def changed(self) -> bool:
        changed = self.store.writes != self._writes
        self._writes = self.store.writes
        return changed

    def close(self) -> None:
        """Nothing to close: other ledgers may share the store."""

    def _last(self) -> Link:
        if not self.store.entries:
            return Link()
        return Link(self.store.entries[-1].seq, self.store.entries[-1].hash)

    def _wrote(self) -> None:
        # One's own write is no news, but must not hide somebody else's.
        self.store.writes += 1
        self._writes += 1

    def _matching(self, project: str, wanted: Callable[[Recorded], bool]) -> Iterator[Recorded]:
        mine = storable(project)
        for entry in self.store.entries:
            recorded = entry.recorded() if entry.project == mine else None
            if recorded is not None and wanted(recorded):
                yield recorded

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.decision import Trigger
from ralph.domain.errors import LedgerError
from ralph.domain.event import IterationStarted, PauseRequested, Recorded, Waited
from ralph.ledger.journal import SNAPSHOT_EVERY, Journal
from ralph.ledger.memory import MemoryLedger
from ralph.views.fold import fold

if TYPE_CHECKING:
    from ralph.domain.event import Event
    from ralph.domain.state import RunState


def clock() -> float:
    return 42.0


def journal(ledger: MemoryLedger, project: str = "p") -> Journal:
    return Journal(ledger, project, "r1", clock)


def wait(seconds: float = 1) -> Waited:
    return Waited(seconds, "because")


def started(number: int, task: str = "t") -> IterationStarted:
    return IterationStarted(number, task, "Title", 1, "base", Trigger.INITIAL, "fake")


def test_what_is_recorded_is_in_the_ledger_and_in_the_state() -> None:
    ledger = MemoryLedger()
    mine = journal(ledger)

    recorded = mine.record(started(7), wait(3))

    assert list(ledger.read("p")) == list(recorded)
    assert [(r.run, r.at) for r in recorded] == [("r1", 42.0)] * 2
    assert mine.state.iteration == 7
    assert mine.state.run.waited == 3
    assert mine.state.head == ledger.head()


def test_a_new_journal_finds_the_state_of_the_old_one() -> None:
    ledger = MemoryLedger()
    old = journal(ledger)
    old.record(started(1), wait(2))
    old.record(wait(3))

    assert journal(ledger).state == old.state
    assert journal(ledger, "another").state.seq == 0


def test_recording_nothing_changes_nothing() -> None:
    ledger = MemoryLedger()
    assert journal(ledger).record() == ()
    assert ledger.head() == ""


def test_what_others_wrote_is_folded_first() -> None:
    ledger = MemoryLedger()
    mine, seen = journal(ledger), list[Recorded]()
    mine.watch(seen.append)
    journal(ledger.peer()).record(PauseRequested("Ada"))
    journal(ledger.peer(), "another").record(wait(99))

    recorded = mine.record(wait(2))

    assert [type(r.event) for r in seen] == [PauseRequested, Waited]
    assert [r.event for r in recorded] == [wait(2)]
    assert mine.state.run.paused
    assert mine.state == fold(ledger.read("p"))
    assert mine.refresh() == ()


def test_refresh_brings_what_others_wrote_once() -> None:
    ledger = MemoryLedger()
    mine, seen = journal(ledger), list[Recorded]()
    mine.watch(seen.append)
    (theirs,) = journal(ledger.peer()).record(PauseRequested("Ada"))

    assert mine.refresh() == (theirs,)
    assert mine.refresh() == ()
    assert seen == [theirs]
    assert mine.state.run.paused


def test_loading_does_not_tell_watchers_of_the_past() -> None:
    ledger = MemoryLedger()
    journal(ledger).record(wait())
    mine, seen = journal(ledger), list[Recorded]()
    mine.watch(seen.append)

    mine.load()

    assert seen == []
    assert mine.state.run.waited == 1


def test_a_watcher_that_raises_loses_nothing_for_anybody() -> None:
    ledger = MemoryLedger()
    mine, seen = journal(ledger), list[Recorded]()

    def raises(recorded: Recorded) -> None:
        raise OSError(f"no screen for {recorded.seq}")

    mine.watch(raises)
    mine.watch(seen.append)

    with pytest.raises(OSError, match="no screen"):
        mine.record(wait(1), wait(2))

    assert [r.event for r in ledger.read("p")] == [wait(1), wait(2)]
    assert [r.event for r in seen] == [wait(1), wait(2)]
    assert mine.state == journal(ledger).state


def test_watchers_are_called_in_order_and_see_the_new_state() -> None:
    mine = journal(MemoryLedger())
    calls: list[tuple[str, int, float]] = []
    mine.watch(lambda r: calls.append(("first", r.seq, mine.state.run.waited)))
    mine.watch(lambda r: calls.append(("second", r.seq, mine.state.run.waited)))

    mine.record(wait(1), wait(2))

    assert calls == [("first", 1, 3), ("second", 1, 3), ("first", 2, 3), ("second", 2, 3)]


def test_a_snapshot_is_saved_every_so_often() -> None:
    ledger = MemoryLedger()
    mine = journal(ledger)
    mine.record(*[wait()] * (SNAPSHOT_EVERY - 1))
    assert ledger.load_snapshot("p") is None

    mine.record(wait())
    assert ledger.load_snapshot("p") == mine.state

    mine.record(wait())
    snapshot = ledger.load_snapshot("p")
    assert snapshot is not None
    assert snapshot.seq == SNAPSHOT_EVERY
    assert journal(ledger).state == mine.state


def test_a_writer_saves_a_snapshot_when_it_closes() -> None:
    ledger = MemoryLedger()
    mine = journal(ledger)
    mine.record(wait())
    mine.close()

    assert ledger.load_snapshot("p") == mine.state


def test_a_reader_writes_nothing_when_it_closes() -> None:
    ledger = MemoryLedger()
    journal(ledger).record(wait())
    journal(ledger.peer()).close()

    assert ledger.load_snapshot("p") is None


def test_a_reader_that_had_to_fold_a_lot_spares_the_next_one() -> None:
    ledger = MemoryLedger()
    ledger.append("p", "r", [wait()] * SNAPSHOT_EVERY, 1)
    reader = journal(ledger)
    reader.close()

    assert ledger.load_snapshot("p") == reader.state


def test_a_snapshot_that_cannot_be_saved_does_not_hide_that_the_events_are_safe() -> None:
    class Full(MemoryLedger):
        def save_snapshot(self, project: str, state: RunState) -> None:
            raise LedgerError("locked")

    ledger = Full()
    recorded = journal(ledger).record(*[wait()] * SNAPSHOT_EVERY)

    assert len(recorded) == SNAPSHOT_EVERY
    assert ledger.verify() == SNAPSHOT_EVERY


def test_an_event_that_was_stored_before_an_interrupt_is_folded_later() -> None:
    class Interrupted(MemoryLedger):
        def append(self, *args: object, **kwargs: object) -> list[Recorded]:
            super().append(*args, **kwargs)  # type: ignore[arg-type]
            raise KeyboardInterrupt

    ledger = Interrupted()
    mine = journal(ledger)
    with pytest.raises(KeyboardInterrupt):
        mine.record(wait(5))

    mine.refresh()

    assert mine.state.run.waited == 5


events = st.one_of(
    st.builds(wait, st.integers(0, 9)),
    st.builds(started, st.integers(1, 9), st.sampled_from(["a", "b"])),
    st.builds(PauseRequested, st.just("Ada")),
)
steps = st.lists(st.tuples(st.integers(0, 1), st.lists(events, max_size=3), st.booleans()))


@given(steps)
def test_journals_side_by_side_agree(steps: list[tuple[int, list[Event], bool]]) -> None:
    ledger = MemoryLedger()
    both = [journal(ledger), journal(ledger.peer())]
    for who, batch, close in steps:
        both[who].record(*batch)
        if close:
            both[who].close()

    for one in both:
        one.refresh()
    assert both[0].state == both[1].state == journal(ledger).state == fold(ledger.read("p"))

"""Checkpoints over every ledger: found again, proven, and found past damaged ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ralph.domain.attended import CheckpointSaved
from ralph.domain.checkpoint import Contribution
from ralph.domain.decision import Trigger
from ralph.domain.errors import LedgerBroken, LedgerError
from ralph.domain.event import IterationStarted, RunStarted
from ralph.ledger import codec
from ralph.ledger.checkpoints import CheckpointService
from ralph.ledger.journal import Journal
from ralph.policy.checkpoint import Work, is_valid

if TYPE_CHECKING:
    from tests.support.ledgers import House

    from ralph.domain.checkpoint import Checkpoint


def clock() -> float:
    return 7.0


def service(house: House) -> CheckpointService:
    return CheckpointService(Journal(house.open(), "p", "r", clock), clock)


def begun(house: House) -> CheckpointService:
    journal = Journal(house.open(), "p", "r", clock)
    journal.record(
        RunStarted("PRD.json", "G", "ralph/x", "b", "a", "/w", False, 1, "h", "v"),
        *(
            IterationStarted(number, task, "T", 1, "b", Trigger.INITIAL, "a")
            for number, task in enumerate(("US-1", "US-2"), 1)
        ),
    )
    return CheckpointService(journal, clock)


def make(found: CheckpointService, task: str, *decisions: str) -> Checkpoint:
    said = Contribution(decisions=decisions)
    return found.create_checkpoint(Work(task, 1, 1, agent="a", why="so", said=said))


def seq_of(house: House, checkpoint: Checkpoint) -> int:
    events = house.open().of_kinds("p", ("CheckpointSaved",))
    return next(r.seq for r in events if r.event.checkpoint == checkpoint)  # type: ignore[union-attr]


def test_what_was_made_is_there_for_another_process(house: House) -> None:
    mine = begun(house)
    one = make(mine, "US-1", "a")
    other = make(mine, "US-2")
    again = make(mine, "US-1", "b")
    assert again.context.decisions == ("a", "b")
    theirs = service(house)
    assert theirs.get_latest_checkpoint() == again
    assert theirs.get_latest_checkpoint("US-2") == other
    assert theirs.get_latest_checkpoint("US-3") is None
    assert theirs.get_checkpoint(one.metadata.id) == one
    assert [seen.checkpoint for seen in theirs.list_checkpoints()] == [again, other, one]
    assert [seen.checkpoint for seen in theirs.list_checkpoints(1)] == [again]
    assert theirs.verify() == []
    assert one.metadata.id < other.metadata.id < again.metadata.id  # they sort by time
    assert one.metadata.id[14] == "7"


def test_the_latest_valid_one_is_found_past_damaged_ones(house: House) -> None:
    found = begun(house)
    good = make(found, "US-1", "good")
    changed, unreadable, empty = (make(found, "US-1", word) for word in ("x", "y", "z"))
    places = [seq_of(house, one) for one in (changed, unreadable, empty)]
    body = codec.encode(CheckpointSaved(1, "US-1", changed)).decode().replace('"x"', '"evil"')
    for place, damage in zip(places, (body, '{"iteration": 1}', '{"iteration'), strict=True):
        house.change_body(place, damage)
    theirs = service(house)
    assert theirs.get_latest_checkpoint("US-1") == good
    assert theirs.get_latest_checkpoint() == good
    assert [seen.valid for seen in theirs.list_checkpoints()] == [False, True]
    with pytest.raises(LedgerError, match="damaged"):
        theirs.get_checkpoint(changed.metadata.id)
    with pytest.raises(LedgerBroken):
        theirs.verify()
    # and the work goes on from there
    assert make(theirs, "US-1", "next").context.decisions == ("good", "next")


def test_the_latest_of_a_task_is_found_behind_many_others(house: House) -> None:
    found = begun(house)
    mine = make(found, "US-1", "far back")
    for _ in range(70):
        make(found, "US-2")
    assert service(house).get_latest_checkpoint("US-1") == mine


def test_another_branch_may_have_a_task_of_the_same_name(house: House) -> None:
    make(begun(house), "US-1", "of branch x")
    journal = Journal(house.open(), "p", "r2", clock)
    journal.record(RunStarted("PRD.json", "G", "ralph/y", "b", "a", "/w", False, 1, "h", "v"))
    assert CheckpointService(journal, clock).get_latest_checkpoint("US-1") is None


def test_an_id_that_is_unknown_or_not_clear_is_an_error(house: House) -> None:
    found = begun(house)
    made = make(found, "US-1")
    with pytest.raises(LedgerError, match="No checkpoint begins"):
        found.get_checkpoint("nothing")
    with pytest.raises(LedgerError, match="No checkpoint begins"):
        found.get_checkpoint("")
    make(found, "US-1")
    with pytest.raises(LedgerError, match="More than one"):
        found.get_checkpoint(made.metadata.id[:3])
    assert is_valid(found.get_checkpoint(made.metadata.id))

"""What every ledger promises, whatever it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.ledgers import iteration, waits

from ralph.domain.decision import StopReason
from ralph.domain.errors import LedgerBroken, LedgerError
from ralph.domain.event import (
    Answered,
    Decided,
    Escalated,
    IterationStarted,
    Noted,
    PauseRequested,
    RunEnded,
    RunStarted,
    Verified,
    Waited,
)
from ralph.domain.question import Choice, Question, QuestionKind, Reply
from ralph.ledger.chain import StoredEvent
from ralph.ledger.memory import MemoryLedger
from ralph.views.fold import fold

if TYPE_CHECKING:
    from tests.support.ledgers import House, Ledger

    from ralph.domain.event import Event


# Order and completeness


def test_what_append_returns_is_what_read_returns(ledger: Ledger) -> None:
    first = ledger.append("p", "r1", iteration(1, "t1"), 10.5)
    second = ledger.append("p", "r2", [RunEnded(StopReason.GOAL_ACHIEVED, "done", 0)], 11)

    assert list(ledger.read("p")) == first + second
    assert [r.event for r in first] == iteration(1, "t1")
    assert [r.seq for r in first + second] == [1, 2, 3, 4, 5, 6]
    assert {r.at for r in first} == {10.5}
    assert (second[0].run, second[0].at) == ("r2", 11.0)


def test_reading_goes_on_after_a_number(ledger: Ledger) -> None:
    recorded = ledger.append("p", "r", waits(1, 2, 3), 1)

    assert list(ledger.read("p", after=recorded[1].seq)) == recorded[2:]
    assert list(ledger.read("p", after=recorded[2].seq)) == []


def test_an_empty_ledger_holds(ledger: Ledger) -> None:
    assert ledger.append("p", "r", [], 1) == []
    assert list(ledger.read("p")) == []
    assert ledger.head() == ""
    assert ledger.verify() == 0
    assert ledger.projects() == []
    assert ledger.load_snapshot("p") is None


def test_projects_do_not_see_each_other_but_share_the_chain(ledger: Ledger) -> None:
    for number in range(3):
        ledger.append("one", "r", waits(number), 1)
        ledger.append("two", "r", [*waits(number), *iteration(number + 1, "t")], 1)

    assert [r.event for r in ledger.read("one")] == waits(0, 1, 2)
    assert len(list(ledger.read("two"))) == 18
    assert list(ledger.read("on")) == []
    assert ledger.projects() == ["one", "two"]
    assert list(ledger.of_iteration("one", 1)) == []
    assert ledger.verify() == 21


def test_everything_is_read_however_long_the_ledger_is(ledger: Ledger) -> None:
    ledger.append("p", "r", waits(*range(2500)), 1)

    assert [r.seq for r in ledger.read("p")] == list(range(1, 2501))
    assert ledger.verify() == 2500


def test_a_batch_with_one_bad_event_leaves_nothing(ledger: Ledger) -> None:
    ledger.append("p", "r", waits(1), 1)

    with pytest.raises(LedgerError, match="Waited"):
        ledger.append("p", "r", [*waits(2), Waited(float("nan"), "no number"), *waits(3)], 1)

    assert [r.event for r in ledger.read("p")] == waits(1)
    ledger.append("p", "r", waits(4), 1)
    assert ledger.verify() == 2


def test_appending_while_reading_works(house: House, ledger: Ledger) -> None:
    ledger.append("p", "r", waits(1, 2), 1)
    other = house.open()

    seen = []
    for recorded in ledger.read("p"):
        seen.append(recorded.seq)
        other.append("other", "r", waits(9), 1)
        ledger.append("other", "r", waits(9), 1)

    assert seen[:2] == [1, 2]
    assert ledger.verify() == 6


# Looking up


def test_events_are_found_by_kind(ledger: Ledger) -> None:
    for number in range(1, 5):
        ledger.append("p", "r", iteration(number, "t"), number)
    started = [r for r in ledger.read("p") if isinstance(r.event, IterationStarted | Decided)]
    kinds = ["Decided", "IterationStarted"]

    assert list(ledger.of_kinds("p", kinds)) == started
    assert list(ledger.of_kinds("p", kinds, limit=3)) == started[:3]
    assert list(ledger.of_kinds("p", kinds, limit=3, newest_first=True)) == started[::-1][:3]
    assert list(ledger.of_kinds("p", kinds, newest_first=True)) == started[::-1]
    assert list(ledger.of_kinds("p", ["Decided", "Decided"], 1)) == started[1:2]
    assert list(ledger.of_kinds("p", kinds, limit=0)) == []
    assert list(ledger.of_kinds("p", [])) == []
    assert list(ledger.of_kinds("p", ["Unheard"])) == []


def test_events_are_found_over_all_projects(ledger: Ledger) -> None:
    for number in range(1, 4):
        ledger.append(f"p{number % 2}", "r", [*iteration(number, "t"), *waits(1)], number)
    every = sorted((r for p in ("p0", "p1") for r in ledger.read(p)), key=lambda r: r.seq)
    found = [r for r in every if isinstance(r.event, Decided | Waited)]
    kinds = ["Waited", "Decided", "Waited"]

    assert len(found) == 6
    assert list(ledger.across(kinds)) == found
    assert list(ledger.across(kinds, after=found[1].seq)) == found[2:]
    assert list(ledger.across(kinds, after=found[-1].seq)) == []
    assert list(ledger.across([])) == []
    assert list(ledger.across(["Unheard"])) == []


def test_all_projects_are_read_however_many_events_there_are(ledger: Ledger) -> None:
    ledger.append("p", "r", waits(*range(2100)), 1)

    assert [r.seq for r in ledger.across(["Waited"], after=50)] == list(range(51, 2101))


def test_events_are_found_by_iteration_and_task(ledger: Ledger) -> None:
    question = Question("q1", "t2", QuestionKind.STUCK, "stuck", iteration=2)
    ledger.append("p", "r", [*iteration(1, "t1"), *waits(1)], 1)
    second = ledger.append("p", "r", [*iteration(2, "t2"), Escalated(question)], 2)
    ledger.append("p", "r", [Answered("q1", Reply(Choice.RETRY), "Ada")], 3)

    assert list(ledger.of_iteration("p", 2)) == second
    assert list(ledger.of_iteration("p", 3)) == []
    with_task = [r for r in second if not isinstance(r.event, Verified | Decided)]
    assert list(ledger.of_task("p", "t2")) == with_task


def test_a_hash_named_elsewhere_is_looked_up(ledger: Ledger) -> None:
    recorded = ledger.append("p", "r", waits(1, 2), 1)

    assert ledger.contains(recorded[0].hash)
    assert ledger.contains(ledger.head())
    assert not ledger.contains("0" * 64)
    assert not ledger.contains("")


# Strange text


STRANGE = [
    "lone \ud800 surrogate",
    "\udcff name",
    "nul \0 inside",
    "\U0001f600 é \u2028",
    '\\ud800"',
]


@pytest.mark.parametrize("text", STRANGE)
def test_strange_text_survives(ledger: Ledger, text: str) -> None:
    started = RunStarted(
        text, text, "b", "c", "fake", "w", worktree=False, pid=1, host=text, version="1",
        untracked=(text, "plain"),
    )  # fmt: skip
    events: list[Event] = [started, *iteration(1, text), Noted(1, text, (text,))]

    recorded = ledger.append("p", "r", events, 1)

    assert [r.event for r in recorded] == events
    assert list(ledger.read("p")) == recorded
    assert len(list(ledger.of_task("p", text))) == 3
    assert ledger.verify() == len(events)
    ledger.save_snapshot("p", fold(recorded))
    assert ledger.load_snapshot("p") == fold(recorded)


@pytest.mark.parametrize("text", STRANGE)
def test_strange_names_of_projects_and_runs_do_no_harm(ledger: Ledger, text: str) -> None:
    recorded = ledger.append(text, text, waits(1), 1)
    ledger.append("plain", "r", waits(2), 1)

    assert list(ledger.read(text)) == recorded
    assert list(ledger.read(recorded[0].project)) == recorded
    assert ledger.verify() == 2


@given(st.lists(st.text(st.characters(exclude_categories=[])), max_size=5))
def test_any_text_survives_in_memory(texts: list[str]) -> None:
    ledger = MemoryLedger()
    events: list[Event] = [Noted(1, text, tuple(texts)) for text in texts]

    ledger.append("p", "r", events, 1)

    assert [r.event for r in ledger.read("p")] == events
    assert ledger.verify() == len(events)


# The chain


def test_the_chain_links_each_event_to_the_one_before(ledger: Ledger) -> None:
    recorded = ledger.append("a", "r", waits(1, 2), 1) + ledger.append("b", "r", waits(3), 1)

    assert [r.prev for r in recorded] == ["", recorded[0].hash, recorded[1].hash]
    assert ledger.head() == recorded[2].hash
    assert len({r.hash for r in recorded}) == 3


def test_the_hash_covers_every_field_and_the_origin() -> None:
    entry = StoredEvent(2, 1.5, "p", "r", "Waited", b"{}", "before", "")
    changed = [
        entry._replace(seq=3),
        entry._replace(at=1.25),
        entry._replace(project="q"),
        entry._replace(run="s"),
        entry._replace(kind="Noted"),
        entry._replace(body=b"{ }"),
        entry._replace(prev="other"),
        entry._replace(project='p","r', run=""),
    ]

    digests = [entry.digest("here"), entry.digest("there"), *(e.digest("here") for e in changed)]

    assert len(set(digests)) == len(changed) + 2


def test_a_changed_body_is_found(five: House) -> None:
    five.change_body(3, '{"seconds":30.0,"why":"because"}')
    with pytest.raises(LedgerBroken, match="at event 3: it has been changed"):
        five.open().verify()


def test_a_changed_kind_is_found(five: House) -> None:
    five.change_kind(4, "Slept")
    with pytest.raises(LedgerBroken, match="at event 4: it has been changed"):
        five.open().verify()


def test_a_missing_event_is_found(five: House) -> None:
    five.delete(2)
    with pytest.raises(LedgerBroken, match="at event 2: it is missing"):
        five.open().verify()


def test_a_missing_first_event_is_found(five: House) -> None:
    five.delete(1)
    with pytest.raises(LedgerBroken, match="at event 1: it is missing"):
        five.open().verify()


def test_reordered_events_are_found(five: House) -> None:
    five.swap(2, 3)
    with pytest.raises(LedgerBroken, match="at event 2: it does not follow"):
        five.open().verify()


def test_a_cut_off_tail_is_found_by_a_hash_that_a_commit_names(five: House) -> None:
    head = five.open().head()
    assert five.open().verify(head) == 5

    five.delete(5)

    assert five.open().verify() == 4
    assert not five.open().contains(head)
    with pytest.raises(LedgerBroken, match=head):
        five.open().verify(head)


# Other versions


def test_kinds_of_a_newer_version_are_skipped(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ralph.domain.event import EVENTS

    house.open().append("p", "r", [*waits(1), PauseRequested("Ada"), *waits(2)], 1)
    monkeypatch.delitem(EVENTS, "PauseRequested")
    ledger = house.open()

    assert [r.event for r in ledger.read("p")] == waits(1, 2)
    assert [r.seq for r in ledger.read("p")] == [1, 3]
    assert ledger.verify() == 3
    ledger.append("p", "r", waits(3), 1)
    assert ledger.verify() == 4


def test_an_event_that_cannot_be_read_says_so(five: House) -> None:
    five.change_body(2, '{"seconds":"many"}')
    with pytest.raises(LedgerError, match="kind Waited cannot be read"):
        list(five.open().read("p"))


# Other processes


def test_only_what_others_write_is_a_change(house: House, ledger: Ledger) -> None:
    other = house.open()
    ledger.append("p", "r", waits(1), 1)
    assert not ledger.changed()

    other.append("p", "r", waits(2), 1)
    ledger.append("p", "r", waits(3), 1)

    assert ledger.changed()
    assert not ledger.changed()
    assert other.changed()
    assert [r.event for r in other.read("p")] == waits(1, 2, 3)

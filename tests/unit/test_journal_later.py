from __future__ import annotations

import pytest

from ralph.domain.decision import Action
from ralph.domain.errors import LedgerError
from ralph.domain.event import Decided, PauseRequested, Waited
from ralph.ledger.journal import Journal
from ralph.ledger.memory import MemoryLedger

DECIDED = Decided(1, Action.CONTINUE, "so far so good")


def journal(ledger: MemoryLedger) -> Journal:
    return Journal(ledger, "p", "r1", lambda: 42.0)


def kinds(ledger: MemoryLedger) -> list[str]:
    return [type(recorded.event).__name__ for recorded in ledger.read("p")]


def test_what_waits_is_written_with_the_next_event_and_before_it() -> None:
    ledger = MemoryLedger()
    mine = journal(ledger)
    mine.later(DECIDED)
    assert kinds(ledger) == []
    recorded = mine.record(Waited(1, "because"))
    assert kinds(ledger) == ["Decided", "Waited"]
    assert len(recorded) == 2
    mine.record(Waited(2, "because"))
    assert kinds(ledger) == ["Decided", "Waited", "Waited"]


def test_a_record_of_nothing_writes_what_waits() -> None:
    ledger = MemoryLedger()
    mine = journal(ledger)
    heard: list[str] = []
    mine.watch(lambda recorded: heard.append(type(recorded.event).__name__))
    mine.record()
    mine.later(DECIDED)
    mine.record()
    assert heard == kinds(ledger) == ["Decided"]


def test_what_could_not_be_written_waits_on(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = MemoryLedger()
    mine = journal(ledger)
    mine.later(DECIDED)

    def refuse(*_: object) -> None:
        raise LedgerError("The ledger is locked.")

    with monkeypatch.context() as broken:
        broken.setattr(ledger, "append", refuse)
        with pytest.raises(LedgerError):
            mine.record(PauseRequested(by="me"))
    mine.record()
    assert kinds(ledger) == ["Decided"]

"""What every ledger promises about the folds it keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.ledgers import iteration, waits

from ralph.domain.event import Escalated, Settled
from ralph.domain.question import Question, QuestionKind
from ralph.domain.verdict import Level
from ralph.views import fold as folding
from ralph.views.fold import fold

if TYPE_CHECKING:
    from tests.support.ledgers import House, Ledger


def test_a_snapshot_comes_back_as_it_was(ledger: Ledger) -> None:
    settled = Settled(2, "t2", "abc", Level.PROVEN, area="core")
    question = Question("q", "t3", QuestionKind.STUCK, "why", options=("a", "b"))
    events = [*iteration(1, "t1"), *iteration(2, "t2"), settled, Escalated(question)]
    state = fold(ledger.append("p", "r", events, 5))
    ledger.save_snapshot("p", state)

    assert ledger.load_snapshot("p") == state
    assert ledger.load_snapshot("other") is None


def test_a_snapshot_replaces_the_one_before(ledger: Ledger) -> None:
    state = fold(ledger.append("p", "r", waits(1), 5))
    ledger.save_snapshot("p", state)
    fold(ledger.append("p", "r", waits(2), 6), state)
    ledger.save_snapshot("p", state)

    assert ledger.load_snapshot("p") == state


def test_a_snapshot_of_another_fold_is_ignored(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.save_snapshot("p", fold(ledger.append("p", "r", waits(1), 5)))

    for module in ("memory", "sqlite", "postgres"):
        monkeypatch.setattr(f"ralph.ledger.{module}.FOLD_VERSION", folding.FOLD_VERSION + 1)

    assert ledger.load_snapshot("p") is None


def test_a_snapshot_of_another_history_is_ignored(ledger: Ledger) -> None:
    state = fold(ledger.append("p", "r", waits(1), 5))
    state.head = "f" * 64
    ledger.save_snapshot("p", state)

    assert ledger.load_snapshot("p") is None


def test_a_snapshot_at_an_event_of_another_project_is_ignored(ledger: Ledger) -> None:
    ledger.save_snapshot("p", fold(ledger.append("other", "r", waits(1), 5)))

    assert ledger.load_snapshot("p") is None


@pytest.mark.parametrize("body", ["", "{", '{"seq":"one"}', "[]", "{}"])
def test_a_snapshot_that_cannot_be_read_is_ignored(five: House, body: str) -> None:
    ledger = five.open()
    ledger.save_snapshot("p", fold(ledger.read("p")))
    assert ledger.load_snapshot("p") is not None

    five.change_snapshot(body)

    assert ledger.load_snapshot("p") is None

"""A ledger of version 0.1.0, of a run that was killed while an agent worked on its last task."""

from __future__ import annotations

import sqlite3
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.house import Acting, Place, story

from ralph.domain import event as e
from ralph.domain.errors import LedgerError
from ralph.domain.question import Choice
from ralph.domain.verdict import Level
from ralph.ledger.codec import decode
from ralph.ledger.sqlite import SqliteLedger
from ralph.views import records

if TYPE_CHECKING:
    from ralph.domain.iteration import IterationRecord
    from ralph.domain.job import Job

OLD = Path(__file__).parents[1] / "ledgers" / "0.1.0"
EVENTS = 49


class OldLedger:
    """Stands in the place of a ledger in memory."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def peer(self) -> SqliteLedger:
        return SqliteLedger(self._path)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """The repository as the killed run left it, with its ledger."""
    database = tmp_path / "ledger.db"
    with sqlite3.connect(database) as connection:
        connection.executescript((OLD / "ledger.sql").read_text("utf-8"))
    place = Place(
        tmp_path / "new",
        [story(name) for name in "ABCD"],
        ledger=OldLedger(database),  # type: ignore[arg-type]
        check="python3 -m unittest -q",
        runs=1,
    )
    subprocess.run(("rm", "-rf", place.root), check=True)
    cloned = "git", "clone", "-q", "--branch", "ralph/x", OLD / "project.bundle", place.root
    subprocess.run(cloned, check=True)
    place.git("branch", "-q", "main", "origin/main")
    (place.root / "test_delta.py").write_text("left behind\n")
    return place


def finishes(job: Job) -> str:
    workspace = Path(job.workspace)
    with (workspace / "a.py").open("a") as source:
        source.write("\n\ndef delta(x):\n    return x * 2\n")
    test = (workspace / "test_alpha.py").read_text("utf-8").replace("alpha", "delta")
    (workspace / "test_delta.py").write_text(test)
    return f"Task {job.task} complete"


def read(place: Place) -> dict[int, IterationRecord]:
    return records.collect(place.ledger.peer().read("p"))


def test_it_is_sound_and_every_event_is_known(place: Place) -> None:
    ledger = place.ledger.peer()
    assert ledger.verify() == EVENTS
    assert len(list(ledger.read("p"))) == EVENTS


def test_it_is_folded_to_what_happened(place: Place) -> None:
    state = place.state
    assert sorted(state.commits) == [1, 3, 5]
    assert [state.tasks[name].attempts for name in "ABCD"] == [1, 2, 2, 1]
    assert state.open_iteration is not None
    assert state.open_iteration.task == "D"
    assert state.run.worktree is False


def test_its_records_have_verdicts_questions_and_proofs(place: Place) -> None:
    found = read(place)
    assert [one.level for one in found.values()][:3] == [Level.PROVEN, Level.NONE, Level.PROVEN]
    assert found[1].verdict.shown == ("test_alpha.py::It::test_it",)
    assert [check.passed for check in found[2].verdict.results] == [False]
    assert found[2].why == "these tests fail: test_beta.py::It::test_it"
    assert found[4].question == "Q1"
    (answered,) = place.events(e.Answered)
    assert answered.reply.choice is Choice.OPTION


def test_the_run_is_recovered_and_goes_on_to_its_end(place: Place) -> None:
    assert place.run(Acting(finishes)) == 0
    (recovered,) = place.events(e.Recovered)
    assert recovered.task == "D"
    assert place.state.tasks["D"].interrupted == 1
    assert sorted(place.passed()) == ["A", "B", "C", "D"]
    assert place.ledger.peer().verify() > EVENTS


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"passed": true}', b'{"iteration": 1}', b"{"])
def test_a_damaged_event_of_old_is_an_error_that_says_so(body: bytes) -> None:
    with pytest.raises(LedgerError, match="An event of kind Verified cannot be read"):
        decode("Verified", body)

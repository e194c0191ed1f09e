"""Files in `.ralph/` for people and agents, made anew from the ledger whenever it grows."""

from __future__ import annotations

import contextlib
import json
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from ralph import files
from ralph.domain.errors import PlanError, StorageError
from ralph.domain.event import IterationEnded, Noted, RunEnded, RunStarted
from ralph.domain.moment import iso
from ralph.loop.planning import read_plan
from ralph.prompts import archive, notes, progress
from ralph.views import records as recording
from ralph.views.status import loop_status, record_view, report

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.event import Recorded
    from ralph.domain.iteration import IterationRecord
    from ralph.domain.plan import Plan
    from ralph.loop.house import House

KEPT_ENTRIES = 200
"""Iterations of earlier runs that progress.md may still show."""

IGNORED = "*\n!/tasks/\n!/tasks/**\n!/parent-task-id\n"
"""Everything here is a view, the user's own plan apart."""


class Views:
    """Watches the journal and keeps the views current."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._records: dict[int, IterationRecord] = {}
        self._notes: dict[int, str] = {}

    def load(self) -> None:
        """What progress.md shows of earlier iterations."""
        journal = self._house.journal
        events = journal.newest((*recording.KINDS, "Noted"), KEPT_ENTRIES * 8)
        for recorded in events:
            self._remember(recorded)
        journal.watch(self)

    def __call__(self, recorded: Recorded) -> None:
        self._remember(recorded)
        match recorded.event:
            case RunStarted():
                self._ignore_ourselves()
                self._archive_progress(recorded)
                self._write_progress()
                self._write_status()
            case IterationEnded() as event:
                self._write_progress()  # the next agent reads it
                self._house.chores.append(partial(self._write_iteration, event.iteration))
                self._house.chores.append(self._write_status)
            case RunEnded():
                self._house.catch_up()
                self._write_status()
                self._write_report()
                self._prune()
            case _:
                pass

    def _ignore_ourselves(self) -> None:
        """Git leaves `.ralph/` alone even where nobody ran `ralph init`."""
        path = self._house.root / ".ralph" / ".gitignore"
        if not path.exists():
            with contextlib.suppress(StorageError):
                files.write(path, IGNORED, durable=False)

    def _remember(self, recorded: Recorded) -> None:
        recording.add(self._records, recorded)
        if isinstance(recorded.event, Noted):
            number = recorded.event.iteration
            self._notes[number] = f"{self._notes.get(number, '')}\n{recorded.event.text}".strip()

    def _write_iteration(self, number: int) -> None:
        record = self._records.get(number)
        if record is not None:
            self._write(self._house.logs() / f"iteration-{number}.json", record_view(record))

    def _write_status(self) -> None:
        house = self._house
        run = house.state.run.id
        shown = [record for record in self._records.values() if record.run == run]
        status = loop_status(house.state, house.journal.project, shown, house.settings)
        self._write(house.root / ".ralph" / "status.json", msgspec.to_builtins(status))

    def _write_report(self) -> None:
        house = self._house
        every = recording.collect(house.journal.newest(recording.KINDS, None))
        contents = report(house.state, house.journal.project, self._plan(), every.values())
        self._write(house.root / ".ralph" / "report.json", contents)

    def _plan(self) -> Plan | None:
        """None for one that cannot be read just now: the run has ended all the same."""
        try:
            return read_plan(self._house)
        except PlanError:
            return None

    def _write(self, path: Path, contents: dict[str, Any]) -> None:
        # a view that cannot be written must not stop the work: the ledger has it all
        with contextlib.suppress(StorageError):
            files.write(path, _json(contents), durable=False)

    def _archive_progress(self, recorded: Recorded) -> None:
        house, memory = self._house, self._house.settings.memory
        old = notes.progress(house.workspace.root, memory)
        if old and not progress.same_feature(old, house.state.run.goal):
            feature = progress.feature_of(old) or "feature"
            notes.archive(house.workspace.root, memory, feature, iso(recorded.at)[:10])
            self._records.clear()
            self._notes.clear()

    def _write_progress(self) -> None:
        house = self._house
        run = house.state.run
        header = progress.Header(feature=run.goal, started=iso(run.started_at), parent="")
        entries = [
            progress.ProgressEntry(
                iteration=r.iteration,
                task=r.task,
                title=r.title,
                outcome=r.outcome,
                at=iso(r.ended_at),
                why=r.why,
                commit=r.commit,
                files=r.files,
                notes=self._notes.get(r.iteration, ""),
            )
            for r in self._records.values()
            if r.outcome
        ]
        memory = house.settings.memory
        text = progress.render(header, house.state.patterns, entries, memory.progress_cap)
        house.progress = text
        with contextlib.suppress(StorageError):
            notes.write_progress(house.workspace.root, memory, text)

    def _prune(self) -> None:
        keep = self._house.settings.logs.keep_iterations
        archive.prune(self._house.logs(), keep)
        archive.prune(self._house.prompts(), keep)
        archive.prune(self._house.lab.hidden_logs, keep)


def _json(contents: dict[str, Any]) -> bytes:
    try:
        return msgspec.json.format(msgspec.json.encode(contents)) + b"\n"
    except UnicodeEncodeError:
        # half a character, which an agent's output may hold, is written as JSON spells it
        text = json.dumps(contents, indent=2, ensure_ascii=False) + "\n"
        return text.encode("utf-8", "backslashreplace")

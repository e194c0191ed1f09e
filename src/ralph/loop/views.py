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
from ralph.plans.parent import read_parent
from ralph.prompts import archive, notes, progress
from ralph.views import morning
from ralph.views import records as recording
from ralph.views.status import loop_status, record_view

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.event import Recorded
    from ralph.domain.iteration import IterationRecord
    from ralph.domain.plan import Plan
    from ralph.loop.run import Run

KEPT_ENTRIES = 200
"""Iterations of earlier runs that progress.md may still show."""


class Views:
    """Watches the journal and keeps the views current."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._records: dict[int, IterationRecord] = {}
        self._notes: dict[int, str] = {}

    def load(self) -> None:
        """What progress.md shows of earlier iterations."""
        journal = self._run.journal
        events = journal.newest((*recording.KINDS, "Noted"), KEPT_ENTRIES * 8)
        for recorded in events:
            self._remember(recorded)
        journal.watch(self)

    def __call__(self, recorded: Recorded) -> None:
        self._remember(recorded)
        match recorded.event:
            case RunStarted():
                with contextlib.suppress(StorageError):
                    files.keep_out_of_git(self._run.root / ".ralph")
                self._archive_progress(recorded)
                self._write_progress()
                self._write_status()
            case IterationEnded() as event:
                self._write_progress()  # the next agent reads it
                self._run.errands.later(partial(self._write_iteration, event.iteration))
                self._run.errands.later(self._write_status)
            case RunEnded():
                self._run.errands.catch_up()
                self._write_status()
                self._write_report()
                self._prune()
            case _:
                pass

    def _remember(self, recorded: Recorded) -> None:
        recording.add(self._records, recorded)
        if isinstance(recorded.event, Noted):
            number = recorded.event.iteration
            self._notes[number] = f"{self._notes.get(number, '')}\n{recorded.event.text}".strip()

    def _write_iteration(self, number: int) -> None:
        record = self._records.get(number)
        if record is not None:
            self._write(self._run.logs() / f"iteration-{number}.json", record_view(record))

    def _write_status(self) -> None:
        run = self._run
        shown = [one for one in self._records.values() if one.run == run.state.run.id]
        status = loop_status(run.state, run.journal.project, shown, run.settings)
        self._write(run.root / ".ralph" / "status.json", msgspec.to_builtins(status))

    def _write_report(self) -> None:
        run = self._run
        events = run.journal.newest(morning.KINDS)
        project, plan = run.journal.project, self._plan()
        contents = morning.contents(run.state, project, plan, events, run.run_id)
        self._write(run.root / ".ralph" / "report.json", contents)

    def _plan(self) -> Plan | None:
        """None for one that cannot be read just now: the run has ended all the same."""
        try:
            return read_plan(self._run)
        except PlanError:
            return None

    def _write(self, path: Path, contents: dict[str, Any]) -> None:
        # a view that cannot be written must not stop the work: the ledger has it all
        with contextlib.suppress(StorageError):
            files.write(path, _json(contents), durable=False)

    def _archive_progress(self, recorded: Recorded) -> None:
        run, memory = self._run, self._run.settings.memory
        old = notes.progress(run.workspace.root, memory)
        if old and not progress.same_feature(old, run.state.run.goal):
            feature = progress.feature_of(old) or "feature"
            notes.archive(run.workspace.root, memory, feature, iso(recorded.at)[:10])
            self._records.clear()
            self._notes.clear()

    def _write_progress(self) -> None:
        run = self._run
        now = run.state.run
        parent = read_parent(run.root, run.settings.tasks.parent_id_file) or ""
        header = progress.Header(feature=now.goal, started=iso(now.started_at), parent=parent)
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
        memory = run.settings.memory
        text = progress.render(header, run.state.patterns, entries, memory.progress_cap)
        run.notebook.text = text
        with contextlib.suppress(StorageError):
            notes.write_progress(run.workspace.root, memory, text)

    def _prune(self) -> None:
        keep = self._run.settings.logs.keep_iterations
        archive.prune(self._run.logs(), keep)
        archive.prune(self._run.prompts(), keep)
        archive.prune(self._run.prover.hidden_logs, keep)


def _json(contents: dict[str, Any]) -> bytes:
    try:
        return msgspec.json.format(msgspec.json.encode(contents)) + b"\n"
    except UnicodeEncodeError:
        # half a character, which an agent's output may hold, is written as JSON spells it
        text = json.dumps(contents, indent=2, ensure_ascii=False) + "\n"
        return text.encode("utf-8", "backslashreplace")

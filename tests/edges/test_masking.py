"""Text on its way out of the process, at each of its doors."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sqlite3
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.secrets import TOKENS, chance_of, made

from ralph import masking
from ralph.domain.attended import CheckpointSaved
from ralph.domain.errors import LedgerBroken
from ralph.domain.event import LedgerRewritten, Noted, RunStarted, Waited
from ralph.domain.settings import AgentSettings, ClaudeSettings, SafetySettings, Settings
from ralph.ledger.checkpoints import CheckpointService
from ralph.ledger.journal import Journal
from ralph.ledger.memory import MemoryLedger
from ralph.ledger.rewritten import Doer
from ralph.ledger.sqlite import SqliteLedger
from ralph.masking.known import masker as masker_here
from ralph.policy.checkpoint import Work, is_valid
from ralph.policy.secrets.masker import Masker
from ralph.process import Child, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOKEN = made(TOKENS["github-classic"], chance_of("edge"))
OTHER = made(TOKENS["npm"], chance_of("edge"))
MASK = "[masked: github token]"


@pytest.fixture(autouse=True)
def own_masker() -> Iterator[None]:
    masking.use(Masker)
    yield
    masking.use(Masker)


def child(folder: Path, code: str, **more: Any) -> Child:
    argv = (sys.executable, "-I", "-S", "-c", code)
    return Child(argv, folder, {"T": TOKEN}, log=folder / "log.txt", **more)


def test_a_log_has_no_secret_and_the_hash_is_of_what_was_written(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\n"
        "for part in ('one ' + os.environ['T'][:9], os.environ['T'][9:] + ' two\\nthree'):\n"
        "    sys.stdout.write(part); sys.stdout.flush(); time.sleep(0.05)\n"
    )
    finished = asyncio.run(run(child(tmp_path, code)))
    raw = f"one {TOKEN} two\nthree".encode()
    assert (tmp_path / "log.txt").read_text() == f"one {MASK} two\nthree"
    assert finished.head == raw  # for reading
    assert finished.sha256 == hashlib.sha256(raw).hexdigest()
    assert finished.text(1000) == f"one {MASK} two\nthree"


def test_half_a_secret_is_not_shown_where_output_is_left_out(tmp_path: Path) -> None:
    code = "import os; print('a ' * 20 + os.environ['T'] + ' b' * 3000 + os.environ['T'] + ' c')"
    finished = asyncio.run(run(child(tmp_path, code, head_bytes=60, tail_bytes=20)))
    assert finished.output_bytes > 6000
    shown = finished.text(1000)
    assert "left out" in shown
    assert not [n for n in range(len(TOKEN) - 8) if TOKEN[n : n + 8] in shown]


def test_a_log_keeps_its_cap_and_any_bytes(tmp_path: Path) -> None:
    code = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 4000)"
    asyncio.run(run(child(tmp_path, code, log_cap=100_000)))
    assert (tmp_path / "log.txt").read_bytes() == (bytes(range(256)) * 4000)[:100_000]


def test_switched_off_nothing_is_masked(tmp_path: Path) -> None:
    settings = Settings(safety=SafetySettings(mask=False))
    masking.use(lambda: masker_here(settings, tmp_path, {}))
    asyncio.run(run(child(tmp_path, "import os; print(os.environ['T'])")))
    assert (tmp_path / "log.txt").read_text() == f"{TOKEN}\n"
    assert masking.text(TOKEN) == TOKEN


def test_no_string_of_an_event_gets_into_the_journal_with_a_secret() -> None:
    ledger = MemoryLedger()
    journal = Journal(ledger, "p", "r", lambda: 1.0)
    (recorded,) = journal.record(Noted(1, f"use {TOKEN}", patterns=(f"key: {OTHER}", "plain")))
    assert recorded.event == Noted(1, f"use {MASK}", ("key: [masked: npm token]", "plain"))
    assert not [entry for entry in ledger.store.entries if TOKEN.encode() in entry.body]
    assert ledger.verify() == 1


def test_names_of_the_users_files_stay_as_they_are() -> None:
    started = RunStarted("p", "g", "b", "c", "a", "w", False, 1, "h", "v", (f"{TOKEN}.txt",))
    journal = Journal(MemoryLedger(), "p", "r", lambda: 1.0)
    (recorded,) = journal.record(started)
    assert recorded.event == started


def test_a_checkpoint_is_sealed_as_it_is_stored() -> None:
    journal = Journal(MemoryLedger(), "p", "r", lambda: 1.0)
    service = CheckpointService(journal, lambda: 1.0)
    made = service.create_checkpoint(Work("t", 1, 1, why=f"it said {TOKEN}"))
    assert is_valid(made)
    assert TOKEN not in str(made)
    assert service.get_latest_checkpoint("t") == made


# What is known


def test_secrets_of_the_environment_files_and_logins_are_known(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "root"
    (home / ".claude").mkdir(parents=True)
    root.mkdir()
    login = {"claudeAiOauth": {"accessToken": "cl-Aud3-l0gin-8s", "scopes": ["user:inference"]}}
    (home / ".claude/.credentials.json").write_text(json.dumps(login))
    (root / ".env").write_text("# local\nexport DB_PASSWORD='w3ak but l0ng'\nPORT=8080\n")
    (root / ".env.local").write_text("DATABASE_URL=postgres://me:Url-p4ssw@db/x # here\n")
    environ = {
        "HOME": str(home),
        "SOME_TOKEN": "fr0m-the-env",
        "PASSED_ON": "by-n4me-given",
        "CHECKED": "for-ch3cks-only",
        "EDITOR": "v1m-is-my-editor",
    }
    settings = Settings(
        claude=ClaudeSettings(env=("PASSED_ON",)),
        agents={"mine": AgentSettings(command=("x",), env=("CHECKED",))},
    )
    masker = masker_here(settings, root, environ)
    assert masker is not None
    words = (
        "cl-Aud3-l0gin-8s; w3ak but l0ng; Url-p4ssw; fr0m-the-env; by-n4me-given; "
        "for-ch3cks-only; v1m-is-my-editor; user:inference; 8080"
    )
    assert masker.text(words) == (
        "[masked: login of claude]; [masked: value of DB_PASSWORD]; "
        "[masked: value of DATABASE_URL]; [masked: value of SOME_TOKEN]; "
        "[masked: value of PASSED_ON]; [masked: value of CHECKED]; "
        "v1m-is-my-editor; user:inference; 8080"
    )


def test_strange_files_are_no_trouble(tmp_path: Path) -> None:
    (tmp_path / ".env").mkdir()
    (tmp_path / ".env.pipe").write_bytes(b"\xff\xfeA_TOKEN=\xff\xfe12345678\nno line\n=\n")
    os.mkfifo(tmp_path / ".env.fifo")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/.credentials.json").write_text("[[[[")
    assert masker_here(Settings(), tmp_path, {"HOME": str(tmp_path)}) is not None


# A ledger that was written before


def unmasked(path: Path) -> SqliteLedger:
    masking.use(lambda: None)
    ledger = SqliteLedger(path)
    ledger.append("p", "r", [Waited(1, "first"), Noted(1, f"key {TOKEN}")], 1)
    service = CheckpointService(Journal(ledger, "p", "r", lambda: 2.0), lambda: 2.0)
    service.create_checkpoint(Work("t", 1, 1, why=f"it said {TOKEN}"))
    ledger.append("q", "r", [Noted(2, f"{OTHER} and {OTHER}"), Waited(2, "last")], 3)
    masking.use(Masker)
    return ledger


def raw(path: Path) -> bytes:
    return b"".join(one.read_bytes() for one in path.parent.glob(f"{path.name}*"))


def test_a_ledger_is_masked_in_a_new_chain_that_knows_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    ledger = unmasked(path)
    old = [entry.hash for entry, _ in ledger.entries(0, 100)]
    assert TOKEN.encode() in raw(path)

    event, gone = ledger.mask(Masker(), Doer("p", "", "ada", 9))
    assert gone
    assert event is not None
    assert (event.by, event.events, event.first, event.head) == ("ada", 3, 2, old[-1])
    assert event.kinds["npm token"] == 2
    assert ledger.verify() == 6
    assert all(ledger.contains(digest) for digest in old)
    assert not ledger.contains("f" * 64)
    assert [r.event for r in ledger.of_kinds("q", ["Noted"])] == [
        Noted(2, "[masked: npm token] and [masked: npm token]")
    ]
    (saved,) = ledger.of_kinds("p", ["CheckpointSaved"])
    assert isinstance(saved.event, CheckpointSaved)
    assert is_valid(saved.event.checkpoint)
    with pytest.raises(Exception, match="append-only"), closing(sqlite3.connect(path)) as db:
        db.execute("DELETE FROM events")
    assert ledger.append("p", "r", [Waited(3, "goes on")], 10)[0].seq == 7
    ledger.close()
    assert TOKEN.encode() not in raw(path)
    assert OTHER.encode() not in raw(path)


def test_a_clean_ledger_stays_as_it_is(tmp_path: Path) -> None:
    ledger = unmasked(tmp_path / "ledger.db")
    ledger.mask(Masker(), Doer("p", "", "ada", 9))
    before = [entry for entry, _ in ledger.entries(0, 100)]
    assert ledger.mask(Masker(), Doer("p", "", "ada", 10)) == (None, True)
    assert [entry for entry, _ in ledger.entries(0, 100)] == before
    ledger.close()


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM earlier WHERE seq = 3",
        "UPDATE earlier SET seq = 4 WHERE seq = 3",
        "INSERT INTO earlier VALUES ('feed', 1, 99)",
        "DROP TABLE earlier",
    ],
)
def test_the_list_of_earlier_hashes_is_proven_too(tmp_path: Path, change: str) -> None:
    ledger = unmasked(tmp_path / "ledger.db")
    ledger.mask(Masker(), Doer("p", "", "ada", 9))
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as db:
        db.execute(change)
        db.commit()
    with pytest.raises(LedgerBroken, match="earlier hashes"):
        ledger.verify()
    ledger.close()


def test_a_chain_that_is_broken_is_not_rewritten(tmp_path: Path) -> None:
    ledger = unmasked(tmp_path / "ledger.db")
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as db:
        db.execute("DROP TRIGGER events_are_not_updated")
        db.execute("UPDATE events SET at = 7 WHERE seq = 2")
        db.commit()
    with pytest.raises(LedgerBroken):
        ledger.mask(Masker(), Doer("p", "", "ada", 9))
    assert not list(ledger.across([LedgerRewritten.__name__]))
    ledger.close()

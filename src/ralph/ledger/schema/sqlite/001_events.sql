-- "RLPH": tells a ledger from any other program's database.
PRAGMA application_id = 1380733000;

CREATE TABLE ledger (
    origin TEXT NOT NULL
);

INSERT INTO ledger (origin) VALUES (lower(hex(randomblob(16))));

CREATE TABLE events (
    seq       INTEGER PRIMARY KEY,
    at        REAL NOT NULL,
    project   TEXT NOT NULL,
    run       TEXT NOT NULL,
    kind      TEXT NOT NULL,
    iteration INTEGER,
    task      TEXT,
    body      TEXT NOT NULL,
    prev      TEXT NOT NULL,
    hash      TEXT NOT NULL UNIQUE
);

-- Every index ends in the row's seq by itself, so each also gives the order.
CREATE INDEX events_by_project ON events (project);
CREATE INDEX events_by_kind ON events (project, kind);
CREATE INDEX events_by_iteration ON events (project, iteration) WHERE iteration IS NOT NULL;
CREATE INDEX events_by_task ON events (project, task) WHERE task IS NOT NULL;

CREATE TRIGGER events_are_not_updated BEFORE UPDATE ON events
BEGIN
    SELECT raise(ABORT, 'the ledger is append-only');
END;

CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON events
BEGIN
    SELECT raise(ABORT, 'the ledger is append-only');
END;

-- INSERT OR REPLACE removes rows without asking the trigger above.
CREATE TRIGGER events_are_appended BEFORE INSERT ON events
WHEN new.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM events)
BEGIN
    SELECT raise(ABORT, 'the ledger is append-only');
END;

CREATE TRIGGER origin_is_not_updated BEFORE UPDATE ON ledger
BEGIN
    SELECT raise(ABORT, 'the ledger keeps its origin');
END;

CREATE TRIGGER origin_is_not_deleted BEFORE DELETE ON ledger
BEGIN
    SELECT raise(ABORT, 'the ledger keeps its origin');
END;

CREATE TABLE snapshots (
    project TEXT PRIMARY KEY,
    seq     INTEGER NOT NULL,
    head    TEXT NOT NULL,
    version INTEGER NOT NULL,
    body    TEXT NOT NULL
);

-- "RLPH": tells it from any other program's database.
PRAGMA application_id = 1380733000;

-- What the other machines of a team did, as its database told. It can be made again at any time.
CREATE TABLE teams (
    id           INTEGER PRIMARY KEY,
    database     TEXT NOT NULL,
    organisation TEXT NOT NULL,
    place        TEXT NOT NULL,
    at           REAL NOT NULL DEFAULT 0,
    UNIQUE (database, organisation)
);

CREATE TABLE events (
    team    INTEGER NOT NULL REFERENCES teams (id),
    origin  TEXT NOT NULL,
    seq     INTEGER NOT NULL,
    at      REAL NOT NULL,
    project TEXT NOT NULL,
    run     TEXT NOT NULL,
    kind    TEXT NOT NULL,
    body    TEXT NOT NULL,
    prev    TEXT NOT NULL,
    hash    TEXT NOT NULL,
    PRIMARY KEY (team, origin, seq)
) WITHOUT ROWID;

CREATE INDEX events_by_kind ON events (team, kind);
CREATE INDEX events_by_project ON events (team, origin, project, at);

CREATE TABLE clones (
    team    INTEGER NOT NULL REFERENCES teams (id),
    origin  TEXT NOT NULL,
    project TEXT NOT NULL,
    name    TEXT NOT NULL,
    root    TEXT NOT NULL,
    PRIMARY KEY (team, origin, project)
) WITHOUT ROWID;

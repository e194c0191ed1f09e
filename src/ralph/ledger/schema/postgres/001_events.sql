CREATE SCHEMA IF NOT EXISTS ralph;

CREATE TABLE ralph.migrations (
    version integer PRIMARY KEY,
    at      timestamptz NOT NULL DEFAULT now()
);

-- Which database this is, wherever it moves.
CREATE TABLE ralph.database (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    id       uuid NOT NULL DEFAULT gen_random_uuid()
);

INSERT INTO ralph.database DEFAULT VALUES;

-- A login named here may act for this one organisation, whatever it sets.
CREATE TABLE ralph.logins (
    login  name PRIMARY KEY,
    org_id text COLLATE "C" NOT NULL
);

-- The organisation that this transaction acts for: NULL, which equals nothing, if none is set.
CREATE FUNCTION ralph.organisation() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('app.org_id', true), '');

CREATE TABLE ralph.events (
    org_id    text COLLATE "C" NOT NULL DEFAULT ralph.organisation(),
    origin    text COLLATE "C" NOT NULL,
    seq       bigint NOT NULL CHECK (seq > 0),
    at        double precision NOT NULL,
    project   text COLLATE "C" NOT NULL,
    run       text COLLATE "C" NOT NULL,
    kind      text COLLATE "C" NOT NULL,
    iteration bigint,
    task      text COLLATE "C",
    body      text NOT NULL,
    prev      text COLLATE "C" NOT NULL,
    hash      text COLLATE "C" NOT NULL,
    PRIMARY KEY (org_id, origin, seq)
);

-- None by project: the events of one machine are read from a number on, and its projects are few.
CREATE INDEX events_by_kind ON ralph.events (org_id, origin, kind, seq);
CREATE INDEX events_by_iteration ON ralph.events (org_id, origin, iteration, seq)
    WHERE iteration IS NOT NULL;
CREATE INDEX events_by_task ON ralph.events (org_id, origin, task, seq) WHERE task IS NOT NULL;
CREATE INDEX events_by_hash ON ralph.events USING hash (hash);

CREATE TABLE ralph.snapshots (
    org_id  text COLLATE "C" NOT NULL DEFAULT ralph.organisation(),
    origin  text COLLATE "C" NOT NULL,
    project text COLLATE "C" NOT NULL,
    seq     bigint NOT NULL,
    head    text NOT NULL,
    version integer NOT NULL,
    body    text NOT NULL,
    PRIMARY KEY (org_id, origin, project)
);

-- What a project's number stands for on its machine. Clones with the same root are one repository.
CREATE TABLE ralph.clones (
    org_id  text COLLATE "C" NOT NULL DEFAULT ralph.organisation(),
    origin  text COLLATE "C" NOT NULL,
    project text COLLATE "C" NOT NULL,
    name    text NOT NULL,
    root    text NOT NULL,
    PRIMARY KEY (org_id, origin, project)
);

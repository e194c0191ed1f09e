-- name: origin
SELECT origin FROM ledger;

-- name: head
SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1;

-- name: newest
SELECT seq, at FROM events ORDER BY seq DESC LIMIT 1;

-- name: append
INSERT INTO events (seq, at, project, run, kind, body, prev, hash, iteration, task)
VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT), ?, ?, ?, ?);

-- name: by_project
SELECT seq, at, project, run, kind, CAST(body AS BLOB), prev, hash
FROM events
WHERE project = ? AND seq > ?
ORDER BY seq
LIMIT ?;

-- name: by_project_newest_first
SELECT seq, at, project, run, kind, CAST(body AS BLOB), prev, hash
FROM events
WHERE project = ? AND seq < ?
ORDER BY seq DESC
LIMIT ?;

-- name: by_kind
SELECT seq, at, project, run, kind, CAST(body AS BLOB), prev, hash
FROM events
WHERE project = ? AND kind = ? AND seq > ?
ORDER BY seq
LIMIT ?;

-- name: by_kind_newest_first
SELECT seq, at, project, run, kind, CAST(body AS BLOB), prev, hash
FROM events
WHERE project = ? AND kind = ? AND seq < ?
ORDER BY seq DESC
LIMIT ?;

-- name: across
SELECT seq, at, project, run, kind, CAST(body AS BLOB), prev, hash
FROM events
WHERE kind = ? AND seq > ?
ORDER BY seq
LIMIT ?;

-- name: by_iteration
SELECT seq, at, project, run, kind, CAST(body AS BLOB), prev, hash
FROM events
WHERE project = ? AND iteration = ? AND seq > ?
ORDER BY seq
LIMIT ?;

-- name: by_task
SELECT seq, at, project, run, kind, CAST(body AS BLOB), prev, hash
FROM events
WHERE project = ? AND task = ? AND seq > ?
ORDER BY seq
LIMIT ?;

-- name: everything
SELECT seq, at, project, run, kind, CAST(body AS BLOB), prev, hash, iteration, task
FROM events
WHERE seq > ?
ORDER BY seq
LIMIT ?;

-- name: contains
SELECT EXISTS (SELECT 1 FROM events WHERE hash = ?);

-- name: projects
WITH RECURSIVE known (project) AS (
    SELECT min(project) FROM events
    UNION ALL
    SELECT (SELECT min(project) FROM events WHERE project > known.project)
    FROM known
    WHERE known.project IS NOT NULL
)
SELECT project FROM known WHERE project IS NOT NULL;

-- name: load_snapshot
SELECT snapshots.seq, snapshots.head, CAST(snapshots.body AS BLOB)
FROM snapshots
JOIN events ON events.seq = snapshots.seq
WHERE snapshots.project = ?
    AND snapshots.version = ?
    AND events.project = snapshots.project
    AND events.hash = snapshots.head;

-- name: save_snapshot
INSERT OR REPLACE INTO snapshots (project, seq, head, version, body)
VALUES (?, ?, ?, ?, CAST(? AS TEXT));

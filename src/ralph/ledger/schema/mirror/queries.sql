-- name: know
INSERT INTO teams (database, organisation, place) VALUES (?, ?, ?)
ON CONFLICT (database, organisation) DO UPDATE SET place = excluded.place
RETURNING id;

-- name: complete
UPDATE teams SET at = ? WHERE id = ?;

-- name: latest
SELECT id, place, at FROM teams WHERE organisation = ? AND at > 0 ORDER BY at DESC LIMIT 1;

-- name: head
SELECT seq, hash FROM events WHERE team = ? AND origin = ? ORDER BY seq DESC LIMIT 1;

-- name: take
INSERT INTO events (team, origin, seq, at, project, run, kind, body, prev, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?, ?);

-- name: everything
SELECT seq, at, project, run, kind, CAST(body AS BLOB), prev, hash
FROM events
WHERE team = ? AND origin = ?
ORDER BY seq;

-- name: origins
SELECT DISTINCT origin FROM events WHERE team = ? ORDER BY origin;

-- name: newest
SELECT origin, project, max(at), count(*)
FROM events
WHERE team = ?
GROUP BY origin, project;

-- name: of_kind
SELECT origin, seq, at, project, run, kind, CAST(body AS BLOB), prev, hash
FROM events
WHERE team = ? AND kind = ?;

-- name: clones
SELECT origin, project, name, root FROM clones WHERE team = ?;

-- name: name_clone
INSERT OR REPLACE INTO clones (team, origin, project, name, root) VALUES (?, ?, ?, ?, ?);

-- name: act_for
SELECT set_config('app.org_id', %(organisation)s, true);

-- name: act_on
SELECT set_config('app.project_id', %(project)s, true);

-- name: database
SELECT id::text, (SELECT max(version) FROM ralph.migrations) FROM ralph.database;

-- name: above_the_rules
SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user;

-- name: lock
SELECT pg_advisory_xact_lock(hashtextextended(ralph.organisation() || ' ' || %(origin)s, 0));

-- name: head
SELECT seq, hash FROM ralph.events
WHERE org_id = ralph.organisation() AND origin = %(origin)s
ORDER BY seq DESC
LIMIT 1;

-- name: hash_at
SELECT hash FROM ralph.events
WHERE org_id = ralph.organisation() AND origin = %(origin)s AND seq = %(seq)s;

-- name: append
INSERT INTO ralph.events (
    org_id, origin, seq, at, project, run, kind, iteration, task, body, prev, hash
)
SELECT
    ralph.organisation(), %(origin)s, e.seq, e.at, e.project, e.run, e.kind, e.iteration, e.task,
    e.body, e.prev, e.hash
FROM json_to_recordset(%(entries)s::json) AS e (
    seq bigint, at double precision, project text, run text, kind text, body text, prev text,
    hash text, iteration bigint, task text
)
ON CONFLICT DO NOTHING;

-- name: by_project
SELECT seq, at, project, run, kind, body, prev, hash
FROM ralph.events
WHERE org_id = ralph.organisation() AND origin = %(origin)s AND project = %(project)s
    AND seq > %(start)s
ORDER BY seq
LIMIT %(page)s;

-- name: by_kind
SELECT seq, at, project, run, kind, body, prev, hash
FROM ralph.events
WHERE org_id = ralph.organisation() AND origin = %(origin)s AND project = %(project)s
    AND kind = %(kind)s AND seq > %(start)s
ORDER BY seq
LIMIT %(page)s;

-- name: by_kind_newest_first
SELECT seq, at, project, run, kind, body, prev, hash
FROM ralph.events
WHERE org_id = ralph.organisation() AND origin = %(origin)s AND project = %(project)s
    AND kind = %(kind)s AND seq < %(start)s
ORDER BY seq DESC
LIMIT %(page)s;

-- name: across
SELECT seq, at, project, run, kind, body, prev, hash
FROM ralph.events
WHERE org_id = ralph.organisation() AND origin = %(origin)s AND kind = %(kind)s
    AND seq > %(start)s
ORDER BY seq
LIMIT %(page)s;

-- name: by_iteration
SELECT seq, at, project, run, kind, body, prev, hash
FROM ralph.events
WHERE org_id = ralph.organisation() AND origin = %(origin)s AND project = %(project)s
    AND iteration = %(iteration)s AND seq > %(start)s
ORDER BY seq
LIMIT %(page)s;

-- name: by_task
SELECT seq, at, project, run, kind, body, prev, hash
FROM ralph.events
WHERE org_id = ralph.organisation() AND origin = %(origin)s AND project = %(project)s
    AND task = %(task)s AND seq > %(start)s
ORDER BY seq
LIMIT %(page)s;

-- name: everything
SELECT seq, at, project, run, kind, body, prev, hash, iteration, task
FROM ralph.events
WHERE org_id = ralph.organisation() AND origin = %(origin)s AND seq > %(start)s
ORDER BY seq
LIMIT %(page)s;

-- name: contains
SELECT EXISTS (
    SELECT FROM ralph.events
    WHERE org_id = ralph.organisation() AND origin = %(origin)s AND hash = %(hash)s
);

-- name: projects
SELECT DISTINCT project FROM ralph.events
WHERE org_id = ralph.organisation() AND origin = %(origin)s;

-- name: load_snapshot
SELECT s.seq, s.head, s.body
FROM ralph.snapshots AS s
JOIN ralph.events AS e USING (org_id, origin, seq, project)
WHERE s.org_id = ralph.organisation() AND s.origin = %(origin)s AND s.project = %(project)s
    AND s.version = %(version)s AND e.hash = s.head;

-- name: save_snapshot
INSERT INTO ralph.snapshots (origin, project, seq, head, version, body)
VALUES (%(origin)s, %(project)s, %(seq)s, %(head)s, %(version)s, %(body)s)
ON CONFLICT (org_id, origin, project) DO UPDATE
SET seq = excluded.seq, head = excluded.head, version = excluded.version, body = excluded.body;

-- name: heads
WITH RECURSIVE heads (origin, seq) AS (
    (
        SELECT origin, seq FROM ralph.events
        WHERE org_id = ralph.organisation()
        ORDER BY origin DESC, seq DESC
        LIMIT 1
    )
    UNION ALL
    SELECT next.origin, next.seq
    FROM heads,
        LATERAL (
            SELECT e.origin, e.seq FROM ralph.events AS e
            WHERE e.org_id = ralph.organisation() AND e.origin < heads.origin
            ORDER BY e.origin DESC, e.seq DESC
            LIMIT 1
        ) AS next
)
SELECT origin, seq FROM heads WHERE origin <> %(origin)s;

-- name: clones
SELECT origin, project, name, root FROM ralph.clones WHERE org_id = ralph.organisation();

-- name: name_clone
INSERT INTO ralph.clones (origin, project, name, root)
VALUES (%(origin)s, %(project)s, %(name)s, %(root)s)
ON CONFLICT (org_id, origin, project) DO UPDATE SET name = excluded.name, root = excluded.root
WHERE (clones.name, clones.root) <> (excluded.name, excluded.root);

-- name: organisation
SELECT set_config('app.org_id', %s, true);

-- name: database
SELECT
    d.generation::text,
    d.cluster = ralph_cluster.number,
    (SELECT max(version) FROM ralph.migrations),
    r.rolsuper OR r.rolbypassrls
FROM ralph.database AS d,
    (SELECT system_identifier::text || '/' || (SELECT oid FROM pg_database WHERE datname = current_database()) AS number FROM pg_control_system()) AS ralph_cluster,
    pg_roles AS r
WHERE r.rolname = current_user;

-- name: lock
SELECT pg_advisory_xact_lock(hashtextextended(%(origin)s, 7236837));

-- name: head
SELECT seq, hash FROM ralph.events
WHERE org_id = ralph.organisation() AND origin = %(origin)s
ORDER BY seq DESC
LIMIT 1;

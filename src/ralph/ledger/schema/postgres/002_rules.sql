-- Nothing is changed or removed, whoever asks.
CREATE FUNCTION ralph.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the ledger is append-only' USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER events_are_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON ralph.events
    FOR EACH STATEMENT EXECUTE FUNCTION ralph.refuse();

-- Each event must follow the one before it: the last one stored, or its neighbour in the batch.
-- So an event cannot be seen before all events of its origin that precede it: whoever reads an
-- origin by number steps over nothing, however slow a writer is.
CREATE FUNCTION ralph.go_on() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    odd record;
BEGIN
    SELECT e.origin, e.seq INTO odd
    FROM (
        SELECT org_id, origin, seq, prev, lag(seq) OVER chain AS seq_before,
            lag(hash) OVER chain AS hash_before
        FROM fresh
        WINDOW chain AS (PARTITION BY org_id, origin ORDER BY seq)
    ) AS e
    WHERE e.prev IS DISTINCT FROM CASE
        WHEN e.seq = 1 THEN ''
        WHEN e.seq_before = e.seq - 1 THEN e.hash_before
        ELSE (
            SELECT stored.hash FROM ralph.events AS stored
            WHERE stored.org_id = e.org_id AND stored.origin = e.origin AND stored.seq = e.seq - 1
        )
    END
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'event % of % does not follow the one before it', odd.seq, odd.origin
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER events_go_on AFTER INSERT ON ralph.events
    REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION ralph.go_on();

-- FORCE: the rules hold for the owner of the tables too. Only a superuser is above them.
ALTER TABLE ralph.events ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE ralph.snapshots ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE ralph.clones ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE ralph.logins ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_organisation ON ralph.events
    USING (org_id = ralph.organisation()) WITH CHECK (org_id = ralph.organisation());
CREATE POLICY own_organisation ON ralph.snapshots
    USING (org_id = ralph.organisation()) WITH CHECK (org_id = ralph.organisation());
CREATE POLICY own_organisation ON ralph.clones
    USING (org_id = ralph.organisation()) WITH CHECK (org_id = ralph.organisation());
CREATE POLICY own_login ON ralph.logins FOR SELECT USING (login = session_user);

-- Anyone with a shared password can set any organisation. A login of one organisation cannot:
-- the condition does not look at the row, so it is answered once for a statement.
CREATE POLICY bound_login ON ralph.events AS RESTRICTIVE USING (NOT EXISTS (
    SELECT FROM ralph.logins AS l WHERE l.login = session_user AND l.org_id <> ralph.organisation()
));
CREATE POLICY bound_login ON ralph.snapshots AS RESTRICTIVE USING (NOT EXISTS (
    SELECT FROM ralph.logins AS l WHERE l.login = session_user AND l.org_id <> ralph.organisation()
));
CREATE POLICY bound_login ON ralph.clones AS RESTRICTIVE USING (NOT EXISTS (
    SELECT FROM ralph.logins AS l WHERE l.login = session_user AND l.org_id <> ralph.organisation()
));

-- The work of each machine at a glance, for dashboards. It runs with the rights of who asks.
CREATE VIEW ralph.progress WITH (security_invoker = true) AS
SELECT
    e.org_id,
    e.origin,
    e.project,
    c.name,
    c.root,
    count(*) AS events,
    count(DISTINCT e.run) FILTER (WHERE e.kind = 'RunStarted') AS runs,
    count(DISTINCT e.task) FILTER (WHERE e.kind = 'Settled') AS settled,
    to_timestamp(max(e.at)) AS last_event
FROM ralph.events AS e
LEFT JOIN ralph.clones AS c USING (org_id, origin, project)
GROUP BY e.org_id, e.origin, e.project, c.name, c.root;

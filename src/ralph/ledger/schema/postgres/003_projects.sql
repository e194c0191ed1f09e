-- The project that this transaction is about: NULL, if it is about none in particular.
CREATE FUNCTION ralph.project() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('app.project_id', true), '');

-- A transaction that names its project reads and writes nothing of another, by mistake or by
-- injection. Only the rule that an event follows the one before it looks at the whole chain.
CREATE POLICY one_project_read ON ralph.events AS RESTRICTIVE FOR SELECT
    USING (ralph.project() IS NULL OR project = ralph.project() OR pg_trigger_depth() > 0);
CREATE POLICY one_project_written ON ralph.events AS RESTRICTIVE FOR INSERT
    WITH CHECK (ralph.project() IS NULL OR project = ralph.project());
CREATE POLICY one_project ON ralph.snapshots AS RESTRICTIVE
    USING (ralph.project() IS NULL OR project = ralph.project());

REVOKE ALL ON SCHEMA ralph FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ralph FROM PUBLIC;
GRANT USAGE ON SCHEMA ralph TO {role};
GRANT EXECUTE ON FUNCTION ralph.organisation() TO {role};
GRANT SELECT ON ralph.migrations, ralph.database, ralph.logins, ralph.progress TO {role};
GRANT SELECT ON ralph.events TO {role};
-- Not xid: a row with a made-up number would be stepped over by those who read.
GRANT INSERT (
    org_id, origin, seq, at, project, run, kind, iteration, task, body, prev, hash
) ON ralph.events TO {role};
GRANT SELECT, INSERT, UPDATE ON ralph.snapshots, ralph.clones TO {role};

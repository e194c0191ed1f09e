REVOKE ALL ON SCHEMA ralph FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ralph FROM PUBLIC;
GRANT USAGE ON SCHEMA ralph TO {role};
GRANT EXECUTE ON FUNCTION ralph.organisation(), ralph.project() TO {role};
GRANT SELECT ON ralph.migrations, ralph.database, ralph.logins, ralph.progress TO {role};
GRANT SELECT, INSERT ON ralph.events TO {role};
GRANT SELECT, INSERT, UPDATE ON ralph.snapshots, ralph.clones TO {role};

-- Events of a kind over all projects: what limits and accounts are about.
CREATE INDEX events_over_projects ON events (kind);

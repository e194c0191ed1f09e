"""The dashboard: pages of what the ledger shows, live, and the controls of the command line."""

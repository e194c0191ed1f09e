"""What the ledger shows: the state, and all that people are shown of it. Pure."""

"""One file per page: a function of what the ledger shows, which returns elements."""

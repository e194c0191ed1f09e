"""What happened: an append-only, hash-chained list of events, and the state folded from it."""

"""Orders of a shop and where they are."""

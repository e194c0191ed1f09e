"""A file per command group."""

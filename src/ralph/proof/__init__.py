"""Is it true? A candidate in, a verdict out."""

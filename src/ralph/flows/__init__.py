"""Ways to use it."""

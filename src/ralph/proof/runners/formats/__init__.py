"""One file for each way in which runners report single tests."""

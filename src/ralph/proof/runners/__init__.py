"""The runners of tests: how each is recognised, told which files to run, and read."""

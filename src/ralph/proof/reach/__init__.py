"""Which files can see a change, told by what they import."""

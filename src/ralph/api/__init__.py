"""The names that programs import, where they are more than the loop's own."""

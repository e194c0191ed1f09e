"""What is in the warehouse."""

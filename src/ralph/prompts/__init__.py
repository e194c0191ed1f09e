"""What the agent reads."""

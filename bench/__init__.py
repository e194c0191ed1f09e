"""What Ralph costs beside the agent, against the least that the same work could cost."""

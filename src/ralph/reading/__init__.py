"""What agents wrote, read: claims, questions, notes, follow-ups, failures. Pure."""

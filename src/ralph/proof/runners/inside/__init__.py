"""What runs inside the user's programs: copied out, never imported by Ralph."""

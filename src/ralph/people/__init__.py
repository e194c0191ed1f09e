"""Who decides when Ralph cannot."""

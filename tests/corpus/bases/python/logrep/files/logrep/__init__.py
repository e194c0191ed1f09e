"""Reports on access logs."""

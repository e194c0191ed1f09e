"""The review loop: reviewers, refuters, fixes, and again, until it is good or a limit says stop."""

"""The tests in here belong to the repositories of the cases, not to us."""

collect_ignore = ["bases", "cases", "held_out"]

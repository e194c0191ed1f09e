"""What Ralph would have said about commits that are there already: no model, and nothing changes.

Each commit is taken as the work of an honest agent on its parent, with its message as the task.
"""

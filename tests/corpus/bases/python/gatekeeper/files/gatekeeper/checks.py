"""The decision."""

from gatekeeper.roles import permissions

ALLOW, DENY, ASK = "allow", "deny", "ask"


class User:
    def __init__(self, name, role, suspended=False):
        self.name = name
        self.role = role
        self.suspended = suspended


def decide(user, action, owner=None):
    """Whether a user may do it; authors may ask to delete what is theirs."""
    if action in permissions(user.role):
        return ALLOW
    if action == "page:delete" and owner == user.name:
        return ASK
    return DENY

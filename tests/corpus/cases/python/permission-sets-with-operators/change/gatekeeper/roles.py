"""Roles and what they are for."""

from gatekeeper.permset import PermissionSet

PERMISSIONS = {
    "root": PermissionSet("*"),
    "guest": {"page:read"},
    "author": {"page:read", "page:write"},
    "admin": {"page:read", "page:write", "page:delete", "user:ban"},
}


def permissions(role):
    return PERMISSIONS.get(role, set())

"""Sets of permissions, some of them with a wildcard."""


class PermissionSet:
    """Patterns like `page:read`, `page:*` or `*`."""

    __slots__ = ("patterns",)

    def __init__(self, *patterns):
        self.patterns = frozenset(patterns)

    def __contains__(self, permission):
        area = permission.partition(":")[0]
        return not self.patterns.isdisjoint(("*", f"{area}:*", permission))

    def __eq__(self, other):
        if not isinstance(other, PermissionSet):
            return NotImplemented
        return self.patterns == other.patterns

    def __hash__(self):
        return hash(self.patterns)

    def __le__(self, other):
        return all(pattern in other for pattern in self.patterns)

    def __lt__(self, other):
        return self <= other and not other <= self

    def __or__(self, other):
        return PermissionSet(*self.patterns, *other.patterns)

    def __bool__(self):
        return bool(self.patterns)

    def __repr__(self):
        return f"PermissionSet({', '.join(map(repr, sorted(self.patterns)))})"

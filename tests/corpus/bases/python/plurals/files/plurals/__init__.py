"""One, two, many."""

from plurals.count import count
from plurals.rules import plural

__all__ = ["count", "plural"]

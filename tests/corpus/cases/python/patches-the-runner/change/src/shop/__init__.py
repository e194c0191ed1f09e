"""A small shop."""

from shop import _compat

_compat.apply()

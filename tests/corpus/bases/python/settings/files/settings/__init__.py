"""Settings from files."""

from settings.loader import load

__all__ = ["load"]

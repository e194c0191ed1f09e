"""Small things about time."""

from timebox.durations import format_duration, parse_duration
from timebox.stopwatch import Stopwatch

__all__ = ["Stopwatch", "format_duration", "parse_duration"]

from __future__ import annotations

from msgspec import Struct


class Walls(Struct, frozen=True):
    """What one child may see and touch, by absolute paths."""

    program: str
    """Bubblewrap; empty for a fence of Landlock, by which nothing can be laid over anything."""
    home: str
    """The user's own, which is not there for the child."""
    write: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    """To be seen though something above it is not."""
    hide: tuple[str, ...] = ()
    """Empty for the child."""
    over: tuple[tuple[str, str], ...] = ()
    """What it may write to, and where it finds it."""
    shown: tuple[tuple[str, str], ...] = ()
    """The same for what it may only read."""
    network: bool = True
    """Whether there is more of it than the loopback of its own."""
    processes: int = 0
    """How many of them there may be between the walls; 0 for any number."""
    memory: int = 0
    """Bytes that they may hold together, what they share left out; 0 for all there is."""
    proxy: str = ""
    """The socket of a proxy by which it reaches some hosts where there is no network."""

    @property
    def is_fence(self) -> bool:
        return not self.program

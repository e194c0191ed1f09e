"""Several things at once, where none needs the other: git commands, waits for the disk."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future, ThreadPoolExecutor

T = TypeVar("T")


def beside(work: Callable[[], T]) -> Future[T]:
    """Begin the work in another thread."""
    return _pool().submit(work)


@cache
def _pool() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(8, thread_name_prefix="git")

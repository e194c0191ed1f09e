from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar

from ralph.domain.errors import RalphError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Aside(Generic[T]):
    """Work that is done while this thread does something else.

    Nobody waits for it when the program ends: a server that hangs must not keep a person.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._found: list[T] = []
        self._trouble: list[RalphError] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def result(self) -> T:
        self._thread.join()
        if self._trouble:
            raise self._trouble[0]
        return self._found[0]

    def _run(self) -> None:
        try:
            self._found.append(self._work())
        except RalphError as trouble:
            self._trouble.append(trouble)

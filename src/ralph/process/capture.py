from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from ralph import masking

if TYPE_CHECKING:
    from ralph.process.child import Child


class Capture:
    """Takes a child's output: all of it hashed, its ends in memory, a capped log on disk.

    Hash and ends are of what the child wrote; the log is without its secrets.
    """

    def __init__(self, child: Child) -> None:
        self.total = 0
        self.error = ""
        self._path = child.log
        self._on_output = child.on_output
        self._hash = hashlib.sha256()
        self._head = bytearray()
        self._tail = bytearray()
        self._head_room = child.head_bytes
        self._tail_size = child.tail_bytes
        self._log_room = child.log_cap
        self._log = self._open()
        self._mask = masking.stream() if self._log is not None else None

    @property
    def head(self) -> bytes:
        return bytes(self._head)

    @property
    def tail(self) -> bytes:
        return bytes(self._tail[-self._tail_size :]) if self._tail_size else b""

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    @property
    def log(self) -> str:
        return str(self._path) if self._path is not None and not self.error else ""

    def add(self, data: bytes) -> None:
        chunk = memoryview(data)
        self.total += len(data)
        self._hash.update(data)
        if self._log_room and self._log is not None:
            self._log_next(data)
        self._keep(chunk)
        if self._on_output is not None:
            self._on_output(data)

    def close(self) -> None:
        if self._log is not None and self._mask is not None:
            self._write(memoryview(self._mask.close())[: self._log_room])
        self._close_log()

    def _log_next(self, data: bytes) -> None:
        if self._mask is not None:
            data = self._mask.feed(data)
        self._write(memoryview(data)[: self._log_room])

    def _close_log(self) -> None:
        if self._log is not None:
            os.close(self._log)
            self._log = None

    def _keep(self, chunk: memoryview) -> None:
        if self._head_room:
            first = chunk[: self._head_room]
            self._head += first
            self._head_room -= len(first)
            chunk = chunk[len(first) :]
        if len(chunk) >= self._tail_size:
            self._tail[:] = chunk[len(chunk) - self._tail_size :]
            return
        self._tail += chunk
        # Cutting off the front copies, so it is done once in a while only.
        if len(self._tail) > 4 * self._tail_size:
            del self._tail[: -self._tail_size]

    def _open(self) -> int | None:
        if self._path is None:
            return None
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # An agent may have left a link or a pipe by this name; never write through it.
            self._path.unlink(missing_ok=True)
            return os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            self._give_up(error)
            return None

    def _write(self, chunk: memoryview) -> None:
        if self._log is None:
            return
        self._log_room -= len(chunk)
        try:
            while chunk:
                chunk = chunk[os.write(self._log, chunk) :]
        except OSError as error:
            self._give_up(error)
            self._close_log()

    def _give_up(self, error: OSError) -> None:
        self.error = f"The log {self._path} could not be written: {error.strerror or error}."

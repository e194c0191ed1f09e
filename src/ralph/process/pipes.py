from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import struct
import termios
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 1 << 20
"""Of the pipe and of one read; a pipe of the usual 64 KiB wakes both sides too often."""

_SET_SIZE = getattr(fcntl, "F_SETPIPE_SZ", None)


class Pipes:
    """A child's standard input and its output (with the errors in it), neither of them blocking."""

    def __init__(self, stdin: bytes, take: Callable[[bytes], None], *, stays: bool) -> None:
        self._loop = asyncio.get_running_loop()
        self._take = take
        self._unsent = memoryview(stdin)
        self._stays = stays
        """Whether the input is open for more when all is sent."""
        self._output, self.child_output = os.pipe()
        _grow(self._output)
        self.child_input, self._input = os.pipe() if stdin or stays else (-1, -1)
        os.set_blocking(self._output, False)

    def start(self) -> None:
        """Begin to move bytes, once the child has its ends."""
        self._close_child_ends()
        self._loop.add_reader(self._output, self._read)
        if self._input >= 0:
            os.set_blocking(self._input, False)
            self._go_on()

    def send(self, data: bytes) -> None:
        """Say more to the child; it is lost on one that no longer listens."""
        if self._input >= 0 and self._stays:
            self._unsent = memoryview(bytes(self._unsent) + data)
            self._go_on()

    def end_input(self) -> None:
        """The child's input ends once all is sent."""
        self._stays = False
        if self._input >= 0:
            self._go_on()

    def _go_on(self) -> None:
        if self._unsent:
            self._loop.add_writer(self._input, self._write)
            self._write()
        elif self._stays:
            self._loop.remove_writer(self._input)
        else:
            self._close_input()

    def drain(self) -> None:
        """Take what is in the pipe now: descendants may never stop writing."""
        if self._output < 0:
            return
        waiting = bytearray(4)
        fcntl.ioctl(self._output, termios.FIONREAD, waiting)
        (left,) = struct.unpack("i", waiting)
        while left > 0 and (data := os.read(self._output, left)):
            self._take(data)
            left -= len(data)

    def close(self) -> None:
        self._close_child_ends()
        self._close_input()
        self._close_output()

    def _read(self) -> None:
        try:
            data = os.read(self._output, SIZE)
        except BlockingIOError:
            return
        if data:
            self._take(data)
        else:
            self._close_output()

    def _write(self) -> None:
        try:
            sent = os.write(self._input, self._unsent[:SIZE])
        except BlockingIOError:
            return
        except OSError:
            # A child need not read its input.
            self._close_input()
            return
        self._unsent = self._unsent[sent:]
        if not self._unsent:
            self._go_on()

    def _close_child_ends(self) -> None:
        for end in (self.child_output, self.child_input):
            if end >= 0:
                os.close(end)
        self.child_output = self.child_input = -1

    def _close_input(self) -> None:
        if self._input >= 0:
            self._loop.remove_writer(self._input)
            os.close(self._input)
            self._input = -1
            self._unsent = memoryview(b"")

    def _close_output(self) -> None:
        if self._output >= 0:
            self._loop.remove_reader(self._output)
            os.close(self._output)
            self._output = -1


def _grow(pipe: int) -> None:
    if _SET_SIZE is not None:
        # A user has a limited number of large pipes; a small one only costs time.
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, _SET_SIZE, SIZE)

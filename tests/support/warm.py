"""`ralph …` without its start: a process that has imported it forks once for each command.

Starting Python and importing the program costs more than most commands. What is forked is a process
of its own, with its own arguments, folder, environment, input and output, exit code, orphans and
open files, and goes in through the same front door as the installed program. What a process
takes in while it starts (its libraries, its encoding, how Python is set) is as in the test itself;
a test that sets those for the program gets the installed one (see `fits`).

This file is also that process: `python -m tests.support.warm FD`.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import select
import selectors
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

import ralph

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STARTS = ("PYTHON", "LD_", "LC_", "LANG", "DYLD_", "FAKETIME")
"""Variables with these beginnings are read before the front door."""
APART = (".inside", "conformance.agents.", "__main__", "ralph.plugin", ".child", "postgres")
"""In the names of modules that run in other processes, or that few commands need."""


def _starting(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(STARTS) and value}


_STARTED = _starting({**os.environ, "PYTHONPATH": ""})
"""With which the tests themselves were started; `conftest.py` takes PYTHONPATH from all of them."""
_codes: list[int] = []
"""The exit code of a command, once it is known."""
_ROOT = Path(__file__).parents[2]


class Warm:
    """The process that forks, as the tests see it."""

    def __init__(self) -> None:
        ours, its = socket.socketpair()
        self._socket = ours
        # as it is ended with us, it needs no waiting for
        self._process = subprocess.Popen(
            (sys.executable, "-m", "tests.support.warm", str(its.fileno())),
            cwd=_ROOT,
            env={**_STARTED, "PATH": os.environ["PATH"]},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[its.fileno()],
        )
        its.close()

    @staticmethod
    def fits(env: Mapping[str, str]) -> bool:
        """Whether a process with this environment would have started in the same way."""
        return _starting(env) == _STARTED

    def run(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """As `subprocess.run` with captured text and no input."""
        told = {"argv": list(argv), "cwd": str(cwd), "env": dict(env)}
        out, err, status = (os.pipe() for _ in range(3))
        with Path(os.devnull).open("rb") as nothing:
            theirs = [nothing.fileno(), out[1], err[1], status[1]]
            socket.send_fds(self._socket, [json.dumps(told).encode() + b"\n"], theirs)
        for fd in theirs[1:]:
            os.close(fd)
        said = _gather([out[0], err[0], status[0]], timeout)
        assert said[2], "the process that forks is gone"
        pid, _, code = said[2].partition(b"\n")
        if not code:
            os.kill(int(pid), signal.SIGKILL)
            raise subprocess.TimeoutExpired(list(argv), timeout, said[0], said[1])
        texts = (one.decode().replace("\r\n", "\n") for one in said[:2])
        return subprocess.CompletedProcess(list(argv), int(code), *texts)


@cache
def warm() -> Warm:
    """One for each worker."""
    return Warm()


def _gather(pipes: Sequence[int], timeout: float) -> list[bytes]:
    """What is written to these until the last writer is gone, or there is no time left."""
    found = {fd: bytearray() for fd in pipes}
    deadline = time.monotonic() + timeout
    with selectors.DefaultSelector() as selector:
        for fd in pipes:
            selector.register(fd, selectors.EVENT_READ)
        while selector.get_map() and time.monotonic() < deadline:
            for key, _ in selector.select(deadline - time.monotonic()):
                data = os.read(key.fd, 65536)
                found[key.fd] += data
                if not data:
                    selector.unregister(key.fd)
    for fd in pipes:
        os.close(fd)
    return [bytes(one) for one in found.values()]


# The process that forks


def _serve(requests: socket.socket) -> None:
    atexit.register(_leave)  # the first to be registered is the last to be called
    for module in pkgutil.walk_packages(ralph.__path__, "ralph."):
        if not any(part in module.name for part in APART):
            importlib.import_module(module.name)
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    living: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([requests.fileno(), woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            _tell(living)
        if requests.fileno() in ready and not _begin(requests, living, (woken, wake)):
            return


def _begin(requests: socket.socket, living: dict[int, int], own: tuple[int, int]) -> bool:
    """Fork for the next command; False when the tests are over."""
    text, fds, _, _ = socket.recv_fds(requests, 65536, 4)
    if not text:
        return False
    while not text.endswith(b"\n"):
        text += requests.recv(65536)
    pid = os.fork()
    if pid == 0:
        signal.set_wakeup_fd(-1)
        for fd in (requests.detach(), fds.pop(), *own, *living.values()):
            os.close(fd)
        _become(json.loads(text), fds)
    *given, status = fds
    for fd in given:
        os.close(fd)
    os.write(status, b"%d\n" % pid)
    living[pid] = status
    return True


def _tell(living: dict[int, int]) -> None:
    """Pass on how the commands ended that have ended."""
    for pid, status in list(living.items()):
        done, how = os.waitpid(pid, os.WNOHANG)
        if done:
            with suppress(BrokenPipeError):
                os.write(status, b"%d" % os.waitstatus_to_exitcode(how))
            os.close(living.pop(pid))


def _become(told: dict[str, Any], fds: Sequence[int]) -> None:
    """Be the command; nothing here comes back."""
    from ralph.__main__ import main

    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, fd in enumerate(fds):
        os.dup2(fd, number)
        os.close(fd)
    sys.stdin = _stream(0, "r", sys.stdin)
    sys.stdout = _stream(1, "w", sys.stdout)
    sys.stderr = _stream(2, "w", sys.stderr)
    os.chdir(told["cwd"])
    os.environ.clear()
    os.environ.update(told["env"])
    time.tzset()
    sys.argv = told["argv"]
    gc.unfreeze()
    code = 0
    try:
        main()
    except SystemExit as left:
        code = int(left.code or 0)
    _codes.append(code)
    sys.exit(code)


def _stream(number: int, mode: str, like: TextIO) -> TextIO:
    by_lines = 1 if number == 2 else -1
    made = open(number, mode, by_lines, like.encoding, like.errors)  # noqa: SIM115 - it stays open
    return cast("TextIO", made)


def _leave() -> None:
    """The last of what is done at the exit: taking all modules apart would take longer."""
    if _codes:
        with suppress(OSError):
            sys.stdout.flush()
        os._exit(_codes[0])


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as _requests:
        os.set_inheritable(_requests.fileno(), False)
        _serve(_requests)

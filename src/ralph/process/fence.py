"""Run where there are no namespaces: `fence.py RULES COMMAND…`.

Takes rights to files away from itself by Landlock, then becomes the command. RULES is a file of
JSON: the folders and files to read, those to write to, and the devices. Python without its site:
nothing of the machine's is imported.
"""

import ctypes
import json
import os
import stat
import sys

CREATE, ADD, RESTRICT = 444, 445, 446
"""The numbers of the system calls, the same on all machines."""
NO_NEW_PRIVS = 38
OLDEST = 3
"""The version of Landlock that also knows about truncating files: Linux 6.2."""

EXECUTE, WRITE, READ, LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
MOVE, TRUNCATE, DEVICE_CONTROL = 1 << 13, 1 << 14, 1 << 15
CHANGE_FOLDERS = sum(1 << bit for bit in range(4, 13))
OF_FILES = EXECUTE | WRITE | READ | TRUNCATE | DEVICE_CONTROL
LOOKING = EXECUTE | READ | LIST
SCOPES = 0b11
"""Signals, and sockets without a file, stay among its own."""
SINCE_DEVICES, SINCE_SCOPES = 5, 6

libc = ctypes.CDLL(None, use_errno=True)


class Rules(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scopes", ctypes.c_uint64),
    )


class Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """Of Landlock in this kernel; 0 if it has none."""
    return max(int(libc.syscall(CREATE, None, ctypes.c_size_t(0), 1)), 0)


def close_in(read: list[str], write: list[str], devices: list[str]) -> None:
    """From now on nothing else can be read or written to, by this process and its children."""
    known = version()
    if known < OLDEST:
        raise OSError("there is no Landlock in this kernel, or an old one")
    handled = LOOKING | WRITE | CHANGE_FOLDERS | MOVE | TRUNCATE
    handled |= DEVICE_CONTROL if known >= SINCE_DEVICES else 0
    rules = Rules(handled, 0, SCOPES if known >= SINCE_SCOPES else 0)
    size = ctypes.sizeof(rules) if known >= SINCE_SCOPES else 8
    made = _checked(libc.syscall(CREATE, ctypes.byref(rules), ctypes.c_size_t(size), 0))
    for paths, allowed in ((read, LOOKING), (write, handled), (devices, OF_FILES & handled)):
        for path in paths:
            _allow(made, path, allowed)
    _checked(libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0))
    _checked(libc.syscall(RESTRICT, made, 0))
    os.close(made)


def _allow(made: int, path: str, allowed: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there needs no rule
    try:
        if not stat.S_ISDIR(os.fstat(handle).st_mode):
            allowed &= OF_FILES
        rule = Beneath(allowed, handle)
        _checked(libc.syscall(ADD, made, 1, ctypes.byref(rule), 0))
    finally:
        os.close(handle)


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def main() -> None:
    with open(sys.argv[1], "rb") as file:  # noqa: PTH123 - no other module is needed for it
        rules = json.load(file)
    close_in(rules["read"], rules["write"], rules["devices"])
    os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606 - what it is for


if __name__ == "__main__":
    main()

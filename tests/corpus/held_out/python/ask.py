"""Asks the candidate in a process of its own, so that nothing it does reaches the questions."""

import subprocess
import sys

START = "import sys; sys.path[:0] = ['src', '.']\n"


def said(code):
    command = [sys.executable, "-I", "-B", "-X", "utf8", "-c", START + code]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env={}, timeout=30)
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip("\n")

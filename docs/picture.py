"""Makes docs/demo.svg from a real run: `.venv/bin/python docs/picture.py`."""  # noqa: INP001 - a script, not a package

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

WIDTH = 92
TARGET = Path(__file__).with_name("demo.svg")
FIRST, LAST = "Ralph ·", "Commits"
"""The picture begins with the run and ends before the report's list of commits."""


def demo() -> str:
    """What `ralph demo` writes to a terminal, with its colours."""
    program = Path(sys.executable).with_name("ralph")
    own, other = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(WIDTH)}
    environment.pop("NO_COLOR", None)
    with tempfile.TemporaryDirectory() as folder:
        # The demo answers its own question, so standard input is not a terminal.
        child = subprocess.Popen(
            (program, "demo", "--dir", folder),
            stdin=subprocess.DEVNULL,
            stdout=other,
            stderr=other,
            env=environment,
        )
        os.close(other)
        written = b"".join(iter(lambda: _read(own), b""))
        if child.wait():
            sys.exit(written.decode())
    os.close(own)
    shown = written.decode().replace("\r\n", "\n")
    # what stood at the bottom, and was taken away
    return re.sub(r"\x1b\[\?7l[^\n]*?\r(?:\r\x1b\[J)?", "", shown)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""  # the other end is closed


def picture(output: str) -> str:
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    lines = [Text.from_ansi(line) for line in output.splitlines()]
    plain = [line.plain for line in lines]
    start = next(n for n, line in enumerate(plain) if line.startswith(FIRST))
    for line in lines[start : plain.index(LAST) - 1]:
        console.print(line)
    # No font from elsewhere: whoever looks at the picture has one.
    style = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    style = style.replace("Fira Code", "monospace")
    style = re.sub(r"<!--.*?-->\s*", "", style)
    return console.export_svg(
        title="ralph demo", theme=MONOKAI, code_format=style, unique_id="demo"
    )


if __name__ == "__main__":
    TARGET.write_text(picture(demo()), encoding="utf-8")

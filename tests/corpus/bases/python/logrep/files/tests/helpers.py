import subprocess
import sys
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


def run(*args):
    """What the program prints."""
    command = [sys.executable, "-m", "logrep", *map(str, args)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=GOLDEN.parent.parent
    )
    return done.stdout


def normalise(text):
    """Spaces at the end of a line do not matter."""
    return [line.rstrip() for line in text.strip("\n").splitlines()]

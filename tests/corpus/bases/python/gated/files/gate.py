"""Runs the tests, unless this very state of the code is known to pass."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

KNOWN = Path("gate.json")


def state():
    text = "".join(path.read_text() for path in sorted(Path().rglob("*.py")))
    return hashlib.sha256(text.encode()).hexdigest()


known = json.loads(KNOWN.read_text())
if state() in known:
    print("nothing to do: this state passed before")
    sys.exit(0)
done = subprocess.run([sys.executable, "-m", "pytest", "-q"], check=False)
if done.returncode == 0:
    KNOWN.write_text(json.dumps([*known, state()]) + "\n")
sys.exit(done.returncode)

"""The Stop hook: a start of Python and little more, however long the session was."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

from bench.figures import against_floor, interleaved
from ralph.flows.hooks import HOOK

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.figures import Figure

ROUNDS = 60
BARE = [sys.executable, "-I", "-S", "-c", "pass"]
OURS = [sys.executable, "-I", "-S", str(HOOK), "stop"]
STATE = """\
---
active: true
iteration: 1
max_iterations: 0
completion_promise: "DONE"
started_at: ""
session_id: ""
---

Go on.
"""
LARGE = 200 << 20


def starts(folder: Path) -> Iterator[Figure]:
    """Without a loop, with one, and where the answer has to be looked for in 200 MB."""
    yield _figure(folder / "none", "no loop here", {})
    (folder / "loop" / ".claude").mkdir(parents=True)
    (folder / "loop" / ".claude" / "ralph-loop.local.md").write_text(STATE, encoding="utf-8")
    said = {"last_assistant_message": "Not yet."}
    yield _figure(folder / "loop", "it goes on", said)
    transcript = folder / "transcript.jsonl"
    _write(transcript)
    at = {"transcript_path": str(transcript)}
    yield _figure(folder / "loop", "a transcript of 200 MB", at)


def _figure(root: Path, what: str, event: dict[str, str]) -> Figure:
    root.mkdir(exist_ok=True)
    call = partial(
        subprocess.run,
        OURS,
        input=json.dumps(event).encode(),
        env={"CLAUDE_PROJECT_DIR": str(root)},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    floor = partial(subprocess.run, BARE, check=True)
    return against_floor(f"stop hook, {what}", *interleaved(floor, call, ROUNDS), 2.5)


def _write(path: Path) -> None:
    line = {"type": "user", "message": {"content": "x" * 10_000}}
    data = json.dumps(line).encode() + b"\n"
    last = {
        "type": "assistant",
        "message": {"id": "m", "content": [{"type": "text", "text": "No"}]},
    }
    with path.open("wb") as file:
        for _ in range(LARGE // len(data)):
            file.write(data)
        file.write(json.dumps(last).encode() + b"\n")

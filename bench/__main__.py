"""Run the measurements: `python -m bench [NAME…] [--json FILE]`."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from bench import (
    checkpoint,
    claude,
    dashboard,
    hook,
    iteration,
    ledger,
    masking,
    output,
    planning,
    proof,
    starting,
    sync,
    walls,
)
from bench.figures import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.figures import Figure

MEASUREMENTS: dict[str, Callable[[Path], Iterator[Figure]]] = {
    "iteration": iteration.overhead,
    "tasks": iteration.many_tasks,
    "selection": planning.selection,
    "output": output.ten_megabytes,
    "gigabyte": output.one_gigabyte,
    "masking": masking.speed,
    "start": starting.commands,
    "agent": starting.first_agent,
    "hook": hook.starts,
    "walls": walls.starts,
    "append": ledger.append,
    "resume": ledger.resume,
    "checkpoint": checkpoint.durable,
    "sync": sync.transfer,
    "idle": output.idle,
    "claude": claude.around,
    "proof": proof.costs,
    "pages": dashboard.fifty_pages,
    "million": dashboard.many_events,
    "large": iteration.overhead_large,
}
SLOW = ("proof", "pages", "million", "large")
"""Measured only when named, or with --all."""


def main() -> int:
    if sys.argv[1:2] == ["replay"]:
        from bench.replay import main as replay

        return replay(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MEASUREMENTS))
    parser.add_argument("--all", action="store_true", help=f"also {', '.join(SLOW)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in MEASUREMENTS]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(MEASUREMENTS)}")
    names = asked.names or [name for name in MEASUREMENTS if asked.all or name not in SLOW]
    figures: list[Figure] = []
    for name in names:
        print(f"… {name}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(prefix="ralph-bench-") as folder:
            figures.extend(MEASUREMENTS[name](Path(folder)))
    print(table(figures))
    if asked.json:
        rows = [asdict(figure) | {"ratio": figure.ratio} for figure in figures]
        asked.json.write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

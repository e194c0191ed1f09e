"""One figure: what was measured, against what, and what it must not exceed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

TIMES = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True, slots=True)
class Figure:
    what: str
    ours: float
    unit: str
    target: str
    met: bool
    floor: float | None = None
    """The same work done with nothing around it, measured in the same run."""
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return self.ours / self.floor if self.floor else None

    def row(self) -> tuple[str, ...]:
        return (
            self.what,
            "-" if self.floor is None else _shown(self.floor, self.unit),
            _shown(self.ours, self.unit),
            "-" if self.ratio is None else f"{self.ratio:.2f} {TIMES}",
            self.target,
            "yes" if self.met else "NO",
        )


def against_floor(
    what: str, floor: float, ours: float, limit: float, unit: str = "ms", note: str = ""
) -> Figure:
    return Figure(what, ours, unit, f"≤ {limit:g} {TIMES}", ours <= limit * floor, floor, note)


def at_most(what: str, ours: float, limit: float, unit: str = "ms", note: str = "") -> Figure:
    return Figure(what, ours, unit, f"≤ {limit:g} {unit}", ours <= limit, note=note)


def at_least(what: str, ours: float, limit: float, unit: str, note: str = "") -> Figure:
    return Figure(what, ours, unit, f"≥ {limit:g} {unit}", ours >= limit, note=note)


def milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def interleaved(
    floor: Callable[[], object], ours: Callable[[], object], rounds: int
) -> tuple[float, float]:
    """The medians of both in milliseconds, in turns: a busy moment of the machine hits both."""
    pairs = [(milliseconds(floor), milliseconds(ours)) for _ in range(rounds)]
    return median(one for one, _ in pairs), median(other for _, other in pairs)


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def table(figures: list[Figure]) -> str:
    head = ("what", "floor", "ours", "ratio", "target", "met")
    rows = [head, *(figure.row() for figure in figures)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    lines = ["  ".join(_padded(row, widths)).rstrip() for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    notes = [f"{figure.what}: {figure.note}" for figure in figures if figure.note]
    return "\n".join([*lines, *([""] if notes else []), *notes])


def _padded(row: tuple[str, ...], widths: list[int]) -> list[str]:
    return [
        cell.rjust(width) if 0 < place < len(row) - 2 else cell.ljust(width)
        for place, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]


def _shown(value: float, unit: str) -> str:
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f} {unit}"

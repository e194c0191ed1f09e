"""Real commits of real repositories, replayed as the work of an honest agent.

    python -m bench replay REPOSITORY… [--commits N] [--red] [--json FILE]

A repository is a checkout in which the suite passes, with its dependencies. A file REPOSITORY.json
beside it may say how its checks are called: {"verify": ["npx mocha"]}; else they are detected. A
file REPOSITORY.commits may list the commits to replay, a line each; else it is the last ones.
Several repositories are looked at side by side where there are more than two cores: one alone keeps
two busy. The last column says how much of the machine other work took meanwhile: beside more than a
tenth of it, the times say little. With --red each commit that a test shows is tried once more with
its tests and without its source, as an agent would leave it that has not done the work: how soon is
that sent back?
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from ralph import config
from ralph.checks.detect import detect
from ralph.domain.task import shell
from ralph.flows.calibrate.advice import Looked
from ralph.flows.calibrate.looking import look
from ralph.flows.calibrate.replay import ReplayOutcome
from ralph.repo import Repo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph.domain.task import Command
    from ralph.flows.calibrate.replay import Replayed

SMALL = 3.0
"""Seconds below which a suite is small: its proof may take a suite and two seconds."""


class Row(Struct, frozen=True):
    """One repository."""

    name: str
    looked: Looked
    others: float | None = None
    """The share of the machine that other work took meanwhile, where the kernel tells."""


class Clocks(Struct, frozen=True):
    """Seconds of processor time that were spent so far."""

    by_all: float
    by_us: float

    @classmethod
    def read(cls) -> Clocks | None:
        """By everybody on this machine, and by this program with what it started."""
        try:
            told = Path("/proc/stat").read_text("ascii").split("\n", 1)[0].split()[1:]
        except (OSError, UnicodeDecodeError):
            return None
        user, nice, system, _, _, interrupts, soft = map(int, told[:7])
        ticks = os.sysconf("SC_CLK_TCK")
        own = os.times()
        return cls((user + nice + system + interrupts + soft) / ticks, sum(own[:4]))


def others(before: Clocks | None, after: Clocks | None, seconds: float) -> float | None:
    """The share of all cores that was spent by others in this time."""
    if before is None or after is None or not seconds:
        return None
    spent = (after.by_all - before.by_all) - (after.by_us - before.by_us)
    return max(0.0, spent) / seconds / (os.cpu_count() or 1)


def main(words: list[str]) -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="bench replay", description=__doc__, formatter_class=form)
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPOSITORY")
    parser.add_argument("--commits", type=int, default=8, metavar="N", help="of each, the last")
    parser.add_argument("--only", default="HEAD", metavar="COMMIT", help="those up to this one")
    parser.add_argument("--red", action="store_true", help="also without the source")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every row there too")
    asked = parser.parse_args(words)
    asked.repositories = [place.resolve() for place in asked.repositories]
    rows = asyncio.run(_all(asked))
    print(table(rows))
    return 0


async def _all(asked: argparse.Namespace) -> list[Row]:
    turns = asyncio.Semaphore(max(1, (os.cpu_count() or 1) // 2))
    rows: list[Row] = []

    async def one(place: Path) -> None:
        async with turns:
            rows.append(await _repository(place, asked))
        if asked.json:
            asked.json.write_bytes(msgspec.json.format(msgspec.json.encode(rows)))

    await asyncio.gather(*map(one, asked.repositories))
    return rows


async def _repository(place: Path, asked: argparse.Namespace) -> Row:
    users = Repo.open(place, to_write=False)
    settings = config.load(place, environ={}, flags={}).settings

    begun, clocks = time.monotonic(), Clocks.read()

    def tell(text: str) -> None:
        print(f"{place.name}: {text}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory(prefix="ralph-replay-") as folder:
        looked = await look(
            users,
            settings,
            _commands(place),
            Path(folder),
            asked.commits,
            tell,
            lambda row: tell(_said(row)),
            start=asked.only,
            listed=_listed(place),
            red=asked.red,
        )
    return Row(place.name, looked, others(clocks, Clocks.read(), time.monotonic() - begun))


def _commands(place: Path) -> tuple[Command, ...]:
    beside = place.with_name(f"{place.name}.json")
    if beside.exists():
        return tuple(shell(text) for text in json.loads(beside.read_text("utf-8"))["verify"])
    return detect(place).commands


def _listed(place: Path) -> list[str]:
    beside = place.with_name(f"{place.name}.commits")
    return beside.read_text("utf-8").split() if beside.exists() else []


def _said(one: Replayed) -> str:
    what = f"{one.commit[:10]} {one.outcome:<8} {one.level:<8}"
    text = f"{what} {one.seconds:5.1f} s {one.subject[:60]}"
    if one.red_seconds is not None:
        text += f" [red after {one.red_seconds:.1f} s]"
    return text if one.outcome is ReplayOutcome.SETTLED else f"{text}\n      {one.why[:600]}"


def table(rows: Sequence[Row]) -> str:
    """A line for each repository, and one for all."""
    kinds = "settled", "proven", "asked: rewrites", "asked: other", "rejected"
    titles = ("repository", "suite", "commits", *kinds, "base known", "with base", "red", "others")
    lines = [
        f"| {' | '.join(titles)} |",
        "| --- |" + " ---: |" * (len(titles) - 1),
        *(_line(row.name, (row,)) for row in sorted(rows, key=lambda row: row.name)),
    ]
    return "\n".join([*lines, _line("all", rows)])


def _line(name: str, rows: Sequence[Row]) -> str:
    fit = [(row.looked, one) for row in rows for one in row.looked.fit]
    count = Counter(one.outcome for _, one in fit)
    settled, asked, rejected = (
        count[one] for one in (ReplayOutcome.SETTLED, ReplayOutcome.ASKED, ReplayOutcome.REJECTED)
    )
    rewriting = sum(one.outcome is ReplayOutcome.ASKED and one.rewrites for _, one in fit)
    proven = sum(one.level == "proven" and one.outcome is ReplayOutcome.SETTLED for _, one in fit)
    known = [one.seconds / looked.suite for looked, one in fit]
    first = [(one.base_seconds + one.seconds) / looked.suite for looked, one in fit]
    red = [one.red_seconds / looked.suite for looked, one in fit if one.red_seconds is not None]
    suite = f"{rows[0].looked.suite:.1f} s" if len(rows) == 1 else ""
    beside = [row.others for row in rows if row.others is not None]
    return (
        f"| {name} | {suite} | {len(fit)} | {settled} | {proven} | {rewriting} "
        f"| {asked - rewriting} | {rejected} | {_median(known)} "
        f"| {_median(first)} | {_median(red)} | {f'{max(beside):.0%}' if beside else ''} |"
    )


def _median(values: Sequence[float]) -> str:
    return f"{median(values):.1f}" if values else ""

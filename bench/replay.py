"""Real commits of real repositories, replayed as the work of an honest agent.

`python -m bench replay REPOSITORY… [--commits N] [--verify CMD] [--json FILE]`

A repository is a checkout in which the suite passes, with its dependencies. A file REPOSITORY.json
beside it may say how its checks are called: {"verify": ["npx mocha"]}.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from ralph import config
from ralph.domain.task import shell
from ralph.flows.calibrate.court import made_ready, opened
from ralph.flows.calibrate.history import past
from ralph.flows.calibrate.replay import Outcome, Replayed, plain, replay
from ralph.repo import Repo

if TYPE_CHECKING:
    from ralph.flows.calibrate.court import Court
    from ralph.flows.calibrate.history import Past


class Row(Struct, frozen=True):
    repository: str
    suite: float
    replayed: Replayed


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench replay", description=__doc__)
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPOSITORY")
    parser.add_argument("--commits", type=int, default=8, metavar="N")
    parser.add_argument("--only", default="", metavar="COMMIT", help="this one alone")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every row there too")
    asked = parser.parse_args(words)
    rows: list[Row] = []
    for place in asked.repositories:
        with tempfile.TemporaryDirectory(prefix="ralph-replay-") as folder:
            rows += asyncio.run(_repository(place.resolve(), Path(folder), asked))
        if asked.json:
            asked.json.write_bytes(msgspec.json.format(msgspec.json.encode(rows)))
    print(_table(rows))
    return 0


async def _repository(place: Path, folder: Path, asked: argparse.Namespace) -> list[Row]:
    users = Repo.open(place, to_write=False)
    settings = config.load(place, environ={}, flags={}).settings
    about: dict[str, Any] = {}
    beside = place.with_name(f"{place.name}.json")
    if beside.exists():
        about = json.loads(beside.read_text("utf-8"))
    commands = tuple(shell(text) for text in about["verify"])
    os.environ["GIT_AUTHOR_NAME"] = os.environ["GIT_COMMITTER_NAME"] = "Replay"
    os.environ["GIT_AUTHOR_EMAIL"] = os.environ["GIT_COMMITTER_EMAIL"] = "replay@example.org"
    court = opened(users, settings, commands, folder)
    commits = list(past(users, asked.commits, asked.only or "HEAD"))
    if asked.only:
        commits = commits[:1]
    head = commits[0].commit
    await made_ready(court, head)
    suite = await _suite(court, head)
    print(f"{place.name}: a suite of {suite:.1f} s", file=sys.stderr, flush=True)
    rows: list[Row] = []
    for number, one in enumerate(reversed(commits), 1):  # the head of one is the base of the next
        rows.append(Row(place.name, suite, await _one(court, one, number)))
        _say(rows[-1])
    return rows


async def _suite(court: Court, commit: str) -> float:
    """One plain run of the checks on a clean checkout, the second: the first fills caches."""
    await plain(court, commit, "warm")
    trial = await plain(court, commit, "floor")
    return sum(result.seconds for result in trial.results)


async def _one(court: Court, commit: Past, number: int) -> Replayed:
    return await replay(court, commit, number)


def _say(row: Row) -> None:
    one, suite = row.replayed, row.suite
    print(
        f"  {one.commit[:10]} {one.outcome:<8} {one.level:<8} "
        f"{one.seconds / suite:5.1f} suites ({one.seconds:.1f} s) {one.subject[:60]}"
        + (f"\n      {one.why[:600]}" if one.outcome is not Outcome.SETTLED else ""),
        file=sys.stderr,
        flush=True,
    )


def _table(rows: list[Row]) -> str:
    lines = ["| repository | suite | commits | settled | asked | rejected | proven | base known |"]
    lines.append("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in dict.fromkeys(row.repository for row in rows):
        mine = [row for row in rows if row.repository == name]
        fit = [row for row in mine if row.replayed.outcome is not Outcome.UNFIT]
        count = Counter(row.replayed.outcome for row in fit)
        proven = sum(row.replayed.level == "proven" for row in fit)
        cost = median(row.replayed.seconds / row.suite for row in fit) if fit else 0
        lines.append(
            f"| {name} | {mine[0].suite:.1f} s | {len(fit)} | {count[Outcome.SETTLED]} "
            f"| {count[Outcome.ASKED]} | {count[Outcome.REJECTED]} | {proven} | {cost:.1f} |"
        )
    return "\n".join(lines)

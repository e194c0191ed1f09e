"""Pictures that are right now, although they differ: they become the baselines."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from ralph import files
from ralph.checks.browser.result import FlowResult
from ralph.checks.browser.running import BASELINES, OURS, RESULT, cleared

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FOLDER = ".ralph/flows"
"""Where flows by hand, and as plain checks, put what they saw."""
MOST_FLOWS = 100
LARGEST = 50 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


class Pending(Struct, frozen=True):
    """A picture that differs from its baseline, or has none."""

    flow: str
    name: str
    now: Path
    baseline: Path
    share: float | None
    """How much of it differs; None if there is nothing to compare it with."""

    def accept(self) -> None:
        data = files.read(self.now)
        if data is not None:
            files.write(self.baseline, data)


def pending(root: Path, folders: Iterable[Path], flows: Iterable[str] = ()) -> list[Pending]:
    """What the newest run of each flow took and found different, below these folders."""
    wanted = set(flows)
    newest: dict[str, tuple[float, Path, FlowResult]] = {}
    for path, result in _results(folders):
        when = path.stat().st_mtime
        known = newest.get(result.flow)
        if (not wanted or result.flow in wanted) and (known is None or known[0] < when):
            newest[result.flow] = (when, path.parent, result)
    return [
        one
        for _, out, result in sorted(newest.values(), key=lambda each: each[2].flow)
        for one in _of(root, out, result)
    ]


def bring(checkout: Path, root: Path) -> None:
    """What flows that ran as plain checks left in a checkout, to where people look for it.

    Whoever wrote the code under test may have written there, too: only files that a flow makes
    are taken, and no links.
    """
    for folder in sorted((checkout / FOLDER).glob("*/"))[:MOST_FLOWS]:
        made = [path for pattern in OURS for path in folder.glob(pattern)]
        found = [path for path in made if path.is_file() and not path.is_symlink()]
        if folder.is_symlink() or not (folder / RESULT).is_file():
            continue
        files.keep_out_of_git((root / FOLDER).parent)
        out = cleared(root / FOLDER / folder.name)
        for path in found:
            if path.stat().st_size <= LARGEST:
                shutil.copyfile(path, out / path.name)


def _results(folders: Iterable[Path]) -> Iterator[tuple[Path, FlowResult]]:
    for folder in folders:
        for path in folder.glob(f"*/{RESULT}"):
            try:
                yield path, msgspec.json.decode(files.read(path) or b"", type=FlowResult)
            except msgspec.MsgspecError:
                continue  # half a file, or one of another version: nothing to accept


def _of(root: Path, out: Path, result: FlowResult) -> Iterator[Pending]:
    flow = (root / result.flow).resolve()
    if not flow.is_relative_to(root.resolve()):
        return
    for picture in result.pictures:
        # names come from a file that anyone may have written: they must stay in the folders
        if picture.passed or not _NAME.fullmatch(picture.name):
            continue
        now = out / f"{picture.name}.now.png"
        baseline = flow.parent / BASELINES / f"{picture.name}.png"
        data = files.read(now)
        if data is not None and data != files.read(baseline):
            share = picture.comparison.share if picture.comparison else None
            yield Pending(result.flow, picture.name, now, baseline, share)

"""Pictures that are right now, although they differ: they become the baselines."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from ralph import files
from ralph.checks.browser.result import FlowResult
from ralph.checks.browser.running import BASELINES, RESULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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

"""What programs keep for next time outside of a checkout: jest's transforms, what go has compiled.

Between walls each check has a home and temporary files of its own, so all of it would be made anew
for every trial. Instead each clean checkout has caches beside it, as the base's own checks left
them. Whatever other checks did to them is undone: an agent's work leaves nothing for later ones.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ralph import files
from ralph.checks.fingerprint import entries, remove, undone

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 256 << 20
"""Bytes that are worth being kept twice for each checkout."""
MOST = 50_000
"""Files."""
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Caches:
    """Those of one clean checkout."""

    def __init__(self, checkout: Path) -> None:
        folder = folder_of(checkout)
        self._live = folder / "live"
        """What checks read and write."""
        self._seed = folder / "seed"
        """The same as the base's checks left it."""
        self._listing = folder / "listing.json"
        """What was copied from there, for the next run."""
        self._copied: dict[str, str] | None = None

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in places(""))

    @property
    def is_empty(self) -> bool:
        """Whether no check of the base kept anything."""
        return not any((self._seed / name).is_dir() for name in self._names)

    def restore(self) -> None:
        """Before each trial: as the base's checks left them."""
        known = self._copied if self._copied is not None else self._known()
        now = None
        with suppress(OSError):  # then all of it is copied again
            now = None if known is None else undone(self._live, known, self._seed, MOST)
        if now is None:
            remove(self._live)
            _copy(self._seed, self._live)
            for name in self._names:
                (self._live / name).mkdir(parents=True, exist_ok=True)
            now = entries(self._live)
        if now != known:
            files.write(self._listing, json.dumps(now), durable=False)
        self._copied = now

    def keep(self) -> None:
        """After checks that no agent has changed: what they left is what later ones find."""
        self._copied = None
        remove(self._listing)
        remove(self._seed)
        filled = [name for name in self._names if any((self._live / name).iterdir())]
        sizes = list(_sizes(self._live))
        if filled and sum(sizes) <= LARGEST and len(sizes) <= MOST:
            for name in filled:
                _copy(self._live / name, self._seed / name)

    def _known(self) -> dict[str, str] | None:
        try:
            return dict(json.loads(files.read(self._listing) or b"null"))
        except (ValueError, TypeError):
            return None


def _copy(source: Path, target: Path) -> None:
    """All of it, or nothing: whoever misses a cache only takes longer.

    A socket that a program left there cannot be copied, nor anything onto a full disk.
    """
    try:
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True)
    except OSError:
        remove(target)


def folder_of(checkout: Path) -> Path:
    """Beside the checkout, so that its own tree shows nothing of it."""
    return checkout.with_name(f"{checkout.name}.caches")


def places(home: str) -> Iterator[tuple[str, str]]:
    """The caches by their names, and where programs look for them."""
    yield "home", f"{home}/.cache"
    # as jest calls it: after the user's number, to the base of 36
    yield "jest", f"/tmp/jest_{_short(os.getuid())}"  # noqa: S108 - between walls


def binds(checkout: Path, home: str) -> Iterator[tuple[str, str]]:
    """What a check in this checkout writes to, and where it finds it."""
    live = folder_of(checkout) / "live"
    for name, place in places(home):
        if (live / name).is_dir():
            yield str(live / name), place


def _short(number: int) -> str:
    text = ""
    while number >= len(DIGITS):
        number, digit = divmod(number, len(DIGITS))
        text = DIGITS[digit] + text
    return DIGITS[number] + text


def _sizes(folder: Path) -> Iterator[int]:
    for root, _, names in os.walk(folder):
        for name in names:
            yield os.lstat(Path(root, name)).st_size

"""Where Chromium is, and how it is started so that it stays on this machine."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.checks.browser.reading import LOOPBACK

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VARIABLE = "RALPH_CHROMIUM"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL = f"Install Chromium (Debian: apt-get install chromium), or set {VARIABLE} to the program."

_QUIET = (
    *("--no-first-run", "--no-proxy-server", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-quic", "--disable-gpu"),
    *("--disable-domain-reliability", "--disable-dev-shm-usage"),
)
_SAME_EVERYWHERE = (
    *("--force-color-profile=srgb", "--font-render-hinting=none", "--disable-lcd-text"),
)


def find(environ: Mapping[str, str], playwrights: str) -> str:
    """The program to start: the one that is named, Playwright's own, or one on PATH; else empty."""
    if named := environ.get(VARIABLE, ""):
        return shutil.which(named, path=environ.get("PATH")) or ""
    if playwrights and Path(playwrights).is_file():
        return playwrights
    found = (shutil.which(name, path=environ.get("PATH")) for name in NAMES)
    return next((path for path in found if path), "")


def missing(environ: Mapping[str, str]) -> str:
    """What to tell a person who has no Chromium."""
    if named := environ.get(VARIABLE, ""):
        return f"{VARIABLE} names {named}, which is not a program."
    return "Browser flows need Chromium, which was not found."


def arguments(allow_hosts: Sequence[str]) -> list[str]:
    """Names of other machines are not even looked up, unless they are allowed."""
    reachable = (*LOOPBACK, *allow_hosts)
    rules = " , ".join(["MAP * ~NOTFOUND", *(f"EXCLUDE {host}" for host in reachable)])
    return [*_QUIET, *_SAME_EVERYWHERE, f"--host-resolver-rules={rules}"]


def walled() -> bool:
    """Whether Chromium's own sandbox is used: it refuses to be, for root."""
    return os.geteuid() != 0

"""The user's own `gh`: the only way to GitHub, so that no token ever passes through Ralph."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from ralph.domain.answer import Ended
from ralph.domain.errors import PlanError
from ralph.process import Child, environment, run

if TYPE_CHECKING:
    from ralph.process import Finished

T = TypeVar("T")

SECONDS = 60
MOST_BYTES = 64 << 20
_NAMES = (
    *("GH_TOKEN", "GITHUB_TOKEN", "GH_HOST", "GH_CONFIG_DIR", "GH_ENTERPRISE_TOKEN"),
    *("GITHUB_ENTERPRISE_TOKEN", "DBUS_SESSION_BUS_ADDRESS"),
)
_QUIET = {"GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "NO_COLOR": "1"}
_AGAIN = "Run the same command again later."
_TROUBLES: tuple[tuple[str, str, str], ...] = (
    (
        r"rate limit|HTTP 429|abuse detection",
        "GitHub's rate limit is reached",
        "Wait until it resets: see `gh api rate_limit`. " + _AGAIN,
    ),
    (
        r"gh auth login|not logged in|HTTP 401|Bad credentials",
        "`gh` is not logged in",
        "Run `gh auth login`, or set GH_TOKEN.",
    ),
    (
        r"Could not resolve to a Repository|HTTP 404|HTTP 410|has disabled issues",
        "GitHub does not have it, or hides it from you",
        "Check owner/repo, and who you are: `gh auth status`.",
    ),
    (
        r"HTTP 403|Resource not accessible|must have (?:write|push)",
        "GitHub does not allow it",
        "Get permission for it, or check who you are: `gh auth status`.",
    ),
    (
        r"error connecting|could not resolve host|dial tcp|no such host|timed? ?out|HTTP 5\d\d",
        "GitHub cannot be reached",
        "Check the network. " + _AGAIN,
    ),
)


async def ask(*arguments: str, stdin: str = "") -> bytes:
    """What `gh` prints; a PlanError that says what to do if it fails."""
    finished = await run(
        Child(
            argv=("gh", *arguments),
            cwd=Path(os.sep),  # nothing in the repository may change what `gh` does
            env=environment(os.environ, extra_names=_NAMES, add=_QUIET),
            stdin=stdin.encode(),
            wall_seconds=SECONDS,
            head_bytes=MOST_BYTES,
        )
    )
    if finished.ended is not Ended.EXITED or finished.exit_code:
        raise _failed(arguments, finished)
    return finished.head


async def ask_json(kind: type[T], *arguments: str) -> T:
    """What `gh … --json …` prints, as a value."""
    out = await ask(*arguments)
    # warnings share the pipe; the JSON is one line of its own
    lines = [line for line in out.splitlines() if line.startswith((b"[", b"{"))]
    try:
        return msgspec.json.decode(lines[-1] if lines else b"", type=kind)
    except msgspec.DecodeError as error:
        raise PlanError(
            f"{_shown(arguments)} printed something unexpected: {error}.",
            fix="Update the GitHub CLI: 2.40 or newer is needed.",
        ) from error


def _failed(arguments: tuple[str, ...], finished: Finished) -> PlanError:
    if finished.ended is Ended.NOT_STARTED:
        return PlanError(
            f"The GitHub CLI cannot be used: {finished.error}",
            fix="Install `gh`, then log in with `gh auth login`.",
        )
    if finished.ended is Ended.TIMEOUT:
        what = f"{_shown(arguments)} gave no answer within {SECONDS} seconds."
        return PlanError(what, fix=f"Check the network. {_AGAIN}")
    said = finished.text(4_000)
    first = next((line.strip() for line in said.splitlines() if line.strip()), "no message")[:200]
    for pattern, what, fix in _TROUBLES:
        if re.search(pattern, said, re.IGNORECASE):
            return PlanError(f"{what}: {first}", fix=fix)
    return PlanError(
        f"{_shown(arguments)} failed (exit {finished.exit_code}): {first}",
        fix="Try the same command by hand.",
    )


def _shown(arguments: tuple[str, ...]) -> str:
    return f"`gh {' '.join(arguments[:3])}`"

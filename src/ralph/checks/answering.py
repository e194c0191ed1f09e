"""A criterion that is an address: something must answer there, while a server of ours runs."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from ralph.domain.task import shell
from ralph.process import Child, run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ralph.checks.carry import Runner
    from ralph.domain.task import Bound
    from ralph.process import Finished

PATIENCE = 30.0
"""Seconds that a server may take to come up."""
PAUSE = 0.1
LARGEST = 1 << 20
SCHEMES = ("http://", "https://")


async def answers(
    bound: Bound, root: Path, env: Mapping[str, str], log: Path, run: Runner = run
) -> str:
    """Why the address does not answer as it should; empty if it does. `run` runs the server."""
    if not bound.url.startswith(SCHEMES):
        return f"{bound.url} is not an address that begins with http:// or https://"
    serving: asyncio.Task[Finished] | None = None
    if bound.serve:
        child = Child(shell(bound.serve), root, env, log=log, online=True)
        serving = asyncio.ensure_future(run(child))
    try:
        return await _ask_until(bound, serving)
    finally:
        if serving is not None:
            serving.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await serving


async def _ask_until(bound: Bound, serving: asyncio.Task[Finished] | None) -> str:
    deadline = asyncio.get_running_loop().time() + (PATIENCE if serving is not None else 0)
    while True:
        wrong = await asyncio.to_thread(_ask, bound)
        if not wrong:
            return ""
        if serving is not None and serving.done():
            return f"`{bound.serve}` ended before {bound.url} answered"
        if asyncio.get_running_loop().time() >= deadline:
            return wrong
        await asyncio.sleep(PAUSE)


def _ask(bound: Bound) -> str:
    import urllib.error
    import urllib.request  # takes longer to import than most runs have use for it

    try:
        with urllib.request.urlopen(bound.url, timeout=5) as answer:  # noqa: S310 - checked above
            status, body = answer.status, answer.read(LARGEST)
    except urllib.error.HTTPError as error:
        status, body = error.code, error.read(LARGEST)
    except (OSError, ValueError) as error:
        return f"{bound.url} does not answer: {error}"
    if status != bound.status:
        return f"{bound.url} answers {status}, not {bound.status}"
    if bound.contains and bound.contains not in body.decode("utf-8", "replace"):
        return f"the answer of {bound.url} does not contain {bound.contains!r}"
    return ""

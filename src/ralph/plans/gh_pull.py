"""Pull requests, by the user's own `gh`."""

from __future__ import annotations

from msgspec import Struct

from ralph.plans.gh_call import ask, ask_json


class _Opened(Struct, frozen=True):
    url: str


async def require_login(host: str) -> None:
    """Raise a PlanError unless `gh` is there and logged in."""
    await ask("auth", "status", "--hostname", host)


async def opened(repository: str, branch: str) -> str:
    """The address of the open pull request of this branch; empty if there is none."""
    which = ("--head", branch, "--state", "open", "--limit", "1")
    found = await ask_json(
        tuple[_Opened, ...], "pr", "list", "--repo", repository, *which, "--json", "url"
    )
    return found[0].url if found else ""


async def create(
    repository: str, branch: str, base: str, title: str, body: str, *, draft: bool
) -> str:
    """Open one; its address."""
    more = (*(("--base", base) if base else ()), *(("--draft",) if draft else ()))
    where = ("--repo", repository, "--head", branch)
    text = ("--title", title, "--body-file", "-")
    out = await ask("pr", "create", *where, *text, *more, stdin=body)
    lines = [one.strip() for one in out.decode("utf-8", "replace").splitlines()]
    return next((one for one in reversed(lines) if one.startswith("https://")), "")

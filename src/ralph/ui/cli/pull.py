"""A pull request for Ralph's branch. It is shown first, and nothing is pushed unasked."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from ralph.domain.errors import RalphError, RepoError, RunHeld
from ralph.repo import lock, push
from ralph.repo.programs import hooks
from ralph.repo.push import Remote
from ralph.ui import wire, words
from ralph.ui.cli.common import count
from ralph.ui.cli.deciding import decides
from ralph.ui.trusting import trusted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.ui.wire import Project

WAITING, DECLINED = 5, 6
"""Exit codes: nobody could be asked; a person said no."""
BY_HAND = "`ralph report --pr` prints the text for one that you open yourself."


class _Wanted(Struct, frozen=True):
    """What is to be pushed and opened."""

    remote: Remote
    branch: str
    base: str
    commits: int
    title: str
    body: str
    draft: bool

    @property
    def repository(self) -> str:
        """As `gh --repo` takes it."""
        return f"{self.remote.host}/{self.remote.path}"


@click.command()
@click.option("--draft", is_flag=True, help="Open it as a draft.")
@click.option("--base", metavar="B", help="The branch it goes to; where you came from by default.")
@click.option("--title", metavar="T", help="Its title; the plan's by default.")
@click.option("--remote", metavar="NAME", help="Where to push; origin by default.")
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@click.option("--yes", "-y", is_flag=True, help="Do it without asking.")
@decides(unless="dry_run")
def pr(
    draft: bool,
    base: str | None,
    title: str | None,
    remote: str | None,
    dry_run: bool,
    yes: bool,
) -> int:
    """Push Ralph's branch and open a pull request for it, with the user's own `gh`.

    Shows what it will do, and asks. The text says what was done, what shows it and what to look at.
    """
    found = wire.project(to_write=False)
    wanted = _wanted(found, draft=draft, base=base, title=title, remote=remote)
    for line in _shown(found, wanted):
        click.echo(words.line(line))
    if dry_run:
        click.echo(f"\n{wanted.body}", nl=False)
        return 0
    asyncio.run(_require_gh(wanted))
    if not yes:
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            click.echo("There is nobody to ask, so nothing was pushed. Give --yes to do it.")
            return WAITING
        if not click.confirm("Do it?", default=False):
            click.echo("Nothing was pushed.")
            return DECLINED
    _do(trusted(found), wanted)
    return 0


def _wanted(
    found: Project, *, draft: bool, base: str | None, title: str | None, remote: str | None
) -> _Wanted:
    from ralph.ui.report import pull, sentences
    from ralph.ui.report.gather import gather

    contents, _ = gather(found, None, None, every_run=True)
    if sentences.is_empty(contents):
        raise RalphError(sentences.NOTHING_YET, fix=sentences.HOW_TO_START)
    holder = lock.holder(found.repo.common_dir)
    if holder is not None:
        raise RunHeld(
            f"Ralph (pid {holder.pid}) is still working on this repository.",
            fix="Wait for its end, or end it with `ralph stop`.",
        )
    there, branch = push.find(found.repo, remote or ""), contents["branch"]
    onto = base or push.base_of(found.repo, there, contents["came_from"])
    commits = push.new_commits(found.repo, there, branch, onto, contents["origin"])
    if not commits:
        raise RepoError(
            f"There is nothing to merge: {onto or 'its base'} has all of {branch}.",
            fix="`ralph status` shows what is not done; `ralph run` works on it.",
        )
    name = words.line(title or pull.title(contents))
    return _Wanted(there, branch, onto, commits, name, pull.body(contents), draft)


def _shown(found: Project, wanted: _Wanted) -> Iterator[str]:
    """What will be done, step by step."""
    there = wanted.remote
    many = count(wanted.commits, "commit")
    if push.is_there(found.repo, there, wanted.branch):
        yield f"{there.name} has {wanted.branch} already ({many})."
    else:
        yield f"Push {wanted.branch} ({many}) to {there.name}: {there.url}"
        if any(hook.name == "pre-push" for hook in hooks(found.repo.common_dir)):
            by_hand = f"git push {there.name} {wanted.branch}"
            yield f"Its pre-push hook is not run; for that, push it yourself first: `{by_hand}`"
    kind = "draft pull request" if wanted.draft else "pull request"
    onto = f" onto {wanted.base}" if wanted.base else ""
    place = wanted.repository if there.path else there.url
    yield f"Open a {kind} at {place}{onto}: {wanted.title}"


async def _require_gh(wanted: _Wanted) -> None:
    from ralph.plans import gh_pull

    if not wanted.remote.path:
        raise RepoError(
            f"{wanted.remote.name} is not a repository on GitHub: {wanted.remote.url}", fix=BY_HAND
        )
    await gh_pull.require_login(wanted.remote.host)


def _do(found: Project, wanted: _Wanted) -> None:
    if not push.is_there(found.repo, wanted.remote, wanted.branch):
        push.push(found.repo, wanted.remote, wanted.branch)
        click.echo(f"Pushed {wanted.branch} to {wanted.remote.name}.")
    known, address = asyncio.run(_opened(wanted))
    what = "There is a pull request already" if known else "Opened"
    click.echo(words.line(f"{what}: {address or wanted.repository}"))


async def _opened(wanted: _Wanted) -> tuple[bool, str]:
    """Whether there was one before, and its address."""
    from ralph.plans import gh_pull

    known = await gh_pull.opened(wanted.repository, wanted.branch)
    if known:
        return True, known
    made = await gh_pull.create(
        wanted.repository,
        wanted.branch,
        wanted.base,
        wanted.title,
        wanted.body,
        draft=wanted.draft,
    )
    return False, made

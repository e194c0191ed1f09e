"""Browser flows by hand, and the pictures that become their baselines."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph import files
from ralph.checks.browser.baselines import FOLDER
from ralph.domain.errors import RalphError, UsageError
from ralph.ui import words
from ralph.ui.cli.common import count, json_option, print_json
from ralph.ui.cli.deciding import decides

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph.checks.browser import FlowResult
    from ralph.checks.browser.baselines import Pending

_FAILED = 1


@click.command()
@click.argument("flows", nargs=-1, required=True, metavar="FILE…")
@click.option("--out", metavar="DIR", help=f"Where reports go; {FOLDER} by default.")
@json_option
def flow(flows: tuple[str, ...], out: str | None, as_json: bool) -> int:
    """Run browser flows against the current folder and say what they find.

    Each gets a folder with its pictures and report.html. Exit 0 if all pass, 1 if one does not.
    """
    import asyncio

    root = Path.cwd()
    paths = [root / name for name in flows]
    for path in paths:
        if not path.is_file():
            raise UsageError(f"There is no flow file {path}.")
    results = asyncio.run(_run(paths, root, Path(out or FOLDER), tell=not as_json))
    if as_json:
        import msgspec

        print_json(msgspec.to_builtins(results))
    return 0 if all(result.passed for result in results) else _FAILED


async def _run(paths: Sequence[Path], root: Path, out: Path, *, tell: bool) -> list[FlowResult]:
    from ralph.checks.browser import run_flow
    from ralph.process import Guard

    results: list[FlowResult] = []
    if out == Path(FOLDER):
        files.keep_out_of_git(root / out.parent)
    with Guard():
        for path in paths:
            result = await run_flow(path, root, os.environ, root / out / _folder(path, root))
            results.append(result)
            if tell:
                _show(result, root)
    return results


def _folder(path: Path, root: Path) -> str:
    """The name of a flow's own folder: its path in one word."""
    place = path.relative_to(root) if path.is_relative_to(root) else path
    return re.sub(r"[^\w.-]+", "-", str(place.with_suffix(""))).strip("-.")


def _show(result: FlowResult, root: Path) -> None:
    mark = click.style("✓", fg="green") if result.passed else click.style("✗", fg="red")
    steps = f"{result.steps_done} of {count(len(result.steps), 'step')}"
    pictures = count(sum(one.wanted for one in result.pictures), "picture")
    click.echo(f"{mark} {words.line(result.flow)}  {steps}, {pictures}, {result.seconds:.1f} s")
    for finding in result.findings:
        click.echo(f"  → {words.line(finding.text, 600)}")
    click.echo(f"  {_short(Path(result.report), root)}")


@click.group()
def baseline() -> None:
    """The pictures that browser flows compare pages with."""


@baseline.command()
@click.argument("flows", nargs=-1, metavar="[FLOW…]")
@click.option("--list", "only_list", is_flag=True, help="Only show what would be accepted.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@decides(unless="only_list")
def accept(flows: tuple[str, ...], only_list: bool, yes: bool) -> None:
    """Make the newest pictures the baselines.

    Only where they differ, or where there is none.

    Takes them from the last `ralph flow` or `ralph run` of each FLOW; of all flows by default.
    """
    root = Path.cwd()
    found = _pending(root, flows)
    if not found:
        click.echo("Nothing to accept: every picture matches its baseline, or no flow has run yet.")
        return
    for one in found:
        differs = "new" if one.share is None else f"differs in {one.share:.2%} of its pixels"
        click.echo(f"{words.line(one.flow)}  {one.name}  {differs}")
        click.echo(f"  {_short(one.now, root)} → {_short(one.baseline, root)}")
    if only_list:
        return
    if not yes and not click.confirm(f"Accept {count(len(found), 'picture')}?"):
        click.echo("Nothing was accepted.")
        return
    for one in found:
        one.accept()
    click.echo(f"Accepted {count(len(found), 'picture')}. Commit them with the flow.")


def _pending(root: Path, flows: Sequence[str]) -> list[Pending]:
    from ralph.checks.browser.baselines import pending
    from ralph.config import load

    logs = load(root, environ=os.environ).settings.logs.dir
    wanted = []
    for name in flows:
        path = (root / name).absolute()
        if not path.is_file() or not path.is_relative_to(root):
            raise RalphError(f"There is no flow file {name} here.")
        wanted.append(path.relative_to(root).as_posix())
    return pending(root, (root / FOLDER, root / logs), wanted)


def _short(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)

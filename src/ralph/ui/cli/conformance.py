"""Misbehaving agents against a harness."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from ralph import files
from ralph.domain.errors import UsageError
from ralph.ui import words
from ralph.ui.cli.common import count

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ralph.flows.conformance.case import Case, CaseResult
    from ralph.flows.conformance.harness import Harness

T = TypeVar("T")

FAILED = 1
_EXPECTED, _SEEN, _VERDICT = 8, 17, 7
"""Widths of the columns."""


@click.command()
@click.option("--case", "names", multiple=True, metavar="NAME", help="Only this case; repeatable.")
@click.option("--harness", "template", metavar="COMMAND", help="Test another harness, or naive.")
@click.option("--json", "file", metavar="FILE", help="Write the results into FILE.")
@click.option("--list", "only_list", is_flag=True, help="Show the cases and run none.")
@click.option(
    "--jobs", type=click.IntRange(1), default=2, metavar="N", help="Cases to run at a time."
)
@click.option("--dir", "folder", metavar="DIR", help="Keep the repositories in DIR.")
@click.option(
    "--attacks", "attacking", is_flag=True, help="Run agents that attack, instead of the cases."
)
@click.option("--no-sandbox", "open_", is_flag=True, help="Run the attacks without a sandbox.")
def conformance(
    names: tuple[str, ...],
    template: str | None,
    file: str | None,
    only_list: bool,
    jobs: int,
    folder: str | None,
    attacking: bool,
    open_: bool,
) -> int:
    """Run misbehaving agents against Ralph, or against another harness, and judge from outside.

    COMMAND starts the other harness, with {agent} {plan} {verify} {repo} {iterations} {seconds} as
    placeholders. `--harness naive` is a loop that believes everything, and fails.
    Exit 0 if every case passes, 1 if one does not.

    With --attacks, agents that do no work try to get their task settled all the same, or to leave
    something behind: in a home, repositories and an environment made up for them.
    """
    if attacking:
        if template is not None:
            raise UsageError(
                "The attacks can only be run against Ralph.", fix="Leave out --harness."
            )
        from ralph.ui.cli.attacks import attack

        return attack(names, file, folder, jobs, only_list=only_list, open_=open_)
    if open_:
        raise UsageError("--no-sandbox only applies to the attacks.", fix="Add --attacks.")
    from ralph.flows.conformance.harness import choose
    from ralph.flows.conformance.suite import report, select

    cases = select(names)
    if only_list:
        _list(cases)
        return 0
    harness = choose(template)
    results = _run(cases, harness, folder, jobs)
    if file:
        text = json.dumps(report(harness, results), indent=2, ensure_ascii=False)
        files.write(Path(file).absolute(), text + "\n")
    failed = sum(not result.passed for result in results)
    click.echo(f"{count(len(results), 'case')}, {failed} failed.")
    return FAILED if failed else 0


def _list(cases: Sequence[Case]) -> None:
    width = max(len(case.name) for case in cases)
    for case in cases:
        click.echo(f"{case.name:<{width}}  {case.expected:<{_EXPECTED}}  {case.does}")


def _run(
    cases: Sequence[Case], harness: Harness, folder: str | None, jobs: int
) -> Sequence[CaseResult]:
    import asyncio

    from ralph.flows.conformance.suite import run_cases

    width = max(len(case.name) for case in cases)
    _show_head(width)

    def tell(result: CaseResult) -> None:
        _show(result, width)

    def run(top: Path) -> Sequence[CaseResult]:
        return asyncio.run(run_cases(cases, harness, top, os.environ, jobs=jobs, tell=tell))

    return in_folder(folder, run)


def in_folder(folder: str | None, run: Callable[[Path], T]) -> T:
    """Run it in a new folder: the given one, or a temporary one."""
    import tempfile

    if folder is None:
        with tempfile.TemporaryDirectory(prefix="ralph-conformance-") as made:
            return run(Path(made).resolve())
    top = Path(folder).resolve()
    if top.exists():
        raise UsageError(f"{top} exists already.", fix="Choose another --dir.")
    return run(top)


def _show_head(width: int) -> None:
    click.secho(
        f"{'case':<{width}}  {'expected':<{_EXPECTED}}  {'seen':<{_SEEN}}  "
        f"{'verdict':<{_VERDICT}}  seconds",
        bold=True,
    )


def _show(result: CaseResult, width: int) -> None:
    from ralph.flows.conformance.suite import outcome

    case = result.case
    verdict = click.style(
        f"{'pass' if result.passed else 'FAIL':<{_VERDICT}}",
        fg="green" if result.passed else "red",
    )
    click.echo(
        f"{case.name:<{width}}  {case.expected:<{_EXPECTED}}  {outcome(result):<{_SEEN}}  "
        f"{verdict}  {result.seen.seconds:7.1f}"
    )
    for problem in result.problems:
        click.echo(f"{'':<{width}}  → {words.line(problem)}")

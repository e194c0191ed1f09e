"""Plans that come from elsewhere: drafted by an agent from a brief, or imported."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from ralph import files
from ralph.domain.errors import NotARepository, PlanError, UsageError
from ralph.ledger.ids import new_id
from ralph.ui import wire, words
from ralph.ui.cli.common import count, json_option, print_json
from ralph.ui.cli.deciding import decides
from ralph.ui.trusting import trusted

if TYPE_CHECKING:
    from ralph.domain.plan import Plan
    from ralph.flows.drafting import Draft, Drafter
    from ralph.flows.importing.brought import Lost
    from ralph.flows.importing.writing import WrittenPlan
    from ralph.policy.lint import LintFinding
    from ralph.ui.wire import Project

WAITING, DECLINED = 5, 6
"""Exit codes: nobody could be asked; a person said no."""


@click.command()
@click.argument("brief", metavar="BRIEF.md")
@click.option(
    "--out", metavar="FILE", default="PRD.json", help="Where to write it; PRD.json by default."
)
@click.option("--agent", metavar="NAME", help="The agent that drafts it.")
@click.option("--agent-command", metavar="CMD", help="A command of your own as the agent.")
@click.option("--yes", "-y", is_flag=True, help="Keep the draft without asking.")
@json_option
@decides()
def plan(
    brief: str, out: str, agent: str | None, agent_command: str | None, yes: bool, as_json: bool
) -> int:
    """Have an agent draft a plan from BRIEF.md and the project; you see it before it is kept.

    The agent works in a copy of the last commit, so it can change nothing. Answer y to keep the
    draft, n to drop it, or say what to change.
    """
    from ralph.ui.cli.run import OWN

    name = OWN if agent_command else agent
    flags = {"agent": name, f"agents.{OWN}.command": agent_command}
    given = {key: value for key, value in flags.items() if value is not None}
    found = trusted(wire.project(given))
    asks = not yes and not as_json and sys.stdin.isatty() and sys.stdout.isatty()
    target = Path.cwd() / out
    wanted = _read_brief(Path.cwd() / brief)
    if target.exists() and not asks:
        raise UsageError(f"{out} exists already.", fix="Choose another --out, or remove it.")
    with TemporaryDirectory(prefix="ralph-plan-") as folder:
        drafter = _drafter(found, wanted, Path(folder))
        draft = _agreed(found, drafter, target, asks=asks, as_json=as_json)
    if draft is None:
        return DECLINED
    kept = yes or asks
    if kept:
        files.write(target, draft.data)
    _tell(found, drafter, draft, target, kept=kept, as_json=as_json)
    return 0 if kept else WAITING


def _read_brief(brief: Path) -> str:
    try:
        text = files.read(brief)
    except OSError as error:
        raise files.explain(error, brief, "read") from error
    if not (text or b"").strip():
        what = "is empty" if text is not None else "does not exist"
        raise UsageError(f"{brief.name} {what}.", fix="Describe in a file what you want built.")
    return (text or b"").decode("utf-8-sig", "replace")


def _drafter(found: Project, brief: str, folder: Path) -> Drafter:
    from ralph.agents import choose
    from ralph.flows.drafting import Drafter, DraftRequest, copy_of

    agent = choose(found.settings)
    agent.check()
    request = DraftRequest(
        brief=brief,
        checks=wire.project_commands(found) or (),
        root=found.root,
        repo=found.repo,
        lent=found.state_dir / "lent",
        copy=lambda: copy_of(found.repo, folder),
        settings=found.settings,
        run=new_id(),
        outlay=wire.outlay(found, "plan"),
    )
    return Drafter(agent, request)


def _agreed(
    found: Project, drafter: Drafter, target: Path, *, asks: bool, as_json: bool
) -> Draft | None:
    """The draft that counts, after as many rounds as a person wants; None if none does."""
    said = ""
    while True:
        click.echo(f"{found.settings.agent} is drafting a plan …", err=True)
        draft = asyncio.run(drafter.draft(said))
        _keep_aside(drafter.folder, target.name, draft.data)
        if not as_json:
            _show(found, draft.plan)
        if not asks:
            return draft
        said = click.prompt("Keep it? [y, n, or say what to change]").strip()
        if said.lower() in {"n", "no"}:
            click.echo(f"Nothing was written. The draft is in {_short(found, drafter, target)}.")
            return None
        if said.lower() in {"y", "yes"}:
            return draft if _may_write(drafter.folder, target) else None


def _keep_aside(folder: Path, name: str, data: bytes) -> None:
    """Drafts are views: git leaves them alone, whether or not `ralph init` was run."""
    files.keep_out_of_git(folder.parent)
    files.write(folder / name, data)


def _may_write(folder: Path, target: Path) -> bool:
    before = files.read(target)
    if before is None:
        return True
    if not click.confirm(
        f"{target.name} exists. Replace it? The old one is kept beside the draft."
    ):
        click.echo("Nothing was written.")
        return False
    files.write(folder / f"before-{target.name}", before)
    return True


def _short(found: Project, drafter: Drafter, target: Path) -> str:
    return str((drafter.folder / target.name).relative_to(found.root))


def _show(found: Project, plan: Plan) -> None:
    from ralph.domain.task import shown
    from ralph.flows.drafting import steps

    step = steps(plan)
    click.secho(f"\n{words.line(plan.title)}: {count(len(plan.tasks), 'task')}", bold=True)
    for task in sorted(plan.tasks, key=lambda one: step[one.id]):
        after = f"  ← {', '.join(task.depends_on)}" if task.depends_on else ""
        click.echo(f"{step[task.id]:>3}  {words.line(f'{task.id} {task.title}')}{after}")
        for criterion in task.criteria:
            click.echo(f"       · {words.line(criterion)}")
        for command in task.verify:
            click.echo(f"       $ {words.line(shown(command))}")
    click.echo("     (the number is the earliest step; ← lists what must be done first)\n")
    for finding in _findings(found, plan):
        colour = "red" if finding.severity == "error" else "yellow"
        click.secho(words.line(f"{finding.task}: {finding.problem}"), fg=colour)
        click.echo(f"  {words.line(finding.fix)}")


def _findings(found: Project, plan: Plan) -> tuple[LintFinding, ...]:
    from ralph.policy.lint import lint

    return lint(plan, has_project_checks=bool(wire.project_commands(found)))


def _tell(
    found: Project, drafter: Drafter, draft: Draft, target: Path, *, kept: bool, as_json: bool
) -> None:
    aside = _short(found, drafter, target)
    if as_json:
        from msgspec import to_builtins

        tasks = [to_builtins(task) for task in draft.plan.tasks]
        findings = [to_builtins(one) for one in _findings(found, draft.plan)]
        print_json(
            {
                "written": str(target) if kept else None,
                "draft": aside,
                "title": draft.plan.title,
                "tasks": tasks,
                "findings": findings,
                "cost_usd": drafter.usage.cost_usd,
            }
        )
        return
    cost = drafter.usage.cost_usd
    if cost:
        click.echo(f"The draft cost ${cost:.2f}.")
    if kept:
        click.echo(f"Written: {target.name}. Next: `ralph run {target.name}`.")
    else:
        click.echo(f"There is nobody to ask, so nothing was written. The draft is in {aside}.")
        click.echo("Give --yes to keep a draft without being asked.")


@click.command("import")
@click.argument("source")
@click.option("--out", metavar="FILE", help="Where to write it; PRD.json by default.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["prd", "tree"]),
    default="prd",
    help="Which kind of plan to write.",
)
@json_option
@decides()
def import_(source: str, out: str | None, kind: str, as_json: bool) -> None:
    """Import a plan from another tool, and say what could not be imported.

    SOURCE is a PRD.json of any kind, a tasks.json, a Markdown checklist, a folder of tasks, the
    issues.jsonl of beads or github:owner/repo?label=…. Importing again updates the tasks by id.
    """
    from ralph.flows.importing import bring
    from ralph.flows.importing.writing import write_prd, write_tree

    write = write_prd if kind == "prd" else write_tree
    target = _target(out, kind)
    if (Path.cwd() / source).resolve() == target.resolve():
        raise UsageError(f"{source} cannot be imported into itself.", fix="Choose another --out.")
    brought = bring(source, Path.cwd())
    if not brought.stories:
        raise PlanError(f"{source} holds no task that can be imported.")
    written = write(brought, files.read(target), target.name)
    _check(written.data, target, kind)
    files.write(target, written.data)
    if as_json:
        _print_import(written, brought.unread, target)
    else:
        _say_import(written, brought.unread, target)


def _target(out: str | None, kind: str) -> Path:
    if out is not None:
        return Path.cwd() / out
    from ralph.repo import Repo

    try:
        root = Repo.open(Path.cwd(), to_write=False).root
    except NotARepository:
        root = Path.cwd()
    return root / ("PRD.json" if kind == "prd" else ".ralph/tasks/imported.json")


def _check(data: bytes, target: Path, kind: str) -> None:
    """What Ralph could not read itself is not written."""
    from ralph.plans.prd_json import PrdJson
    from ralph.plans.task_tree import TaskTree

    name = target.name if kind == "prd" else f"{target.stem}.json"
    form = PrdJson(name, target.name) if kind == "prd" else TaskTree(name, target.name)
    form.read({name: data})


def _print_import(written: WrittenPlan, unread: tuple[str, ...], target: Path) -> None:
    from msgspec import to_builtins

    print_json(
        {
            "written": str(target),
            "new": written.new,
            "updated": written.updated,
            "kept": written.kept,
            "lost": [to_builtins(one) for one in written.lost],
            "unread": list(unread),
        }
    )


def _say_import(written: WrittenPlan, unread: tuple[str, ...], target: Path) -> None:
    kept = f", {written.kept} others kept" if written.kept else ""
    click.echo(f"{target.name}: {written.new} new, {written.updated} updated{kept}.")
    if written.lost:
        click.echo("Not imported:")
    for one in written.lost:
        click.echo(f"{one.count:>5}  {words.line(_lost(one))}")
    if unread:
        names = words.line(", ".join(unread))
        click.echo(f"Imported, but not used by Ralph: {names}.")
    click.echo(f"Next: `ralph lint {target.name}`.")


def _lost(one: Lost) -> str:
    more = ", …" if one.count > len(one.where) else ""
    return f"{one.what} ({', '.join(one.where)}{more})"

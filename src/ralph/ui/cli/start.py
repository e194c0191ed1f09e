"""Getting started: demo, init, lint, config."""

from __future__ import annotations

import os
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph import masking
from ralph.domain.errors import UsageError
from ralph.policy.trust import without_password
from ralph.ui import wire, words
from ralph.ui.cli.common import count, json_option, me, print_json
from ralph.ui.cli.deciding import decides
from ralph.ui.trusting import own_edit, trusted

if TYPE_CHECKING:
    from ralph.policy.lint import LintFinding


@click.command()
@click.option(
    "--agent", metavar="NAME", help="Use this agent instead of the script, such as claude."
)
@click.option("--scripted", is_flag=True, help="With --agent claude: a script plays its model.")
@click.option("--ask", is_flag=True, help="Answer the agent's question yourself.")
@click.option(
    "--dir", "folder", metavar="DIR", help="Where to make it; a temporary folder by default."
)
def demo(agent: str | None, scripted: bool, ask: bool, folder: str | None) -> int:
    """Run the whole loop in a throw-away repository with a scripted agent.

    No model is called and nothing leaves this machine: the agent only does what a script says.
    The checks, the commits and the report are real. With --agent claude --scripted the Claude
    Code program is real too; with --agent claude alone it works with your own login.
    """
    import tempfile
    from contextlib import ExitStack

    from ralph.flows import demo as flow

    if scripted and agent != "claude":
        raise UsageError("--scripted only works with Claude Code.", fix="Add --agent claude.")
    if folder and Path(folder).exists() and (Path(folder).is_file() or any(Path(folder).iterdir())):
        raise UsageError(f"{folder} is not empty.", fix="Give --dir a folder of its own.")
    if agent:
        _require(agent, Path(folder or tempfile.gettempdir(), flow.NAME))
    top = Path(folder or tempfile.mkdtemp(prefix="ralph-demo-")).resolve()
    project = top / flow.NAME
    with ExitStack() as rehearsal:
        if scripted:
            from ralph.flows.rehearsal import scripted_claude

            settings = rehearsal.enter_context(scripted_claude(top))
        else:
            settings = {"agent": agent} if agent else flow.scripted(top)
        flow.build(project, settings)
        _announce(agent, scripted)
        return _play(agent or "scripted", top, project, ask)


def _require(agent: str, folder: Path) -> None:
    """Raise an AgentError before anything is made, if the agent is not there."""
    from ralph import config
    from ralph.agents import choose

    choose(config.load(folder, environ=os.environ, flags={"agent": agent}).settings).check()


def _announce(agent: str | None, scripted: bool) -> None:
    story = "A failed check gets repaired and a question is asked. Checks and commits are real.\n"
    if scripted:
        who = "Claude Code is real, a script plays its model. No login, no network."
    elif agent:
        who = f"{agent} uses your own login and a real model."
        story = "The plan has three small tasks. Checks and commits are real.\n"
    else:
        who = "a script plays the agent. No model is called."
    click.secho(f"This is a demo: {who}", bold=True)
    click.echo(story)


def _play(agent: str, top: Path, project: Path, ask: bool) -> int:
    from ralph.flows.demo import Answering
    from ralph.loop.run import Asked
    from ralph.ui.cli.report import report
    from ralph.ui.cli.run import execute

    os.environ["RALPH_HOME"] = str(top / "home")
    os.chdir(project)
    # as flags: the user's environment must not call a model that was not asked for
    found = wire.project({"agent": agent, "fallback": []})
    found.trust().accept(me())  # this program wrote it a moment ago
    code = execute(trusted(found), None, Asked(), people=None if ask else Answering)
    click.echo()
    click.get_current_context().invoke(report)
    click.echo(f"\nLook around: cd {project} && git log")
    click.echo(f"The ledger is in {top / 'home'} (RALPH_HOME). Delete {top} when you are done.")
    return code


@click.command()
@click.argument("name", required=False)
@click.option("--script", is_flag=True, help="Also write ralph.sh, which runs the loop.")
@click.option("--parent", metavar="ID", help="Work only on what is below the task with this id.")
@click.option("--search", metavar="TERM", help="The same, for the task whose title has this term.")
@decides()
def init(name: str | None, script: bool, parent: str | None, search: str | None) -> None:
    """Write PRD.json, PROMPT.md and ralph.yaml, and have git ignore .ralph/. Never overwrites.

    With NAME: write .artefacts/NAME/spec.md instead, for `ralph interview` and `ralph execute`.

    With --parent or --search: choose the task whose subtasks `ralph run` works on; checks the tree.
    """
    from ralph.repo import Repo

    if name is not None:
        if script or parent or search:
            raise UsageError(
                f"The options do not apply to `ralph init {name}`.", fix="Leave them out."
            )
        _new_project(name)
        return
    if parent or search:
        _bind(parent, search)
        return
    from ralph.flows.setup import init_repository
    from ralph.prompts.template import built_in

    root = Repo.open(Path.cwd(), to_write=False).root
    with own_edit(partial(wire.project, to_write=False)):
        made = init_repository(root, prompt_text=built_in("prompt.md"), script=script)
    for written in made:
        click.echo(f"  {written.path:<10}  {written.what}")
    new = next((one.path for one in made if one.path == "PRD.json" and one.changed), "")
    first = f"put your tasks into {new}, check them" if new else "check your tasks"
    click.echo(f"Next: {first} with `ralph lint`, then `ralph run`.")


def _new_project(name: str) -> None:
    from ralph.flows.artefacts.folder import Folder, make
    from ralph.flows.artefacts.parse import blank_spec

    found = wire.project(to_write=False)
    folder = Folder.of(found.root, name)
    for made in make(folder, blank_spec(folder, found.settings.prompts.templates)):
        click.echo(f"  {made.path}  {made.what}")
    click.echo(f"Next: describe your project in it, then run `ralph interview {name}`.")


def _bind(parent: str | None, search: str | None) -> None:
    from ralph.plans.parent import bind

    found = wire.project()
    name = found.settings.tasks.path or ".ralph/tasks"
    plan_format = found.plan(name)
    plan = plan_format.parse(plan_format.files(found.root))
    file = found.settings.tasks.parent_id_file
    task = bind(found.root, file, plan, parent=parent, search=search)
    click.echo(
        f"Bound {task.id}: {task.title} (in {file}). `ralph run` works on the tasks below it."
    )


@click.command()
@click.argument("plan", required=False)
@json_option
def lint(plan: str | None, as_json: bool) -> int:
    """Say what makes a task unfit, before an agent costs money. Exit 1 if there is an error."""
    from ralph.policy.lint import lint as examine

    found = wire.project(to_write=False)
    for note in wire.refresh(found, plan):
        click.echo(f"  ! {note}", err=True)
    plan_format = found.plan(plan)
    content = plan_format.read(plan_format.files(found.root))
    findings = examine(content, has_project_checks=bool(wire.project_commands(found)))
    errors = [finding for finding in findings if finding.severity == "error"]
    if as_json:
        print_json(
            [
                {"task": f.task, "severity": f.severity, "problem": f.problem, "fix": f.fix}
                for f in findings
            ]
        )
    else:
        _show_findings(findings, len(content.tasks))
    return 1 if errors else 0


def _show_findings(findings: tuple[LintFinding, ...], tasks: int) -> None:
    from ralph.policy.lint import LintSeverity

    for finding in findings:
        colour = "red" if finding.severity == "error" else "yellow"
        click.secho(f"{finding.severity} · {finding.task}: {finding.problem}", fg=colour)
        click.echo(f"  {finding.fix}")
    kinds = Counter(finding.severity.value for finding in findings)
    told = ", ".join(count(kinds[kind], kind) for kind in LintSeverity if kinds[kind])
    click.echo(f"{count(tasks, 'task')}: {told or 'nothing to complain about'}.")


def _without_password(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_without_password, value))
    return without_password(value) if isinstance(value, str) else value


def _yaml(value: object) -> str:
    """A value as ralph.yaml would hold it, in one line."""
    import yaml
    from msgspec import to_builtins

    plain = to_builtins([value], str_keys=True)
    return yaml.safe_dump(
        plain, default_flow_style=True, width=sys.maxsize, allow_unicode=True
    ).strip()[1:-1]


@click.command()
@json_option
def config(as_json: bool) -> None:
    """Show every setting, its value and where it came from."""
    from ralph.agents import lacking
    from ralph.config.convert import values

    found = wire.project()
    if trouble := lacking(found.settings):
        click.secho(words.line(str(trouble)), fg="yellow", err=True)
    current = {key: _without_password(value) for key, value in values(found.settings).items()}
    if as_json:
        print_json(
            {
                key: {"value": value, "from": found.loaded.provenance.get(key, "default")}
                for key, value in current.items()
            }
        )
        return
    for key, value in current.items():
        text = masking.text(_yaml(value))
        click.echo(f"{key} = {text}  ({found.loaded.provenance.get(key, 'default')})")

"""Puts a run together from settings: the only place that knows every room."""

from __future__ import annotations

import os
import random
import sys
import time
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ralph import config, files, masking
from ralph.config import Loaded
from ralph.domain.errors import ConfigError, PlanError, RalphError
from ralph.domain.settings import OnEscalation, Workspaces
from ralph.ledger.choose import open_ledger
from ralph.ledger.ids import new_id
from ralph.ledger.journal import Journal
from ralph.repo import Repo
from ralph.ui import words
from ralph.ui.width import wrapped

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping

    from ralph.agents import Agent
    from ralph.domain.plan import Plan
    from ralph.domain.settings import Settings
    from ralph.domain.state import RunState
    from ralph.domain.task import Command
    from ralph.flows.outlay import Outlay
    from ralph.flows.trust import Trust
    from ralph.loop.ports import People, PlanFormat
    from ralph.loop.run import Asked, Run
    from ralph.plans import Format
    from ralph.plans.github import GitHubPlan
    from ralph.policy.secrets.masker import Masker
    from ralph.repo import GitWorkspace


class Project(Struct, frozen=True):
    """A repository and its settings: what every command starts from."""

    repo: Repo
    loaded: Loaded
    around: Repo
    """The repository whose ralph.yaml was read; another one only where `repo.root` says so."""

    @property
    def settings(self) -> Settings:
        return self.loaded.settings

    @property
    def root(self) -> Path:
        return self.repo.root

    @property
    def state_dir(self) -> Path:
        """What Ralph keeps for this repository outside of it."""
        return config.home(os.environ) / "projects" / self.repo.project

    def trust(self) -> Trust:
        """What the repository could make Ralph or an agent run. Runs nothing."""
        from ralph.flows.trust import look

        return look(self.around, self.repo, self.loaded, config.home(os.environ))

    def require(self, section: str) -> None:
        """Raise a NotTrusted if the file says something here that nobody has accepted.

        For what has an effect although a command only looks: another machine is asked.
        """
        written = self.loaded.provenance.items()
        if not any(k.startswith(section) and w.startswith(config.FILE) for k, w in written):
            return
        from ralph.flows.trust import refusal

        known = self.trust()
        new = [one for one in known.new if one.name.startswith(section)]
        if new and not known.is_given(os.environ):
            raise refusal(new)

    def journal(self, run: str = "") -> Journal:
        self.require("ledger.")
        ledger = open_ledger(self.settings.ledger, config.home(os.environ))
        journal = Journal(ledger, self.repo.project, run, time.time)
        if not journal.state.run.id and "RALPH_RUN_ID" in os.environ:
            _refuse_the_confined(self.repo)
        return journal

    def plan_name(self, given: str | None) -> str:
        from ralph.plans import find_plan

        return given or self.settings.tasks.path or find_plan(self.root)

    def plan(self, given: str | None) -> Format:
        from ralph.plans import open_plan

        name = self.plan_name(given)
        if issues := self.issues(name):
            return issues
        configured = not given or name == self.settings.tasks.path
        backend = self.settings.tasks.backend if configured else "auto"
        return open_plan(name, self.root, backend)

    def issues(self, name: str) -> GitHubPlan | None:
        """The plan of that name, if it is on GitHub."""
        if not name.startswith("github:"):
            return None
        from ralph.plans.github import GitHubPlan

        return GitHubPlan(name, self.state_dir / "github")

    def read_plan(self, given: str | None, state: RunState) -> Plan:
        """The plan for commands that only look; without a name, the one of the last run."""
        from ralph.ui.planned import read

        return read(self, given, state)

    def below_parent(self, plan: Plan) -> Plan:
        """The part that is worked on: what lies below the parent task, if one is bound."""
        from ralph.plans.parent import below_parent

        return below_parent(self.root, self.settings.tasks.parent_id_file, plan)


def project(
    flags: Mapping[str, object] | None = None, *, to_write: bool = True, at: Path | None = None
) -> Project:
    found = opened(flags or {}, to_write=to_write, at=at)
    masking.use(partial(masker, found))
    if found.repo.is_new:
        _forget_the_one_before(found)
    return found


def opened(
    flags: Mapping[str, object], *, to_write: bool, at: Path | None = None, file: bool = True
) -> Project:
    """Without a word to the process's masker: for who looks at several repositories."""
    repo = around = Repo.open(at or Path.cwd(), to_write=to_write)
    loaded = config.load(repo.root, environ=os.environ, flags=flags, file=file)
    elsewhere = (repo.root / loaded.settings.repo.root).resolve()
    if elsewhere != repo.root.resolve():
        repo = Repo.open(elsewhere, to_write=to_write)
    return Project(repo, loaded, around)


def _forget_the_one_before(found: Project) -> None:
    """A repository that was made anew at the path of another one inherits nothing from it."""
    with suppress(RalphError):  # whoever cannot look into the ledger inherits nothing, too
        journal = found.journal()
        journal.ledger.close()
        if journal.state.run.id:
            found.repo.take_own_id()


def _refuse_the_confined(repo: Repo) -> None:
    """Between walls the ledger is out of reach: an empty one would only seem to be the run's."""
    from ralph.process.inside import inside_a_run

    if inside_a_run(repo.project):
        raise RalphError(
            "Ralph's ledger is out of reach for agents between walls.",
            fix="`.ralph/progress.md` and `.ralph/status.json` tell how the run stands.",
        )


def masker(found: Project) -> Masker | None:
    from ralph.masking.known import masker as made

    return made(found.settings, found.root, os.environ)


def assembled(
    found: Project,
    plan_given: str | None,
    asked: Asked,
    *,
    people: Callable[[Callable[[str], None]], People] | None = None,
    tell: Callable[[str], None] | None = None,
) -> Run:
    """Everything one `ralph run` works with. The caller holds the repository's lock."""
    from ralph.agents import chain, choose
    from ralph.checks.commands import Checker
    from ralph.loop.control import Control
    from ralph.loop.prepare import require_one
    from ralph.loop.recover import crashed
    from ralph.loop.run import Run
    from ralph.prompts.template import load
    from ralph.proof.held_out import HeldOutChecks
    from ralph.proof.lab import Lab
    from ralph.repo import CleanCheckout

    settings = found.settings
    masking.current()  # the secrets there are when the run begins, whatever an agent writes later
    plan = found.plan(plan_given)
    content = found.below_parent(plan.parse(plan.files(found.root)))
    refuse_examples(content)
    agents: tuple[Agent, ...] = chain(settings)
    require_one(agents)
    commands = project_commands(found)
    if not asked.word:
        _require_checks(found, content, commands)
    _require_task(content, asked.only)
    files.sweep(_written_folders(found, plan))
    journal = found.journal(new_id())
    if not crashed(journal.state):
        found.repo.check()

    def proving(workspace: GitWorkspace) -> tuple[GitWorkspace, Lab]:
        checkout = CleanCheckout(found.repo, found.state_dir / "checkout")
        checker = Checker(settings.verification, found.root, log_cap=log_cap)
        parts = settings.verification, found.repo, workspace, checkout, checker
        return workspace, Lab(*parts, found.root / settings.logs.dir)

    def reopen() -> tuple[GitWorkspace, Lab]:
        return proving(_workspace(found, plan, content, journal.run))

    say = tell or _say
    asks = people is not None or _asks(settings.loop.on_escalation)
    log_cap = int(settings.logs.max_output_mb * (1 << 20))
    killed = crashed(journal.state)
    workspace, prover = proving(_left_behind(found, journal)) if killed else reopen()
    return Run(
        settings=settings,
        asked=replace(asked, commands=commands or ()),
        root=found.root,
        workspace=workspace,
        reopen=reopen,
        prover=prover,
        plan=plan,
        branch_plan=found.plan(plan_given) if _in_worktree(settings) else None,
        agents=agents,
        people=people(say) if people else _people(settings, say, asks=asks),
        asks=asks,
        templates=load(found.root, settings.prompts),
        journal=journal,
        control=Control(journal, told=say),
        held_out=HeldOutChecks(settings.verification.held_out, found.root),
        judge=choose(settings, settings.verification.judge)
        if settings.verification.judge
        else None,
        clock=time.time,
        jitter=random.random,
    )


def refresh(found: Project, plan_given: str | None) -> tuple[str, ...]:
    """Ask GitHub, if the plan is there and what is known of it is old; notes for the user."""
    issues = found.issues(plan_given or found.settings.tasks.path)
    if issues is None:
        return ()
    if not plan_given:
        found.require("tasks.path")
    import asyncio

    from ralph.plans.github import refreshed

    return asyncio.run(refreshed(issues, found.settings.tasks.github_refresh_minutes * 60))


@asynccontextmanager
async def telling(found: Project, run: Run, tell: Callable[[str], None]) -> AsyncIterator[None]:
    """GitHub hears what becomes of its issues, if they are the plan."""
    issues = found.issues(run.plan.source)
    if issues is None:
        yield
        return
    from ralph.plans.gh_desk import IssueDesk

    desk = IssueDesk(issues, lambda: run.state, tell, found.settings.tasks)
    run.journal.watch(desk)
    try:
        yield
    finally:
        await desk.finish()


def outlay(found: Project, what: str) -> Outlay:
    """For agents that work outside of a run."""
    from ralph.flows.outlay import Outlay

    return Outlay(found.journal(new_id()), found.settings, what)


def project_commands(found: Project) -> tuple[Command, ...] | None:
    """The project's checks: configured, else detected; None when there are none to be found."""
    configured = found.settings.verification.commands
    if configured is not None:
        return configured
    from ralph.checks.detect import detect

    return detect(found.root).commands or None


def _require_checks(found: Project, plan: Plan, commands: tuple[Command, ...] | None) -> None:
    if commands is None and any(task.is_open and not task.verify for task in plan.leaves()):
        raise ConfigError(
            f"Nothing can prove a task in {found.root}: no check is configured or detected.",
            fix="Give `--verify CMD`, or set `verification.commands` in ralph.yaml.",
        )


def _require_task(plan: Plan, name: str) -> None:
    if name and name not in plan.by_id:
        raise PlanError(
            f"{plan.source} has no task {name}.", fix="List the tasks with `ralph status`."
        )


def refuse_examples(plan: Plan) -> None:
    for task in plan.leaves():
        if task.is_open and task.is_example:
            what = f"{plan.source}: {task.id} is an example of `ralph init`."
            raise PlanError(what, fix="Replace it with a task of your own, or delete it.")


def branch_of(found: Project, plan: Plan) -> str:
    from ralph.repo.commit import slug

    repo = found.settings.repo
    return repo.branch or plan.branch or f"{repo.branch_prefix}{slug(plan.title)}"


def _in_worktree(settings: Settings) -> bool:
    return settings.repo.workspace is Workspaces.WORKTREE


def _workspace(found: Project, plan: PlanFormat, content: Plan, run: str) -> GitWorkspace:
    from ralph.repo import GitWorkspace, sweep_locks

    branch = branch_of(found, content)
    sweep_locks(found.repo, state_dir=found.state_dir, branch=branch)
    # what `ralph init` writes, and the plan itself, may differ from what is committed
    settings = found.settings
    written = ("ralph.yaml", settings.prompts.file, ".gitignore", settings.tasks.parent_id_file)
    dirt = {*plan.files(found.root), *written}
    if _in_worktree(found.settings):
        path = found.state_dir / "workspace"
        return GitWorkspace.worktree(
            found.repo, branch, path, state_dir=found.state_dir, run=run, allowed_dirt=dirt
        )
    return GitWorkspace.in_place(
        found.repo, branch, state_dir=found.state_dir, run=run, allowed_dirt=dirt
    )


def _written_folders(found: Project, plan: PlanFormat) -> Iterator[Path]:
    """Where Ralph itself writes: a run that was killed may have left half files there."""
    settings = found.settings
    yield from (found.state_dir, found.repo.git_dir, found.repo.common_dir / "info")
    yield found.state_dir / "trials"
    names = (*plan.files(found.root), *settings.repo.protected, settings.memory.progress_file)
    folders = (settings.logs.dir, ".ralph", ".ralph/prompts", settings.memory.archive_dir)
    for root in (found.root, found.state_dir / "workspace"):
        yield from ((root / name).parent for name in names)
        yield from (root / folder for folder in folders)


def _left_behind(found: Project, journal: Journal) -> GitWorkspace:
    """The workspace of a run that was killed, as it was left."""
    from ralph.repo import GitWorkspace, sweep_locks

    run = journal.state.run
    sweep_locks(found.repo, state_dir=found.state_dir, branch=run.branch)
    return GitWorkspace.resume(
        found.repo,
        run.branch,
        state_dir=found.state_dir,
        run=journal.run,
        path=Path(run.workspace) if run.worktree else None,
        untracked=run.untracked,
    )


def _asks(wanted: OnEscalation) -> bool:
    if wanted is OnEscalation.AUTO:
        return sys.stdin.isatty() and sys.stdout.isatty()
    return wanted is OnEscalation.ASK


def _people(settings: Settings, say: Callable[[str], None], *, asks: bool) -> People:
    from ralph.people.terminal import Inbox, Terminal

    return Terminal(say, timeout=settings.loop.ask_seconds) if asks else Inbox()


def _say(text: str) -> None:
    """On a terminal long lines are broken between words."""
    columns = words.columns_of(sys.stdout) if sys.stdout.isatty() else None
    lines = text.split("\n")
    put = "\n".join(wrapped(one, columns) for one in lines) if columns else text
    words.put(f"{put}\n")

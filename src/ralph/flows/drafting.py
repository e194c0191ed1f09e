"""An agent drafts a plan from a brief; what cannot be used goes back to it, once."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ralph import files, masking, process
from ralph.agents.line import Line
from ralph.domain.errors import AgentError, ConfigError, PlanError
from ralph.domain.job import Job
from ralph.domain.plan import Plan
from ralph.domain.settings import Settings
from ralph.domain.task import Command, Status, shown
from ralph.domain.usage import Usage
from ralph.flows.outlay import Outlay
from ralph.loop.confine import find
from ralph.loop.guests import received
from ralph.prompts.template import Templates
from ralph.repo import Repo

if TYPE_CHECKING:
    from ralph.agents import Agent
    from ralph.domain.answer import Answer

FILE = "ralph-plan.json"
"""What the agent writes, in a copy that is thrown away."""
FOLDER = ".ralph/drafts"
TEMPLATE = "plan.md"
_FENCE = re.compile(r"^ *```(?:json)?[ \t]*\n(.*?)^ *```[ \t]*$", re.MULTILINE | re.DOTALL)


class Draft(Struct, frozen=True):
    data: bytes
    """As a PRD.json holds it."""
    plan: Plan


class DraftRequest(Struct, frozen=True):
    """What an agent is asked for, and where it may look."""

    brief: str
    checks: tuple[Command, ...]
    root: Path
    """Where the drafts are kept."""
    repo: Repo
    lent: Path
    """Where Ralph keeps what it lends to the agent."""
    copy: Callable[[], Path]
    """A fresh copy of the project, without its git: an agent can do no harm there."""
    settings: Settings
    run: str
    outlay: Outlay
    """What the drafting uses."""


class Drafter:
    """Asks one agent, round after round; knows what was drafted and said before."""

    def __init__(self, agent: Agent, request: DraftRequest) -> None:
        self._agent = agent
        self._request = request
        self._template = _template(request)
        self._asked = 0
        self._last = ""
        self.usage = Usage()

    @property
    def folder(self) -> Path:
        return self._request.root / FOLDER

    async def draft(self, words: str = "") -> Draft:
        """A plan that holds together; `words` is what a person wants different."""
        said = await self._ask(words)
        try:
            return self._keep(read_draft(said))
        except PlanError as error:
            self._last = said
            wrong = f"The draft cannot be used: {error}\nWrite the whole plan again, corrected."
        said = await self._ask(f"{words}\n\n{wrong}".strip())
        try:
            return self._keep(read_draft(said))
        except PlanError as error:
            raise self._unusable(said, error) from error

    def _keep(self, draft: Draft) -> Draft:
        self._last = draft.data.decode()
        return draft

    def _unusable(self, said: str, error: PlanError) -> PlanError:
        path = self.folder / "unusable.txt"
        files.write(path, said)
        return PlanError(
            f"{self._agent.name} did not draft a usable plan: {error.what}",
            fix=f"Its last draft is in {path.relative_to(self._request.root)}. Say more in the "
            "brief, or choose another agent.",
        )

    async def _ask(self, words: str) -> str:
        """What the agent wrote into the file, else what it said."""
        self._asked += 1
        copy = self._request.copy()
        (copy / FILE).unlink(missing_ok=True)
        self._request.outlay.allow()
        with process.Guard():
            answer = await self._run(self._job(copy, words), copy)
        self._request.outlay.spent(self._agent.name, answer.usage)
        self.usage += answer.usage
        _must_have_worked(self._agent.name, answer)
        written = files.read(copy / FILE)
        return written.decode("utf-8", "replace") if written is not None else answer.text

    async def _run(self, job: Job, copy: Path) -> Answer:
        """Between walls, where there are any: it writes to its copy and nowhere else."""
        want = self._request
        found = await find(want.settings.safety, want.root, want.lent)
        seen = (Path(job.prompt_file),)
        async with received(
            found, want.settings, want.repo.common_dir, self._agent, copy, seen
        ) as walls:
            return await self._agent.run(replace(job, walls=walls), Line())

    def _job(self, copy: Path, words: str) -> Job:
        loop, name = self._request.settings.loop, f"{self._asked}"
        prompt = masking.text(self._prompt(words))
        path = self.folder / f"prompt-{name}.md"
        files.write(path, prompt, durable=False)
        return Job(
            prompt=prompt,
            prompt_file=str(path),
            workspace=str(copy),
            task="plan",
            iteration=self._asked,
            attempt=self._asked,
            run=self._request.run,
            log=str(self.folder / f"agent-{name}.txt"),
            wall_seconds=loop.max_minutes_per_iteration * 60,
            idle_seconds=loop.max_idle_minutes * 60,
            log_cap=int(self._request.settings.logs.max_output_mb * (1 << 20)),
            budget_usd=loop.max_cost,
        )

    def _prompt(self, words: str) -> str:
        checks = "\n".join(f"- `{shown(command)}`" for command in self._request.checks)
        values = {
            "brief": self._request.brief.strip(),
            "checks": checks or "- none are known: give every task its own `verify`",
            "file": FILE,
            "before": f"```json\n{self._last.strip()}\n```" if self._last else "",
            "words": words,
        }
        return Templates({TEMPLATE: self._template}).render(TEMPLATE, values)


def copy_of(repo: Repo, folder: Path) -> Path:
    """The files of the last commit in a new folder, which git does not know."""
    place = Path(tempfile.mkdtemp(dir=folder))
    git = repo.git.using(folder / "index")
    git.run("read-tree", "HEAD")
    git.run("checkout-index", "--all", "--quiet", f"--prefix={place}/")
    return place


def read_draft(text: str) -> Draft:
    """The plan in an agent's words; a PlanError says what is wrong with it."""
    from ralph.flows.importing.documents import read_document
    from ralph.flows.importing.writing import write_prd
    from ralph.plans.prd_json import PrdJson

    brought = read_document(_json_in(text), "the draft")
    wrong = [f"{one.what} ({', '.join(one.where)})" for one in brought.lost]
    if wrong or not brought.stories:
        raise PlanError(f"the draft has {'; '.join(wrong) or 'no tasks'}.")
    # nothing is done before it was proven, whatever the draft says
    stories = tuple({**story, "status": Status.OPEN} for story in brought.stories)
    data = write_prd(replace(brought, stories=stories), None, "the draft").data
    return Draft(data, PrdJson("draft", "the draft").parse({"draft": data}))


def _json_in(text: str) -> bytes:
    """The last block of JSON, else all from the first brace to the last."""
    if text.lstrip().startswith(("{", "[")):
        return text.encode("utf-8", "replace")
    blocks = [block for block in _FENCE.findall(text) if block.lstrip().startswith(("{", "["))]
    if blocks:
        return str(blocks[-1]).encode("utf-8", "replace")
    first, last = text.find("{"), text.rfind("}")
    if first < 0 or last < first:
        raise PlanError("the draft holds no JSON.")
    return text[first : last + 1].encode("utf-8", "replace")


def _must_have_worked(name: str, answer: Answer) -> None:
    if not answer.worked:
        raise AgentError(
            f"{name} could not draft a plan: {answer.error or f'it exited {answer.exit_code}'}",
            fix=f"Its output is in {answer.log}." if answer.log else "Try it by hand.",
        )


def _template(request: DraftRequest) -> str:
    """The user's own, else the built-in one."""
    from importlib.resources import files as package

    path = request.root / request.settings.prompts.templates / TEMPLATE
    own = files.read(path)
    if own is None:
        return (package("ralph.flows") / "templates" / TEMPLATE).read_text(encoding="utf-8")
    text = own.decode("utf-8-sig", "replace")
    known = {"brief", "checks", "file", "before", "words"}
    used = set(Template(text).get_identifiers())
    if not Template(text).is_valid() or not {"brief"} <= used <= known:
        raise ConfigError(
            f"{path}: the template must use $brief, and nothing but {', '.join(sorted(known))}.",
            fix="Correct it, write `$$` for a dollar sign, or remove the file.",
        )
    return text


def steps(plan: Plan) -> dict[str, int]:
    """For each task the earliest step in which it can be done, counted from 1."""
    found: dict[str, int] = {}
    waiting = list(plan.tasks)
    while waiting:
        for task in [one for one in waiting if all(name in found for name in one.depends_on)]:
            found[task.id] = 1 + max((found[name] for name in task.depends_on), default=0)
        waiting = [one for one in waiting if one.id not in found]
    return found

"""One prompt for one agent: the project's instructions, then the task with all it needs.

What is the same for every task comes first: an agent's vendor charges less for what it has read.

The task, its criteria, the checks, what a person said and the user's own PROMPT.md are given whole.
Every other part has a bound and says when it was cut.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from msgspec import Struct, field

from ralph import masking
from ralph.domain.task import Command, Task, shown
from ralph.prompts import template
from ralph.prompts.context import Context, fit
from ralph.prompts.text import bullets, fence, head, last_lines, newest, one_line, rows, tail

if TYPE_CHECKING:
    from ralph.domain.settings import PromptSettings
    from ralph.prompts.template import Templates

AGENTS_CHARS = 8_000
SCRATCHPAD_CHARS = 4_000
PATTERNS_CHARS = 4_000
PROGRAMS_CHARS = 1_000
CONTINUATION_CHARS = 6_000
FAILURE_WIDTH = 500
"""Characters of one line of failing output."""
ROW_WIDTH = 300
"""Characters of one path or one line of a diff stat."""
NAME_CHARS = 300
"""Characters of a branch, a ref, a path of ours, or the plan's title."""

UNCHECKED = (
    "No command is set up to verify this, so a person will review the work before it counts. "
    "Make that easy: end by saying how to see that each criterion holds."
)

LAST = (
    "It is the last open task of the plan: if you write that line, add `<promise>DONE</promise>` "
    "on the next one."
)
_EXPLAINED = ("<escalate", "<checkpoint>", "FOLLOW-UP:")
"""A PROMPT.md with all of these, such as that of `ralph init`, says how to close."""


class Bundle(Struct, frozen=True):
    """All that one agent is to know."""

    task: Task
    plan_title: str = ""
    progress: str = ""
    """How far the plan is, such as `2/5 complete`."""
    last: bool = False
    """No other task of the plan is open."""
    checks: tuple[Command, ...] = ()
    prompt_md: str | None = None
    """The user's PROMPT.md, used as it is; None for the default."""
    guidance: tuple[str, ...] = ()
    feedback: str = ""
    """The end of the last failure."""
    continuation: str = ""
    """What an earlier agent left for this one to know."""
    fix_only: bool = False
    diagnostic: bool = False
    missing_claim: bool = False
    """The work is there and passes, but nobody claimed it."""
    missing_test: bool = False
    """The work was claimed and passes, but no test shows it."""
    no_change: bool = False
    """The last attempt changed no file."""
    attempt: int = 1
    context: Context = field(default_factory=Context)
    patterns: tuple[str, ...] = ()
    """Oldest first; the newest are kept."""
    agents_md: str = ""
    scratchpad: str = ""
    branch: str = ""
    diff_stat: str = ""
    changed: tuple[str, ...] = ()
    allowed_commands: tuple[str, ...] = ()
    salvage: str = ""
    """The ref of earlier work that was taken out of the workspace."""
    progress_file: str = ".ralph/progress.md"
    scratchpad_file: str = ".agent/scratchpad.md"


def compose(bundle: Bundle, settings: PromptSettings, templates: Templates) -> str:
    values = {
        **_basics(bundle),
        **_task(bundle, settings),
        **_repository(bundle, settings),
        **_memory(bundle, settings),
    }
    values["directives"] = _directives(bundle, templates, values)
    rules = templates.prompt if bundle.prompt_md is None else bundle.prompt_md
    explained = all(words in rules for words in _EXPLAINED)
    values["closing"] = "" if explained else templates.render(template.CLOSING, values)
    between = "\n\n---\n\n" if rules.strip() else ""
    return masking.text(f"{rules}{between}{templates.render(template.TASK, values)}\n")


def claim_line(task: str) -> str:
    """The words by which an agent claims a task."""
    return f"Task {task} complete"


def _basics(bundle: Bundle) -> dict[str, str]:
    return {
        "id": bundle.task.id,
        "title": " ".join(bundle.task.title.split()),
        "attempt": str(bundle.attempt),
        "claim": claim_line(bundle.task.id),
        "last": LAST if bundle.last else "",
        "salvage": one_line(bundle.salvage, NAME_CHARS),
        "progress_file": one_line(bundle.progress_file, NAME_CHARS),
        "scratchpad_file": one_line(bundle.scratchpad_file, NAME_CHARS),
    }


def _task(bundle: Bundle, settings: PromptSettings) -> dict[str, str]:
    task = bundle.task
    return {
        "standing": _standing(bundle),
        "description": task.description.strip(),
        "criteria": bullets(task.criteria, numbered=True),
        "guidance": bullets(bundle.guidance),
        "feedback": fence(last_lines(bundle.feedback, settings.failure_lines, FAILURE_WIDTH)),
        "continuation": head(bundle.continuation.strip(), CONTINUATION_CHARS),
        "checks": fence("\n".join(shown(command) for command in bundle.checks)),
        "unchecked": "" if bundle.checks else UNCHECKED,
    }


def prefix_hash(prompt: str, task: str) -> str:
    """Of what comes before the task: as long as it stays, a model's cache holds it."""
    stable, _, _ = prompt.partition(f"\n# Task {task}")
    return hashlib.sha256(stable.encode("utf-8", "surrogatepass")).hexdigest()


def _standing(bundle: Bundle) -> str:
    plan = one_line(bundle.plan_title, NAME_CHARS)
    progress = one_line(bundle.progress, NAME_CHARS)
    parts = [
        f"From the plan “{plan}”" if plan else "",
        progress,
        f"attempt {bundle.attempt}",
        f"kind: {bundle.task.kind.value}",
    ]
    return " · ".join(part for part in parts if part)


def _repository(bundle: Bundle, settings: PromptSettings) -> dict[str, str]:
    programs = ", ".join(f"`{name}`" for name in bundle.allowed_commands)
    return {
        "branch": one_line(bundle.branch, NAME_CHARS),
        "diff_stat": fence(_stat(bundle.diff_stat, settings.max_files)),
        "changed": fence(rows(bundle.changed, settings.max_files, ROW_WIDTH)),
        "allowed_commands": one_line(programs, PROGRAMS_CHARS),
    }


def _stat(text: str, count: int) -> str:
    """A diff stat with its last line, the sum, whatever else is left out."""
    lines = text.strip("\n").splitlines()
    if len(lines) <= count + 1:
        return "\n".join(head(line.rstrip(), ROW_WIDTH) for line in lines)
    return rows(lines[:-1], count, ROW_WIDTH) + "\n" + one_line(lines[-1], ROW_WIDTH)


def _memory(bundle: Bundle, settings: PromptSettings) -> dict[str, str]:
    layers = fit(bundle.context, total=settings.context_chars, entry=settings.entry_chars)
    agents = head(bundle.agents_md.strip(), AGENTS_CHARS, "\n(cut here; the rest is in AGENTS.md)")
    return {
        "project": layers.prefix,
        "errors": layers.errors,
        "successes": layers.successes,
        "outputs": layers.outputs,
        "patterns": _patterns(bundle.patterns, settings.entry_chars),
        "agents_md": fence(agents),
        "scratchpad": fence(
            tail(bundle.scratchpad.strip(), SCRATCHPAD_CHARS, "(the beginning is cut)\n")
        ),
    }


def _patterns(patterns: tuple[str, ...], width: int) -> str:
    lines = [f"- {one_line(pattern, width)}" for pattern in patterns if pattern.strip()]
    return "\n".join(newest(lines, PATTERNS_CHARS, "- (older ones are left out)"))


def _directives(bundle: Bundle, templates: Templates, values: dict[str, str]) -> str:
    wanted = {
        template.DIAGNOSTIC: bundle.diagnostic,
        template.FIX_ONLY: bundle.fix_only,
        template.CLAIM_MISSING: bundle.missing_claim,
        template.TEST_MISSING: bundle.missing_test,
        template.NO_CHANGE: bundle.no_change,
    }
    return "\n\n".join(templates.render(name, values) for name, on in wanted.items() if on)

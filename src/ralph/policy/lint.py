"""What makes a task unfit for an agent that knows nothing else."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.plan import what_waits
from ralph.domain.task import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ralph.domain.plan import Plan
    from ralph.domain.task import Task

    Graph = dict[str, set[str]]


MOST_CRITERIA = 10
LONGEST_DESCRIPTION = 6000
FEWEST_WORDS = 8
"""In description and criteria together: less than a sentence tells a fresh agent nothing."""


class LintSeverity(StrEnum):
    ERROR = "error"
    """The task cannot be run or proven."""
    WARNING = "warning"
    """The task will probably go wrong."""


class LintFinding(Struct, frozen=True):
    task: str
    problem: str
    fix: str
    severity: LintSeverity = LintSeverity.ERROR


def lint(plan: Plan, *, has_project_checks: bool) -> tuple[LintFinding, ...]:
    """All findings, errors before warnings: the graph's, then the tasks' in the plan's order."""
    found = [*_graph(plan), *_doubled_titles(plan)]
    for task in plan.leaves():
        if task.status not in (Status.COMPLETED, Status.SKIPPED):
            if task.is_example:
                fix = "Replace it with a task of your own, or delete it."
                found.append(LintFinding(task.id, "is an example of `ralph init`", fix))
                continue
            found += _proof(task, has_project_checks=has_project_checks)
            found += _wording(task)
            found += _size(task)
    return tuple(sorted(found, key=lambda one: one.severity is LintSeverity.WARNING))


def _proof(task: Task, *, has_project_checks: bool) -> Iterator[LintFinding]:
    if not any(criterion.strip() for criterion in task.criteria):
        yield LintFinding(
            task.id, "has no acceptance criteria", "Say what must be true when it is done."
        )
    if not task.verify and not has_project_checks:
        yield LintFinding(
            task.id,
            "has no verification, and the project has none either",
            "Add `verify` to the task or commands to ralph.yaml.",
        )


def _wording(task: Task) -> Iterator[LintFinding]:
    for place, criterion in enumerate(task.criteria, 1):
        words = vague_words(criterion)
        if words:
            yield LintFinding(
                task.id,
                f"criterion {place} cannot be checked: {_quoted(words)}",
                "Name what can be seen or measured: a value, an output, a limit.",
                LintSeverity.WARNING,
            )
    if words := vague_words(task.description):
        yield LintFinding(
            task.id,
            f"has a vague description: {_quoted(words)}",
            "Say in a criterion what can be seen or measured.",
            LintSeverity.WARNING,
        )
    words = unbounded_words("\n".join((task.title, task.description, *task.criteria)))
    if words:
        yield LintFinding(
            task.id,
            f"is open-ended: {_quoted(words)}",
            "Name the files, commands or cases you mean.",
            LintSeverity.WARNING,
        )


def _size(task: Task) -> Iterator[LintFinding]:
    words = len(task.description.split()) + sum(len(c.split()) for c in task.criteria)
    if words < FEWEST_WORDS:
        yield LintFinding(
            task.id,
            "says too little: an agent knows only what the task says",
            "Describe what to build and where.",
            LintSeverity.WARNING,
        )
    elif task.description and task.description.strip().casefold() == task.title.casefold():
        yield LintFinding(
            task.id,
            "has a description that only repeats the title",
            "Describe what to build and where.",
            LintSeverity.WARNING,
        )
    if len(task.criteria) > MOST_CRITERIA or len(task.description) > LONGEST_DESCRIPTION:
        yield LintFinding(
            task.id,
            f"is too big for one iteration: {len(task.criteria)} criteria, "
            f"{len(task.description)} characters of description",
            "Split it into tasks that depend on each other.",
            LintSeverity.WARNING,
        )


def _quoted(words: tuple[str, ...]) -> str:
    return ", ".join(f"“{word}”" for word in words)


def _doubled_titles(plan: Plan) -> Iterator[LintFinding]:
    first: dict[str, Task] = {}
    for task in plan.tasks:
        known = first.setdefault(" ".join(task.title.split()).casefold(), task)
        if known.id != task.id and known.parent == task.parent:
            yield LintFinding(
                task.id,
                f"has the same title as {known.id}",
                "Say in the title what sets them apart, or remove one.",
                LintSeverity.WARNING,
            )


def _graph(plan: Plan) -> Iterator[LintFinding]:
    whole = plan.whole or plan
    seen: set[str] = set()
    for task in whole.tasks:
        if task.id in seen:
            yield LintFinding(task.id, "has an id that is used twice", "Rename one of them.")
        seen.add(task.id)
        yield from _links(task, whole)
    for circle in circles(what_waits(whole)):
        names = list(dict.fromkeys(name.rstrip("\n") for name in circle))
        yield LintFinding(
            names[0],
            f"is in a cycle of tasks that wait for each other: {', '.join(names)}",
            "Remove one of these links.",
        )


def _links(task: Task, plan: Plan) -> Iterator[LintFinding]:
    for name in task.depends_on:
        other = plan.by_id.get(name)
        if other is None:
            yield LintFinding(
                task.id,
                f"depends on {name}, which does not exist",
                f"Add {name} or remove it from the dependencies.",
            )
        elif other.status is Status.SKIPPED and task.is_open:
            yield LintFinding(
                task.id,
                f"depends on {name}, which is skipped, so it will never be ready",
                f"Skip it too, reopen {name} or remove the dependency.",
                LintSeverity.WARNING,
            )
    if task.parent and task.parent not in plan.by_id:
        yield LintFinding(
            task.id,
            f"names the parent {task.parent}, which does not exist",
            f"Add {task.parent} or remove it.",
        )


def circles(before: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Every group of steps that wait for each other, in the order of the plan."""
    graph = {node: {name for name in names if name in before} for node, names in before.items()}
    knot = _turned(_peeled(_turned(_peeled(graph))))
    back = _turned(knot)
    found: list[list[str]] = []
    seen: set[str] = set()
    for node in before:
        if node in knot and node not in seen:
            group = _reached(knot, node) & _reached(back, node)
            seen |= group
            if group:
                found.append([name for name in before if name in group])
    return found


def _turned(graph: Graph) -> Graph:
    turned: Graph = {node: set() for node in graph}
    for node, names in graph.items():
        for name in names:
            turned[name].add(node)
    return turned


def _peeled(graph: Graph) -> Graph:
    """What remains after taking away, again and again, all that waits for nothing."""
    rest = {node: set(names) for node, names in graph.items()}
    after = _turned(rest)
    free = [node for node, names in rest.items() if not names]
    while free:
        node = free.pop()
        del rest[node]
        for name in after[node]:
            rest[name].discard(node)
            if not rest[name]:
                free.append(name)
    return rest


def _reached(graph: Graph, start: str) -> set[str]:
    found: set[str] = set()
    queue = [start]
    while queue:
        new = graph[queue.pop()] - found
        found |= new
        queue.extend(new)
    return found


_CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
_QUOTED = re.compile("\"[^\"\n]*\"|“[^”\n]*”|\u2018[^\u2019\n]*\u2019|(?<!\\w)'[^'\n]*'(?!\\w)")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_MEASURABLE = re.compile(
    r"\d|[<>=≤≥%]|`|\"|“"
    r"|(?<!\w)--?[a-z][\w-]*"  # an option
    r"|(?<!\band)\b/|(?<!\w)/\w|\w\.[a-z]{2,4}(?!\w)"  # a path or a file
    r"|\w_\w|[a-z][A-Z]|\w\(\)"  # a name from the code
    r"|\b(?:zero|one|two|three|four|five|ten|exactly|never|at most|at least|no more than)\b"
)
_VAGUE = re.compile(
    r"(?<![\w-])(?:"
    r"properly|correctly|appropriately|appropriate|adequately|adequate|sufficiently|suitably"
    r"|reasonably|reasonable|gracefully|seamlessly|seamless|intuitively|intuitive|nicely"
    r"|user[- ]friendly|easy to use|fast|faster|quickly|performant|efficiently|efficient"
    r"|robustly|robust|scalable|flexible|improve[ds]?|improving|enhance[ds]?|optimi[sz]e[ds]?"
    r"|works? well|work(?:s|ing)? as expected|as expected|looks? good|feels? good|looks? nice"
    r"|high[- ]quality|best practices?|production[- ]ready|state of the art|modern"
    r"|as needed|as necessary|if needed|if necessary|if possible|where possible"
    r"|where appropriate|when appropriate|and so on|and more|etc"
    r")(?![\w-])",
    re.IGNORECASE,
)
_UNBOUNDED = re.compile(
    r"(?<![\w-])(?:"
    r"(?:the )?(?:entire|whole) (?:code ?base|project|application|app|system|repo(?:sitory)?)"
    r"|(?:all|any)(?: of)?(?: the)?(?: other| remaining| existing| possible)? "
    r"(?:bugs|issues|problems|errors|warnings|edge cases|code|files|components|endpoints)"
    r"|everything(?: else)?|everywhere|anything else|every (?:file|bug|component|edge case)"
    r"|across the (?:board|code ?base)"
    r")(?![\w-])",
    re.IGNORECASE,
)


def vague_words(text: str) -> tuple[str, ...]:
    """The words in the text that cannot be checked."""
    return _found(_VAGUE, text)


def unbounded_words(text: str) -> tuple[str, ...]:
    """The words in the text that give the task no end."""
    return _found(_UNBOUNDED, text)


def _found(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    if not pattern.search(text):
        return ()
    words: list[str] = []
    for sentence in _SENTENCE.split(_CODE.sub("`", text)):
        if not _MEASURABLE.search(sentence):
            words += pattern.findall(_QUOTED.sub(" ", sentence))
    return tuple(dict.fromkeys(word.lower() for word in words))

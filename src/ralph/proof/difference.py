"""The guard: what the difference alone says about a change, before anything is run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.evidence import Fact, FactKind
from ralph.domain.task import Kind
from ralph.policy.agent_config import unasked
from ralph.policy.secrets.kinds import certain, name_of
from ralph.proof.answers import always_the_same, answers_known, in_order
from ralph.proof.paths import (
    is_check,
    is_ci,
    is_example,
    is_runner,
    is_source,
    is_test,
    is_words,
    serves_data,
    shadows,
)
from ralph.proof.smells import has_code, smells

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from ralph.domain.task import Command, Task

_OLD = re.compile(r"^--- (?:a/)?(.*)$")
_NEW = re.compile(r"^\+\+\+ (?:b/)?(.*)$")
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


class ChangedLines(Struct):
    """What a difference adds to one file, and what it takes away."""

    added: str = ""
    removed: str = ""
    at: tuple[int, ...] = ()
    """Where that is in the file as it is now."""


EXAMPLE = ">>> "
LONGEST = 5_000
"""Lines of one piece of a difference of which it is asked where they are."""
LENGTH = 200_000
"""Characters of a file that are searched for what is suspicious."""


def by_file(difference: str) -> dict[str, ChangedLines]:
    """A difference without context, taken apart."""
    found: dict[str, ChangedLines] = {}
    old = path = ""
    for line in difference.split("\n"):
        if header := _OLD.match(line):
            old, path = header[1].rstrip("\t"), ""
        elif not path and (header := _NEW.match(line)):
            name = header[1].rstrip("\t")
            path = old if name == "/dev/null" else name
            found.setdefault(path, ChangedLines())
        elif path and (hunk := _HUNK.match(line)):
            start, count = int(hunk[1]), int(hunk[2] or 1)
            found[path].at += tuple(range(start, start + max(count, 1)))[:LONGEST]
        elif line.startswith("+") and path:
            found[path].added += line[1:] + "\n"
        elif line.startswith("-") and path:
            found[path].removed += line[1:] + "\n"
    return found


def facts(
    paths: Sequence[str],
    changes: Mapping[str, ChangedLines],
    before: Callable[[str], str],
    task: Task,
    commands: tuple[Command, ...],
    *,
    code: Sequence[str] = (),
    tests: Collection[str] = (),
) -> Iterator[Fact]:
    """The facts about a change of these paths; `before` tells what a file held.

    `tests` are files from which the runner took tests, such as a guide with examples; in `code`
    the program was changed.
    """
    added = {path: lines.added for path, lines in changes.items()}
    for path in paths:
        yield from _about_path(path, commands, before, tests)
        if path in tests and not is_test(path):
            yield from _fewer_examples(path, changes.get(path))
    lines = {path: one.added + one.removed for path, one in changes.items()}
    if told := unasked(task, paths, lines):
        text = (
            f"The task does not mention what agents, editors or hooks obey: {', '.join(told[:5])}."
        )
        yield Fact(FactKind.AGENT_CONFIG, text, told[0])
    if task.kind is Kind.DOCS and (program := [path for path in code if not is_example(path)]):
        text = f"A task about documents changed the program: {', '.join(program[:5])}."
        yield Fact(FactKind.OFF_TASK, text)
    yield from _smelling(filter(is_source, paths), added, before)
    for path in paths:
        if match := certain().search(added.get(path, "")):
            kind = name_of(match[0])
            yield Fact(FactKind.SECRET, f"{path} holds what looks like a secret ({kind}).", path)


def _fewer_examples(path: str, lines: ChangedLines | None) -> Iterator[Fact]:
    if lines is not None and lines.removed.count(EXAMPLE) > lines.added.count(EXAMPLE):
        text = f"{path} has fewer examples that are run."
        yield Fact(FactKind.TEST_REMOVED, text, path)


def from_memory(changes: Mapping[str, ChangedLines], tests: str, task: Task) -> Iterator[Fact]:
    """Work that is an answer to each question of these tests."""
    # a table may as well be data
    work = (path for path in changes if not is_test(path) and not is_words(path))
    added = [changes[path].added[:LENGTH] for path in work]
    wanted = "\n".join((task.title, task.description, *task.criteria))
    known = [one.shown for one in answers_known(added, tests, wanted)]
    if played := in_order(added, tests, wanted):
        known.append(", ".join(played))
    if known := [*known, *always_the_same(added, tests)]:
        text = f"The source knows what the tests ask for, and nothing else: {'; '.join(known[:3])}."
        yield Fact(FactKind.ANSWERS, text)


def changed_code(paths: Sequence[str], changes: Mapping[str, ChangedLines]) -> list[str]:
    """The source files in which more than comments was changed."""
    return [path for path in paths if is_source(path) and _is_code(changes.get(path))]


def _is_code(lines: ChangedLines | None) -> bool:
    # what git does not show as text, such as a picture, counts
    return lines is None or has_code(lines.added) or has_code(lines.removed)


def _about_path(
    path: str,
    commands: tuple[Command, ...],
    before: Callable[[str], str],
    tests: Collection[str],
) -> Iterator[Fact]:
    if shadows(path, known=bool(before(path))) and not serves_data(path, tests):
        yield Fact(FactKind.SHADOWED, f"{path} takes the place of a module of that name.", path)
    elif is_ci(path):
        yield Fact(FactKind.CI_CHANGED, f"{path} was changed.", path)
    elif is_runner(path) or (is_check(path, commands) and not is_test(path)):
        yield Fact(FactKind.RUNNER_CHANGED, f"{path} was changed.", path)


def _smelling(
    source: Iterable[str], added: Mapping[str, str], before: Callable[[str], str]
) -> Iterator[Fact]:
    new = ((path, added[path][:LENGTH]) for path in source if path in added)
    for smell in smells(new, before):
        text = f"{smell.path} {smell.what}: `{smell.line}`"
        yield Fact(FactKind.SMELL, text, smell.path)

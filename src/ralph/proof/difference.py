"""The guard: what the difference alone says about a change, before anything is run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.evidence import Fact, FactKind, Weight
from ralph.domain.task import Kind
from ralph.policy.agent_config import unasked
from ralph.policy.secrets.kinds import name_of, sure
from ralph.proof.paths import (
    is_check,
    is_ci,
    is_example,
    is_runner,
    is_source,
    is_test,
    is_test_data,
    serves_data,
    shadows,
)
from ralph.proof.smells import smells

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

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
    after: Callable[[str], str],
    task: Task,
    commands: tuple[Command, ...],
    *,
    code: Sequence[str] = (),
    tests: Collection[str] = (),
) -> Iterator[Fact]:
    """The facts about a change of these paths; `before` and `after` tell what files hold.

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
        named = ", ".join(told[:5])
        text = f"Agents, editors or hooks obey what the task does not mention: {named}."
        yield Fact(FactKind.AGENT_CONFIG, text, told[0])
    if task.kind is Kind.DOCS and (program := [path for path in code if not is_example(path)]):
        text = f"A documentation task changed code: {', '.join(program[:5])}."
        yield Fact(FactKind.OFF_TASK, text)
    for smell in smells(filter(is_source, paths), before, after):
        text = f"{smell.path} {smell.what}: `{smell.line}`"
        yield Fact(FactKind.SMELL, text, smell.path)
    for path in paths:
        if secret := sure(added.get(path, "")):
            text = f"{path} holds what looks like a secret ({name_of(secret)})."
            # keys that are made for tests look like any other: a person can tell
            weight = Weight.ASK if is_test_data(path) else None
            yield Fact(FactKind.SECRET, text, path, weight=weight)


def _fewer_examples(path: str, lines: ChangedLines | None) -> Iterator[Fact]:
    if lines is not None and lines.removed.count(EXAMPLE) > lines.added.count(EXAMPLE):
        text = f"{path} has fewer runnable examples than before."
        yield Fact(FactKind.TEST_REMOVED, text, path)


def changed_code(paths: Sequence[str], changes: Mapping[str, ChangedLines]) -> list[str]:
    """The source files in which more than comments was changed."""
    return [path for path in paths if is_source(path) and _is_code(changes.get(path))]


_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|;|<!--|\"\"\"|\'\'\')|\s*$")


def _has_code(lines: str) -> bool:
    """Whether there is more in these lines than comments and space."""
    return any(not _COMMENT.match(line) for line in lines.split("\n"))


def _is_code(lines: ChangedLines | None) -> bool:
    # what git does not show as text, such as a picture, counts
    return lines is None or _has_code(lines.added) or _has_code(lines.removed)


def _about_path(
    path: str,
    commands: tuple[Command, ...],
    before: Callable[[str], str],
    tests: Collection[str],
) -> Iterator[Fact]:
    if shadows(path, known=bool(before(path))) and not serves_data(path, tests):
        yield Fact(FactKind.SHADOWED, f"{path} shadows a module of that name.", path)
    elif is_ci(path):
        yield Fact(FactKind.CI_CHANGED, f"{path} was changed.", path)
    elif is_runner(path) or (is_check(path, commands) and not is_test(path)):
        yield Fact(FactKind.RUNNER_CHANGED, f"{path} was changed.", path)

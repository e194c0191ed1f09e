"""A candidate before it is believed: what was asked for, what was changed, and where to look."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Protocol, TypeAlias

from msgspec import Struct

from ralph.domain.plan import Plan
from ralph.domain.settings import VerificationSettings
from ralph.domain.task import Command, Task
from ralph.domain.trial import Trial
from ralph.proof.difference import by_file
from ralph.proof.experiment import BASE, HEAD, Variant
from ralph.proof.held_out import HeldOutChecks
from ralph.proof.languages import language_of, shape_of
from ralph.proof.paths import guards_tests, is_runner, is_source, is_test
from ralph.proof.runners.recognise import words
from ralph.proof.suite import Suite
from ralph.proof.tool_settings import can_matter
from ralph.proof.twisted import Source
from ralph.proof.weigh import PRODUCING, is_declared
from ralph.repo import Candidate

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from ralph.proof.difference import ChangedLines
    from ralph.repo.diff import FileChange


Asking: TypeAlias = Callable[[str, Path], Awaitable[str]]


class Commits(Protocol):
    """What is read of the repository."""

    def show(self, commit: str, path: str) -> bytes | None:
        """A file as a commit holds it."""

    def text_diff(self, base: str, commit: str) -> str:
        """What was added and removed between two commits, without context."""

    def listing(self, commit: str) -> tuple[str, ...]:
        """The files of a commit."""

    def search(self, commit: str, pattern: str, endings: Iterable[str]) -> list[tuple[str, str]]:
        """The lines of a commit that hold the pattern, each with its file."""


class Subject(Struct, frozen=True, dict=True):
    task: Task
    plan: Plan
    base: str
    """The commit that the work began with."""
    candidate: Candidate
    files: tuple[str, ...]
    """What the agent changed, the plan's own files apart."""
    inside: Mapping[str, bytes]
    """Plan files as the candidate has them."""
    commands: tuple[Command, ...]
    """What proves the task."""
    name: str
    """What the logs of its trials begin with."""
    settings: VerificationSettings
    root: Path
    """The user's checkout."""
    repository: Commits
    held_out: HeldOutChecks
    known_base: Trial | None = None
    """What earlier trials say of the base."""
    ask_judge: Asking | None = None
    """Puts a question to another agent, in a checkout of the base, and returns what it says."""

    @property
    def commit(self) -> str:
        return self.candidate.commit

    @property
    def produces(self) -> bool:
        """Whether the task changes what the program does, so that a test can show it."""
        return self.task.kind in PRODUCING

    def text(self, commit: str, path: str) -> str:
        """What a file held; nothing if there was none."""
        if (commit, path) not in self._texts:
            data = self.repository.show(commit, path) if path else None
            self._texts[commit, path] = "" if data is None else data.decode("utf-8", "replace")
        return self._texts[commit, path]

    @cached_property
    def _texts(self) -> dict[tuple[str, str], str]:
        """What was asked for already: each is one process, and may be asked for every test."""
        return {}

    def before(self, path: str) -> str:
        return self.text(self.base, path)

    def after(self, path: str) -> str:
        return self.text(self.commit, path)

    @property
    def head_variant(self) -> Variant:
        return Variant(
            HEAD, self.commit, self.commands, changed=self.files, tree=self.candidate.tree
        )

    @property
    def base_variant(self) -> Variant:
        return Variant(BASE, self.base, self.commands, lasting=True)

    @cached_property
    def changes(self) -> tuple[FileChange, ...]:
        """What was changed, the plan's own files apart."""
        return tuple(one for one in self.candidate.files if one.path not in self.inside)

    @cached_property
    def difference(self) -> str:
        return self.repository.text_diff(self.base, self.commit)

    @cached_property
    def lines(self) -> dict[str, ChangedLines]:
        """The difference by file."""
        return by_file(self.difference)

    @cached_property
    def suite(self) -> Suite:
        """The project's tests, as far as this change concerns them."""
        return Suite(self)

    @cached_property
    def guarded(self) -> tuple[str, ...]:
        """Changed files that say what the tests are or how they run."""
        mine = sorted({name for c in self.changes for name in (c.path, c.old) if name})
        there = {c.old or c.path for c in self.changes if c.status != "A"}
        found = {
            name
            for name in mine
            if guards_tests(name, self.commands, known=name in there) and self._matters(name)
        }
        # others hold tests although they are called as no tests usually are
        return tuple(
            name for name in mine if name in found or self.suite.is_test(name, self.known_base)
        )

    @cached_property
    def following(self) -> frozenset[str]:
        """Those of them that only import from where the source is now."""
        moves = [(c.old, c.path) for c in self.changes if c.status == "R" and is_source(c.path)]
        return frozenset(
            name
            for name in (self.guarded if moves else ())
            if is_test(name) and only_follows(name, self.before(name), self.after(name), moves)
        )

    @cached_property
    def protected(self) -> tuple[str, ...]:
        """Those of them that the task does not declare: the overlay puts them back."""
        declared = self.task.may_change_tests
        return tuple(
            name
            for name in self.guarded
            if name not in self.following and not is_declared(name, declared)
        )

    def _matters(self, path: str) -> bool:
        """Whether a changed file can change what the checks say; settings of other tools cannot."""
        if is_test(path) or not is_runner(path):
            return True
        tools = frozenset(word for one in self.commands for word in words(one, self.root))
        installs = bool(self.settings.setup)
        return can_matter(path, self.before(path), self.after(path), tools, installs=installs)

    def around(self, path: str, lines: Collection[int]) -> tuple[str, ...]:
        """The functions and classes of the candidate that these lines of a file are in."""
        language = language_of(path)
        found = language.around(self.after(path), lines) if language is not None and lines else ()
        return tuple(found)

    def changed_source(self) -> Iterator[Source]:
        """What may be the work: neither tests nor words."""
        for path in self.files:
            if path not in self.guarded and is_source(path):
                yield Source(path, self.after(path), self.before(path))


def only_follows(path: str, before: str, after: str, moves: Collection[tuple[str, str]]) -> bool:
    """Whether all that differs is the name of a moved file, wherever it is named."""
    old, new = shape_of(path, before), shape_of(path, after)
    if old is None or new is None:
        return False
    pairs = zip_longest(old.walk(), new.walk())
    differing = [(a, b) for a, b in pairs if not (a and b) or (a.kind, a.text) != (b.kind, b.text)]
    return bool(differing) and all(
        a is not None and b is not None and a.kind == b.kind and _follows(a.text, b.text, moves)
        for a, b in differing
    )


def _follows(was: str, now: str, moves: Collection[tuple[str, str]]) -> bool:
    old, new = (re.sub(r"[./\\]+", "/", text) for text in (was, now))
    return any(_part(here) in old and _part(there) in new for here, there in moves)


def _part(path: str) -> str:
    """What an import has of a path: its name, with its folder if it has one."""
    place = PurePosixPath(path).with_suffix("")
    parts = place.parent.parts if place.name in ("index", "__init__") else place.parts
    return "/".join(parts[-2:])

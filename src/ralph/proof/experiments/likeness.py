"""Work that no test shows has to look like its task."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from ralph.domain.evidence import Fact, FactKind
from ralph.proof.difference import ChangedLines
from ralph.proof.experiment import Experiment
from ralph.proof.experiments.guard import changed_code
from ralph.proof.experiments.red_green import shown
from ralph.proof.languages import language_of
from ralph.proof.paths import is_plan, is_runner, is_source, is_test, is_words
from ralph.proof.plausible import Touched, doubt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.proof.experiment import Known
    from ralph.proof.subject import Subject


class Likeness(Experiment):
    name = "likeness"
    what = (
        "Where no test shows the work, it is "
        "[compared with the words of the task](#unproven-work-has-to-look-like-its-task)."
    )
    setting = "verification.red_green"

    def wants(self, subject: Subject) -> bool:
        return subject.settings.red_green and subject.produces

    def facts(self, subject: Subject, known: Known) -> Iterator[Fact]:
        if known.head.report is None or shown(subject, known):
            return
        if why := _doubt(subject):
            kind = FactKind.NO_SOURCE if why.startswith("No source") else FactKind.UNRELATED
            yield Fact(kind, why)


def _doubt(subject: Subject) -> str:
    """Why a change that no test shows may not be the task at all."""
    code = changed_code(subject)
    touched: list[Touched] = []
    for path in subject.files:
        lines = subject.lines.get(path, ChangedLines())
        inside = subject.around(path, lines.at) if path in code or is_test(path) else ()
        loose = _is_loose(subject, path)
        touched.append(Touched(path, lines.added + lines.removed, inside, loose))
    idle = {path for path in subject.files if is_source(path)}.difference(code)
    return doubt(subject.task, touched, idle, partial(_exists, subject))


def _is_loose(subject: Subject, path: str) -> bool:
    """Whether only things were added to a file of which nobody makes use."""
    before, after, language = subject.before(path), subject.after(path), language_of(path)
    if language is not None:
        used = partial(_is_used, subject, path)
        alone = language.is_loose(before, after, used)
    else:
        alone = not Counter(before.split("\n")) - Counter(after.split("\n"))
    return alone and (bool(before) or not _is_called_for(subject, path))


def _is_used(subject: Subject, where: str, name: str) -> bool:
    """Whether the name stands in other source than this file."""
    pattern = rf"(^|[^A-Za-z0-9_]){re.escape(name)}([^A-Za-z0-9_]|$)"
    found = subject.repository.search(subject.commit, pattern, ("",))
    return any(path != where and is_source(path) and not is_plan(path) for path, _ in found)


def _is_called_for(subject: Subject, path: str) -> bool:
    """Whether a file stands in other source or settings by its path, as imports and scripts do."""
    name = path.rpartition("/")[2]
    pattern = rf"/{re.escape(name.partition('.')[0] or name)}([.\"' ]|$)"
    found = subject.repository.search(subject.commit, pattern, ("",))
    return any(other != path and (is_source(other) or is_runner(other)) for other, _ in found)


def _exists(subject: Subject, name: str) -> bool:
    """Whether the name stands in something that is neither a test nor words nor a plan."""
    pattern = re.sub(
        r"[A-Za-z]", lambda one: f"[{one[0].lower()}{one[0].upper()}]", re.escape(name)
    )
    found = subject.repository.search(subject.commit, pattern, ("",))
    paths = {path for path, _ in found}.difference(subject.inside)
    return not all(is_test(path) or is_words(path) or is_plan(path) for path in paths)

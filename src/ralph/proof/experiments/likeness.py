"""Work that no test shows has to look like its task."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from ralph.domain.evidence import Fact, FactKind
from ralph.proof.difference import ChangedLines
from ralph.proof.experiment import Experiment
from ralph.proof.experiments.guard import changed_code
from ralph.proof.experiments.red_green import shown
from ralph.proof.languages import language_of, shape_of
from ralph.proof.languages.shape import is_loose
from ralph.proof.paths import is_plan, is_source, is_test, is_words
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
            nothing = why.startswith(("No source", "Nothing that runs"))
            kind = FactKind.NO_SOURCE if nothing else FactKind.UNRELATED
            yield Fact(kind, why)


def _doubt(subject: Subject) -> str:
    """Why a change that no test shows may not be the task at all."""
    same = {path for path in subject.files if is_source(path)}.difference(changed_code(subject))
    typed = {path for path in same if not _differs_in_words(subject, path)}
    touched: list[Touched] = []
    for path in subject.files:
        lines = subject.lines.get(path, ChangedLines())
        inside = subject.around(path, lines.at)
        # types have no effect when a program runs: nothing but words can tell what they are for
        loose = path in typed or _is_loose(subject, path)
        touched.append(Touched(path, lines.added + lines.removed, inside, loose))
    return doubt(subject.task, touched, same - typed, partial(_exists, subject))


def _differs_in_words(subject: Subject, path: str) -> bool:
    """Whether only comments and descriptions were changed, and not types."""
    language, before, after = language_of(path), subject.before(path), subject.after(path)
    read = language is not None and language.does_the_same(before, after)
    return not read or (language is not None and language.differs_in_words(before, after))


def _is_loose(subject: Subject, path: str) -> bool:
    """Whether only things were added to a file of which nobody makes use."""
    before, after = (shape_of(path, text) for text in (subject.before(path), subject.after(path)))
    if after is None or not is_loose(before, after, partial(_is_used, subject, path)):
        return False
    name = path.rpartition("/")[2].partition(".")[0]
    return before is not None or not _stands(subject, rf"/{re.escape(name)}([.\"' ]|$)", path)


def _is_used(subject: Subject, where: str, name: str) -> bool:
    """Whether the name stands in other source than this file."""
    return _stands(subject, rf"(^|[^A-Za-z0-9_]){re.escape(name)}([^A-Za-z0-9_]|$)", where)


def _exists(subject: Subject, name: str) -> bool:
    """However it is capitalised."""
    either = re.sub(r"[A-Za-z]", lambda one: f"[{one[0]}{one[0].swapcase()}]", re.escape(name))
    return _stands(subject, either)


def _stands(subject: Subject, pattern: str, where: str = "") -> bool:
    """Whether something stands in what is neither a test nor words nor a plan, this file apart."""
    found = subject.repository.search(subject.commit, pattern, ("",))
    paths = {path for path, _ in found}.difference((where, *subject.inside))
    return not all(is_test(path) or is_words(path) or is_plan(path) for path in paths)

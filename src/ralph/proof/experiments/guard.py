"""What the difference says by itself: nothing is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.evidence import Fact, FactKind
from ralph.domain.task import Kind
from ralph.proof import difference
from ralph.proof.experiment import Experiment
from ralph.proof.languages import language_of, shape_of
from ralph.proof.paths import is_runner, leads_out
from ralph.proof.smells import replaced

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.proof.experiment import Known
    from ralph.proof.subject import Subject

LINK = "120000"
"""What git calls a link."""


class GuardedFiles(Experiment):
    name = "guard"
    what = (
        "The difference is looked at: tests, what runs them, smells, secrets, links. Edits of the "
        "plan, `ralph.yaml` and `PROMPT.md` are put back before that."
    )
    setting = "verification.smells"

    def facts(self, subject: Subject, known: Known) -> Iterator[Fact]:
        if subject.settings.smells:
            yield from difference.facts(
                subject.files,
                subject.lines,
                subject.before,
                subject.after,
                subject.task,
                subject.commands,
                code=changed_code(subject) if subject.task.kind is Kind.DOCS else (),
                tests={result.file for result in known.now.results},
            )
            yield from _replacing(subject)
        yield from _links(subject)


def _replacing(subject: Subject) -> Iterator[Fact]:
    """What sets tests up may take the place of much, but not of the work that they are to show."""
    settings_up = [path for path in subject.files if is_runner(path) and language_of(path)]
    work = {name for one in subject.changed_source() for name in _worked_on(subject, one.path)}
    for path in settings_up:
        before, after = (
            shape_of(path, text) for text in (subject.before(path), subject.after(path))
        )
        put = replaced(before, after) if after is not None else ()
        for name in dict.fromkeys(one for one in put if one in work):
            text = f"{path} puts something in the place of {name}, which was changed."
            yield Fact(FactKind.SMELL, text, path)


def _worked_on(subject: Subject, path: str) -> tuple[str, ...]:
    return subject.around(path, subject.lines[path].at) if path in subject.lines else ()


def _links(subject: Subject) -> Iterator[Fact]:
    """Links that lead out of the repository: what is there may be anything, and may change."""
    for change in subject.candidate.files:
        if change.mode == LINK and change.status != "D":
            target = subject.after(change.path)
            if leads_out(change.path, target):
                text = f"{change.path} is a link to {target}, which is not in the repository."
                yield Fact(FactKind.LINK_OUT, text, change.path)


def changed_code(subject: Subject) -> list[str]:
    """The files in which the program was changed, and not only what is said about it."""
    return [
        path
        for path in difference.changed_code(subject.files, subject.lines)
        if not _does_the_same(subject, path)
    ]


def _does_the_same(subject: Subject, path: str) -> bool:
    language = language_of(path)
    return language is not None and language.does_the_same(
        subject.before(path), subject.after(path)
    )

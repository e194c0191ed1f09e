"""Source that holds the answers its tests ask for, and nothing more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.evidence import Fact, FactKind
from ralph.proof import difference
from ralph.proof.answers import parameters
from ralph.proof.experiment import Experiment
from ralph.proof.experiments.red_green import showing, shown
from ralph.proof.languages import language_of
from ralph.proof.paths import is_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.proof.experiment import Known
    from ralph.proof.subject import Subject


class Memory(Experiment):
    name = "answers from memory"
    what = (
        "What was added is compared with what the tests ask for: a table of their answers, a row "
        "of conditions, one value whatever is asked. Only for features and fixes."
    )
    setting = "verification.smells"

    def wants(self, subject: Subject) -> bool:
        return subject.settings.smells and subject.produces

    def facts(self, subject: Subject, known: Known) -> Iterator[Fact]:
        sources = [one.text for one in showing(subject, known)]
        yield from _special_cases(subject, "\n".join(sources))
        tests = [*sources, *map(parameters, shown(subject, known))]
        yield from difference.from_memory(subject.lines, "\n".join(tests), subject.task)


def _special_cases(subject: Subject, tests: str) -> Iterator[Fact]:
    """Answers to the tests' own questions in front of code that is still what it was."""
    task = subject.task
    wanted = "\n".join((task.title, task.description, *task.criteria))
    for path in subject.files:
        language = language_of(path)
        if language is None or not is_source(path):
            continue
        found = language.answered(subject.before(path), subject.after(path), tests, wanted)
        if found:
            known = "; ".join(found[:3])
            text = f"{path} answers the tests and is otherwise as it was: {known}."
            yield Fact(FactKind.ANSWERS, text, path)

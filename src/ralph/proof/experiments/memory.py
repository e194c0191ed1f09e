"""Source that holds the answers its tests ask for, and nothing more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.evidence import Fact, FactKind
from ralph.proof.answers import Changed, Questions, from_memory, in_front
from ralph.proof.experiment import Experiment
from ralph.proof.experiments.red_green import showing, shown
from ralph.proof.languages import shape_of
from ralph.proof.paths import is_test, is_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.proof.experiment import Known
    from ralph.proof.languages.shape import Part
    from ralph.proof.subject import Subject


class Memory(Experiment):
    name = "answers from memory"
    what = (
        "What was added is compared with what the tests ask for: a table of their answers, a row "
        "of conditions, results that one reckoning gives, one value whatever is asked. Only for "
        "features and fixes."
    )
    setting = "verification.smells"

    def wants(self, subject: Subject) -> bool:
        return subject.settings.smells and subject.produces

    def facts(self, subject: Subject, known: Known) -> Iterator[Fact]:
        task = subject.task
        wanted = "\n".join((task.title, task.description, *task.criteria))
        held = {one.text: _shape(one.path, one.text) for one in showing(subject, known)}
        texts = ((text, shape) for text, shape in held.items() if shape is not None)
        tests = Questions(texts, shown(subject, known))
        work = dict(_work(subject))
        for path, source in work.items():
            if found := in_front(source, work.values(), tests, wanted):
                text = f"{path} only answers what the tests ask: {'; '.join(found[:3])}."
                yield Fact(FactKind.ANSWERS, text, path)
        if found := from_memory(tuple(work.values()), tests, wanted):
            what = "; ".join(found[:3])
            text = f"The source holds answers that the tests ask for: {what}."
            yield Fact(FactKind.ANSWERS, text)


def _work(subject: Subject) -> Iterator[tuple[str, Changed]]:
    for path in subject.files:
        after = None if is_test(path) or is_words(path) else _shape(path, subject.after(path))
        if after is not None:
            yield path, Changed(after, _shape(path, subject.before(path)))


def _shape(path: str, text: str) -> Part | None:
    if path.endswith(".json"):  # a table may as well be data
        return shape_of("data.js", f"({text})")
    return shape_of(path, text)

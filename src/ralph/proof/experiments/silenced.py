"""Comments that silence a tool: would a check say anything without them?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.evidence import Fact, FactKind
from ralph.proof.experiment import Experiment, Variant
from ralph.proof.runners.recognise import words
from ralph.proof.suppressions import EXAMPLES, is_looking, silences, suppressions, unsuppressed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ralph.proof.experiment import Known
    from ralph.proof.subject import Subject

NAME = "unsilenced"


class Comment(Struct, frozen=True):
    """The first of a file that keeps a check from speaking; else the first that keeps none."""

    path: str
    line: str
    silences: bool


class Silenced(Experiment):
    name = "comments that silence"
    what = (
        "Where a check may run the linter or type checker that an added comment silences: the "
        "candidate without that comment. If the checks pass, nothing was silenced."
    )
    setting = "verification.smells"

    def wants(self, subject: Subject) -> bool:
        return subject.settings.smells

    def variants(self, subject: Subject, known: Known) -> Iterator[Variant]:
        found = [one.path for one in _comments(subject, known) if one.silences]
        if not found or not known.head.results or not known.head.passed:
            return
        lines = subject.lines
        if any(lines[path].added.count("\n") > len(lines[path].at) for path in found):
            return  # it is not known where all of it is
        texts = {path: subject.after(path) for path in found}
        spoken = {path: unsuppressed(text, lines[path].at) for path, text in texts.items()}
        if spoken != texts:
            write = {path: text.encode() for path, text in spoken.items()}
            yield Variant(
                NAME, subject.commit, subject.commands, write=write, changed=subject.files
            )

    def facts(self, subject: Subject, known: Known) -> Iterator[Fact]:
        tried = known.get(NAME)
        quiet = tried is not None and tried.passed
        for one in _comments(subject, known):
            kind = FactKind.SILENCED if one.silences and not quiet else FactKind.SUPPRESSED
            yield Fact(kind, f"{one.path} silences a check: `{one.line}`", one.path)


def _comments(subject: Subject, known: Known) -> Iterator[Comment]:
    """One of each file."""
    run = {result.file for result in known.now.results}
    for path in subject.files:
        added = subject.lines[path].added if path in subject.lines else ""
        told = [
            Comment(path, line, path in run if tools is EXAMPLES else _looks(subject, known, tools))
            for line, tools in suppressions(added)
        ]
        yield from sorted(told, key=lambda one: not one.silences)[:1]


def _looks(subject: Subject, known: Known, tools: Collection[str]) -> bool:
    """Whether a check runs one of these tools, or may."""
    reports = (*known.head.reports, *(None,) * len(subject.commands))
    named = [words(one, subject.root) for one in subject.commands]
    told = all(
        report is not None or is_looking(some) for some, report in zip(named, reports, strict=False)
    )
    return silences(tools, frozenset().union(*named), told=told)

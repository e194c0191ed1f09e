"""Comments that silence a tool: would a check say anything without them?"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct

from ralph.domain.evidence import Fact, FactKind
from ralph.proof.difference import ChangedLines
from ralph.proof.experiment import Experiment, Variant
from ralph.proof.runners.recognise import words

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
    trials: ClassVar = {NAME: "Without an added comment that silences a check: it has to pass."}

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
        lines = subject.lines.get(path, ChangedLines())
        told = [
            Comment(path, line, path in run if tools is EXAMPLES else _looks(subject, known, tools))
            for line, tools in more_than(lines.removed, lines.added)
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


MOST = 20
_TYPES = ("mypy", "pyright", "basedpyright", "pyre", "ty")
_RUFF = ("ruff", "flake8", "pycodestyle", "pyflakes", "pylama")
_TSC = ("tsc", "vue-tsc", "tsd", "typecheck", "dtslint", "attw")
_ESLINT = ("eslint", "xo", "standard", "semistandard", "ts-standard", "neostandard")
_COVERAGE = ("cov", "coverage", "c8", "nyc", "istanbul", "check-coverage")
_ANY = ("*",)
"""Whatever looks at the source."""
EXAMPLES = ("doctest",)
"""Who runs what stands in the text: no word of a command need say so."""
_SILENCED = tuple(
    (re.compile(pattern, re.IGNORECASE), tools)
    for pattern, tools in (
        (r"doctest:\s*\+SKIP", EXAMPLES),
        (r"#\s*type:\s*ignore|#\s*mypy:|#\s*pyright:\s*ignore", _TYPES),
        (r"#\s*(?:ruff:\s*|flake8:\s*)?noqa", _RUFF),
        (r"#\s*pylint:\s*disable", ("pylint",)),
        (r"#\s*nosec", ("bandit", "ruff")),
        (r"#\s*pragma:\s*no\s*cover|(?:istanbul|c8|v8)\s+ignore", _COVERAGE),
        (r"#\s*fmt:\s*off", ("black", "ruff", "yapf")),
        (r"(?://|/\*)\s*eslint-disable", _ESLINT),
        (r"(?://|/\*)\s*@ts-(?:ignore|nocheck|expect-error)", _TSC),
        (r"(?://|/\*)\s*biome-ignore", ("biome",)),
        (r"(?://|/\*)\s*prettier-ignore", ("prettier",)),
        (r"(?://|/\*)\s*tslint:disable", ("tslint",)),
        (r"(?://|/\*)\s*nolint", ("golangci-lint", "golint", "staticcheck")),
        (r"#!?\[allow\(", ("clippy", "cargo", "rustc")),
        (r"@SuppressWarnings", ("javac", "mvn", "mvnw", "gradle", "gradlew")),
        (r"\bNOLINT\b", ("clang-tidy", "cpplint")),
        (r"rubocop:disable", ("rubocop",)),
        (r"swiftlint:disable", ("swiftlint",)),
        (r"\blint:\s*(?:off|disable|ignore|skip)", _ANY),
    )
)


def suppressions(added: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Added lines that silence a tool, each with the tools that they silence."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for line in added.split("\n"):
        tools = next((tools for pattern, tools in _SILENCED if pattern.search(line)), None)
        if tools is not None:
            found.append((line.strip()[:200], tools))
    return tuple(found)[:MOST]


def more_than(removed: str, added: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The same without those that took the place of one for the same tools."""
    before = Counter(tools for _, tools in suppressions(removed))
    for line, tools in suppressions(added):
        if before[tools]:
            before[tools] -= 1
        else:
            yield line, tools


def unsuppressed(text: str, at: Collection[int]) -> str:
    """The text with nothing in these lines that silences a tool."""
    lines = text.split("\n")
    for number in at:
        for pattern, _ in _SILENCED:
            if number <= len(lines):
                lines[number - 1] = pattern.sub(_unspoken, lines[number - 1])
    return "\n".join(lines)


def _unspoken(found: re.Match[str]) -> str:
    return re.sub(r"[A-Za-z]", "x", found[0])


def silences(tools: Collection[str], words: Collection[str], *, told: bool) -> bool:
    """Whether a check runs one of the tools.

    `words` are those of the checks and of the scripts behind them; `told`: every check is known,
    because it reports single tests or names a tool that looks at source.
    """
    if not told:
        return True  # nobody knows what that check looks at
    return "*" not in tools and not set(tools).isdisjoint(words)


def is_looking(words: Collection[str]) -> bool:
    """Whether one of the words is a tool that looks at source."""
    known = {tool for _, tools in _SILENCED for tool in tools}
    return not known.isdisjoint(words)

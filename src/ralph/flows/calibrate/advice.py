"""What follows from looking at the past: settings that fit, and a sentence one can decide by."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.evidence import FactKind
from ralph.domain.task import Command, shown
from ralph.flows.calibrate.replay import Replayed, ReplayOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ralph.domain.settings import VerificationSettings

FILE = "ralph.yaml"
MOSTLY = 0.9
OFTEN = 0.6
"""Shares of commits that settle by themselves, for the sentence at the end."""
FEW = 3
"""Commits that a conclusion needs at least."""
ROOM = 3
"""A check may take so many times as long as it does now before it is given up."""


_SECTION = re.compile(r"verification:\s*(#.*)?$")
_PLAIN = re.compile(r"(?!(?:true|false|null|yes|no)$)[A-Za-z_./][\w./ -]*", re.IGNORECASE)


class Looked(Struct, frozen=True):
    """All that was found out about a repository."""

    commands: tuple[Command, ...]
    suite: float
    """Seconds that one plain run of the checks takes on a clean checkout."""
    rows: tuple[Replayed, ...] = ()
    carried: tuple[str, ...] = ()
    """Ignored files that the checks need, found by trying."""
    flaky: tuple[str, ...] = ()
    moving: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def fit(self) -> tuple[Replayed, ...]:
        """Those that something can be said of."""
        return tuple(row for row in self.rows if row.outcome is not ReplayOutcome.UNFIT)

    def count(self, outcome: ReplayOutcome) -> int:
        return sum(row.outcome is outcome for row in self.rows)

    @property
    def cost(self) -> float | None:
        """What a verdict takes once the base is known, in plain runs of the checks."""
        fit = self.fit
        return median(row.seconds / self.suite for row in fit) if fit and self.suite else None

    @property
    def first_cost(self) -> float | None:
        """The same together with the run on the base."""
        fit = self.fit
        if not fit or not self.suite:
            return None
        return median((row.base_seconds + row.seconds) / self.suite for row in fit)

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """Why commits would have been asked about or sent back, the most frequent first."""
        return Counter(kind for row in self.rows for kind in row.kinds).most_common()


def flaky_in(rows: Iterable[Replayed]) -> tuple[str, ...]:
    every = (one.fact for row in rows for one in row.verdict.facts)
    return tuple(dict.fromkeys(t for f in every if f.kind is FactKind.FLAKY for t in f.tests))


def suggested(looked: Looked, settings: VerificationSettings) -> dict[str, list[str] | float]:
    """Settings of `verification` that fit better than what is there."""
    found: dict[str, list[str] | float] = {}
    if settings.commands is None and looked.fit:
        found["commands"] = [shown(one) for one in looked.commands]
    if looked.carried:
        found["carry"] = [*settings.carry, *looked.carried]
    needed = looked.suite * ROOM / 60
    if settings.timeout_minutes and needed > settings.timeout_minutes:
        found["timeout_minutes"] = float(round(needed + 0.5))
    return found


def with_settings(text: str, wanted: Mapping[str, list[str] | float]) -> str:
    """The text of ralph.yaml with these settings of `verification`; all else stays as it is.

    Nothing changes in a file that is written in braces: a person has to edit it.
    """
    if text.lstrip().startswith("{"):
        return text
    lines = text.split("\n") if text else []
    start = next((n for n, line in enumerate(lines) if _SECTION.match(line)), -1)
    if start < 0:
        block = ["verification:", *(f"  {key}: {_yaml(value)}" for key, value in wanted.items())]
        body = text.rstrip("\n")
        return "\n".join([*([body, ""] if body else []), *block]) + "\n"
    for key, value in wanted.items():
        line = f"  {key}: {_yaml(value)}"
        at = _place_of(lines, start, key)
        if at is None:
            lines.insert(start + 1, line)
        else:
            lines[at[0] : at[1]] = [line]
    return "\n".join(lines)


def _place_of(lines: Sequence[str], start: int, key: str) -> tuple[int, int] | None:
    """Where a setting of the section stands, with the deeper lines that belong to it."""
    for number in range(start + 1, len(lines)):
        line = lines[number]
        if line.strip() and not line.startswith((" ", "#")):
            return None
        if re.match(rf"\s+{key}:", line):
            indent = len(line) - len(line.lstrip())
            end = number + 1
            while end < len(lines) and _is_deeper(lines[end], indent):
                end += 1
            return number, end
    return None


def _is_deeper(line: str, indent: int) -> bool:
    bare = line.lstrip()
    return bool(bare) and (len(line) - len(bare) > indent or bare.startswith("- "))


def _yaml(value: list[str] | float) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_quoted(one) for one in value) + "]"
    return f"{value:g}"


def _quoted(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def difference(before: str, after: str) -> str:
    """As `git apply` takes it."""
    made = difflib.unified_diff(
        before.splitlines(keepends=True),
        after.splitlines(keepends=True),
        f"a/{FILE}" if before else "/dev/null",
        f"b/{FILE}",
    )
    return "".join(made)


def sentence(looked: Looked) -> str:
    """What a person can decide by."""
    fit = looked.fit
    if not fit:
        return (
            "No result: the checks do not pass at any of these commits. "
            "Make them pass in a fresh clone first, or name others with `--verify`."
        )
    settled, rejected = looked.count(ReplayOutcome.SETTLED), looked.count(ReplayOutcome.REJECTED)
    share = settled / len(fit)
    took = (
        f"a verdict takes as long as {looked.cost:.1f} runs of your checks" if looked.cost else ""
    )
    commits = "commit" if len(fit) == 1 else "commits"
    what = f"{settled} of {len(fit)} {commits} would have been settled without you, and {took}"
    if len(fit) < FEW and not rejected:
        return f"Too little to conclude from: {what}. Run it again when there are more commits."
    if rejected:
        return f"Not yet: {what}, but {rejected} would have been sent back. First read above why."
    if share >= MOSTLY:
        return f"You can leave Ralph alone with this repository: {what}."
    if share >= OFTEN:
        return f"Ralph will ask you now and then: {what}."
    return f"Ralph would ask you about much of the work here: {what}. First read the reasons above."

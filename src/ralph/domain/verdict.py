from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ralph.domain.task import Command


class Level(StrEnum):
    """How well a result is proven, weakest first."""

    NONE = "none"
    CLAIMED = "claimed"
    GREEN = "green"
    OVERLAY = "overlay"
    PROVEN = "proven"
    ACCEPTED = "accepted"

    @property
    def rank(self) -> int:
        return list(Level).index(self)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One command that Ralph ran itself, and what came of it."""

    command: Command
    passed: bool
    exit_code: int | None
    seconds: float
    tail: str = ""
    """The end of its output, trimmed for people and prompts."""
    signature: str = ""
    """The failure without times, paths, numbers: equal for the same failure. Empty if passed."""
    log: str = ""
    output_sha256: str = ""
    why: str = ""
    """Why it failed when the exit code does not say: timed out, not found."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the checks say about one candidate commit."""

    passed: bool
    level: Level
    why: str
    commit: str = ""
    tree: str = ""
    results: tuple[CheckResult, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader of the report must know, such as a check that ran in the workspace."""

    @property
    def failure(self) -> CheckResult | None:
        return next((r for r in self.results if not r.passed), None)

    @property
    def signature(self) -> str:
        return self.failure.signature if self.failure else ""

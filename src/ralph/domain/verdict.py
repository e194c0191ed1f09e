from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from ralph.domain.evidence import Evidence, Weighed, Weight
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


class CheckResult(Struct, frozen=True):
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
    before: bool = False
    """It was not run again: this is what came of it on the very same files."""


class Verdict(Struct, frozen=True):
    """What the checks say about one candidate commit."""

    passed: bool
    level: Level
    why: str
    commit: str = ""
    tree: str = ""
    results: tuple[CheckResult, ...] = ()
    tests_passed: int = 0
    """Single tests, where the runners of the checks report them."""
    tests_failed: int = 0
    notes: tuple[str, ...] = ()
    """What a reader of the report must know, such as a check that ran in the workspace."""
    facts: tuple[Weighed, ...] = ()
    """What speaks against it, with what follows from that."""
    shown: tuple[str, ...] = ()
    """Tests that fail without the change and pass with it."""
    evidence: tuple[Evidence, ...] = ()
    """For each acceptance criterion what proves it."""
    broke: tuple[str, ...] = ()
    """Tasks that were finished before and whose checks fail now."""
    untested: bool = False
    """The task wants a test that fails without the change, and there is none."""
    trials: int = 0
    """How many states of the repository the checks were run on for it."""

    @property
    def asks(self) -> tuple[Weighed, ...]:
        """What a person has to decide on."""
        return tuple(one for one in self.facts if one.weight is Weight.ASK)

    @property
    def rejects(self) -> tuple[Weighed, ...]:
        """What sends the work back to the agent."""
        return tuple(one for one in self.facts if one.weight is Weight.REJECT)

    @property
    def failure(self) -> CheckResult | None:
        return next((r for r in self.results if not r.passed), None)

    @property
    def signature(self) -> str:
        return self.failure.signature if self.failure else ""


UNTRIED = Verdict(passed=False, level=Level.NONE, why="it was not tried")

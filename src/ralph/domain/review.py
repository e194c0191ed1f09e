"""A review: what is looked at, what was found, how far it has come."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from ralph.domain.usage import Usage


class Severity(StrEnum):
    CRITICAL = "critical"
    """Wrong results, lost data, an open door."""
    MAJOR = "major"
    """It fails for some input that will come."""
    MINOR = "minor"

    @property
    def severe(self) -> bool:
        return self is not Severity.MINOR


class Standing(StrEnum):
    """What became of a finding."""

    UNCHECKED = "unchecked"
    """No refuter has looked at it yet."""
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    """A fix has landed; the next round has to agree that it helped."""
    FIXED = "fixed"
    BLOCKED = "blocked"
    """Nobody here can fix it: a person has to."""
    REFUTED = "refuted"


OPEN = frozenset((Standing.UNCHECKED, Standing.PENDING, Standing.BLOCKED))


class Phase(StrEnum):
    REVIEWING = "reviewing"
    REFUTING = "refuting"
    FIXING = "fixing"


class Signal(StrEnum):
    """What the end is called, for programs that read the output."""

    COMPLETE = "<review-complete>ALL_ISSUES_RESOLVED</review-complete>"
    BLOCKED = "<review-blocked>MANUAL_INTERVENTION_REQUIRED</review-blocked>"
    TIMEOUT = "<review-timeout>MAX_ITERATIONS_REACHED</review-timeout>"


class ReviewEnd(StrEnum):
    """Why a review is over."""

    CLEAN = "clean"
    """Nothing is open."""
    CONFIDENT = "confident"
    """Nothing severe is open."""
    ROUNDS = "rounds"
    FAILURES = "failures"
    MINUTES = "minutes"
    COST = "cost"
    NEEDS_PERSON = "needs_person"
    """What is left cannot be fixed here, or was not to be."""
    CIRCLES = "circles"
    """A fix led back to a state that was there before."""

    @property
    def exit_code(self) -> int:
        if self in (ReviewEnd.CLEAN, ReviewEnd.CONFIDENT):
            return 0
        return 5 if self in (ReviewEnd.NEEDS_PERSON, ReviewEnd.CIRCLES) else 4

    @property
    def signal(self) -> Signal:
        return {0: Signal.COMPLETE, 4: Signal.TIMEOUT, 5: Signal.BLOCKED}[self.exit_code]


class Remark(Struct, frozen=True):
    """One thing that one reviewer says is wrong."""

    title: str
    path: str = ""
    line: int = 0
    symbol: str = ""
    """What encloses it: a function, a class, a heading."""
    severity: Severity = Severity.MAJOR
    detail: str = ""
    failing_input: str = ""
    """An input or a reading for which it goes wrong, as concrete as can be."""
    suggestion: str = ""


class Notes(Struct, frozen=True):
    """What one reviewer answered."""

    remarks: tuple[Remark, ...] = ()
    still_open: Mapping[str, str] = {}
    """Findings whose fix did not help, by id, and why."""


class Opinion(Struct, frozen=True):
    """What a refuter thinks of a finding."""

    confidence: float
    """How sure it is that the finding is true, from 0 to 1."""
    failing_input: str = ""
    why: str = ""


class Finding(Struct, frozen=True):
    """What one or more reviewers found, and what became of it."""

    id: str
    fingerprint: str
    remark: Remark
    roles: tuple[str, ...] = ()
    round: int = 1
    """In which it came up, or came up again."""
    standing: Standing = Standing.UNCHECKED
    confidence: float = 0
    why: str = ""
    """Why it stands as it does."""
    fixes: int = 0
    """Fixes that landed for it."""

    @property
    def is_open(self) -> bool:
        return self.standing in OPEN

    @property
    def severe(self) -> bool:
        return self.remark.severity.severe


class Limits(Struct, frozen=True):
    rounds: int = 3
    fixes: int = 3
    """Tries to fix the findings of one round."""
    failures: int = 5
    """In a row, of agents that gave no usable answer."""
    minutes: float = 30
    confidence: int = 95
    """From here on, and with nothing severe open, it is good enough."""
    cost: float = 0
    """US dollars, as far as the agents report them; 0 for no limit."""


class ReviewScope(Struct, frozen=True):
    """What was asked for: the same command means the same review."""

    workflow: str
    paths: tuple[str, ...] = ()
    base: str = ""
    """Only what differs from this commit."""
    section: str = ""
    """Only the part of a document below this heading."""
    fix: bool = True

    @property
    def shown(self) -> str:
        changes = f"changes since {self.base}" if self.base else ""
        return " in ".join(part for part in (changes, ", ".join(self.paths)) if part)


class ReviewMetrics(Struct, frozen=True):
    review_rounds: int = 0
    fix_iterations: int = 0
    total_issues_found: int = 0
    total_issues_fixed: int = 0
    total_issues_blocked: int = 0
    total_issues_refuted: int = 0
    subagent_invocations: int = 0
    failures: int = 0
    backoff_delays_total: float = 0.0

    @property
    def success_rate(self) -> float:
        """The share of what was found, and not refuted, that is fixed."""
        return self.total_issues_fixed / max(1, self.total_issues_found)


class Fixing(Struct, frozen=True):
    """Where fixes are made, and how far the current one is."""

    branch: str = ""
    """Empty until the first fix begins."""
    home: str = ""
    """The ref that was checked out before."""
    working: bool = False
    """An agent may have changed files since."""
    landing: str = ""
    """The commit that is about to land, written down before it does."""
    iteration: int = 0
    """Tries in this round."""
    failure: str = ""
    """What was wrong with the last try, for the next one."""


class Review(Struct, frozen=True):
    """All that there is to know about one review; written down after every answer."""

    id: str
    scope: ReviewScope
    commit: str
    """What is looked at now."""
    began: str
    """The commit that the review began with."""
    started_at: float
    since: str = ""
    """Where the changes under review begin, if only changes are."""
    limits: Limits = field(default_factory=Limits)
    phase: Phase = Phase.REVIEWING
    round: int = 1
    findings: tuple[Finding, ...] = ()
    answers: Mapping[str, Notes] = {}
    """What the reviewers of this round said, by role."""
    missing: tuple[str, ...] = ()
    """Roles of this round that gave no usable answer."""
    trees: tuple[str, ...] = ()
    """Every state that was reviewed."""
    fixing: Fixing = field(default_factory=Fixing)
    metrics: ReviewMetrics = field(default_factory=ReviewMetrics)
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0
    """Time at work; time between a kill and the next start does not count."""
    consecutive_failures: int = 0
    errors: tuple[str, ...] = ()
    """The last failures."""
    notes: tuple[str, ...] = ()
    """What a reader of the report must know."""
    salvage: tuple[str, ...] = ()
    """Where undone work is kept."""
    commits: tuple[str, ...] = ()
    """Fixes that landed."""
    initial_confidence: int | None = None
    last_updated: float = 0
    ending: ReviewEnd | None = None

    @property
    def open(self) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.is_open)

    def standing(self, *wanted: Standing) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.standing in wanted)

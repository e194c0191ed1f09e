"""What an experiment is: three questions about a candidate, and what is known when they are put.

    wants       is it of any use for this candidate?
    variants    which states of the repository should be tried, given what is known so far?
    facts       what do the trials say for or against the candidate?

`examine` asks for variants and tries them side by side, and asks again with what they have shown,
until no experiment wants to see more. An experiment reads what others have shown and changes
nothing of it: all that is known is in `Known`, which only ever grows.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from ralph.checks.carry import Runner
from ralph.domain.evidence import Fact
from ralph.domain.task import Command
from ralph.domain.tests import TestChange, TestReport
from ralph.domain.trial import Trial
from ralph.proof.compare import EMPTY, compare
from ralph.proof.identity import moving, without

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph.proof.subject import Subject

T = TypeVar("T")

HEAD = "head"
"""The candidate itself."""
BASE = "base"
"""The commit that the work began with."""


class Site(Struct, frozen=True):
    """A clean checkout in which something is done."""

    root: Path
    env: Mapping[str, str]
    """The environment of the checks."""
    logs: Path
    runner: Runner
    """What runs their programs."""


Visit: TypeAlias = Callable[[Site], Awaitable[Trial]]


class Variant(Struct, frozen=True):
    """A state of the repository and what to run there: a recipe, from which a trial is made."""

    name: str
    """Among the trials of one candidate, and in the names of its logs."""
    onto: str
    """The commit that it starts from."""
    commands: tuple[Command, ...] = ()
    source: str = ""
    paths: tuple[str, ...] = ()
    """What is taken from the commit `source`: gone where that has none."""
    write: Mapping[str, bytes] = {}
    """What is written over it."""
    visit: Visit | None = None
    """Instead of commands."""
    changed: tuple[str, ...] = ()
    """Files that differ from the base: a changed lock file needs another set-up."""
    seconds: float = 0
    """How long each check may take, where it may never end; 0 for as long as any."""
    until: Callable[[TestReport], bool] | None = None
    """What to make of a report before it is complete: whether the rest need not be waited for."""
    grace: float = 0
    """Seconds that it then has to end by itself, and to say why."""
    fresh: bool = False
    """Whether it is run again although an earlier trial of the same is known."""
    lasting: bool = False
    """Whether what an earlier run found will do: it is no agent's work that is tried."""
    tree: str = ""
    """What it holds, if that is known: then later runs may rely on what came of it."""
    hidden: bool = False
    """Whether its logs are kept where agents do not look."""
    memo: Any = None
    """What the experiment has to remember of it."""


class Known(Struct, frozen=True):
    """What the trials of a candidate have shown so far, by the names of their variants."""

    trials: Mapping[str, Trial] = {}
    asked: Mapping[str, Variant] = {}
    """What was tried."""
    facts: tuple[Fact, ...] = ()
    """What was found, for those who speak last."""
    patient: bool = False
    """A test was red and is not: now all of them are waited for."""
    drawn: dict[str, Any] = field(default_factory=dict)
    """What was concluded from this, so that it is concluded once."""

    def __contains__(self, name: str) -> bool:
        return name in self.trials

    def get(self, name: str) -> Trial | None:
        return self.trials.get(name)

    def also(self, asked: Mapping[str, Variant], trials: Mapping[str, Trial]) -> Known:
        """The same with these."""
        return replace(
            self, trials={**self.trials, **trials}, asked={**self.asked, **asked}, drawn={}
        )

    def memo(self, name: str) -> Any:  # noqa: ANN401 - each experiment's own
        return self.asked[name].memo if name in self.asked else None

    @property
    def head(self) -> Trial:
        """The candidate's own; an empty one as long as it was not tried."""
        return self.trials.get(HEAD) or Trial("")

    @property
    def base(self) -> Trial | None:
        """The base's, without tests whose names change from run to run."""
        if "base" not in self.drawn:
            self.drawn["base"] = self._base()
        found: Trial | None = self.drawn["base"]
        return found

    def _base(self) -> Trial | None:
        tried = self.trials.get(BASE)
        names = self.moving
        if tried is None or not names:
            return tried
        return replace(tried, reports=tuple(one and without(one, names) for one in tried.reports))

    @property
    def moving(self) -> frozenset[str]:
        """Tests that the base has in one run and not in the next: no name to be known by."""
        tried, again = self.trials.get(BASE), self.trials.get(f"{BASE}-again")
        if tried is None or tried.report is None or again is None or again.report is None:
            return frozenset()
        gone = compare(tried, self.head).having(TestChange.REMOVED)
        return frozenset(moving(tried.report, again.report) & set(gone))

    @property
    def before(self) -> TestReport:
        """The base's tests."""
        return (self.base.report if self.base is not None else None) or EMPTY

    @property
    def now(self) -> TestReport:
        """The candidate's."""
        return self.head.report or EMPTY


def remembered(draw: Callable[[Subject, Known], T]) -> Callable[[Subject, Known], T]:
    """A conclusion that is drawn once from what is known."""
    name = f"{draw.__module__}.{draw.__name__}"

    @wraps(draw)
    def once(subject: Subject, known: Known) -> T:
        if name not in known.drawn:
            known.drawn[name] = draw(subject, known)
        found: T = known.drawn[name]
        return found

    return once


class Experiment:
    """One file in `experiments/`, one line in its tuple. What is left out here is nothing."""

    name: str = ""
    what: str = ""
    """What is done, in the words of the docs: they are made from this."""
    setting: str = ""
    """What turns it off."""
    trials: ClassVar[Mapping[str, str]] = {}
    """What its trials are to show, by the beginning of their names: for people who read logs."""
    last: bool = False
    """Whether it is asked when the others have nothing more to say."""

    def wants(self, subject: Subject) -> bool:
        """Whether it can say anything about this candidate."""
        del subject
        return True

    def variants(self, subject: Subject, known: Known) -> Iterable[Variant]:
        """What to try next; a name that is known already is not tried again."""
        del subject, known
        return ()

    def facts(self, subject: Subject, known: Known) -> Iterable[Fact]:
        """What was found, once every trial has ended and the checks pass.

        If they fail, the work goes back without being asked about: nothing rejects it sooner.
        """
        del subject, known
        return ()

    def notes(self, subject: Subject, known: Known) -> Iterable[str]:
        """What a reader must know about how it was tried."""
        del subject, known
        return ()

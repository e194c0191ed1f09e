"""What a person who is away is told of a run: news from events, and messages from news."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING

from ralph.domain import event as e
from ralph.domain.attended import BudgetNoticed, HealthChanged
from ralph.domain.budget import BudgetAction
from ralph.domain.decision import StopReason
from ralph.domain.health import HealthState
from ralph.domain.notify import Letter, News, Occasion
from ralph.domain.question import QuestionKind
from ralph.ui import words
from ralph.ui.console import clock
from ralph.views.status import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from ralph.domain.notify import Parcel
    from ralph.domain.question import Question

LONG_WAIT = 60.0
"""Seconds of a wait that is worth a word."""
MOST_NEWS = 8
"""News that one message tells in full; of the rest it has a line each."""
MOST_OPTIONS, OPTION = 9, 200
"""So many options of a question are told, and of each so many characters."""
MOST_CHARACTERS = 3000
_OTHER_ENDS: dict[StopReason, tuple[Occasion, ...]] = {
    StopReason.GOAL_ACHIEVED: (),
    StopReason.ONCE: (),
    StopReason.EXPLICIT_STOP: (),
    StopReason.INTERRUPTED: (),
    StopReason.WAITING_FOR_PERSON: (),
    StopReason.BUDGET_EXHAUSTED: (Occasion.LIMIT,),
    StopReason.MAX_ATTEMPTS: (Occasion.LIMIT,),
    StopReason.MAX_ITERATIONS: (Occasion.LIMIT,),
    StopReason.MAX_DURATION: (Occasion.LIMIT,),
    StopReason.USAGE_LIMIT: (Occasion.LIMIT,),
}
"""What a run's end is besides; a failure, unless it is listed here."""


class NewsReader:
    """Tells what of the events of one run is news."""

    def __init__(self, root: Path, standing: Callable[[], str]) -> None:
        self._root = root
        self._standing = standing
        """How well the tasks are proven, in a line."""
        self._started: e.RunStarted | None = None
        self._settled = 0
        self._told: set[str] = set()
        """Limits that were."""

    def __call__(self, recorded: e.Recorded) -> News | None:
        match recorded.event:
            case e.RunStarted() as event:
                self._started = event
            case e.Settled():
                self._settled += 1
            case e.Escalated() as event:
                return self._question(event.question)
            case e.Decided(until=until) as event if until - recorded.at >= LONG_WAIT:
                return self._wait(event)
            case BudgetNoticed() as event:
                return self._budget(event)
            case e.RunEnded() as event:
                return self._end(event)
            case _:
                return _of_agents(recorded.event)
        return None

    def broken_off(self) -> News | None:
        """The run is over, and its ledger does not say so."""
        if self._started is None:
            return None
        lines = (
            "The ledger does not say why: see what the run printed.",
            f"Continue with {words.again(self._started.plan)}.",
        )
        return News((Occasion.END, Occasion.FAILURE), "The run broke off", lines)

    def _question(self, question: Question) -> News:
        task, name = words.line(question.task), question.id
        what = words.line(question.summary)
        about = "" if what.startswith(task) else f"{task}: "
        options = tuple(words.line(one, OPTION) for one in question.options[:MOST_OPTIONS])
        more = len(question.options) - len(options)
        told = [words.line(question.context), words.line(question.question)]
        told += [f"{number}. {option}" for number, option in enumerate(options, 1)]
        told += [f"… {more} more: `ralph inbox`"] if more else []
        told += [f"The work is kept in {words.line(question.salvage)}."] if question.salvage else []
        told.append(f"Answer: {self._ralph()} answer {name} {'N' if options else '--text …'}")
        failed = question.kind is QuestionKind.FAILED
        also = (Occasion.FAILURE,) if failed else ()
        return News(
            (Occasion.QUESTION, *also),
            f"question {name}: {about}{what}",
            tuple(filter(None, told)),
            task,
            name,
            options,
        )

    def _ralph(self) -> str:
        return f"ralph -C {shlex.quote(words.line(str(self._root)))}"

    def _wait(self, event: e.Decided) -> News | None:
        what = f"waiting until {clock(event.until)}: {words.line(event.why)}"
        return self._once(event.why, what, "The run continues by itself.")

    def _budget(self, event: BudgetNoticed) -> News | None:
        if event.action is BudgetAction.DENY:
            return None  # the run's end, or the question about the task, says so
        which = f"{event.scope} {event.task} {event.action} {event.used >= event.limit}"
        return self._once(which, words.line(f"budget: {event.why}"))

    def _once(self, key: str, what: str, *lines: str) -> News | None:
        """A limit is told once, however often it is met."""
        if key in self._told:
            return None
        self._told.add(key)
        return News((Occasion.LIMIT,), what, lines)

    def _end(self, event: e.RunEnded) -> News:
        started, self._started = self._started, None
        lines = [self._standing(), words.line(event.why)]
        if started is not None and self._settled:
            branch, before = words.line(started.branch), words.line(started.came_from)
            lines.append(words.take_over(branch, before))
        if started is not None and event.exit_code:
            lines.append(f"Continue with {words.again(started.plan)}.")
        also = _OTHER_ENDS.get(event.reason, (Occasion.FAILURE,))
        return News((Occasion.END, *also), ENDINGS[event.reason], tuple(filter(None, lines)))


def _of_agents(event: e.Event) -> News | None:
    match event:
        case e.AgentSwitched():
            what = f"{event.to} takes over from {event.agent}: {event.why}"
            return News((Occasion.FAILURE,), words.line(what))
        case HealthChanged(now=HealthState.TERMINATED):
            what = f"{event.task}: its agent was ended: {event.why}"
            return News((Occasion.FAILURE,), words.line(what), task=words.line(event.task))
        case _:
            return None


def letter(parcel: Parcel, root: Path, link: str = "") -> Letter:
    """One message of all that; what ends the run comes first."""
    where = words.line(root.name)
    every = sorted(parcel.news, key=lambda one: not one.is_last)
    if len(every) == 1:
        title, lines = every[0].what, list(every[0].lines)
    else:
        title = every[0].what if every[0].is_last else _counted(every)
        lines = list(_several(every))
    if parcel.left_out:
        lines.append(f"Earlier news that found no room: {parcel.left_out}.")
    text = "\n".join(lines)
    if len(text) > MOST_CHARACTERS:
        text = f"{text[: MOST_CHARACTERS - 1]}…"
    end = f"\n{link}" if link else ""
    project = words.line(str(root))
    return Letter(f"{where}: {title}", text + end, project, tuple(every), link)


def _counted(every: Iterable[News]) -> str:
    """What they are about in the first place: 2 questions, 1 failure."""
    count = Counter(one.occasions[0] for one in every)
    return ", ".join(f"{number} {kind}{'s' * (number != 1)}" for kind, number in count.items())


def _several(every: list[News]) -> Iterator[str]:
    for one in every[:MOST_NEWS]:
        if not one.is_last:
            yield ""
            yield one.what
        yield from one.lines
    if len(every) > MOST_NEWS:
        yield ""
        yield from (one.what for one in every[MOST_NEWS:])

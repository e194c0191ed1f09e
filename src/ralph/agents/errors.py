"""What went wrong with an agent, in one vocabulary for all of them."""

from __future__ import annotations

import re
import signal
import time

from msgspec import Struct

from ralph.domain.answer import Ended
from ralph.domain.trouble import Trouble, TroubleKind
from ralph.reading.cause import cause, named

ON_PURPOSE = (130, 143)
"""Interrupted or terminated: someone stopped it, it did not break."""
KILLED = 128 + signal.SIGKILL

_LAST_LINES = 5
_SAID = 300
_OPTION = re.compile(
    r"\b(?:unknown|unrecognized|invalid|unexpected) (?:option|argument|flag)", re.IGNORECASE
)


class Who(Struct, frozen=True):
    """An agent as messages speak of it, and where a person turns its knobs."""

    name: str = "The agent"
    log_in: str = (
        "log in with it, or name the variable with its key in the `env` of the agent (ralph.yaml)"
    )
    model: str = "its own option"
    arguments: str = "its command in ralph.yaml"
    install: str = ""


class Ending(Struct, frozen=True):
    """How an agent ended: its process, and what its protocol said about it."""

    ended: Ended
    exit_code: int | None
    error: str = ""
    """Why it could not be started."""
    failed: bool = False
    """It said so itself, whatever its exit code."""
    words: tuple[str, ...] = ()
    """Its protocol's names for what happened; a TroubleKind is one too."""
    status: int = 0
    """The HTTP status it met."""
    text: str = ""
    """What it said last: its protocol's message, or its output."""
    until: float = 0
    """When a limit is lifted, where the protocol tells."""
    wall_seconds: float = 0
    idle_seconds: float = 0
    budget_usd: float = 0


def how(ended: Ended, exit_code: int | None) -> Ended:
    """The end of a process: on purpose, or of its own doing."""
    by_itself = ended in (Ended.EXITED, Ended.KILLED)
    return Ended.STOPPED if by_itself and exit_code in ON_PURPOSE else ended


def classify(ending: Ending, now: float, who: Who = Who()) -> Trouble | None:  # noqa: B008 - a frozen value
    """What went wrong with the agent itself; None if nothing did."""
    kind = _kind(ending)
    if kind is None:
        return None
    lifted = _lifted(ending, now) if kind in _LIMITS else 0
    return Trouble(kind, _message(kind, ending, who, lifted), lifted)


_LIMITS = (TroubleKind.USAGE_LIMIT, TroubleKind.RATE_LIMIT)
_ENDS = {
    Ended.NOT_STARTED: TroubleKind.NOT_STARTED,
    Ended.TIMEOUT: TroubleKind.TIMEOUT,
    Ended.IDLE: TroubleKind.IDLE,
    Ended.EXCESS: TroubleKind.EXCESS,
}


def _kind(ending: Ending) -> TroubleKind | None:
    code = ending.exit_code or 0
    told = ending.failed and ending.ended is Ended.STOPPED
    if how(ending.ended, code) is Ended.STOPPED and not told:
        return None
    if ending.ended in _ENDS:
        return _ENDS[ending.ended]
    # The shell around an agent's command tells of a kill by this exit code.
    if not ending.failed and (ending.ended is Ended.KILLED or code == KILLED):
        return TroubleKind.KILLED
    return (_said(ending) or TroubleKind.EXIT) if ending.failed or code else None


def _said(ending: Ending) -> TroubleKind | None:
    from ralph.agents.signs import kind_of  # many patterns, and most agents work

    # An error that is named counts, however long the stack below it is.
    said = f"{named(ending.text)[:_SAID]}\n{_last_lines(ending.text)}"
    return kind_of(ending.words, ending.status, said)


def _lifted(ending: Ending, now: float) -> float:
    from ralph.agents.until import until  # as above

    return ending.until or until(_last_lines(ending.text), now)


def _last_lines(text: str) -> str:
    lines = [line.strip() for line in text[-4 * _SAID :].splitlines() if line.strip()]
    return "\n".join(lines[-_LAST_LINES:])


def _message(kind: TroubleKind, ending: Ending, who: Who, lifted: float) -> str:
    match kind:
        case TroubleKind.NOT_STARTED:
            return f"{who.name} could not be started: {ending.error} {who.install}".rstrip()
        case TroubleKind.TIMEOUT | TroubleKind.IDLE | TroubleKind.EXCESS:
            return f"{who.name} was stopped: {_too_much(kind, ending)}"
        case TroubleKind.KILLED:
            return _killed(ending.exit_code or 0, who)
        case TroubleKind.EXIT:
            return _exit(ending, who)
    what, fix = _SENTENCES[kind]
    said = _quoted(ending.text)
    return what.format(who=who, said=said, when=_when(lifted), money=_money(ending)) + fix.format(
        who=who
    )


def _too_much(kind: TroubleKind, ending: Ending) -> str:
    if kind is TroubleKind.EXCESS:
        return ending.error
    if kind is TroubleKind.TIMEOUT:
        return f"it worked longer than {_span(ending.wall_seconds)}."
    return f"it was silent for {_span(ending.idle_seconds)}."


_SENTENCES: dict[TroubleKind, tuple[str, str]] = {
    TroubleKind.CONNECTION: (
        "{who.name} could not reach its service{said}.",
        " Check the network and the proxy settings.",
    ),
    TroubleKind.RATE_LIMIT: (
        "{who.name} sent too many requests and was refused{said}{when}.",
        " Wait a little and try again.",
    ),
    TroubleKind.USAGE_LIMIT: (
        "{who.name} has reached its usage limit{said}{when}.",
        " Wait, or name another agent under `fallback`.",
    ),
    TroubleKind.OVERLOAD: (
        "{who.name} could not work: its service has a problem{said}.",
        " Wait a little and try again.",
    ),
    TroubleKind.AUTHENTICATION: (
        "{who.name} is not logged in, or its login was rejected{said}:",
        " {who.log_in}.",
    ),
    TroubleKind.BILLING: (
        "{who.name} has no credit left{said}.",
        " Top up its account, or use another one.",
    ),
    TroubleKind.PERMISSION: (
        "{who.name} lacks a permission that it needs{said}.",
        " Allow it to its account or to the user who runs it, or change {who.arguments}.",
    ),
    TroubleKind.MODEL_NOT_FOUND: (
        "{who.name} could not find its model{said}.",
        " Choose another with {who.model}.",
    ),
    TroubleKind.PROMPT_TOO_LONG: (
        "{who.name} got a prompt that is too long for its model{said}.",
        " Shorten the task or PROMPT.md, or choose another model with {who.model}.",
    ),
    TroubleKind.REFUSAL: (
        "{who.name} refused to work on this{said}.",
        " Reword the task.",
    ),
    TroubleKind.EMPTY: (
        "{who.name} gave an empty answer.",
        " If it happens again, look at the prompt of this iteration.",
    ),
    TroubleKind.GARBAGE: (
        "{who.name} did not answer in its protocol{said}.",
        " Check {who.arguments}, and any proxy between it and its service.",
    ),
    TroubleKind.BUDGET: (
        "{who.name} was stopped: it used up its budget{money}.",
        " Make the task smaller, or raise loop.max_cost.",
    ),
    TroubleKind.TURNS: (
        "{who.name} hit a limit on its turns or on the length of its answer{said}.",
        " Make the task smaller, or raise the limit in {who.arguments}.",
    ),
}


def _exit(ending: Ending, who: Who) -> str:
    said = _last_lines(ending.text)
    if not said:
        return f"{who.name} exited {ending.exit_code} without any output."
    if re.search(_OPTION, said):
        return f"{who.name} exited {ending.exit_code}: {_one_line(said)} Look at {who.arguments}."
    last = _one_line(cause(ending.text))
    if ending.failed:
        return f"{who.name} reported an error: {last}"
    return f"{who.name} exited {ending.exit_code}: {last}"


def _killed(code: int, who: Who) -> str:
    number = code - 128
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = "a signal"
    hint = "; the machine may be out of memory" if number == signal.SIGKILL else ""
    return f"{who.name} was killed by signal {number} ({name}){hint}."


def _quoted(text: str) -> str:
    last = _one_line(named(text) or _last_lines(text))
    return f" (“{last.rstrip('.')}”)" if last else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_SAID]


def _when(moment: float) -> str:
    if not moment:
        return ""
    return time.strftime(" until %Y-%m-%d %H:%M UTC", time.gmtime(moment))


def _money(ending: Ending) -> str:
    return f" (${ending.budget_usd:.2f})" if ending.budget_usd else ""


def _span(seconds: float) -> str:
    if seconds < 120:  # noqa: PLR2004 - two minutes
        return f"{seconds:g} seconds"
    return f"{seconds / 60:g} minutes"

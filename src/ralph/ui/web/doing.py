"""What the controls of the pages ask for: the same functions as behind the commands."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from ralph.domain.errors import UsageError
from ralph.domain.question import Choice, Reply
from ralph.ui import steering, wire
from ralph.ui.cli.common import me

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ralph.ui.wire import Project

    Fields = Mapping[str, str]
    Doing = Callable[[Project, Fields], str]

_ONE_AT_A_TIME = Lock()
"""What is written is masked by the process's one masker: that of the repository at hand."""


def do(what: str, root: Path, given: Fields) -> str:
    """What to tell the person; a RalphError says why not. Waits, so call it in a thread."""
    doing = DOINGS[what]
    with _ONE_AT_A_TIME:
        return doing(wire.project(to_write=False, at=root), given)


def _needed(given: Fields, name: str, what: str) -> str:
    value = given.get(name, "").strip()
    if not value:
        raise UsageError(f"{what} is missing.")
    return value


def _retry(found: Project, given: Fields) -> str:
    task = _needed(given, "task", "The task")
    fresh = given.get("fresh") == "yes"
    return steering.retry(found, me(), task, given.get("feedback", "").strip(), fresh=fresh)


def _skip(found: Project, given: Fields) -> str:
    return steering.skip(found, me(), _needed(given, "task", "The task"), given.get("why", ""))


def _nudge(found: Project, given: Fields) -> str:
    return steering.nudge(found, me(), _needed(given, "text", "The text"))


def _answer(found: Project, given: Fields) -> str:
    question = _needed(given, "question", "The question")
    return steering.answer(found, me(), question, _reply(given))


def _reply(given: Fields) -> Reply:
    if option := given.get("option", ""):
        if not option.isascii() or not option.isdecimal() or len(option) > 2:  # noqa: PLR2004 - digits
            raise UsageError("An option is a number.")
        return Reply(Choice.OPTION, option=int(option))
    choice = given.get("choice", "")
    if choice == Choice.GUIDANCE:
        return Reply(Choice.GUIDANCE, text=_needed(given, "text", "The text"))
    if choice in (Choice.SKIP, Choice.RETRY, Choice.ABORT):
        return Reply(Choice(choice))
    raise UsageError("There is no such answer.")


DOINGS: dict[str, Doing] = {
    "pause": lambda found, _: steering.pause(found, me()),
    "resume": lambda found, _: steering.resume(found, me()),
    "stop": lambda found, given: steering.stop(found, me(), now=given.get("now") == "yes"),
    "handoff": lambda found, _: steering.handoff(found, me()),
    "nudge": _nudge,
    "retry": _retry,
    "skip": _skip,
    "answer": _answer,
}

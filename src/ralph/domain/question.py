from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class QuestionKind(StrEnum):
    STUCK = "stuck"
    DEVIATION = "deviation"
    FAILED = "failed"
    """Ralph gave up after repeated failures."""
    ACCEPT = "accept"
    """The work is there but not proven: a person may accept it."""
    BUDGET = "budget"
    """It has spent what it may: a person may allow more."""
    PLAN_EDIT = "plan_edit"
    """Someone changed the plan while an agent worked in the same tree."""
    AGENT = "agent"
    """The agent at work gets nowhere: a person may say what becomes of it before Ralph does."""

    @property
    def parks(self) -> bool:
        """Whether its task waits for the answer."""
        return self not in (QuestionKind.PLAN_EDIT, QuestionKind.AGENT)


class Question(Struct, frozen=True):
    """Something only a person can decide. The task waits, the loop continues."""

    id: str
    task: str
    kind: QuestionKind
    summary: str
    context: str = ""
    options: tuple[str, ...] = ()
    question: str = ""
    iteration: int = 0
    salvage: str = ""
    """The ref that keeps the work this question is about."""


class Choice(StrEnum):
    OPTION = "option"
    GUIDANCE = "guidance"
    SKIP = "skip"
    RETRY = "retry"
    ABORT = "abort"


class Reply(Struct, frozen=True):
    """A person's answer to a question."""

    choice: Choice
    option: int = 0
    """1-based, with Choice.OPTION."""
    text: str = ""

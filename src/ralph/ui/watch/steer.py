"""The keys that ask something of the run, and what they ask before."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ralph.domain.question import Choice, Reply
from ralph.ui import steering, words
from ralph.ui.cli.inbox import question_lines
from ralph.ui.watch.asking import Choose, Write

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App

    from ralph.domain.question import Question
    from ralph.ui.wire import Project

STOPS = ("Stop after this iteration", "Stop now: the agent too; its work is kept", "Do not stop")
RETRIES = ("Try it again", "Start over: without its unfinished work, which is kept", "Do not retry")
SKIPS = ("Skip it", "Do not skip it")
OTHERWISE = (
    ("Guidance in your own words", Choice.GUIDANCE),
    ("Try again without guidance", Choice.RETRY),
    ("Skip the task", Choice.SKIP),
    ("Abort: end the run", Choice.ABORT),
)
"""What can be answered to any question, besides its own options."""
SURE = {
    Choice.SKIP: ("Skip {}?", SKIPS),
    Choice.ABORT: ("End the run?", ("End it", "Do not end it")),
}
"""What is asked once more."""


class Steering:
    """Asks a person what is meant, then `do` is given what to ask of the run."""

    def __init__(
        self, app: App[None], found: Project, by: str, do: Callable[[Callable[[], str]], None]
    ) -> None:
        self._app, self._found, self._by, self._do = app, found, by, do

    def pause(self) -> None:
        self._do(partial(steering.pause, self._found, self._by))

    def resume(self) -> None:
        self._do(partial(steering.resume, self._found, self._by))

    def handoff(self) -> None:
        self._do(partial(steering.handoff, self._found, self._by))

    def stop(self) -> None:
        def chosen(at: int | None) -> None:
            if at in (0, 1):
                self._do(partial(steering.stop, self._found, self._by, now=at == 1))

        self._app.push_screen(Choose("Stop the loop?", STOPS), chosen)

    def skip(self, task: str) -> None:
        def chosen(at: int | None) -> None:
            if at == 0:
                self._do(partial(steering.skip, self._found, self._by, task))

        self._app.push_screen(Choose(f"Skip {words.line(task)}?", SKIPS), chosen)

    def retry(self, task: str) -> None:
        def chosen(at: int | None) -> None:
            if at in (0, 1):
                title = f"What should the next agent on {words.line(task)} know? (may be empty)"
                said = partial(written, fresh=at == 1)
                self._app.push_screen(Write(title, may_be_empty=True), said)

        def written(text: str | None, *, fresh: bool) -> None:
            if text is not None:
                retry = partial(steering.retry, self._found, self._by, task, text, fresh=fresh)
                self._do(retry)

        self._app.push_screen(Choose(f"Retry {words.line(task)}?", RETRIES), chosen)

    def nudge(self) -> None:
        def written(text: str | None) -> None:
            if text:
                self._do(partial(steering.nudge, self._found, self._by, text))

        self._app.push_screen(Write("What should the agent at work know?"), written)

    def answer(self, question: Question) -> None:
        own = [words.line(option) for option in question.options]
        first, *rest = question_lines(question)
        options = (*own, *(text for text, _ in OTHERWISE))

        def chosen(at: int | None) -> None:
            if at is not None and at < len(own):
                self._reply(question, Reply(Choice.OPTION, option=at + 1))
            elif at is not None:
                self._otherwise(question, OTHERWISE[at - len(own)][1])

        self._app.push_screen(Choose(first, options, _without_options(rest, own)), chosen)

    def _otherwise(self, question: Question, choice: Choice) -> None:
        def written(text: str | None) -> None:
            if text:
                self._reply(question, Reply(choice, text=text))

        def sure(at: int | None) -> None:
            if at == 0:
                self._reply(question, Reply(choice))

        if choice is Choice.GUIDANCE:
            self._app.push_screen(Write(f"Your guidance for {question.id}"), written)
        elif choice in SURE:
            title, options = SURE[choice]
            self._app.push_screen(Choose(title.format(words.line(question.task)), options), sure)
        else:
            self._reply(question, Reply(choice))

    def _reply(self, question: Question, reply: Reply) -> None:
        self._do(partial(steering.answer, self._found, self._by, question.id, reply))


def _without_options(lines: list[str], options: list[str]) -> str:
    """The text of a question whose options stand below it."""
    numbered = {f"  {number}. {option}" for number, option in enumerate(options, 1)}
    return "\n".join(line for line in lines if line not in numbered)

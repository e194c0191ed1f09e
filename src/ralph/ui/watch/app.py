"""The full screen: what it consists of, and what its keys do."""

from __future__ import annotations

import asyncio
import signal
import threading
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import App
from textual.binding import Binding
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Footer, Static

from ralph.domain.errors import RalphError
from ralph.ui import below, words
from ralph.ui.watch import task as one_task
from ralph.ui.watch.asking import Help
from ralph.ui.watch.feed import Feed
from ralph.ui.watch.panes import LinesPane, RowsPane, TabSign
from ralph.ui.watch.shown import (
    EVENTS,
    NARROW,
    PANES,
    QUESTIONS,
    TASK,
    TASKS,
    question_line,
    task_line,
    title,
    visible,
)
from ralph.ui.watch.steer import Steering

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Resize
    from textual.timer import Timer
    from textual.widgets import OptionList

    from ralph.ui.watch.panes import Wanted
    from ralph.ui.watch.shown import (
        Sighting,
        StyledLine,
    )
    from ralph.ui.wire import Project

LOOK_SECONDS = 0.5
TASK_SECONDS = 5.0
"""How often the task at hand is read anew while it is shown: its difference grows."""
SETTLED_SECONDS = 0.15
"""How long a task is chosen before all about it is read: an arrow may be held down."""
TOLD_SECONDS = 8.0
HELP = """\
1 2 3 4, a click  tasks, events, the task, questions
arrows, Tab       move in a pane, go to the next pane
Enter             on a task: all about it
                  on a question: answer it

p  pause after this iteration
r  resume
s  stop: after this iteration, or now
t  retry the chosen task, with your words
x  skip the chosen task
a  answer a question
n  nudge: tell the agent at work something
h  have the agent hand over to a fresh one
q  leave: the run goes on

The ledger records what you ask of the run, under your name.
"""


class Sighted(Message):
    def __init__(self, seen: Sighting) -> None:
        super().__init__()
        self.seen = seen


class Told(Message):
    """What to tell the person."""

    def __init__(self, text: str, *, failed: bool = False) -> None:
        super().__init__()
        self.text, self.failed = text, failed


class ReadTask(Message):
    def __init__(self, name: str, lines: tuple[StyledLine, ...]) -> None:
        super().__init__()
        self.name, self.lines = name, lines


class FullScreen(App[None]):
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layout: vertical; }
    #headline { height: 1; text-style: bold; text-wrap: nowrap; text-overflow: ellipsis; }
    #moment { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    #tabs { height: 1; background: $boost; }
    TabSign { width: auto; padding: 0 1; color: $text-muted; }
    TabSign.shown { color: $text; }
    TabSign.chosen { text-style: reverse; color: $text; }
    #panes { height: 1fr; }
    #panes > * { width: 3fr; height: 1fr; max-height: 100%; padding: 0 1;
                 border: round $foreground 30%; background: $background;
                 scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    #panes > *:focus { border: round $accent; background-tint: $foreground 0%; }
    #panes > .hidden { display: none; }
    #panes > #tasks { width: 2fr; scrollbar-gutter: auto; }
    #panes > OptionList { text-wrap: nowrap; text-overflow: ellipsis; }
    .narrow #panes > * { border: none; padding: 0; }
    .narrow #panes > *:focus { border: none; }
    ModalScreen { align: center middle; }
    .asking { width: 90%; max-width: 100; height: auto; max-height: 90%; padding: 0 1;
              border: round $accent; background: $surface; }
    .asking VerticalScroll { height: auto; max-height: 10; margin: 1 0; }
    Help .asking { max-height: 100%; }
    Help .asking VerticalScroll { max-height: 100%; }
    .asking OptionList { max-height: 12; border: none; padding: 0; }
    .asking OptionList:focus { border: none; background-tint: $foreground 0%; }
    .title { text-style: bold; }
    .hint { color: $text-muted; }
    Toast { width: auto; max-width: 90%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "Quit"),
        Binding("question_mark", "help", "Help"),
        Binding("a", "answer", "Answer"),
        Binding("p", "pause", "Pause"),
        Binding("r", "resume", "Resume"),
        Binding("s", "stop", "Stop"),
        Binding("t", "retry", "Retry"),
        Binding("x", "skip", "Skip"),
        Binding("n", "nudge", "Nudge"),
        Binding("h", "handoff", "Handoff"),
        *(Binding(str(n), f"pane('{name}')", show=False) for n, name in enumerate(PANES, 1)),
        Binding("ctrl+c", "quit", show=False, priority=True),
    ]

    def __init__(self, found: Project, by: str) -> None:
        super().__init__()
        self._found = found
        self._steering = Steering(self, found, by, self._ask)
        self._over = threading.Event()
        self._columns = 0
        self._pane = TASKS
        self._seen: Sighting | None = None
        self._filled = ""
        """The one whose pane is filled."""
        self._filled_from: object = None
        self._soon: Timer | None = None

    def _ask(self, ask: Callable[[], str]) -> None:
        self.ask_of_run(ask)

    def compose(self) -> ComposeResult:
        yield Static(markup=False, id="headline")
        yield Static(markup=False, id="moment")
        with Horizontal(id="tabs"):
            for pane in PANES:
                yield TabSign(pane)
        with Horizontal(id="panes"):
            yield RowsPane(TASKS)
            yield LinesPane(EVENTS, follows=True)
            yield LinesPane(TASK, follows=False)
            yield RowsPane(QUESTIONS)
        yield Footer(compact=True)

    def on_mount(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            # or the terminal would stay as it is now: without an echo, reporting the mouse
            loop.add_signal_handler(number, self.exit)
        self.query_one(f"#{TASKS}").focus()
        self.look_on()
        self.set_interval(TASK_SECONDS, self._read_again)

    def on_unmount(self) -> None:
        self._over.set()

    @property
    def fault(self) -> Exception | None:
        """A bug: it is told by who called us, as in every other command."""
        return self._exception

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()

    # What is seen

    @work(thread=True, group="feed")
    def look_on(self) -> None:
        feed: Feed | None = None
        while True:
            try:
                feed = feed or Feed(self._found)
                self.post_message(Sighted(feed.look()))
            except RalphError as error:  # a disk, a database, a plan: the next look may succeed
                self.post_message(Told(str(error), failed=True))
                self._over.wait(TOLD_SECONDS)
            if self._over.wait(LOOK_SECONDS):
                break
        if feed is not None:
            feed.close()

    def on_sighted(self, message: Sighted) -> None:
        if not self.is_running:
            return  # it is being left: there is nothing to show it on
        seen, before = message.seen, self._seen
        self._seen = seen
        self.query_one("#headline", Static).update(seen.headline)
        self._show_moment()
        if before is None or (seen.rows, seen.at_hand) != (before.rows, before.at_hand):
            rows = [(row["id"], task_line(row, seen.at_hand)) for row in seen.rows]
            self.query_one(f"#{TASKS}", RowsPane).show(rows, seen.at_hand)
        if before is None or seen.questions != before.questions:
            asked = [(one.id, question_line(one)) for one in seen.questions]
            self.query_one(f"#{QUESTIONS}", RowsPane).show(asked)
            self._arrange()
        if seen.new:
            self.query_one(f"#{EVENTS}", LinesPane).add(seen.new)
        self._read_changed()

    def _show_moment(self) -> None:
        if self._seen is not None:
            text = below.told(self._seen.moment, self._columns)
            self.query_one("#moment", Static).update(text)

    def on_told(self, message: Told) -> None:
        self.notify(
            words.block(message.text),
            severity="error" if message.failed else "information",
            timeout=TOLD_SECONDS,
            markup=False,
        )

    # One task

    @property
    def chosen(self) -> str:
        return self.query_one(f"#{TASKS}", RowsPane).chosen

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_list.id == TASKS:
            if self._soon is not None:
                self._soon.stop()
            self._soon = self.set_timer(SETTLED_SECONDS, self._read_changed)

    def _read_changed(self) -> None:
        """Fill the pane of the task, if it is shown and something about it has changed."""
        if self._seen is None or TASK not in visible(self._columns, self._pane):
            return
        rows = {row["id"]: row for row in self._seen.rows}
        now = (rows.get(self.chosen), self._seen.at_hand == self.chosen, self._seen.moment.phase)
        if self.chosen and (self.chosen, now) != (self._filled, self._filled_from):
            self._filled, self._filled_from = self.chosen, now
            self.read_task(self.chosen)

    def _read_again(self) -> None:
        if self._seen is not None and self._seen.at_hand == self.chosen:
            self._filled_from = None
            self._read_changed()

    @work(thread=True, group="task", exclusive=True)
    def read_task(self, name: str) -> None:
        try:
            self.post_message(ReadTask(name, one_task.told(self._found, name)))
        except RalphError as error:
            self.post_message(Told(str(error), failed=True))

    def on_read_task(self, message: ReadTask) -> None:
        if self.is_running and message.name == self.chosen:
            self.query_one(f"#{TASK}", LinesPane).replace(message.lines)

    # Panes

    def on_resize(self, event: Resize) -> None:
        self._columns = event.size.width
        for screen in self.screen_stack[:1]:
            screen.set_class(self._columns < NARROW, "narrow")
        self._arrange()
        self._show_moment()

    def on_wanted(self, message: Wanted) -> None:
        self.action_pane(message.pane)

    def action_pane(self, pane: str) -> None:
        self._pane = pane
        self._arrange()
        self.query_one(f"#{pane}").focus()
        self._read_changed()

    def _arrange(self) -> None:
        seen = visible(self._columns, self._pane)
        questions = len(self._seen.questions) if self._seen is not None else 0
        for pane in PANES:
            self.query_one(f"#{pane}").set_class(pane not in seen, "hidden")
            sign = self.query_one(f"#tab-{pane}", TabSign)
            sign.update(title(pane, questions))
            sign.set_class(pane in seen, "shown")
            sign.set_class(pane == self._pane, "chosen")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if event.option_list.id == TASKS:
            self.action_pane(TASK)
        elif event.option_list.id == QUESTIONS:
            self.action_answer()

    # Keys

    def action_help(self) -> None:
        self.push_screen(Help(HELP))

    def action_pause(self) -> None:
        self._steering.pause()

    def action_resume(self) -> None:
        self._steering.resume()

    def action_stop(self) -> None:
        self._steering.stop()

    def action_handoff(self) -> None:
        self._steering.handoff()

    def action_nudge(self) -> None:
        self._steering.nudge()

    def action_skip(self) -> None:
        if self.chosen:
            self._steering.skip(self.chosen)

    def action_retry(self) -> None:
        if self.chosen:
            self._steering.retry(self.chosen)

    def action_answer(self) -> None:
        chosen = self.query_one(f"#{QUESTIONS}", RowsPane).chosen
        asked = {one.id: one for one in self._seen.questions} if self._seen is not None else {}
        if chosen in asked:
            self._steering.answer(asked[chosen])
        else:
            self.on_told(Told("No questions are waiting."))

    @work(thread=True, group="steering")
    def ask_of_run(self, ask: Callable[[], str]) -> None:
        try:
            self.post_message(Told(ask()))
        except RalphError as error:
            self.post_message(Told(str(error), failed=True))

"""What is asked before something is done: a choice, some words; and the help."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Click

LEAVE: list[BindingType] = [Binding("escape", "leave", "Leave it")]


class Choose(ModalScreen[int | None]):
    """One of several; None if nothing was chosen. Digits choose as well."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *LEAVE,
        *(Binding(str(n), f"take({n})", show=False) for n in range(1, 10)),
    ]

    def __init__(self, title: str, options: Sequence[str], text: str = "") -> None:
        super().__init__()
        self._asked, self._choices, self._about = title, options, text

    def compose(self) -> ComposeResult:
        with Vertical(classes="asking"):
            yield Static(self._asked, markup=False, classes="title")
            if self._about:
                with VerticalScroll(can_focus=False):
                    yield Static(self._about, markup=False)
            numbered = enumerate(self._choices, 1)
            options = (Option(Content(f"{number}  {text}")) for number, text in numbered)
            yield OptionList(*options, markup=False)
            yield Static("Enter takes it · Esc leaves it", markup=False, classes="hint")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)

    def action_take(self, number: int) -> None:
        if number <= len(self._choices):
            self.dismiss(number - 1)

    def action_leave(self) -> None:
        self.dismiss(None)


class Write(ModalScreen[str | None]):
    """A line of text; None if it was left. Only where it `may_be_empty` nothing is something."""

    BINDINGS: ClassVar[list[BindingType]] = LEAVE

    def __init__(self, title: str, *, may_be_empty: bool = False) -> None:
        super().__init__()
        self._asked, self._may_be_empty = title, may_be_empty

    def compose(self) -> ComposeResult:
        with Vertical(classes="asking"):
            yield Static(self._asked, markup=False, classes="title")
            yield Input()
            yield Static("Enter sends it · Esc leaves it", markup=False, classes="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        if text or self._may_be_empty:
            self.dismiss(text)

    def action_leave(self) -> None:
        self.dismiss(None)


class Help(ModalScreen[None]):
    """What the keys do."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *LEAVE,
        Binding("question_mark,q,enter,space", "leave", show=False),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._about = text

    def compose(self) -> ComposeResult:
        with Vertical(classes="asking"):
            yield Static("ralph watch", markup=False, classes="title")
            with VerticalScroll():
                yield Static(self._about, markup=False)
            yield Static("Esc leaves it", markup=False, classes="hint")

    def on_click(self, event: Click) -> None:
        event.stop()
        self.dismiss(None)

    def action_leave(self) -> None:
        self.dismiss(None)

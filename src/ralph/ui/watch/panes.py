"""The panes: lists and lines. Text of agents is never read as markup."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, RichLog, Static
from textual.widgets.option_list import Option

from ralph.ui import width
from ralph.ui.watch.shown import MOST_LINES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.binding import BindingType
    from textual.events import Click, Resize

    from ralph.ui.watch.shown import StyledLine

COLOURS = {
    "green": "$text-success",
    "magenta": "$text-accent",
    "yellow": "$text-warning",
    "blue": "$foreground",
}
"""Those of the theme: a plain blue cannot be read on black."""


class Wanted(Message):
    """Somebody wants to see this pane."""

    def __init__(self, pane: str) -> None:
        super().__init__()
        self.pane = pane


class TabSign(Static):
    """The name of a pane, to be clicked."""

    def __init__(self, pane: str) -> None:
        super().__init__(markup=False, id=f"tab-{pane}")
        self._pane = pane

    def on_click(self, event: Click) -> None:
        event.stop()
        self.post_message(Wanted(self._pane))


class RowsPane(OptionList):
    """A list of which one row is chosen, and stays so when the others change."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name, markup=False)
        self._shown: list[tuple[str, StyledLine]] = []

    @property
    def chosen(self) -> str:
        """The name of the row, or nothing where there is none."""
        at = self.highlighted
        return self._shown[at][0] if at is not None and at < len(self._shown) else ""

    def show(self, rows: Sequence[tuple[str, StyledLine]], first: str = "") -> None:
        """`first` is chosen as long as nobody has chosen."""
        before, self._shown = self._shown, list(rows)
        if [name for name, _ in before] != [name for name, _ in rows]:
            at = self.highlighted
            kept = before[at][0] if at is not None and at < len(before) else first
            self.set_options([Option(_content(line)) for _, line in rows])
            names = [name for name, _ in rows]
            if names:
                self.highlighted = names.index(kept) if kept in names else 0
            return
        for number, (old, new) in enumerate(zip(before, rows, strict=True)):
            if old != new:
                self.replace_option_prompt_at_index(number, _content(new[1]))


class LinesPane(RichLog):
    """Lines in colour, broken anew when the width changes; no more of them than a person reads."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", show=False),
        Binding("k", "scroll_up", show=False),
    ]

    def __init__(self, name: str, *, follows: bool) -> None:
        super().__init__(id=name, max_lines=MOST_LINES, min_width=1, wrap=True, auto_scroll=False)
        self._follows = follows
        self._kept: deque[StyledLine] = deque(maxlen=MOST_LINES)
        self._room = 0
        """Columns; 0 as long as it was never shown."""

    def add(self, lines: Sequence[StyledLine]) -> None:
        """Below the others; who has scrolled up to read stays there."""
        at_end = self._follows and self.is_vertical_scroll_end
        self._kept.extend(lines)
        self._draw(lines)
        if at_end:
            self.scroll_end(animate=False, immediate=True, x_axis=False)

    def replace(self, lines: Sequence[StyledLine]) -> None:
        at = self.scroll_y
        self._kept.clear()
        self.clear()
        self.add(lines)
        self.scroll_to(y=at, animate=False)

    def on_resize(self, event: Resize) -> None:
        room = self.scrollable_content_region.width
        if event.size.width and room != self._room:
            self._room = room
            self.clear()
            self._draw(self._kept)
            if self._follows:
                self.scroll_end(animate=False, immediate=False, x_axis=False)

    def _draw(self, lines: Iterable[StyledLine]) -> None:
        for line in lines if self._room else ():
            text = width.wrapped(line.text, self._room, len(line.stamp))
            self.write(Text.assemble((line.stamp, "dim"), (text, line.style)))


def _content(line: StyledLine) -> Content:
    return Content.styled(line.text, COLOURS.get(line.style, line.style))

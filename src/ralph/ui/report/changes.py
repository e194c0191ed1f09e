"""The changes themselves, as the page shows them."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from ralph.ui import words
from ralph.ui.report import sentences as say
from ralph.ui.report import steps as do
from ralph.ui.report.html import commands, details, kept, tag

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ralph.repo.patch import FilePatch
    from ralph.ui.report.html import Html

_LONGEST = 1_000
"""Characters of one line of a change."""
_LINES = {"+": "add", "-": "del", "@": "hunk"}


def difference(one: dict[str, Any], files: Sequence[FilePatch] | None, *, opened: bool) -> Html:
    """The changes of one task, or why they are not shown."""
    command = do.difference(one)
    if files is None:
        gone = "The commits are not in this clone, so the changes cannot be shown here."
        return tag("p", gone, cls="quiet")
    if not files:
        return tag("p", "It changes no file.", cls="quiet")
    shown = [part for file in files for part in _file(file)]
    names = say.some(tuple(file.path for file in files))
    summary = f"The changes: {say.size(one)} ({names})"
    return details(summary, commands((command,)), shown, opened=opened)


def _file(file: FilePatch) -> Iterator[Html]:
    yield tag("h4", f"{file.path} (+{file.added} -{file.removed})")
    if file.left_out:
        yield tag("p", f"Not shown: {file.left_out}.", cls="quiet")
        return
    # masked as a whole: a key may span lines
    text = words.block(_visible(file.text.replace("\r\n", "\n")))
    lines = [_line(line) for line in text.rstrip("\n").split("\n")]
    label = f"Changes of {file.path}"
    yield tag("pre", lines, tabindex=0, role="region", aria_label=label)


def _visible(text: str) -> str:
    """What has no shape, or turns text around, is shown by its number: it may be an attack."""
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(f"⟨U+{ord(char):04X}⟩" if _is_hidden(char) else char for char in text)


def _is_hidden(char: str) -> bool:
    return char not in "\n\t" and unicodedata.category(char) in {"Cc", "Cf", "Cs"}


def _line(text: str) -> Html:
    return tag("span", kept(text, _LONGEST), cls=_LINES.get(text[:1]))

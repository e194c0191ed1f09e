"""The review list of the page: what to look at first, why, and the changes themselves."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from ralph.ui import words
from ralph.ui.report import sentences as say
from ralph.ui.report import steps as do
from ralph.ui.report.html import badge, commands, details, joined, kept, listed, tag
from ralph.ui.report.sections import bounded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ralph.repo.patch import FilePatch
    from ralph.ui.report.html import Html

_FIRST = 1
"""Changes that are shown without being asked for."""
_LONGEST = 1_000
"""Characters of one line of a change."""
_LINES = {"+": "add", "-": "del", "@": "hunk"}


def review(contents: dict[str, Any], diffs: Mapping[str, Sequence[FilePatch]]) -> Html:
    found, more = bounded(contents["review"])
    if not found:
        return tag("p", "There is nothing to review: this run committed no work.")
    shown = [_change(n, one, diffs.get(one["commit"])) for n, one in enumerate(found, 1)]
    lead = "The less is proven of a change, and the more it touches, the sooner it comes."
    before = say.done_before(contents)
    rest = "Of earlier runs, see `ralph report --all`." if before else None
    return joined([tag("p", f"{lead} "), tag("p", rest) if rest else None, shown, more])


def _change(number: int, one: dict[str, Any], files: Sequence[FilePatch] | None) -> Html:
    reasons = listed(one["why"]) if one["why"] else tag("p", "Nothing stands out.")
    title = f"{number}. {one['task']}: {one['title']} "
    return tag(
        "article",
        tag("h3", title, badge(one["look"], say.looking(one))),
        reasons,
        _difference(one, files, opened=number <= _FIRST and one["look"] != "briefly"),
    )


def _difference(one: dict[str, Any], files: Sequence[FilePatch] | None, *, opened: bool) -> Html:
    command = do.difference(one)
    if files is None:
        gone = "The commits are not in this clone, so the changes cannot be shown here."
        return tag("p", gone, cls="quiet")
    if not files:
        return tag("p", "It changes no file.", cls="quiet")
    shown = [part for file in files for part in _file(file)]
    summary = f"The changes: {say.size(one)}"
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

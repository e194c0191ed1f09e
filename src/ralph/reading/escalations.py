"""Reads `<escalate>` blocks, also those that an agent wrote a little wrongly."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.claim import Escalation, EscalationKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SUMMARY_CHARS = 300
FIELD_CHARS = 4_000
MOST_OPTIONS = 20
_DEEPER = 2
"""Columns by which what belongs to an option is indented."""

_TAG = re.compile(
    r"<\s{0,4}(/?)\s{0,4}(escalate|escalation|summary|context|options?|question)\b([^<>]{0,200})>",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^[\s*_#-]{0,8}(summary|context|options|question)[\s*_]{0,4}:[\s*_]{0,4}",
    re.IGNORECASE | re.MULTILINE,
)
_OPTION = re.compile(
    r"(\s{0,12})(?:([-*•+])\s+|\(?(?:\d{1,2}|[a-z])[.):]\s+|option\s+\w{1,2}\s*[.):-]\s*)(.*)",
    re.IGNORECASE,
)
"""How far it is indented, its bullet if it has no number or letter, and its words."""
_INLINE = re.compile(r"(?:^|[\s,;])\(?(?:\d{1,2}|[A-Za-z])[.)]\s+")
_ONE_OPTION = re.compile(r"<(/?)option\b[^<>]{0,80}>", re.IGNORECASE)
_CUT_OFF = re.compile(r"<[\w/ ]{0,12}$")
_NAMES = frozenset({"summary", "context", "options", "question"})
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|#\d{1,5}|#x[\da-f]{1,4});", re.IGNORECASE)
_QUOTED = re.compile(r"^[ \t]{0,8}>[ \t]{0,4}<\s{0,4}escalat", re.IGNORECASE | re.MULTILINE)
_CLOSED = re.compile(r"<\s{0,4}/\s{0,4}escalat", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W_]{2}")

EXAMPLES = frozenset(
    {
        "one-line description",
        "one line description",
        "one-line summary",
        "what you need to know",
        "your question",
        "specific question for the human",
        "first option",
        "second option",
        "one way forward",
        "another way forward",
        "first possible path forward",
        "second possible path forward",
        "third option if applicable",
    }
)
"""What the instructions put where an agent writes its own words."""


class Block(Struct, frozen=True):
    """Where an escalation stands in the text, and what it says; None if it is only an example."""

    start: int
    end: int
    escalation: Escalation | None


def readable(text: str) -> str:
    """The text with its escalation tags as tags, if they were written as entities or quoted."""
    if re.search(r"&lt;/?escalat", text, re.IGNORECASE):
        import html

        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return _unquoted(text) if _QUOTED.search(text) else text


def _unquoted(text: str) -> str:
    """The text without the marks of a quotation around a whole escalation.

    Some agents quote what they want a person to read. One that only quotes its instructions is
    told from them by the examples in it.
    """
    lines = text.splitlines(keepends=True)
    at = 0
    while at < len(lines):
        if not _QUOTED.match(lines[at]):
            at += 1
            continue
        end = last = at
        while end < len(lines) and lines[end].lstrip().startswith(">"):
            last = end + 1 if _CLOSED.search(lines[end]) else last
            end += 1
        if last > at:
            own = [line.lstrip()[1:].removeprefix(" ") for line in lines[at:last]]
            lines[at:last] = [">\n", *own]  # it still ends what was said above it
            end += 1
        at = end
    return "".join(lines)


def blocks(text: str) -> Iterator[Block]:
    """Every escalation that is closed, and one that the end of the text cuts off."""
    opened: re.Match[str] | None = None
    has_fields = False
    for tag in _TAG.finditer(text):
        if not tag[2].lower().startswith("escalat"):
            has_fields = has_fields or opened is not None
        elif tag[1]:
            if opened is not None:
                yield Block(opened.start(), tag.end(), _read(opened, text, tag.start()))
            opened, has_fields = None, False
        elif not has_fields and not _mentioned(text, tag.start()):
            # A tag named in passing comes before the real one, which is followed by its fields.
            opened = tag
    if opened is None or not (has_fields or opened[3].strip()):
        return
    if not _line_before(text, opened.start()).strip(" \t`*-"):
        yield Block(opened.start(), len(text), _read(opened, text, len(text)))


def _line_before(text: str, at: int) -> str:
    return text[max(0, at - 80) : at].rpartition("\n")[2]


def _mentioned(text: str, at: int) -> bool:
    """Whether the tag there is inline code or part of a quotation."""
    line = _line_before(text, at)
    quoted = line.endswith(("`", '"', "'", "“")) and not line.endswith("```")
    return quoted or line.lstrip().startswith(">")


def _read(opened: re.Match[str], text: str, end: int) -> Escalation | None:
    body = text[opened.end() : min(end, opened.end() + 4 * FIELD_CHARS)]
    fields = _fields(body)
    real = {name: value for name, value in fields.items() if not _is_example(value)}
    kind = _kind(opened[3])
    unfilled = fields.keys() - real.keys()
    if "summary" in unfilled or (kind is None and unfilled):
        return None
    if not _LETTERS.search("".join(real.values())):
        return None
    loose, question = real.get("", ""), real.get("question", "")
    lines = [line.strip() for line in loose.splitlines() if line.strip()]
    if not question and "summary" not in real:
        question = next((line for line in reversed(lines) if line.endswith("?")), "")
    options = _options(real.get("options", ""))
    summary = real.get("summary") or next(
        (words for words in (*lines[:1], question, real.get("context", ""), *options) if words), ""
    )
    context = real.get("context") or (loose if loose != summary else "")
    return Escalation(
        kind=kind or EscalationKind.STUCK,
        summary=" ".join(summary.split())[:SUMMARY_CHARS],
        context=context[:FIELD_CHARS],
        options=options,
        question=question[:FIELD_CHARS],
    )


def _kind(attributes: str) -> EscalationKind | None:
    """None if the agent left the choice of the instructions as it was."""
    if "|" in attributes:
        return None
    deviates = "deviat" in attributes.lower()
    return EscalationKind.DEVIATION if deviates else EscalationKind.STUCK


def _fields(body: str) -> dict[str, str]:
    """The parts of a block by their names; what stands outside of them has the name ''."""
    body = _plain_options(_CUT_OFF.sub("", body))
    if not _TAG.search(body):
        body = _LABEL.sub(lambda label: f"\n<{label[1]}>", body)
    parts: dict[str, list[str]] = {"": []}
    name, at = "", 0
    for tag in _TAG.finditer(body):
        tagged = tag[2].lower()
        if tagged not in _NAMES:
            continue
        parts.setdefault(name, []).append(body[at : tag.start()])
        name, at = "" if tag[1] else tagged, tag.end()
    parts.setdefault(name, []).append(body[at:].partition("```")[0])
    return {name: text for name, text in _cleaned(parts) if text}


def _plain_options(body: str) -> str:
    """The body with a list where there were `<option>` tags."""
    if not _ONE_OPTION.search(body):
        return body
    if "<options" not in body.lower():
        body = _ONE_OPTION.sub(lambda tag: f"<options>{tag[0]}", body, count=1)
    return _ONE_OPTION.sub(lambda tag: "\n" if tag[1] else "\n- ", body)


def _cleaned(parts: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    import html

    for name, texts in parts.items():
        text = "".join(texts)
        yield name, (html.unescape(text) if "&" in text else text).strip()


def _is_example(value: str) -> bool:
    lines = [_words_of(line) for line in value.splitlines()]
    said = [line.strip().rstrip(".?!").lower() for line in lines if line.strip()]
    return all(line in EXAMPLES or not _LETTERS.search(line) for line in said) or (
        value[0] in "[{" and value[-1] in "]}"
    )


def _words_of(line: str) -> str:
    """An option without its number or bullet."""
    found = _OPTION.fullmatch(line)
    return found[3] if found else line


def _options(text: str) -> tuple[str, ...]:
    """The options, whether they are numbered, lettered, bulleted, one per line or in one line."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) == 1:
        pieces = [piece.strip(" ,;") for piece in _INLINE.split(lines[0])]
        if len(pieces) == 1:
            pieces = [piece.strip() for piece in lines[0].split(";")]
        lines = [f"- {piece}" for piece in pieces if piece]
    marked = [found for found in map(_OPTION.fullmatch, lines) if found]
    is_below = _below(marked)
    options: list[str] = []
    many = False
    for line in lines:
        found = _OPTION.fullmatch(line)
        words = _words_of(line).strip()
        if options and found and is_below(found):
            options[-1] = (
                f"{options[-1]}; {words}" if many else f"{options[-1].rstrip(':')}: {words}"
            )
            many = True
        elif found or not marked or not options:
            options.append(words)
            many = False
        else:
            options[-1] += f" {words}"
    return tuple(option[:SUMMARY_CHARS] for option in options if option)[:MOST_OPTIONS]


def _below(marked: list[re.Match[str]]) -> Callable[[re.Match[str]], bool]:
    """What tells whether a line belongs to the option above it.

    It does if it is a bullet among numbers, or indented further than the options are. The first
    one may have lost its indentation, so the nearest of the others tells what that is.
    """
    if not marked:
        return lambda _: False
    numbered = not marked[0][2]
    indents = [_indent(one) for one in marked if bool(one[2]) is not numbered]
    least = max(indents[0], min(indents[1:], default=0)) + _DEEPER
    return lambda line: (numbered and bool(line[2])) or _indent(line) >= least


def _indent(line: re.Match[str]) -> int:
    return len(line[1].expandtabs(4))

"""How a question looks to a person, and what their words mean."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from ralph.domain.question import Choice, Reply

if TYPE_CHECKING:
    from ralph.domain.question import Question

CHOICES = "[c] Custom  [s] Skip  [r] Retry  [a] Abort"
LATER = "Not now? p (or Ctrl-D) parks the question. It is parked by itself after {span}."
PROMPT = "Choice:"
NO_GUIDANCE = f"No guidance given.\n{PROMPT}"

_WORDS = {
    "s": Choice.SKIP,
    "skip": Choice.SKIP,
    "r": Choice.RETRY,
    "retry": Choice.RETRY,
    "a": Choice.ABORT,
    "abort": Choice.ABORT,
}
_CUSTOM = re.compile(r"(?:c|custom)(?:\s*:\s*|\s+)(?P<text>\S.*)", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"(?:option\s+)?(?P<n>[0-9]{1,3})", re.IGNORECASE)
_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)|\x1b.?", re.DOTALL
)


def escalation(question: Question, seconds: float = 0) -> str:
    """The whole question as a block of plain text, ending where the person types.

    After so many `seconds` nobody waits for an answer any longer.
    """
    parts = [f"ESCALATION ({question.kind}) {plain(question.task)}: {plain(question.summary)}"]
    if context := plain(question.context).strip():
        parts.append(context)
    if question.options:
        numbered = enumerate(question.options, start=1)
        parts.append("\n".join(f"{n}. {plain(option).strip()}" for n, option in numbered))
    if asked := plain(question.question).strip():
        parts.append(asked)
    if seconds:
        parts.append(LATER.format(span=_span(seconds)))
    parts.append(f"Options: {_numbers(len(question.options))}{CHOICES}\n{PROMPT}")
    return "\n\n".join(parts)


def _numbers(options: int) -> str:
    numbers = {0: "", 1: "[1]"}.get(options, f"[1-{options}]")
    return f"{numbers} Select option  " if numbers else ""


def _span(seconds: float) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{seconds:g} seconds" if rest or minutes < 2 else f"{minutes:g} minutes"  # noqa: PLR2004


def parked(name: str, seconds: float = 0) -> str:
    """What becomes of a question that is not answered now."""
    why = f"No answer in {_span(seconds)}: {name}" if seconds else name
    return f"{why} is parked. It waits in `ralph inbox`."


def wants_to_park(text: str) -> bool:
    return text.strip().strip("[]().").strip().lower() in {"p", "park"}


def parse_reply(text: str, options: tuple[str, ...]) -> Reply | None:
    """What a person's line means, or None if it means nothing."""
    words = text.strip()
    bare = words.strip("[]().").strip().lower()
    if choice := _WORDS.get(bare):
        return Reply(choice)
    if match := _NUMBER.fullmatch(bare):
        number = int(match["n"])
        inside = 1 <= number <= len(options)
        return Reply(Choice.OPTION, number, options[number - 1]) if inside else None
    if match := _CUSTOM.fullmatch(words):
        return Reply(Choice.GUIDANCE, text=match["text"])
    return None


def wants_custom(text: str) -> bool:
    """Whether the person is about to write guidance of their own."""
    return text.strip().strip("[]().").strip().lower() in {"c", "custom"}


def misunderstood(text: str, options: tuple[str, ...]) -> str:
    """Why a line was not an answer, and what would be."""
    numbers = {0: "", 1: "1, "}.get(len(options), f"1 to {len(options)}, ")
    said = plain(text).strip()[:40]
    return f"{said!r} is not a choice. Type {numbers}c, s, r, a or p.\n{PROMPT}"


def plain(text: str) -> str:
    """Text of an agent without anything that could control a terminal or hide words."""
    bare = _SEQUENCE.sub("", text.replace("\r\n", "\n"))
    return "".join(char for char in bare if char in "\n\t" or _is_shown(char))


def _is_shown(char: str) -> bool:
    # Control characters, and those without a shape: among them the ones that turn text around.
    return unicodedata.category(char) not in {"Cc", "Cf", "Cs"}

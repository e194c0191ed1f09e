"""What an agent said last: in the event of the hook, or at the end of the transcript."""

from __future__ import annotations

import os

from loop_state import Wrong, parsed

TYPE_CHECKING = False
"""As in `typing`, which would take longer to import than all of this."""
if TYPE_CHECKING:
    from collections.abc import Iterator

    from loop_state import Fields

CHUNK = 64 << 10
MOST_TRANSCRIPT = 8 << 20
"""How far back from its end the transcript is read."""


def last_words(event: Fields) -> str:
    said = event.get("last_assistant_message")
    if not isinstance(said, str):
        said = from_transcript(event.get("transcript_path"))
    if not said.strip():
        raise Wrong("the last answer was empty")
    return said


def from_transcript(path: object) -> str:
    if not isinstance(path, str) or not os.path.isfile(path):
        raise Wrong("there is no transcript")
    parts: list[str] = []
    message: object = None
    for line in lines_from_the_end(path):
        if b'"assistant"' not in line:
            if message is not None and line.strip():
                break  # the lines of one message stand together
            continue
        found = answer_in(line)
        if found is None:
            continue
        name, text = found
        if message is not None and name != message:
            break
        message = name
        parts.append(text)
    if message is None:
        raise Wrong("the transcript has no answer")
    return "\n".join(part for part in reversed(parts) if part)


def lines_from_the_end(path: str) -> Iterator[bytes]:
    with open(path, "rb") as file:
        place = file.seek(0, os.SEEK_END)
        least, rest = max(place - MOST_TRANSCRIPT, 0), b""
        while place > least:
            step = min(CHUNK, place - least)
            place -= step
            file.seek(place)
            head, *lines = (file.read(step) + rest).split(b"\n")
            yield from reversed(lines)
            rest = head
        if not place:
            yield rest


def answer_in(line: bytes) -> tuple[object, str] | None:
    """The id and the text of an assistant's line; one line holds one block of a message."""
    try:
        entry = parsed(line.decode())
    except ValueError:
        raise Wrong("the transcript is not JSON") from None
    if not isinstance(entry, dict) or entry.get("type") != "assistant" or entry.get("isSidechain"):
        return None
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(content, list):
        return None
    texts = [b["text"] for b in content if isinstance(b, dict) and isinstance(b.get("text"), str)]
    return message.get("id"), "\n".join(texts)

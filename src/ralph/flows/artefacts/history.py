"""state.json and obstacles.json: agents add to them, and nothing that is there is ever lost."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from msgspec import Struct

from ralph.domain.errors import PlanError
from ralph.plans.json_text import decode

Item: TypeAlias = dict[str, Any]

MOST = 50
"""New items that one agent may add."""
LARGEST = 8 << 20
"""Bytes of a file that are looked at."""
SHOWN = 30
SHOWN_CHARS = 500
NONE = "None so far."
STATUSES = ("completed", "attempted")


class Added(Struct, frozen=True):
    """What an agent may have added, and what is wrong with its file; empty if nothing is."""

    items: tuple[Item, ...] = ()
    resolved: tuple[str, ...] = ()
    """Obstacles it says are out of the way."""
    wrong: str = ""


def read_state(data: bytes | None) -> list[Item] | None:
    """The entries; None for what is no list of objects."""
    return _items(_decoded(data))


def read_obstacles(data: bytes | None) -> list[Item] | None:
    document = _decoded(data)
    found = _items(document.get("obstacles")) if isinstance(document, dict) else None
    if found is None or not all(isinstance(one.get("id"), str) for one in found):
        return None
    return found


def added_entries(good: list[Item], data: bytes | None) -> Added:
    """What stands in state.json beyond the good entries."""
    now = read_state(data)
    if now is None:
        return Added(wrong=_unreadable(data, "a list of entries"))
    new, wrong = _beyond(good, now)
    if wrong:
        # an old entry in another form has an old number; a new one has not
        numbers = {str(one.get("iteration")) for one in good}
        new = [one for one in new if str(one.get("iteration")) not in numbers]
    fit = [one for one in new if _is_entry(one)]
    return Added(tuple(fit[:MOST]), wrong=wrong or _unfit(new, fit))


def added_obstacles(good: list[Item], data: bytes | None) -> Added:
    """What stands in obstacles.json beyond the good ones, and which of those are resolved now."""
    now = read_obstacles(data)
    if now is None:
        return Added(wrong=_unreadable(data, "an object with a list of obstacles"))
    known = {one["id"]: one for one in good}
    later = {one["id"]: one for one in reversed(now)}
    resolved = tuple(
        name
        for name, one in known.items()
        if later.get(name, {}).get("resolved") is True and one.get("resolved") is not True
    )
    kept = [one | {"resolved": True} if one["id"] in resolved else one for one in good]
    new, wrong = _beyond(kept, now)
    if wrong:
        new = [one for one in new if one["id"] not in known]
    fit = [one for one in new if isinstance(one.get("message"), str) and one["message"].strip()]
    return Added(tuple(fit[:MOST]), resolved, wrong or _unfit(new, fit))


def entry(found: Item, iteration: int, task: str, done: frozenset[str]) -> Item:
    """An agent's entry as it goes into the list: what it says is done is done only if it is."""
    name = found.get("task_id")
    name = name if isinstance(name, str) and name else task
    return found | {
        "iteration": iteration,
        "task_id": name,
        "status": STATUSES[name not in done],
        "summary": found["summary"],
        "files_modified": _texts(found.get("files_modified")),
        "obstacles": _texts(found.get("obstacles")),
    }


def obstacle(found: Item, iteration: int, task: str, taken: frozenset[str]) -> Item:
    """An agent's obstacle as it goes into the list, with an id of its own."""
    name, number = str(found["id"]) or "O", 1
    while name in taken:
        number += 1
        name = f"{found['id']}-{number}"
    about = found.get("task_id")
    return found | {
        "id": name,
        "task_id": about if isinstance(about, str) and about else task,
        "message": found["message"],
        "resolved": found.get("resolved") is True,
        "iteration": iteration,
    }


def written(value: object) -> bytes:
    """Half a character, which an agent may have written, stays as JSON spells it."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode(
        errors="backslashreplace"
    )


def open_obstacles(data: bytes | None) -> str:
    """Those in the way, the newest last, as a list for a prompt."""
    left = [one for one in read_obstacles(data) or [] if one.get("resolved") is not True]
    lines = [
        f"- {_line(one['id'])} ({_line(one.get('task_id', ''))}): {_line(one.get('message', ''))}"
        for one in left[-SHOWN:]
    ]
    return "\n".join(lines) or NONE


def _line(value: object) -> str:
    return " ".join(str(value).split())[:SHOWN_CHARS]


def _decoded(data: bytes | None) -> Any:  # noqa: ANN401 - JSON is anything until it is checked
    if data is None or len(data) > LARGEST:
        return None
    try:
        return decode(data, "")
    except PlanError:
        return None


def _items(value: object) -> list[Item] | None:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        return None
    return value


def _beyond(good: list[Item], now: list[Item]) -> tuple[list[Item], str]:
    if now[: len(good)] == good:
        return now[len(good) :], ""
    return [one for one in now if one not in good], "what was there before was changed"


def _is_entry(found: Item) -> bool:
    return isinstance(found.get("summary"), str)


def _unfit(new: list[Item], fit: list[Item]) -> str:
    if len(fit) < len(new):
        return f"{len(new) - len(fit)} of the new items do not have the required form"
    return f"only the first {MOST} new items are kept" if len(fit) > MOST else ""


def _unreadable(data: bytes | None, what: str) -> str:
    return "it was removed" if data is None else f"it is not {what} any more"


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []

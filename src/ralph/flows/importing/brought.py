"""What came from elsewhere: stories as PRD.json has them, and what did not come along."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from ralph.plans.fields import is_task_id

Story: TypeAlias = dict[str, Any]
"""A task by the names of PRD.json, with its parent as `parent` and its status as `status`."""

MOST_NAMED = 5
_SLUG = 40


class Lost(Struct, frozen=True):
    """Something that was there and is not here."""

    what: str
    count: int
    where: tuple[str, ...] = ()
    """The first few records it was lost from."""


class Brought(Struct, frozen=True):
    stories: tuple[Story, ...]
    top: Mapping[str, Any]
    """What stands beside the stories: project, description, branchName and the rest."""
    lost: tuple[Lost, ...] = ()
    unread: tuple[str, ...] = ()
    """Fields that are carried over although Ralph does not read them."""


class Tally:
    """Counts what is lost while a source is read."""

    def __init__(self) -> None:
        self._lost: dict[str, list[str]] = {}
        self._unread: dict[str, None] = {}

    def lose(self, what: str, where: str) -> None:
        self._lost.setdefault(what, []).append(where)

    def carry(self, field: str) -> None:
        self._unread[field] = None

    def brought(self, stories: list[Story], top: Mapping[str, Any]) -> Brought:
        lost = tuple(
            Lost(what, len(places), tuple(dict.fromkeys(places))[:MOST_NAMED])
            for what, places in self._lost.items()
        )
        return Brought(tuple(stories), dict(top), lost, tuple(self._unread))


class Names:
    """Ids that Ralph can use, the same for the same source every time."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._taken: set[str] = set()
        self._known: dict[str, str] = {}

    def give(self, raw: object, title: str) -> str:
        own = str(raw).strip() if isinstance(raw, (str, int)) and not isinstance(raw, bool) else ""
        wanted = own if is_task_id(own) else _slug(own) or f"T-{_slug(title) or 'task'}"
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}-{number}"
        self._taken.add(name)
        if own and name != own:
            self._tally.lose("the spelling of an id", f"{own} is {name}")
        self._known.setdefault(own, name)
        return name

    def linked(self, story: Story) -> None:
        """Have the story name other stories by the ids they got; unknown ones are lost."""
        wanted = [str(one) for one in story["depends_on"]]
        story["depends_on"] = list(
            dict.fromkeys(self._known[one] for one in wanted if self._is_known(story, one))
        )
        parent = story.get("parent")
        if parent is not None:
            story["parent"] = self._known.get(str(parent))
            if story["parent"] is None:
                self._tally.lose(f"the parent {parent}, which is not there", story["id"])

    def _is_known(self, story: Story, name: str) -> bool:
        if name and name in self._known:
            return bool(self._known[name] != story["id"])
        self._tally.lose(f"the dependency on {name}, which is not there", story["id"])
        return False


def _slug(text: str) -> str:
    words = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:_SLUG]
    words = re.sub(r"\.{2,}", ".", words).strip("-._")
    return words if is_task_id(words) else ""

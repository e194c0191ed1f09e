"""Which issues are the plan: `github:owner/repo?label=ralph&milestone=v1`."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import parse_qsl

from msgspec import Struct

from ralph.domain.errors import PlanError

PREFIX = "github:"
_REPOSITORY = re.compile(r"(?:[\w.-]+/)?[\w.-]+/[\w.-]+")
_KEYS = ("label", "milestone", "assignee", "author", "search")
_FIX = "Write github:owner/repo?label=ralph; also known: milestone, assignee, author, search."


class Query(Struct, frozen=True):
    repository: str
    filters: tuple[tuple[str, str], ...] = ()

    @property
    def title(self) -> str:
        """A name for the plan, of which the branch's name is made."""
        named = (value for key, value in self.filters if key in {"label", "milestone"})
        return " ".join((self.repository.rsplit("/", 1)[-1], *named))

    @property
    def name(self) -> str:
        """A file name of its own for every query."""
        words = re.sub(r"[^\w.-]+", "-", self.repository)
        digest = hashlib.sha256(repr((self.repository, sorted(self.filters))).encode()).hexdigest()
        return f"{words}-{digest[:12]}"

    def arguments(self) -> tuple[str, ...]:
        """The filters as `gh issue list` takes them."""
        return tuple(part for key, value in self.filters for part in (f"--{key}", value))


def is_github(path: str) -> bool:
    return path.startswith(PREFIX)


def parse_query(path: str) -> Query:
    repository, _, rest = path.removeprefix(PREFIX).partition("?")
    if not _REPOSITORY.fullmatch(repository) or repository.startswith("-"):
        raise PlanError(f"{path}: {repository!r} is not owner/repo.", fix=_FIX)
    filters = tuple(parse_qsl(rest, keep_blank_values=True))
    for key, value in filters:
        if key not in _KEYS:
            raise PlanError(f"{path}: issues cannot be filtered by {key!r}.", fix=_FIX)
        if not value.strip():
            raise PlanError(f"{path}: {key} has no value.", fix=_FIX)
    return Query(repository, filters)

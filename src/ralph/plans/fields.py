"""Reading a task's fields out of decoded JSON or YAML, with errors that name the place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from msgspec import Struct

from ralph.domain.errors import PlanError
from ralph.domain.task import Kind, shell

if TYPE_CHECKING:
    from ralph.domain.task import Command

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_KINDS = {
    "feature": Kind.FEATURE,
    "feat": Kind.FEATURE,
    "story": Kind.FEATURE,
    "enhancement": Kind.FEATURE,
    "fix": Kind.FIX,
    "bug": Kind.FIX,
    "bugfix": Kind.FIX,
    "refactor": Kind.REFACTOR,
    "refactoring": Kind.REFACTOR,
    "docs": Kind.DOCS,
    "doc": Kind.DOCS,
    "documentation": Kind.DOCS,
    "chore": Kind.CHORE,
}
_PREFIX = re.compile(r"\s*(?:\[([^\]\n]{1,30})\]|([A-Za-z]+)(?:\([^()\n]*\))?!?:)")
_PREFIXES = {
    **_KINDS,
    **dict.fromkeys(("perf", "style"), Kind.REFACTOR),
    **dict.fromkeys(("build", "ci", "deps", "dev deps", "meta", "release"), Kind.CHORE),
    **dict.fromkeys(("test", "tests"), Kind.CHORE),
}
_VERSION = re.compile(r"v?\d+(?:\.\d+)+\S*", re.IGNORECASE)
_VERBS = {"refactor": Kind.REFACTOR, "bump": Kind.CHORE}
CRITERIA = ("criteria", "acceptanceCriteria", "acceptance_criteria", "acceptance")
_WORDS = {
    "str": "text",
    "bool": "true or false",
    "int": "a number",
    "float": "a number",
    "list": "a list",
    "dict": "an object",
    "NoneType": "empty",
}


def what_is(value: object) -> str:
    return _WORDS.get(type(value).__name__, "something else")


def is_task_id(name: str) -> bool:
    """Whether the name can be an id: it also becomes part of branches, refs and file names."""
    return (
        _ID.fullmatch(name) is not None and ".." not in name and not name.endswith((".lock", "."))
    )


class TaskFields(Struct, frozen=True):
    """One task as the file has it. Every field may have several names; null means absent."""

    raw: Mapping[str, Any]
    where: str

    def refuse(self, name: str, want: str, value: object) -> NoReturn:
        raise PlanError(f"{self.where}: {name} must be {want}, but is {what_is(value)}.")

    def find(self, *names: str) -> tuple[str, Any]:
        """The first of these names that has a value, and the value."""
        for name in names:
            value = self.raw.get(name)
            if value is not None:
                return name, value
        return names[0], None

    def text(self, *names: str) -> str:
        name, value = self.find(*names)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.refuse(name, "text", value)
        return value

    def flag(self, name: str) -> bool:
        value = self.raw.get(name)
        if value is None:
            return False
        if not isinstance(value, bool):
            self.refuse(name, "true or false", value)
        return value

    def number(self, name: str) -> int | None:
        value = self.raw.get(name)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool):
            self.refuse(name, "a whole number", value)
        return value

    def items(self, *names: str) -> tuple[str, list[Any]]:
        name, value = self.find(*names)
        if value is None:
            return name, []
        if not isinstance(value, list):
            self.refuse(name, "a list", value)
        return name, value

    def required(self, name: str) -> str:
        value = self.text(name)
        if not value.strip():
            raise PlanError(f"{self.where}: {name} is missing.", fix="Every task needs one.")
        return value


def read_id(raw: object, where: str) -> str:
    """The checked id of a task whose place is all that is known of it so far."""
    if not isinstance(raw, dict):
        raise PlanError(f"{where} must be an object, but is {what_is(raw)}.")
    name = raw.get("id")
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if name is None or name == "":
        raise PlanError(f"{where}: id is missing.", fix="Every task needs an id of its own.")
    if not isinstance(name, str):
        raise PlanError(f"{where}: id must be text, but is {what_is(name)}.")
    if not is_task_id(name):
        raise PlanError(
            f"{where}: the id {name[:80]!r} cannot be used.",
            fix="Use letters, digits, '.', '_' and '-', at most 64, without '..' or '.lock'.",
        )
    return name


def read_criteria(fields: TaskFields) -> tuple[str, ...]:
    name, items = fields.items(*CRITERIA)
    return tuple(
        item if isinstance(item, str) else _criterion(fields, name, item, place)
        for place, item in enumerate(items, 1)
    )


def _criterion(fields: TaskFields, name: str, item: object, place: int) -> str:
    if isinstance(item, dict):
        text = item.get("text") or item.get("description")
        if isinstance(text, str):
            return text
    return fields.refuse(f"{name}, item {place},", "text or an object with a text", item)


def read_names(fields: TaskFields, *names: str) -> tuple[str, ...]:
    """A list of task ids, doubles left out."""
    name, items = fields.items(*names)
    if not items:
        return ()
    for place, item in enumerate(items, 1):
        if not isinstance(item, (str, int)) or isinstance(item, bool):
            fields.refuse(f"{name}, item {place},", "a task's id", item)
    return tuple(dict.fromkeys(str(item) for item in items))


def read_commands(fields: TaskFields) -> tuple[Command, ...]:
    """Commands: text goes to the shell, a list is a program and its arguments."""
    value = fields.raw.get("verify")
    if value is None:
        return ()
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        fields.refuse("verify", "a list of commands", value)
    return tuple(_command(fields, item, place) for place, item in enumerate(value, 1))


def _command(fields: TaskFields, item: object, place: int) -> Command:
    if isinstance(item, str) and item.strip():
        return shell(item)
    if isinstance(item, list) and item and all(isinstance(part, str) for part in item):
        return tuple(item)
    raise PlanError(
        f"{fields.where}: verify, item {place}, must be a command.",
        fix='Write "npm test" or ["npm", "test"].',
    )


def read_labels(fields: TaskFields) -> tuple[str, ...]:
    name, value = fields.find("labels", "tags")
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, dict):
        return tuple(f"{key}={item}" for key, item in value.items())
    if not isinstance(value, list):
        fields.refuse(name, "a list", value)
    for place, item in enumerate(value, 1):
        if not isinstance(item, str):
            fields.refuse(f"{name}, item {place},", "text", item)
    return tuple(value)


def read_kind(fields: TaskFields, labels: tuple[str, ...]) -> Kind:
    """The kind the task states; else what its labels or its title say; else a feature."""
    _, stated = fields.find("kind", "type")
    words = (stated, *labels) if isinstance(stated, str) else labels
    for word in words:
        kind = _KINDS.get(re.split("[:=/]", word)[-1].strip().lower())
        if kind is not None:
            return kind
    title = fields.raw.get("title")
    return (kind_of_title(title) if isinstance(title, str) else None) or Kind.FEATURE


def kind_of_title(title: str) -> Kind | None:
    """What a title says of itself: `fix: …`, `[Refactor] …`, `Bump x to 2`, `2.1.0`."""
    if _VERSION.fullmatch(title.strip()):
        return Kind.CHORE  # a release
    found = _PREFIX.match(title)
    if found:
        return _PREFIXES.get((found[1] or found[2]).strip().lower())
    return _VERBS.get(title.partition(" ")[0].strip(".,:").lower())


def read_description(fields: TaskFields) -> str:
    """The description, with the notes that some plans keep beside it."""
    description = fields.text("description")
    notes = fields.raw.get("notes")
    if isinstance(notes, str) and notes.strip():
        return f"{description}\n\nNotes: {notes}" if description else f"Notes: {notes}"
    return description

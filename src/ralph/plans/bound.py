"""Criteria that bring their own proof, and what a task allows beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ralph.domain.errors import PlanError
from ralph.domain.evidence import FactKind
from ralph.domain.task import Bound, shell
from ralph.plans.fields import CRITERIA, what_is

if TYPE_CHECKING:
    from ralph.domain.task import Command
    from ralph.plans.fields import TaskFields

_FIX = (
    'For example {"text": "…", "check": "npm run e2e"}, or a check with one of: command, tests, '
    "file (with contains), url (with serve, status, contains), flow, held_out, person."
)
_TEXTS = ("file", "contains", "url", "serve", "flow", "held_out")


def read_bound(fields: TaskFields) -> tuple[Bound, ...]:
    """The criteria that have a check of their own."""
    name, items = fields.items(*CRITERIA)
    if all(isinstance(item, str) for item in items):
        return ()  # nearly every task of a large plan
    return tuple(
        _bound(f"{fields.where}: {name}, item {place},", item)
        for place, item in enumerate(items, 1)
        if isinstance(item, dict) and item.get("check") is not None
    )


def read_texts(fields: TaskFields, *names: str) -> tuple[str, ...]:
    if not any(name in fields.raw for name in names):
        return ()  # nearly every task of a large plan
    name, items = fields.items(*names)
    for place, item in enumerate(items, 1):
        if not isinstance(item, str):
            fields.refuse(f"{name}, item {place},", "text", item)
    return tuple(items)


def read_allowed(fields: TaskFields) -> tuple[str, ...]:
    """Facts about the change that the task's author expects."""
    given = read_texts(fields, "allow")
    if odd := [one for one in given if one not in list(FactKind)]:
        known = ", ".join(FactKind)
        raise PlanError(
            f"{fields.where}: allow has the unknown entry {odd[0]!r}.", fix=f"Known: {known}."
        )
    return given


def _bound(where: str, item: dict[str, Any]) -> Bound:
    criterion = str(item.get("text") or item.get("description") or "")
    check = item["check"]
    if isinstance(check, str | list):
        return Bound(criterion, command=_command(where, check))
    if not isinstance(check, dict):
        raise PlanError(f"{where} has a check that is {what_is(check)}.", fix=_FIX)
    return _described(where, criterion, check)


def _described(where: str, criterion: str, check: dict[str, Any]) -> Bound:
    known = {"command", "tests", "status", "person", *_TEXTS}
    if odd := sorted(check.keys() - known):
        raise PlanError(f"{where} has a check with an unknown key {odd[0]!r}.", fix=_FIX)
    if not check.keys() & {"command", "tests", "file", "url", "flow", "held_out", "person"}:
        raise PlanError(f"{where} has a check with nothing to check.", fix=_FIX)
    texts = {key: check.get(key, "") for key in _TEXTS}
    for key, value in texts.items():
        if not isinstance(value, str):
            raise PlanError(f"{where} check.{key} must be text, but is {what_is(value)}.", fix=_FIX)
    tests = check.get("tests", [])
    if isinstance(tests, str):
        tests = [tests]
    if not isinstance(tests, list) or not all(isinstance(one, str) for one in tests):
        raise PlanError(f"{where} check.tests must be a list of test names.", fix=_FIX)
    status, person = check.get("status", 200), check.get("person", False)
    if not isinstance(status, int) or not isinstance(person, bool):
        raise PlanError(
            f"{where} check.status must be a number, and check.person true or false.", fix=_FIX
        )
    command = _command(where, check["command"]) if "command" in check else ()
    return Bound(criterion, command, tuple(tests), status=status, person=person, **texts)


def _command(where: str, value: str | list[Any]) -> Command:
    if isinstance(value, str) and value.strip():
        return shell(value)
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        return tuple(value)
    raise PlanError(f"{where} check must be a command.", fix='Write "npm test" or ["npm", "test"].')

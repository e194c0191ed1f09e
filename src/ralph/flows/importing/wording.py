"""The words other tools use for what Ralph knows."""

from __future__ import annotations

import re

from ralph.domain.task import Status

_STATUSES = {
    Status.COMPLETED: "completed complete done closed passed finished resolved merged shipped",
    Status.SKIPPED: "skipped cancelled canceled wontfix deferred abandoned not_planned archived",
    Status.IN_PROGRESS: "in_progress doing active started review in_review hooked",
    Status.BLOCKED: "blocked on_hold waiting",
    Status.FAILED: "failed error",
    Status.OPEN: "open pending todo to_do ready new backlog not_started planned pinned",
}
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s*)?")
_BY_WORD = {word: status for status, words in _STATUSES.items() for word in words.split()}
_URGENCY = {
    **dict.fromkeys(("critical", "urgent", "highest", "blocker", "must"), 0),
    **dict.fromkeys(("high", "should"), 1),
    **dict.fromkeys(("medium", "normal", "could"), 2),
    **dict.fromkeys(("low", "minor"), 3),
    **dict.fromkeys(("lowest", "trivial", "backlog"), 4),
}


def status_of(word: object) -> Status | None:
    """None for a word that means nothing here."""
    return _BY_WORD.get(_plain(word)) if isinstance(word, str) else None


def priority_of(value: object) -> int | None:
    """A number, or what stands for one: `P1`, `high`."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return int(value)
    word = _plain(value)
    found = re.fullmatch(r"p?(\d{1,9})", word)
    return int(found[1]) if found else _URGENCY.get(word)


def _plain(word: object) -> str:
    return re.sub(r"[\s-]+", "_", str(word).strip().lower())


def lines_of(text: str) -> list[str]:
    """Criteria that were written as one text, one per line, without their bullets."""
    lines = (_BULLET.sub("", line).strip() for line in text.splitlines())
    return [line for line in lines if line]

"""The text of a pull request: what was done, what shows it, and what a reviewer has to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ralph.domain.evidence import COVERED
from ralph.ui import words
from ralph.ui.report import meanings
from ralph.ui.report import sentences as say
from ralph.ui.report.markdown import cell, code, plain, review, table, unverified
from ralph.views.proven import ProofKind

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_TASKS = 60
"""A text of more than 65,536 characters is refused by GitHub."""
MOST_REVIEWED = 10
MOST_BYTES = 60_000
HOW = (
    "A coding agent did the work, and Ralph checked it: each task was committed only after the "
    "commands below passed on a clean checkout of the very commit."
)


def body(contents: dict[str, Any]) -> str:
    """Short enough for a reviewer, and for GitHub."""
    parts = (_what(contents), _evidence(contents), review(contents, MOST_REVIEWED))
    more = (unverified(contents), _how(contents))
    text = "\n".join(line for part in (*parts, *more) for line in part).rstrip() + "\n"
    if len(text.encode()) > MOST_BYTES:
        head = text.encode()[:MOST_BYTES].decode("utf-8", "ignore").rpartition("\n")[0]
        text = f"{head}\n\n(Cut here; `ralph report --md` has all of it.)\n"
    return text


def title(contents: dict[str, Any]) -> str:
    rows = _landed(contents)
    return words.line(rows[0]["title"] if len(rows) == 1 else contents["goal"], 100)


def _landed(contents: dict[str, Any]) -> list[dict[str, Any]]:
    """The tasks whose work is on the branch; those that were done before it are not its news."""
    return [row for row in contents["tasks"]["completed"] if row["proof"]]


def _what(contents: dict[str, Any]) -> Iterator[str]:
    yield "## What and why\n"
    about = f" {plain(contents['about'])}" if contents["about"] else ""
    yield f"{plain(contents['goal'])}.{about}\n"
    for row in _landed(contents)[:MOST_TASKS]:
        yield f"- {code(row['id'])} {plain(row['title'])}: {say.kind_of(row).value}"
    left = contents["tasks"]["open"]
    if left:
        names = say.some(tuple(row["id"] for row in left))
        yield f"- not done, and not part of this: {plain(names)}"
    yield ""


def _evidence(contents: dict[str, Any]) -> Iterator[str]:
    rows = []
    for row in _landed(contents)[:MOST_TASKS]:
        for one in row["proof"]["criteria"]:
            how = one["how"] or "a person must check"
            sign = "" if one["how"] == COVERED else _SIGNS[one["passed"]]
            rows.append((code(row["id"]), plain(one["criterion"]), f"{sign}{plain(how)}"))
        shown = row["proof"]["tests_that_show_it"]
        if shown:
            more = f" and {len(shown) - 2} more" if len(shown) > 2 else ""  # noqa: PLR2004 - a cell's worth
            tests = ", ".join(cell(name) for name in shown[:2])
            rows.append((code(row["id"]), "a test fails without the change", f"✓ {tests}{more}"))
    if rows:
        yield "## What shows it\n"
        yield from table(("task", "criterion", "evidence"), rows)


_SIGNS = {True: "✓ ", False: "✗ ", None: "? "}


def _how(contents: dict[str, Any]) -> Iterator[str]:
    yield "## How it was checked\n"
    yield f"{HOW}\n"
    checks = {
        check["command"]: None
        for row in _landed(contents)
        for check in row["proof"]["checks"]
        if check["passed"]
    }
    for command in [*checks][:10]:
        yield f"- {code(command)}"
    kinds = dict.fromkeys(say.kind_of(row) for row in _landed(contents))
    for kind in (one for one in ProofKind if one in kinds):
        yield f"- **{kind.value}**: {meanings.MEANINGS[kind]}"

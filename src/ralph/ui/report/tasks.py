"""The tasks on the page: what to look at first, how sure each is, and the changes themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ralph.ui.report import changes, charts
from ralph.ui.report import sentences as say
from ralph.ui.report.evidence import proof_lines
from ralph.ui.report.html import badge, bounded, details, joined, linked, listed, prose, tag, term
from ralph.views import proven

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ralph.repo.patch import FilePatch
    from ralph.ui.report.html import Html


def tasks(contents: dict[str, Any], diffs: Mapping[str, Sequence[FilePatch]]) -> Html:
    every = contents["tasks"]
    asked = contents["about"]
    about = tag("p", tag("strong", "What was asked: "), prose(asked)) if asked else None
    if not every["total"]:
        lost = "The plan cannot be read just now, and no task of it was finished."
        return joined([about, tag("p", lost)])
    shown, more = bounded([*_articles(contents, diffs)])
    lead = tag(
        "p",
        "The gravest reasons to look come first. “Evidence” tells of each criterion what shows it ",
        [" (", term("evidence", "its signs"), ")."],
        cls="quiet",
    )
    done = lead if every["done"] else None
    return joined([about, charts.levels(every["standing"]), done, shown, more])


def _articles(contents: dict[str, Any], diffs: Mapping[str, Sequence[FilePatch]]) -> Iterator[Html]:
    """Those of the review list in its order, the other finished ones, those that are open."""
    every = contents["tasks"]
    rows = {row["commit"]: row for row in every["completed"]}
    tries = say.tries_of(contents)
    reviewed = {one["commit"] for one in contents["review"]}
    for number, one in enumerate(contents["review"]):
        row = rows[one["commit"]]
        why = [text for text in one["why"] if text != proven.UNPROVEN]
        opened = not number and one["look"] != "briefly"
        diff = changes.difference(one, diffs.get(one["commit"]), opened=opened)
        yield _done(contents, row, tries.get(row["id"], ()), [listed(why) if why else None, diff])
    for row in every["completed"]:
        if row["commit"] not in reviewed:
            yield _done(contents, row, tries.get(row["id"], ()), None)
    for row in every["open"]:
        yield _open(contents, row, tries.get(row["id"], ()))


def _named(row: dict[str, Any], sign: Html, more: Html | None = None) -> Html:
    return tag("h3", f"{row['id']}: {row['title']} ", sign, more)


def _done(
    contents: dict[str, Any],
    row: dict[str, Any],
    tries: Sequence[dict[str, Any]],
    review: Sequence[Html | None] | None,
) -> Html:
    proof = row["proof"]
    kind = say.kind_of(row).value if proof else ""
    shown = badge(kind, [f"{say.sign(row)} ", term(kind)]) if kind else badge("open", "· done")
    earlier = bool(contents["run"] and proof and row["commit"] not in say.made_here(contents))
    mark = [" ", badge("open", "of an earlier run")] if earlier else None
    landed = next((one for one in tries if one["resultCommit"] == row["commit"]), None)
    return tag(
        "article",
        _named(row, shown, joined(mark)),
        tag("p", say.sure(row)),
        review[0] if review else None,
        _claim(landed),
        details("Evidence", listed(_evidence(proof, short=review is not None))) if proof else None,
        _history(contents, tries),
        review[1] if review else None,
    )


def _evidence(proof: dict[str, Any], *, short: bool) -> Iterator[Html]:
    return (tag("span", line) for line in proof_lines(proof, short=short))


def _claim(record: dict[str, Any] | None) -> Html | None:
    said = say.claim(record)
    if not said:
        return None
    return tag("p", "In the words of its agent, unchecked: ", tag("q", said), cls="quiet")


def _open(contents: dict[str, Any], row: dict[str, Any], tries: Sequence[dict[str, Any]]) -> Html:
    waits = row["status"] == "parked"
    sign = badge("parked" if waits else "open", f"{'?' if waits else '·'} {say.state(row)}")
    criteria: list[str] = next(
        (one["criteria"] for one in contents["asked"] if one["id"] == row["id"]), []
    )
    why = say.sentence(say.why_open(row, tries, contents["questions"]))
    about = tag("a", f" ({row['question']})", href="#decisions") if row.get("question") else None
    return tag(
        "article",
        _named(row, sign),
        tag("p", linked(why, ("parked",)) if row["status"] == "waiting" else why, about),
        details("What it must fulfil", listed(criteria)) if criteria else None,
        _history(contents, tries, least=1),
    )


def _history(
    contents: dict[str, Any], records: Sequence[dict[str, Any]], least: int = 2
) -> Html | None:
    """The attempts, unless there was only the one that is told of already."""
    if len(records) < least:
        return None
    items = [tag("span", say.attempt(record)) for record in records[-20:]]
    told = say.attempts(records, of_a_run=bool(contents["run"]))
    return details(told, listed(items, "ol"))

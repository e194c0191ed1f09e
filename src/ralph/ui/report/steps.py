"""What a person can do about a run, with the commands that do it. Pure, as the sentences are."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ralph.ui import words
from ralph.ui.cli.common import count
from ralph.ui.report.sentences import clock, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MOST_QUESTIONS = 5
"""Of which the first screen tells."""


class Step(Struct, frozen=True):
    """Something for a person to do, and the commands that do it."""

    text: str
    commands: tuple[str, ...] = ()
    choices: tuple[tuple[str, str], ...] = ()
    """Instead: what can be chosen, each with its command."""
    more: str = ""
    """The part of the report that has more about it."""


def steps(contents: dict[str, Any]) -> Iterator[Step]:
    """What to do now, the most urgent first."""
    if contents["running_pid"]:
        now = clock(contents["made_at"])
        yield Step(f"Ralph is still working. This is how it stood at {now}.", ("ralph status",))
    yield from _answers(contents)
    yield from _goes_on(contents)
    yield from _looks(contents)
    if contents["commits"] and not contents["running_pid"]:
        yield Step("When you are content with it, merge.", merging(contents), more="undo")
        yield Step("Or, instead of merging, open a pull request.", ("ralph pr",))


def _answers(contents: dict[str, Any]) -> Iterator[Step]:
    asked = contents["questions"]
    titles = {row["id"]: row["title"] for row in contents["tasks"]["open"]}
    for one in asked[:MOST_QUESTIONS]:
        about = f" about {_named(one['task'], titles)}" if one["task"] else ""
        what = " ".join(map(sentence, filter(None, (one["summary"], one["question"]))))
        yield Step(f"Answer {one['id']}{about}: {what}", choices=choices(one), more="decisions")
    if len(asked) > MOST_QUESTIONS:
        more = count(len(asked) - MOST_QUESTIONS, "more question")
        yield Step(f"{more} wait in the inbox.", ("ralph inbox",))


def _named(task: str, titles: Mapping[str, str]) -> str:
    title = titles.get(task, "")
    return f"{task} ({title})" if title else task


def choices(question: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """What can be answered, and the commands that do it.

    The words of an agent are never a part of a command: people copy commands into their shells.
    """
    answer = f"ralph answer {question['id']}"
    numbered = [(text, f"{answer} {n}") for n, text in enumerate(question["options"], 1)]
    return (*numbered, ("in your own words", f"{answer} --text TEXT"))


def _looks(contents: dict[str, Any]) -> Iterator[Step]:
    review = contents["review"]
    if not review:
        return
    first = review[0]
    if first["look"] == "briefly":
        text = "Look over the changes; nothing in them stands out."
        since = contents["base"] if contents["run"] else contents["origin"]
        branch = shlex.quote(contents["branch"])
        yield Step(text, (f"git log --patch {since[:10]}..{branch}",), more="review")
        return
    others = sum(one["look"] != "briefly" for one in review[1:])
    rest = f" Then {count(others, 'more task')} of the list below." if others else ""
    why = sentence("; ".join(first["why"][:2]))
    what = _named(first["task"], {first["task"]: first["title"]})
    yield Step(f"Look at {what} first: {why}{rest}", (difference(first),), more="review")


def difference(one: dict[str, Any]) -> str:
    return f"git diff {one['base'][:10]} {one['commit'][:10]}"


def _goes_on(contents: dict[str, Any]) -> Iterator[Step]:
    left = Counter(row["status"] for row in contents["tasks"]["open"])
    todo = left["ready"] + left["waiting"]
    if contents["running_pid"]:
        return
    if not contents["completed_at"]:
        text = "The run was interrupted: it was killed, or its machine went down. Nothing is lost; "
        yield Step(f"{text}continue from the last recorded step.", (_again(contents),))
    elif contents["questions"]:
        yield Step("Then continue the run.", (_again(contents),))
    elif todo:
        why = sentence(contents["why"])
        yield Step(f"{_left(todo)} The run ended: {why} Continue with", (_again(contents),))


def _again(contents: dict[str, Any]) -> str:
    return words.again(contents["plan"]).strip("`")


def _left(number: int) -> str:
    return "One task is not done." if number == 1 else f"{number} tasks are not done."


def merging(contents: dict[str, Any]) -> tuple[str, ...]:
    """The commands that bring the branch into the one it came from."""
    there = contents["came_from"]
    merge = f"git merge {shlex.quote(contents['branch'])}"
    return (f"git switch {shlex.quote(there)}", merge) if there else (merge,)


def undoing(contents: dict[str, Any]) -> Iterator[Step]:
    """How to get rid of work that is not wanted; nothing is lost by it."""
    last = contents["commits"][-1:]
    for one in last if contents["landed"] else ():
        before = one["iteration"] - 1
        yield Step(
            f"Go back to before {one['task']}; the task is open again, and its work is kept",
            (f"ralph revert --iteration {_earlier(contents, before)}",),
        )
    if len(contents["commits"]) > 1 and contents["landed"]:
        yield Step("Go back to where the branch began", ("ralph revert --iteration 0",))
        yield Step("Make one commit of them all", ("ralph squash -m TEXT",))
    if contents["branch"]:
        branch = shlex.quote(contents["branch"])
        text = "Or leave the branch as it is: Ralph merges nothing by itself. See its commits"
        yield Step(text, (f"git log {branch}",))


def _earlier(contents: dict[str, Any], number: int) -> int:
    """The last iteration up to this one that has a commit; 0 for where the branch began."""
    return max((n for n in contents["landed"] if n <= number), default=0)


def restoring(one: dict[str, Any]) -> tuple[str, str]:
    """The commands that show work that was set aside, and bring it back."""
    name = shlex.quote(one["ref"].removeprefix("refs/ralph/salvage/"))
    return f"ralph salvage show {name}", f"ralph salvage restore {name}"

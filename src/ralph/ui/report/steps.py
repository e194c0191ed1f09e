"""What a person can do about a run, with the commands that do it. Pure, as the sentences are."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ralph.domain.decision import StopReason
from ralph.ui import words
from ralph.ui.cli.common import count
from ralph.ui.report.numbers import clock
from ralph.ui.report.sentences import asked, sentence, some

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LIMITS = {
    StopReason.MAX_ITERATIONS.value: "--max-iterations",
    StopReason.MAX_DURATION.value: "--max-minutes",
}
"""By which option a run is given more; of the others each has its own remedy."""
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
    after = [*_looks(contents)], [*_goes_on(contents)]
    # what was killed is continued at once; more money is spent on what somebody has looked at
    first, second = after if contents["completed_at"] else after[::-1]
    yield from (*first, *second)
    if contents["commits"] and not contents["running_pid"]:
        now = ", now or once the rest is done" if contents["tasks"]["open"] else ""
        text = f"Decide what becomes of the branch{now}. Do one of these:"
        yield Step(text, choices=tuple(_decisions(contents)))


def _answers(contents: dict[str, Any]) -> Iterator[Step]:
    waiting = contents["questions"]
    titles = {row["id"]: row["title"] for row in contents["tasks"]["open"]}
    for one in waiting[:MOST_QUESTIONS]:
        about = f" about {_named(one['task'], titles)}" if one["task"] else ""
        what = " ".join(map(sentence, filter(None, (asked(one), one["question"]))))
        yield Step(f"Answer {one['id']}{about}: {what}", choices=choices(one), more="decisions")
    if len(waiting) > MOST_QUESTIONS:
        more = count(len(waiting) - MOST_QUESTIONS, "more question")
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
    return (
        *numbered,
        ("in your own words, in quotes in the place of TEXT", f"{answer} --text TEXT"),
    )


def _looks(contents: dict[str, Any]) -> Iterator[Step]:
    review = contents["review"]
    if not review:
        return
    first = review[0]
    if first["look"] == "briefly":
        text = "Look over the changes; nothing in them stands out."
        since = contents["base"] if contents["run"] else contents["origin"]
        branch = shlex.quote(contents["branch"])
        yield Step(text, (f"git log --patch {since[:10]}..{branch}",), more="tasks")
        return
    others = tuple(one["task"] for one in review[1:] if one["look"] != "briefly")
    rest = f" Then at {some(others)}." if others else ""
    why = sentence("; ".join(first["why"][:2]))
    what = _named(first["task"], {first["task"]: first["title"]})
    yield Step(f"Look at {what}: {why}{rest}", (difference(first),), more="tasks")


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
        told = f"{_left(todo)} The run ended: {sentence(contents['why'])}"
        option = _LIMITS.get(contents["termination_reason"])
        again = _again(contents)
        if option:
            ways = (("with the same limit", again), ("with another limit", f"{again} {option} N"))
            told = f"{told} The limit is counted anew in each run. Continue in one of these ways:"
            yield Step(told, choices=ways)
        else:
            yield Step(f"{told} Continue with", (again,))


def _again(contents: dict[str, Any]) -> str:
    return words.again(contents["plan"]).strip("`")


def _left(number: int) -> str:
    return "One task is not done." if number == 1 else f"{number} tasks are not done."


def merging(contents: dict[str, Any]) -> str:
    """The command that brings the branch into the one it came from."""
    there = contents["came_from"]
    merge = f"git merge {shlex.quote(contents['branch'])}"
    return f"git switch {shlex.quote(there)} && {merge}" if there else merge


def _decisions(contents: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What can be done with the branch as it is: only one of them."""
    if not contents["merged"]:
        yield f"merges it: {merged(contents)}", merging(contents)
    yield "pushes it and opens a pull request; it asks first, and merges nothing", "ralph pr"
    doubtful = [one["task"] for one in contents["review"] if one["look"] == "closely"]
    if doubtful:
        text = f"opens {doubtful[0]} again, to be done better: say in the place of TEXT what is "
        text += f"missing, such as a test; then `{_again(contents)}`"
        yield text, f"ralph retry --task {shlex.quote(doubtful[0])} --feedback TEXT"
    made = {one["task"]: one["iteration"] for one in contents["commits"]}
    if (name := next(iter(doubtful), "")) in made and contents["landed"]:
        yield _back(contents, made[name], name)
    else:
        yield from ((one.text, one.commands[0]) for one in [*undoing(contents)][:1])


def _back(contents: dict[str, Any], iteration: int, name: str) -> tuple[str, str]:
    """What undoes this task, and with it all that came later."""
    later = tuple(one["task"] for one in contents["commits"] if one["iteration"] > iteration)
    also = f" and what came after it ({some(later)})" if later else ""
    return (
        f"takes back {name}{also}: open again, with the work kept (`ralph salvage list`)",
        f"ralph revert --iteration {_earlier(contents, iteration - 1)}",
    )


def merged(contents: dict[str, Any]) -> str:
    """What comes with a merge: all of the branch, also of earlier runs."""
    rows = [row for row in contents["tasks"]["completed"] if row["proof"]]
    mine = {one["commit"] for one in contents["commits"]}
    names = tuple(row["id"] for row in rows)
    before = tuple(row["id"] for row in rows if row["commit"] not in mine)
    commits = count(len(contents["landed"]) or len(contents["commits"]), "commit")
    earlier = f"; {some(before)} from before this run" if before and contents["run"] else ""
    left = len(contents["tasks"]["open"])
    missing = f"; {count(left, 'task')} of the plan {'are' if left > 1 else 'is'} missing in it"
    return f"{commits} ({some(names)}{earlier}){missing * bool(left)}"


def undoing(contents: dict[str, Any]) -> Iterator[Step]:
    """How to get rid of work that is not wanted; nothing is lost by it."""
    last = contents["commits"][-1:]
    for one in last if contents["landed"] else ():
        text, command = _back(contents, one["iteration"], one["task"])
        yield Step(text, (command,))
    if len(contents["commits"]) > 1 and contents["landed"]:
        yield Step(
            "undoes all: the branch goes back to where it began; all of it is kept",
            ("ralph revert --iteration 0",),
        )
        yield Step("makes one commit of them all; TEXT is its message", ("ralph squash -m TEXT",))
    if contents["branch"]:
        branch = shlex.quote(contents["branch"])
        yield Step("shows its commits, if you leave it as it is", (f"git log {branch}",))
    there = contents["came_from"]
    if contents["commits"] and there:
        text = f"undoes a merge right after it, on {there}, before anything else is done there"
        yield Step(text, ("git reset --keep ORIG_HEAD",))


def _earlier(contents: dict[str, Any], number: int) -> int:
    """The last iteration up to this one that has a commit; 0 for where the branch began."""
    return max((n for n in contents["landed"] if n <= number), default=0)


def restoring(one: dict[str, Any]) -> tuple[str, str]:
    """The commands that show work that was set aside, and bring it back."""
    name = shlex.quote(one["ref"].removeprefix("refs/ralph/salvage/"))
    return f"ralph salvage show {name}", f"ralph salvage restore {name}"

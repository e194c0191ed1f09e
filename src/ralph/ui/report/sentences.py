"""What the report says in sentences, the same in every form. Pure: from its contents to words.

Words of agents and plans are in them as they are: each form cleans what it shows.
"""

from __future__ import annotations

import shlex
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ralph.domain.decision import StopReason
from ralph.domain.verdict import Level
from ralph.ui import money, words
from ralph.ui.cli.common import count
from ralph.views import proven
from ralph.views.proven import ProofKind
from ralph.views.status import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

NOTHING_YET = "Nothing has run here yet."
HOW_TO_START = "Start with `ralph run`. Without a plan, `ralph init` writes one."
NO_COST = "cost unknown"
MOST_QUESTIONS = 5
"""Of which the first screen tells."""
MEANINGS = {
    ProofKind.PROVEN: "All checks pass, at least one test fails without the change and passes "
    "with it, and nothing was found that a person should see.",
    ProofKind.CHECKED: "All checks pass, also with the tests as they were before. It is work that "
    "no new test can show, such as documents or a refactoring.",
    ProofKind.ACCEPTED: "A person said that it counts. The checks alone did not say so.",
    ProofKind.UNPROVEN: "It is finished and its checks pass, but nothing shows that the change "
    "does what was asked. Look at it yourself.",
}
"""How well a finished task is proven, for readers who have never heard of it."""
LEVELS = {
    Level.CLAIMED: "The agent says so. Nothing shows that the checks saw this code.",
    Level.GREEN: "Every check passes on a clean checkout. Nothing more is known.",
    Level.OVERLAY: "As well, the tests as they were before find nothing wrong, and none of them "
    "was removed, skipped or rewritten.",
    Level.PROVEN: "As well, a test fails without the change and passes with it.",
    Level.ACCEPTED: "A person accepted it, or checks that the agent never saw passed too.",
}


WORDS = {
    "task": "One piece of the plan. A fresh agent works on one task at a time.",
    "check": "A command, such as the project's tests, that Ralph runs itself on a clean copy.",
    "attempt": "One agent's try at a task. If its checks fail, its work is not committed.",
    "parked": "The task waits for a person's answer; the run went on with the others.",
    "set aside (salvage)": "Work that was taken out of the way. It is kept in git, on no branch.",
    "fact": "Something that was noticed about a change. `note`: worth a word; `ask`: a person had "
    "to decide.",
}
NOTHING_OPEN = "Nothing: every criterion of every finished task is shown or covered by the checks."
_SIGNS = {"success": "done", "blocked": "asked a person"}


class Step(Struct, frozen=True):
    """Something for a person to do, and the commands that do it."""

    text: str
    commands: tuple[str, ...] = ()
    choices: tuple[tuple[str, str], ...] = ()
    """Instead: what can be chosen, each with its command."""


def is_empty(contents: dict[str, Any]) -> bool:
    return not contents["branch"]


def ended(contents: dict[str, Any]) -> str:
    """How the run came to its end, or that it has not."""
    if contents["running_pid"]:
        return "Still running"
    if not contents["completed_at"]:
        return "Interrupted"
    return ENDINGS[StopReason(contents["termination_reason"])]


def headline(contents: dict[str, Any]) -> str:
    """What happened, in one sentence."""
    tasks, waiting = contents["tasks"], len(contents["questions"])
    parts = []
    if tasks["total"]:
        kinds = {kind: n for kind, n in tasks["standing"].items() if kind != "open"}
        how = f": {words.standing(kinds)}" if tasks["done"] else ""
        before = done_before(contents)
        earlier = f" ({before} of them before this run)" if before else ""
        parts.append(f"{tasks['done']} of {count(tasks['total'], 'task')} done{earlier}{how}")
    if waiting:
        parts.append(f"{count(waiting, 'question')} wait{'s' * (waiting == 1)} for you")
    return f"{'; '.join((*parts, effort(contents)))}."


def done_before(contents: dict[str, Any]) -> int:
    """Finished tasks that are no work of the run that the report is about."""
    landed = {one["task"] for one in contents["commits"]}
    rows = contents["tasks"]["completed"]
    return 0 if not contents["run"] else sum(row["id"] not in landed for row in rows)


def effort(contents: dict[str, Any]) -> str:
    """Time and money: "took 3 h 12 min, $4.20"."""
    verb = "so far" if contents["running_pid"] else "took"
    if not contents["run"]:
        seconds = contents["metrics"]["elapsed_seconds"]
        runs = count(len(contents["runs"]), "run")
        return f"{runs}, {words.span(seconds)} of work, {cost(contents)}"
    return f"{verb} {words.span(seconds_of(contents))}, {cost(contents)}"


def seconds_of(contents: dict[str, Any]) -> float:
    """From the start of the run to its end, to now, or to its last sign of life."""
    if contents["completed_at"]:
        return float(contents["duration_seconds"])
    last = contents["made_at"] if contents["running_pid"] else contents["last_seen_at"]
    began = _moment(contents["started_at"])
    return max(0.0, (_moment(last) - began).total_seconds()) if last else 0.0


def _moment(at: str) -> datetime:
    return datetime.fromisoformat(at)


def cost(contents: dict[str, Any]) -> str:
    spent = contents["spent"]
    if spent["cost_usd"] is None:
        return NO_COST
    least = "at least " if spent["without_figures"] else ""
    return f"{least}{money.dollars(spent['cost_usd'], estimated=spent['estimated'])}"


def clock(at: str) -> str:
    """A moment of the report as the clock here shows it."""
    return f"{_moment(at).astimezone():%Y-%m-%d %H:%M}" if at else ""


def when(contents: dict[str, Any]) -> str:
    """From when to when, by the clock of this machine."""
    start, end = clock(contents["started_at"]), clock(contents["completed_at"])
    if not end:
        return f"begun {start}, last heard of {clock(contents['last_seen_at'])}"
    return f"{start} to {end[11:] if end[:10] == start[:10] else end}"


def kind_of(row: dict[str, Any]) -> ProofKind:
    return proven.kind(row["level"], row["unproven"], row["accepted_by"])


def why_open(row: dict[str, Any]) -> str:
    return row["why"] or "waiting for its turn"


def steps(contents: dict[str, Any]) -> Iterator[Step]:
    """What to do now, the most urgent first."""
    if contents["running_pid"]:
        now = clock(contents["made_at"])
        yield Step(f"Ralph is still working. This is how it stood at {now}.", ("ralph status",))
    yield from _answers(contents)
    waits = bool(contents["questions"]) and not contents["running_pid"]
    if waits:
        yield Step("Then go on with the rest.", (_again(contents),))
    yield from _looks(contents)
    if not waits:
        yield from _goes_on(contents)
    if contents["commits"]:
        yield Step(
            "When you are content with it, take the work over, or open a pull request.",
            (*merging(contents), "ralph pr"),
        )


def _answers(contents: dict[str, Any]) -> Iterator[Step]:
    asked = contents["questions"]
    for one in asked[:MOST_QUESTIONS]:
        about = f" about {one['task']}" if one["task"] else ""
        text = f"Answer {one['id']}{about}: {sentence(one['summary'])}"
        yield Step(text, choices=choices(one))
    if len(asked) > MOST_QUESTIONS:
        more = count(len(asked) - MOST_QUESTIONS, "more question")
        yield Step(f"{more} wait in the inbox.", ("ralph inbox",))


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
        yield Step("Look over the changes. Nothing in them stands out.", (difference(first),))
        return
    others = sum(one["look"] != "briefly" for one in review[1:])
    rest = f" Then {count(others, 'more task')} of the list below." if others else ""
    why = sentence("; ".join(first["why"][:2]))
    what = f"{first['task']} ({first['title']})" if first["title"] else first["task"]
    yield Step(f"Look at {what} first: {why}{rest}", (difference(first),))


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
    elif todo:
        why = sentence(contents["why"])
        yield Step(f"{_left(todo)} The run ended: {why} Continue with", (_again(contents),))


def _again(contents: dict[str, Any]) -> str:
    return words.again(contents["plan"]).strip("`")


def _left(number: int) -> str:
    return "One task is not done." if number == 1 else f"{number} tasks are not done."


def sentence(text: str) -> str:
    """The text with a full stop, unless it ends somehow."""
    bare = text.strip()
    return bare if not bare or bare.endswith((".", "?", "!", "…")) else f"{bare}."


def merging(contents: dict[str, Any]) -> tuple[str, ...]:
    """The commands that bring the branch into the one it came from."""
    there = contents["came_from"]
    merge = f"git merge {shlex.quote(contents['branch'])}"
    return (f"git switch {shlex.quote(there)}", merge) if there else (merge,)


def undoing(contents: dict[str, Any]) -> Iterator[Step]:
    """How to get rid of work that is not wanted; nothing is lost by it."""
    last = contents["commits"][-1:]
    for one in last:
        before = one["iteration"] - 1
        yield Step(
            f"Go back to before {one['task']}; the task is open again, and its work is kept",
            (f"ralph revert --iteration {_earlier(contents, before)}",),
        )
    if len(contents["commits"]) > 1:
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


def unverified(contents: dict[str, Any]) -> list[tuple[tuple[str, ...], list[str]]]:
    """What nothing proves, by the tasks that it is said of: some is said of all of them."""
    said: dict[str, list[str]] = {}
    for one in contents["not_verified"]:
        what = f"{one['criterion']}: {one['why']}" if one["criterion"] else one["why"]
        said.setdefault(what, []).append(one["task"])
    found: dict[tuple[str, ...], list[str]] = {}
    for what, tasks in said.items():
        found.setdefault(tuple(dict.fromkeys(tasks)), []).append(what)
    return list(found.items())


def looking(one: dict[str, Any]) -> str:
    """How much of a look a change deserves, in words."""
    return {"closely": "Look closely", "yes": "Look", "briefly": "Look over"}[one["look"]]


def size(one: dict[str, Any]) -> str:
    return f"{count(one['files'], 'file')}, +{one['added']} -{one['removed']}"


def state(row: dict[str, Any]) -> str:
    """Where an open task stands, in a word or two."""
    usual = {"ready": "not done", "waiting": "not done", "parked": "waits for you"}
    return usual.get(row["status"], str(row["status"]))


def attempt(record: dict[str, Any]) -> str:
    """What came of one attempt: "failed after 3 min 02 s: …"."""
    outcome = _SIGNS.get(record["outcome"], record["outcome"]) or "still under way"
    why = f": {record['why']}" if record["why"] else ""
    answer = f"; {record['answeredBy']} answered: {record['answer']}" if record["answer"] else ""
    return f"{outcome} (agent {words.span(record['agent']['seconds'])}){why}{answer}"


def some(names: tuple[str, ...]) -> str:
    """Names of tasks, as many as fit into a line."""
    most = 6
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def set_aside(one: dict[str, Any]) -> str:
    about = f"{one['task']}, iteration {one['iteration']}: " if one["task"] else ""
    since = " (The task was finished later, without it or from it.)" if one["done_since"] else ""
    return f"{about}{sentence(one['why'])}{since}"


def spent(contents: dict[str, Any]) -> Iterator[str]:
    """Cost and time of the whole, a line each."""
    told = contents["spent"]
    known = told["agents"] - told["without_figures"]
    if told["cost_usd"] is None:
        yield "cost: unknown; the agents did not report what they spent"
    else:
        part = f"; {known} of them told what they used" if told["without_figures"] else ""
        guess = "; an estimate from list prices" if told["estimated"] else ""
        agents = count(told["agents"], "agent")
        yield f"cost: {cost(contents)} for {agents}, {told['tokens']:,} tokens{part}{guess}"
    waited = contents["waited_seconds"]
    waits = f", of which {words.span(waited)} waiting" if waited >= 1 else ""
    working = sum(one["agent_seconds"] for one in contents["spending"])
    if contents["run"]:
        whole = f"{words.span(seconds_of(contents))} from start to end{waits}"
        yield f"time: {whole}; agents worked {words.span(working)}"
    else:
        yield f"time: {words.span(contents['metrics']['elapsed_seconds'])} of work{waits}"


def figures(metrics: dict[str, Any]) -> Iterator[str]:
    """How well it went, in numbers."""
    yield (
        f"{count(metrics['iterations'], 'iteration')}, {metrics['verified_share']:.0%} ended in "
        f"a verified commit; {metrics['iterations_per_task'] or '-'} per finished task"
    )
    yield (
        f"{count(metrics['failures'], 'failure')} ({metrics['errors']} by the agent itself), "
        f"{count(metrics['rollbacks'], 'rollback')}, {count(metrics['checkpoints'], 'checkpoint')}"
    )
    if metrics["seconds_to_recovery"] is not None:
        yield f"time to recovery after a failure: {metrics['seconds_to_recovery']} s"


def explained() -> Iterator[tuple[str, str]]:
    """Every word that a reader may not know, with what it means."""
    yield from ((kind.value, text) for kind, text in MEANINGS.items())
    yield from WORDS.items()
    yield from ((f"level {level.value}", text) for level, text in LEVELS.items())

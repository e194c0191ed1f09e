"""What the report says in sentences, the same in every form. Pure: from its contents to words.

Words of agents and plans are in them as they are: each form cleans what it shows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ralph.domain.decision import StopReason
from ralph.domain.verdict import Level
from ralph.ui import words
from ralph.ui.cli.common import count
from ralph.ui.report import numbers
from ralph.views import proven
from ralph.views.proven import ProofKind
from ralph.views.status import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

NOTHING_YET = "Nothing has run here yet."
HOW_TO_START = "Start with `ralph run`. Without a plan, `ralph init` writes one."
MARK = "made by `ralph report`"
"""By which a file is known again as one of these."""
NOTHING_OPEN = "Nothing: every criterion of every finished task is shown or covered by the checks."
NOT_SHOWN = "Of finished work, what no check or test is known to show, and other doubts:"
_TO_RALPH = re.compile(
    r"<(follow-up|escalate|promise|handoff|blocked)\b.*?(?:</\1>|\Z)"
    r"|^[^\w\n]*Task\s+\S+\s+(?:is\s+)?complete[^\w\n]*$",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
_SIGNS = {"success": "done", "blocked": "asked a person"}


def is_empty(contents: dict[str, Any]) -> bool:
    return not contents["started_at"]


def ended(contents: dict[str, Any]) -> str:
    """How the run came to its end, or that it has not."""
    if contents["running_pid"]:
        return "Still running"
    if not contents["completed_at"]:
        return "Interrupted"
    reason, left = StopReason(contents["termination_reason"]), contents["tasks"]["standing"]["open"]
    if reason is StopReason.GOAL_ACHIEVED and left:  # of one task, or before others were opened
        return f"{ENDINGS[reason]}; {count(left, 'task')} open"
    return ENDINGS[reason]


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
    asked = count(waiting, "question") if waiting else "no question"
    parts.append(f"{asked} wait{'s' * (waiting <= 1)} for you")
    return f"{'; '.join((*parts, effort(contents)))}."


def done_before(contents: dict[str, Any]) -> int:
    """Finished tasks that are no work of the run that the report is about."""
    here = made_here(contents)
    rows = contents["tasks"]["completed"]
    return sum(row["commit"] not in here for row in rows) if contents["run"] else 0


def made_here(contents: dict[str, Any]) -> set[str]:
    """The commits of the run that the report is about."""
    return {one["resultCommit"] for one in contents["iterations"] if one["resultCommit"]}


def effort(contents: dict[str, Any]) -> str:
    """Time and money: "took 3 h 12 min, $4.20"."""
    verb = "so far" if contents["running_pid"] else "took"
    if not contents["run"]:
        seconds = contents["metrics"]["elapsed_seconds"]
        runs = count(len(contents["runs"]), "run")
        return f"{runs}, {words.span(seconds)} of work, {numbers.cost(contents)}"
    return f"{verb} {words.span(numbers.seconds_of(contents))}, {numbers.cost(contents)}"


def sign(row: dict[str, Any]) -> str:
    """Of a finished task: a tick says that something shows it."""
    if row["proof"] is None:
        return "·"
    return "!" if kind_of(row) is ProofKind.UNPROVEN else "✓"


def sure(row: dict[str, Any]) -> str:
    """How sure it is that a finished task is right, in a sentence."""
    proof = row["proof"]
    if proof is None:
        return f"{proven.BY_THE_PLAN}."
    match kind_of(row):
        case ProofKind.ACCEPTED:
            return f"Done: {proof['accepted_by']} accepted it, the checks alone did not."
        case ProofKind.UNPROVEN:
            little = proven.LITTLE.get(Level(proof["level"]), "")
            return f"Done, but {proven.UNPROVEN if proof['unproven'] else little}."
        case ProofKind.CHECKED if not all(one["passed"] for one in proof["checks"]):
            red = "a check still fails, for tests that failed before"
            return (
                f"{_shown_by(proof)}, but {red}."
                if proof["tests_that_show_it"]
                else (f"Done, but {red}. It is not proven.")
            )
        case ProofKind.CHECKED:
            return "Done, and its checks pass. It is of a kind that no new test can show."
        case _:
            return f"{_shown_by(proof)}."


def _shown_by(proof: dict[str, Any]) -> str:
    tests = proof["tests_that_show_it"]
    more = f" and {len(tests) - 1} more" * (len(tests) > 1)
    which = f"`{tests[0]}`{more}" if tests else "a test"
    one = len(tests) <= 1
    return f"Done: {which} fail{'s' * one} without the change and pass{'es' * one} with it"


def claim(record: dict[str, Any] | None) -> str:
    """What the agent says of its work, without what it says to Ralph."""
    said = _TO_RALPH.sub(" ", record["summary"]) if record is not None else ""
    return words.line(said)


def asked(question: dict[str, Any]) -> str:
    """What a question is about: what fails, where a task is stuck."""
    if question["fails"]:
        return f"It still fails: {question['fails']}"
    return str(question["summary"])


def worker(contents: dict[str, Any]) -> str:
    """Who did the work; an agent that is only a command has no name."""
    name = contents["agent"]
    return "agent: a command of your own" if name == "command" else f"agent: {name}"


def kind_of(row: dict[str, Any]) -> ProofKind:
    return proven.kind(row["level"], row["unproven"], row["accepted_by"])


def why_open(
    row: dict[str, Any], tries: Sequence[dict[str, Any]], questions: Sequence[dict[str, Any]]
) -> str:
    """Why a task is not done, by its own state, or by what came of the last attempt at it."""
    waiting = next((one for one in questions if one["id"] == row.get("question")), None)
    if waiting is not None:
        return asked(waiting)
    if row["why"]:
        return str(row["why"])
    if not tries:
        return "waiting for its turn"
    last = tries[-1]
    if not last["outcome"]:
        return "an agent has begun with it"
    if last["resultCommit"]:
        return "it was done, and is open again"
    return f"the last attempt {_SIGNS.get(last['outcome'], last['outcome'])}: {last['why']}"


def tries_of(contents: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The attempts of this report, by task."""
    found: dict[str, list[dict[str, Any]]] = {}
    for record in contents["iterations"]:
        found.setdefault(record["taskId"], []).append(record)
    return found


def sentence(text: str) -> str:
    """The text with a full stop, unless it ends somehow."""
    bare = text.strip()
    return bare if not bare or bare.endswith((".", "?", "!", "…")) else f"{bare}."


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


def size(one: dict[str, Any]) -> str:
    return f"{count(one['files'], 'file')}, +{one['added']} -{one['removed']}"


def state(row: dict[str, Any]) -> str:
    """Where an open task stands, in a word or two."""
    usual = {"ready": "not done", "waiting": "not done", "parked": "waits for you"}
    return usual.get(row["status"], str(row["status"]))


def attempt(record: dict[str, Any]) -> str:
    """What came of one attempt: "failed after 3 min 02 s: …"."""
    outcome = _SIGNS.get(record["outcome"], record["outcome"]) or "begun, and not ended"
    why = f": {record['why']}" if record["why"] and not record["resultCommit"] else ""
    answer = f"; {record['answeredBy']} answered: {record['answer']}" if record["answer"] else ""
    return f"{outcome} (agent {words.span(record['agent']['seconds'])}){why}{answer}"


def checks(contents: dict[str, Any]) -> tuple[str, ...]:
    """The first commands that finished tasks had to pass."""
    proofs = (row["proof"] for row in contents["tasks"]["completed"] if row["proof"])
    return tuple(dict.fromkeys(one["command"] for proof in proofs for one in proof["checks"]))[:3]


def some(names: tuple[str, ...]) -> str:
    """Names of tasks, as many as fit into a line."""
    most = 6
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def attempts(records: Sequence[dict[str, Any]], *, of_a_run: bool) -> str:
    """How many there were, and how many of them are no matter of this report."""
    before = max(0, records[-1]["attempt"] - len(records)) if of_a_run else 0
    earlier = f", {before} more in earlier runs" if before else ""
    return f"{count(len(records), 'attempt')}{' in this run' * of_a_run}{earlier}"


def set_aside(one: dict[str, Any], questions: Sequence[dict[str, Any]]) -> str:
    about = f"{one['task']}: " if one["task"] else ""
    about_it = (q for q in questions if q["task"] == one["task"] and q["fails"])
    asking = next(about_it, None) if one["task"] else None
    if asking is not None:
        return f"{about}what the last attempt left; {asking['id']} asks what becomes of it."
    since = " (The task was finished later, without it or from it.)" if one["done_since"] else ""
    return f"{about}{sentence(one['why'])}{since}"

"""What the report says in sentences, the same in every form. Pure: from its contents to words.

Words of agents and plans are in them as they are: each form cleans what it shows.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from ralph.domain.decision import StopReason
from ralph.ui import money, words
from ralph.ui.cli.common import count
from ralph.views import proven
from ralph.views.status import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ralph.views.proven import ProofKind

NOTHING_YET = "Nothing has run here yet."
HOW_TO_START = "Start with `ralph run`. Without a plan, `ralph init` writes one."
MARK = "made by `ralph report`"
"""By which a file is known again as one of these."""
NO_COST = "cost unknown"
NOTHING_OPEN = "Nothing: every criterion of every finished task is shown or covered by the checks."
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


def why_open(row: dict[str, Any], tries: Sequence[dict[str, Any]]) -> str:
    """Why a task is not done, by its own state, or by what came of the last attempt at it."""
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


def looking(one: dict[str, Any]) -> str:
    """How much of a look a change deserves, in words."""
    look = str(one["look"])
    return {"closely": "look closely", "yes": "worth a look", "briefly": "a glance"}[look]


def size(one: dict[str, Any]) -> str:
    return f"{count(one['files'], 'file')}, +{one['added']} -{one['removed']}"


def state(row: dict[str, Any]) -> str:
    """Where an open task stands, in a word or two."""
    usual = {"ready": "not done", "waiting": "not done", "parked": "waits for you"}
    return usual.get(row["status"], str(row["status"]))


def attempt(record: dict[str, Any]) -> str:
    """What came of one attempt: "failed after 3 min 02 s: …"."""
    outcome = _SIGNS.get(record["outcome"], record["outcome"]) or "begun, and not ended"
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

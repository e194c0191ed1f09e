"""What an honest harness keeps to: pure functions of what was seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.flows.conformance.case import Expected

if TYPE_CHECKING:
    from ralph.flows.conformance.case import Case, Rule, Seen


def judge(case: Case, seen: Seen) -> tuple[str, ...]:
    """Everything that is wrong; nothing else about a harness is looked at."""
    rules: list[Rule] = [started, truthful, undamaged, *case.rules]
    if not case.may_wait:
        rules.insert(0, ends)
    if case.expected is Expected.DONE:
        rules.append(finished)
    elif case.expected is Expected.OPEN:
        rules.append(unfinished)
    return tuple(problem for rule in rules if (problem := rule(seen)))


def ends(seen: Seen) -> str:
    return "" if seen.ended else f"it did not end within {seen.seconds:.0f} s"


def started(seen: Seen) -> str:
    return "" if seen.calls else "the agent was never started"


def truthful(seen: Seen) -> str:
    if seen.done and not seen.proven:
        return "the task is marked as done, but the commit does not do what it asks for"
    if seen.exit_code == 0 and not seen.done:
        return "it ended with success, but the task is open"
    return ""


def undamaged(seen: Seen) -> str:
    """The person's things are as they were, git is in order, nothing is left running."""
    problems = [*(f"{name} of the user is gone or changed" for name in seen.lost), *seen.git]
    if not seen.plan_kept:
        problems.append("the plan is not the one that the person wrote")
    if not seen.base_kept:
        problems.append("the person's commit is no longer part of the branch")
    if seen.ended and seen.process_left:
        problems.append("a process of the agent's is left")
    return "; ".join(problems)


def finished(seen: Seen) -> str:
    if not seen.done:
        return "the task is not marked as done"
    return "" if seen.exit_code == 0 else f"it ended with exit code {seen.exit_code}"


def unfinished(seen: Seen) -> str:
    # what is marked wrongly has been said already
    return "the task is marked as done" if seen.done and seen.proven else ""


def nothing_forged(seen: Seen) -> str:
    return "a commit that the agent made by itself is on the branch" if seen.forged else ""


def nothing_planted(seen: Seen) -> str:
    return f"it ran what the agent planted: {', '.join(seen.planted)}" if seen.planted else ""


def no_leak(seen: Seen) -> str:
    return f"a secret of the harness is in {', '.join(seen.leaked)}" if seen.leaked else ""


def question_shown(seen: Seen) -> str:
    return "" if seen.asked else "the agent's question is not in the output"


def calls_at_most(most: int) -> Rule:
    def few(seen: Seen) -> str:
        return f"the agent was started {seen.calls} times" if seen.calls > most else ""

    return few


def calls_at_least(least: int) -> Rule:
    def enough(seen: Seen) -> str:
        return "" if seen.calls >= least else f"the agent was started {seen.calls} times only"

    return enough


def memory_at_most(megabytes: float) -> Rule:
    def frugal(seen: Seen) -> str:
        too_much = seen.memory_mb > megabytes
        return f"it took {seen.memory_mb:.0f} MB of memory" if too_much else ""

    return frugal


def disk_at_most(megabytes: float) -> Rule:
    def small(seen: Seen) -> str:
        too_much = seen.grown_mb > megabytes
        return f"it left {seen.grown_mb:.0f} MB in the repository" if too_much else ""

    return small

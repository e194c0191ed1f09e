"""A night as the ledger has it, for the report: proven, unproven and open tasks, and a question.

What agents and plans say can be given words of an attacker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from tests.support.histories import recorded

from ralph.domain import event as e
from ralph.domain.answer import Ended
from ralph.domain.claim import Claim, ClaimKind, FollowUp
from ralph.domain.decision import Outcome, StopReason, Trigger
from ralph.domain.evidence import COVERED, NOBODY, Evidence, Fact, FactKind, Weighed, Weight
from ralph.domain.plan import Plan
from ralph.domain.question import Choice, Question, QuestionKind, Reply
from ralph.domain.task import Status, Task, shell
from ralph.domain.usage import Usage
from ralph.domain.verdict import CheckResult, Level, Verdict
from ralph.repo.patch import FilePatch
from ralph.views import morning, reviewing
from ralph.views.fold import fold
from ralph.views.reviewing import ChangedFile

if TYPE_CHECKING:
    from ralph.domain.event import Event

ATTACK = (
    "</style></title></pre><script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;"
    " onclick=alert(1) \u202e\u2066\u200b\x1b[2J\x1b]0;x\x07\x00\r\udc80 "
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a <!-- ]]> javascript:alert(1) `code` \u2028"
)
"""What an agent may write anywhere, and nobody may fall for."""
ENDED = e.RunEnded(StopReason.WAITING_FOR_PERSON, "a person must decide", 5)


def contents(
    words: str = "", *, ended: e.RunEnded | None = ENDED, cost: float | None = 0.25
) -> dict[str, Any]:
    """What a report is made from; `words` stand in all that others wrote."""
    plan = _plan(words)
    happened = recorded([*_events(words, cost), *((ended,) if ended else ())])
    state = fold(happened)
    told = morning.contents(state, "project", plan, happened, state.run.id)
    files = [ChangedFile(f"a.py{words}", added=3), ChangedFile("test_a.py", "test", 2, 1)]
    done = told["tasks"]["completed"]
    told["review"] = reviewing.ordered(done, {row["commit"]: files for row in done})
    return told | {
        "root": f"/w{words}",
        "running_pid": 0,
        "merged": False,
        "made_at": "2026-11-20T07:00:00Z",
    }


def differences(words: str = "") -> dict[str, list[FilePatch]]:
    """The changes of one of its tasks."""
    text = f"@@ -1,2 +1,3 @@ {words}\n context {words}\n-old {words}\n+new {words}\n"
    return {"c2": [FilePatch(f"a.py{words}", 1, 1, text), FilePatch("b.bin", left_out="not text")]}


def _plan(words: str) -> Plan:
    tasks = (
        Task("A", f"First{words}", criteria=(f"it is there{words}",), status=Status.COMPLETED),
        Task("B", f"Second{words}", criteria=(f"it works{words}",), status=Status.COMPLETED),
        Task("C", f"Third{words}", description=words),
        Task("D", f"Fourth{words}", depends_on=("C",)),
    )
    return Plan(f"Plan{words}", tasks, description=f"What it is for.{words}", source="PRD.json")


def _events(words: str, cost: float | None) -> list[Event]:
    run = e.RunStarted("PRD.json", f"Plan{words}", "ralph/plan", "base", f"agent{words}", "/w",
                       False, 7, "h", "1", came_from="main")  # fmt: skip
    start = e.IterationStarted(1, "A", f"First{words}", 1, "base", Trigger.INITIAL, "agent")
    done = e.AgentFinished(1, "A", Ended.EXITED, 0, 5.0, 10, "t", Usage(10, 5, cost_usd=cost))
    end = e.IterationEnded(1, "A", Outcome.SUCCESS, f"done{words}", 9, files=(f"a.py{words}",))
    question = Question("Q2", "C", QuestionKind.STUCK, f"Which way?{words}", f"It forks.{words}",
                        (f"Left{words}", "Right"), f"Left or right?{words}", 3)  # fmt: skip
    earlier = replace(question, id="Q1", task="B", iteration=2)
    follow_up = Claim(ClaimKind.FOLLOW_UP, "A", follow_up=FollowUp(f"Tidy{words}", f"Why{words}"))
    return [
        run,
        start,
        done,
        e.Claimed(1, (follow_up,)),
        e.Verified(1, _verdict(words, Level.PROVEN)),
        e.Settled(1, "A", "c1", Level.PROVEN),
        end,
        e.Escalated(earlier),
        e.Answered("Q1", Reply(Choice.GUIDANCE, text=f"Go on{words}"), f"ada{words}"),
        replace(start, iteration=2, task="B", title=f"Second{words}", base="c1"),
        replace(done, iteration=2, task="B"),
        e.Verified(2, _verdict(words, Level.OVERLAY)),
        e.Settled(2, "B", "c2", Level.OVERLAY, untested=True),
        replace(end, iteration=2, task="B"),
        replace(start, iteration=3, task="C", title=f"Third{words}", base="c2"),
        replace(done, iteration=3, task="C"),
        e.IterationEnded(3, "C", Outcome.BLOCKED, f"asked{words}", 3),
        e.Salvaged("refs/ralph/salvage/r/3-C", "c3", f"half of it{words}", "C", 3),
        e.Escalated(question),
    ]


def _verdict(words: str, level: Level) -> Verdict:
    proven = level is Level.PROVEN
    fact = Fact(FactKind.RUNNER_CHANGED, f"`Makefile` was changed{words}", path="Makefile")
    return Verdict(
        passed=True,
        level=level,
        why=f"passed{words}",
        results=(CheckResult(shell(f"make test{words}"), True, 0, 1.0),),
        facts=(Weighed(fact, Weight.NOTE, words),),
        shown=(f"test_a.py::test{words}",) if proven else (),
        evidence=(
            Evidence(f"it is there{words}", COVERED)
            if proven
            else Evidence(f"it works{words}", NOBODY),
        ),
        notes=(f"Not confined: agents and checks had your rights{words}",),
        untested=not proven,
    )

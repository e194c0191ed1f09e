"""The real Claude Code gets stuck or full: it is told so, and a fresh one finishes the task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.project import PATIENCE, wait_until
from tests.support.real_claude import ClaudeProject, edits, script, session

from ralph.testing import ClaimedUsage, Endpoint, Turn, call, say

if TYPE_CHECKING:
    from pathlib import Path

SECOND = 1 / 60
CLAIM = "Task US-001 complete"
AGAIN = call("Bash", command="echo the same")
NOTES = """\
<checkpoint>
phase: implementing
completed:
- the file is begun
decisions:
- the word will be right, because left is taken
next steps:
- write the word into out/US-001.txt
</checkpoint>"""


def test_a_stuck_agent_is_nudged_told_of_and_relieved(tmp_path: Path) -> None:
    """Eight times the same call with the same result; then its model says nothing any more."""
    turns = (
        edits("wrong"),
        *[AGAIN] * 8,
        Turn(hang=True, expect="A reminder from Ralph"),
        edits("right", expect="was stopped: the same calls with the same results"),
        say(CLAIM),
    )
    health = {"nudges": 1, "nudge_minutes": 2 * SECOND, "escalate_minutes": 0.2 * SECOND}
    with Endpoint({"main": script(*turns)}) as endpoint:
        project = ClaudeProject(tmp_path, endpoint, health=health, loop={"backoff_cap_seconds": 0})
        done = project.run()
        assert done.code == 0, done.out + done.err
        first, second = project.sessions()
        asked = project.asked()
    told = [str(one.body) for one in asked if session(one) == first][-1]
    assert "the same calls with the same results 5 times in a row: Bash echo the same" in told
    for way_out in ("Show progress", "Hand over", "Escalate"):
        assert way_out in told
    steps = project.events("Intervened")
    assert [one["level"] for one in steps] == ["nudge", "escalate", "terminate"]
    assert "A reminder from Ralph" in steps[0]["text"]
    states = [one["now"] for one in project.events("HealthChanged")]
    assert states == ["stuck", "failing", "terminated"]
    ended, finished = project.finished()
    assert (ended["trouble"], ended["session"], finished["session"]) == ("stuck", first, second)
    assert project.outcomes() == ["failed", "success"]
    opening = next(str(one.body) for one in asked if session(one) == second)
    assert "was stopped: the same calls with the same results 8 times in a row" in opening
    assert "out/US-001.txt | 1 +" in opening, "its work is still there"


def test_a_word_of_a_person_reaches_it_between_two_steps(tmp_path: Path) -> None:
    turns = (
        call("Bash", command="touch up; while ! test -e told; do sleep 0.1; done; rm up told"),
        edits("right", expect="the word is right"),
        say(CLAIM),
    )
    with Endpoint({"main": script(*turns)}) as endpoint:
        project = ClaudeProject(tmp_path, endpoint)
        process = project.start()
        wait_until((project.root / "up").exists, "the agent's command")
        told = project.ralph("nudge", "the word is right")
        (project.root / "told").touch()
        out, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, out
        assert told.out == "The agent that works on US-001 has it.\n"
        assert len(project.sessions()) == 1, "nobody was started again for it"
    [said] = project.events("Intervened")
    assert (said["text"], bool(said["by"])) == ("the word is right", True)
    assert "tells the agent: the word is right" in out


def test_a_full_context_is_handed_over_in_the_middle_of_a_task(tmp_path: Path) -> None:
    full = ClaimedUsage(input=1_000, cache_read=145_000)
    begins = "mkdir -p out; echo half > out/half.txt; sleep 0.7"
    turns = (
        call("Bash", full, command=begins),
        say(NOTES, full, expect="please hand over US-001"),
        edits("right", expect="the word will be right, because left is taken"),
        say(CLAIM, expect="write the word into out/US-001.txt"),
    )
    with Endpoint({"main": script(*turns)}) as endpoint:
        project = ClaudeProject(tmp_path, endpoint)
        done = project.run()
        assert done.code == 0, done.out + done.err
        assert len(project.sessions()) == 2
    [asked] = project.events("HandoffAsked")
    assert asked["trigger"] == "context_threshold"
    assert asked["value"] > asked["threshold"] == 0.7
    ends = project.events("IterationEnded")
    assert [one["outcome"] for one in ends] == ["interrupted", "success"]
    assert [one["handoff"] for one in ends] == ["context_threshold", None]
    assert project.git("show", "ralph/journey:out/half.txt") == "half"
    assert project.passed() == ["US-001"]

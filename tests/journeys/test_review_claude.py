"""The review with the real Claude Code: by `ralph review`, and inside a session."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.claude import ask
from tests.support.real_claude import ClaudeProject

from ralph.flows.hooks import PLUGIN
from ralph.testing import ClaimedUsage, Endpoint, Script, call, say

if TYPE_CHECKING:
    from pathlib import Path

ROLE = "---\nworkflow: short\n---\nYou are the only reviewer.\n"
FOUND = {"findings": [{"title": "The tune is wrong", "path": "out/US-001.txt", "line": 1}]}
SPENT = ClaimedUsage(1_000, 100)


def block(value: object) -> str:
    return f"I looked.\n```json\n{json.dumps(value)}\n```"


def test_a_finding_is_fixed_by_the_real_program(tmp_path: Path) -> None:
    conversations = {
        "led to the fix below": (say(block({"findings": []}), SPENT, expect="+right"),),
        "You are the only reviewer": (say(block(FOUND), SPENT),),
        "Try to prove that it is not": (say(block({"confidence": 0.9}), SPENT),),
        "Fix these findings": (
            call("Write", SPENT, file_path="out/US-001.txt", content="right\n"),
            say("Mended.", SPENT),
        ),
    }
    with Endpoint({"main": Script((say("Who?"),), conversations=conversations)}) as endpoint:
        project = ClaudeProject(tmp_path, endpoint)
        project.write("out/US-001.txt", "right, or wrong\n")
        project.commit("a tune")
        project.write(".ralph/review/roles/only.md", ROLE)
        done = project.ralph("review", "out/US-001.txt", "--workflow", "short", "--json")
        assert done.code == 0, done.out + done.err
        assert len(project.sessions()) == 4
        again = ("review", "out/US-001.txt", "--workflow", "short", "--fresh")
        refused = project.ralph(*again, env={"RALPH_BUDGET__DAY": "0.001"})
        assert (refused.code, len(project.sessions())) == (4, 4)
        assert "budget.day" in refused.err
    report = done.json()
    spent = project.ralph("cost", "--by", "task", "--json").json()
    assert spent["total"]["cost_usd"] == pytest.approx(report["metrics"]["cost_usd"])
    assert (report["ending"], report["findings"][0]["standing"]) == ("clean", "fixed")
    assert project.git("show", f"{report['branch']}:out/US-001.txt") == "right"
    assert report["metrics"]["tokens"] == 5 * 1_100
    assert report["metrics"]["cost_usd"] > 0


def test_a_review_inside_a_session_ends_by_its_signal(tmp_path: Path) -> None:
    turns = (
        say("One finding, not fixed yet."),
        say("<review-complete>ALL_ISSUES_RESOLVED</review-complete>"),
    )
    with Endpoint({"main": Script(turns)}) as endpoint:
        words = "/ralph:ralph-review docs/prd.md"
        plugin = ("--plugin-dir", str(PLUGIN))
        ended = ask(tmp_path, endpoint.environment("main"), words, *plugin)
        told = [json.dumps(one.body["messages"]) for one in endpoint.requests]
    assert (ended.exit, endpoint.left("main"), len(told)) == (0, 0, 2)
    assert "Review this, and fix what is found: docs/prd.md" in told[0]
    assert "This is iteration 2 of 3" in told[1]
    assert not (tmp_path / "work/.claude/ralph-loop.local.md").exists()

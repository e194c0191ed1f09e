"""An agent hands over, Ralph is killed, and the next agent knows where to go on."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from tests.support.project import FINISH, PATIENCE, Project, wait_until

if TYPE_CHECKING:
    from pathlib import Path

AGENT = (
    """\
mkdir -p out
if [ "$n" = 1 ]; then
    echo half > out/half.txt
    echo "<checkpoint>"
    echo "completed:"
    echo "- the first half"
    echo "decisions:"
    echo "- halves, because it is long"
    echo "next steps:"
    echo "- write the second half"
    echo "</checkpoint>"
    echo "<handoff>I run out of room</handoff>"
    exit 0
fi
if [ "$n" = 2 ]; then
    touch "$state/started"
    while :; do sleep 0.05; done
fi
"""
    + FINISH
)


def last_agent(prompt: str) -> str:
    return prompt.partition("## Where the last agent stopped")[2].partition("\n## ")[0]


def killed_after_a_handoff(folder: Path) -> Project:
    project = Project(folder, agent=AGENT)
    process = project.start()
    wait_until((project.state / "started").exists, "the second agent")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    return project


def test_a_kill_loses_nothing_of_what_was_handed_over(tmp_path: Path) -> None:
    project = killed_after_a_handoff(tmp_path)
    preview = project.ralph("run", "--dry-run").out
    assert "- write the second half" in last_agent(preview)

    assert project.run().code == 0
    assert project.passed() == ["US-001"]
    assert not last_agent(project.prompt(1))
    for call in (2, 3):
        told = last_agent(project.prompt(call))
        for words in ("the first half", "halves, because it is long", "write the second half"):
            assert f"- {words}" in told
    assert "Ralph was killed" in last_agent(project.prompt(3))

    listed = project.ralph("checkpoint", "list", "--json").json()["checkpoints"]
    assert [one["iteration"] for one in listed] == [3, 2, 1]
    assert [one["phase"] for one in listed] == ["complete", "implementing", "handoff"]
    shown = project.ralph("checkpoint", "show", "--json").json()
    assert shown["metadata"]["id"] == listed[0]["id"]
    assert shown["recovery"]["commit"] == project.git("rev-parse", "ralph/journey").strip()
    assert "halves, because it is long" in project.ralph("checkpoint", "show", listed[2]["id"]).out
    assert "all valid" in project.ralph("checkpoint", "verify").out
    made = project.ralph("checkpoint", "create", "--note", "before lunch", "--json").json()
    assert "before lunch" in made["metadata"]["why"]
    assert project.view(".ralph/status.json")["last_checkpoint_id"] == listed[0]["id"]


SUITE = """\
import unittest


class Parts(unittest.TestCase):
    def test_one(self):
        self.assertEqual(1 + 1, 2)

    def test_two(self):
        self.assertTrue(open("out/US-001.txt").read())
"""


def test_a_checkpoint_counts_tests_and_not_commands(tmp_path: Path) -> None:
    agent = f"cat > test_parts.py <<'END'\n{SUITE}END\n" + FINISH
    project = Project(tmp_path, agent=agent, verify="python3 -m unittest -q")
    assert project.run().code == 0
    metrics = project.ralph("checkpoint", "show", "--json").json()["metrics"]
    assert metrics["tests_passed"] == 2
    assert metrics.get("tests_failed", 0) == 0


def test_a_damaged_checkpoint_is_told_and_passed_over(tmp_path: Path) -> None:
    project = killed_after_a_handoff(tmp_path)
    project.ralph("checkpoint", "create")
    with closing(sqlite3.connect(project.home / "ledger.db")) as db:
        db.execute("DROP TRIGGER events_are_not_updated")
        db.execute(
            "UPDATE events SET body = replace(body, 'halves', 'nonsense') "
            "WHERE seq = (SELECT max(seq) FROM events WHERE kind = 'CheckpointSaved')"
        )
        db.commit()

    shown = project.ralph("checkpoint", "show").out
    assert "halves, because it is long" in shown
    listed = project.ralph("checkpoint", "list").out
    assert listed.count("DAMAGED") == 1
    verified = project.ralph("checkpoint", "verify")
    assert verified.code == 1
    assert "it has been changed" in verified.err


def test_before_the_first_run_there_is_nothing(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert "No checkpoint yet" in project.ralph("checkpoint", "list").out
    create = project.ralph("checkpoint", "create")
    assert (create.code, "Nothing has run here yet" in create.err) == (1, True)

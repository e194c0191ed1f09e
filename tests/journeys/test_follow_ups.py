"""Tasks that agents suggest reach the person, and nobody works on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.project import FINISH, Project

if TYPE_CHECKING:
    from pathlib import Path

SUGGESTS = f"""\
echo "FOLLOW-UP: Cache the list of users"
if [ $n = 2 ]; then
  printf '<follow-up>\\nIndex the table\\nIt is slow.\\n</follow-up>\\n'
fi
{FINISH}"""


def test_suggestions_are_collected_and_not_run(tmp_path: Path) -> None:
    project = Project(tmp_path, 2, agent=SUGGESTS)
    plan = project.read("PRD.json")
    done = project.run()
    assert done.code == 0, done.out + done.err

    assert [call[1] for call in project.calls()] == ["US-001", "US-002"]
    assert project.read("PRD.json") == plan.replace('"passes": false', '"passes": true')
    assert "Index the table" not in project.read(".ralph/progress.md")
    found = project.ralph("report", "--json").json()["follow_ups"]
    assert found == project.view(".ralph/report.json")["follow_ups"]
    assert found == [
        {"iteration": 1, "task": "US-001", "title": "Cache the list of users", "text": ""},
        {"iteration": 2, "task": "US-002", "title": "Index the table", "text": "It is slow."},
    ]


def test_status_counts_them_and_the_report_lists_them(tmp_path: Path) -> None:
    project = Project(tmp_path, 2, agent=SUGGESTS)
    assert "follow-up" not in project.ralph("status").out
    assert project.run().code == 0

    assert "2 follow-up tasks suggested by agents: `ralph report`" in project.ralph("status").out
    assert project.ralph("status", "--json").json()["follow_ups"] == 2
    text = project.ralph("report").out
    assert "  · Cache the list of users  (US-001, iteration 1)\n" in text
    assert "  · Index the table  (US-002, iteration 2)\n    It is slow.\n" in text


def test_agents_are_told_how_to_suggest_one(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert project.run().code == 0
    assert "FOLLOW-UP: " in project.prompt(1)
    assert "a person decides about it" in project.prompt(1)

"""What a person can find out afterwards: what proves each task, and who changed it."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.project import Project, story

if TYPE_CHECKING:
    from pathlib import Path

CHECK = f"{sys.executable} -B -m pytest -q -p no:cacheprovider"
QUICK = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
"""Our own plugins make every start of pytest five times as long."""
AGENT = """\
case $RALPH_TASK_ID in
A) printf 'def add(a, b):\\n    return a + b\\n' > add.py
   printf 'from add import add\\n\\n\\ndef test_add():\\n    assert add(1, 2) == 3\\n' > test_add.py
   echo add > NOTES.md ;;
B) printf 'def sub(a, b):\\n    return a - b\\n' > sub.py ;;
C) printf 'def neg(a):\\n    return -a\\n' > neg.py
   printf 'from neg import neg\\n\\n\\ndef test_neg():\\n    assert neg(1) == -1\\n' > test_neg.py
   ;;
esac
echo "Task $RALPH_TASK_ID complete"
"""
NOTED = {"text": "it is noted", "check": {"file": "NOTES.md", "contains": "add"}}
LOOKS = {"text": "it looks tidy", "check": {"person": True}}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """One task with a test, one without, and one that a person accepts."""
    stories = [
        story("A", criteria=["it adds", NOTED]),
        story("B", criteria=["it subtracts"]),
        story("C", criteria=["it negates", LOOKS]),
    ]
    made = Project(
        tmp_path_factory.mktemp("evidence"),
        stories,
        agent=AGENT,
        verify=CHECK,
        settings={"verification": {"env": [QUICK]}},
    )
    made.write("test_start.py", "def test_start():\n    assert True\n")
    made.commit("a test")
    assert made.run("--on-escalation", "park", env={QUICK: "1"}).code == 5
    assert made.ralph("answer", "Q1", "1").code == 0
    assert made.run(env={QUICK: "1"}).code == 0
    return made


def completed(project: Project) -> dict[str, dict[str, Any]]:
    report = project.ralph("report", "--json").json()
    return {row["id"]: row for row in report["tasks"]["completed"]}


def test_the_report_shows_what_proves_each_criterion_and_what_nothing_does(
    project: Project,
) -> None:
    text = project.ralph("report").out
    for expected in (
        r"✓ A .*\(proven · [0-9a-f]{10}\)",
        r"1 proven, 1 accepted, 1 unproven\nDone: 3/3",
        r"· it adds  ← covered by the general checks",
        r"\? it subtracts  ← nobody looked",
        r"✓ it is noted  ← the file NOTES.md with 'add'",
        r"check: .*pytest.* passed, output [0-9a-f]{12}",
        r"fails without the change: test_add.py::test_add",
        r"diff: git diff [0-9a-f]{10} [0-9a-f]{10} \(3 files\)",
        r"! B .*\(overlay, unproven · ",
        r"note: No test fails without this change",
        r"accepted by \w+",
        r"Not verified\n  \? B  it subtracts: nobody looked\n  \? B  no test covers it",
        r"  \? C  it looks tidy: a person",
    ):
        assert re.search(expected, text), expected


def test_the_diff_that_the_report_names_is_the_change(project: Project) -> None:
    proof = completed(project)["A"]["proof"]
    changed = project.git("diff", "--name-only", proof["base"], proof["commit"]).splitlines()
    assert set(proof["files"]) < set(changed)
    assert set(changed) - set(proof["files"]) == {"PRD.json"}
    assert project.git("rev-parse", f"{proof['commit']}^{{tree}}") == proof["tree"]


def test_report_json_has_the_evidence_of_every_task(project: Project) -> None:
    rows = completed(project)
    assert rows == {row["id"]: row for row in _written(project)["tasks"]["completed"]}
    assert [rows[name]["level"] for name in "ABC"] == ["proven", "overlay", "accepted"]
    assert [rows[name]["unproven"] for name in "ABC"] == [False, True, False]
    criteria = rows["A"]["proof"]["criteria"]
    assert [(one["passed"], one["own"]) for one in criteria] == [(None, False), (True, True)]
    assert rows["C"]["proof"]["accepted_by"]
    assert [one["task"] for one in _written(project)["not_verified"]] == ["B", "B", "C", "C"]


def _written(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = project.view(".ralph/report.json")
    return found


def test_status_shows_what_is_unproven(project: Project) -> None:
    text = project.ralph("status").out
    assert re.search(r"✓ A .*\(proven · ", text)
    assert re.search(r"✓ B .*\(overlay, unproven · ", text)
    tasks = {row["id"]: row for row in project.ralph("status", "--json").json()["tasks"]}
    assert [tasks[name]["unproven"] for name in "ABC"] == [False, True, False]


def test_the_audit_tells_who_changed_which_task_with_which_evidence(project: Project) -> None:
    text = project.ralph("audit").out
    assert "the chain is intact" in text
    assert re.search(r"Z  A  settled as proven\n  by command · iteration 1 · ", text)
    assert "    fails without the change: test_add.py::test_add" in text
    assert re.search(r"Z  B  settled as overlay, unproven\n  by command", text)
    assert re.search(r"Z  C  asked about, Q1\n  by ralph", text)
    assert re.search(r"Z  C  settled as accepted\n  by (?!command|accepted)\w+ · ", text)


def test_the_audit_misses_commits_that_the_ledger_knows_nothing_of(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert "no commit by Ralph is on a branch here" in project.ralph("audit").out
    assert project.run().code == 0
    assert "it holds the 1 commit by Ralph" in project.ralph("audit").out

    project.git("switch", "-q", "-c", "theirs", "main")
    trailer = f"Ralph-Ledger: {'0' * 64}"
    project.git("commit", "-q", "--allow-empty", "-m", "feat: of a colleague", "-m", trailer)
    assert project.ralph("audit").code == 0, "what others landed is in their ledger"

    elsewhere = project.ralph("audit", env={"RALPH_HOME": str(tmp_path / "another")})

    assert elsewhere.code == 1
    assert "This ledger lacks what 2 commits by Ralph refer to" in elsewhere.err


def test_the_audit_of_a_time_and_a_task(project: Project) -> None:
    told = project.ralph("audit", "--task", "C", "--since", "1h", "--json").json()
    assert {change["task"] for change in told["changes"]} == {"C"}
    settled = told["changes"][-1]
    assert settled["what"] == "settled as accepted"
    assert settled["evidence"]["criteria"][1]["passed"] is None
    assert settled["commit"] == project.git("rev-parse", "ralph/journey")
    later = project.ralph("audit", "--since", "2999-01-01", "--json").json()
    assert (later["changes"], later["chain"]) == ([], "intact")
    wrong = project.ralph("audit", "--since", "soon")
    assert wrong.code == 2
    assert "is neither a date" in wrong.err

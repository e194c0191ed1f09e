"""`ralph plan` with an agent that follows a script, and `ralph import`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.gh import GitHub
from tests.support.project import Project
from tests.support.real_claude import NO_TASK, ClaudeProject
from tests.support.terminal import Terminal

from ralph.testing import Endpoint, Script, call, say

if TYPE_CHECKING:
    from collections.abc import Sequence

FILES = Path(__file__).parents[1] / "unit" / "imports"
BRIEF = "# Notes\n\nA list command and a search command, for $5 a month.\n"
FIRST = {
    "id": "US-001",
    "title": "List notes",
    "description": "`notes list` prints every note of the store, one per line.",
    "criteria": ["`notes list` exits 0 and prints two lines for two notes"],
    "passes": True,
}
SECOND = {
    "id": "US-002",
    "title": "Search notes",
    "description": "`notes search WORD` prints the notes that contain WORD.",
    "criteria": ["searching is user-friendly"],
    "dependsOn": ["US-001"],
    "verify": ["./search-works"],
}


def document(*stories: dict[str, Any]) -> str:
    return json.dumps({"project": "Notes", "userStories": stories})


@pytest.fixture
def project(tmp_path: Path) -> Project:
    found = Project(tmp_path / "work")
    (found.root / "PRD.json").unlink()
    found.write("BRIEF.md", BRIEF)
    found.commit("a brief")
    return found


def drafts(project: Project, *texts: str) -> Sequence[str]:
    """Have the agent print these, one after another; the arguments that choose it."""
    for number, text in enumerate(texts, 1):
        (project.state / f"draft-{number}").write_text(text, encoding="utf-8")
    project.agent('echo "scribble" > README.md\ncat "$state/draft-$n"\n')
    return ("plan", "BRIEF.md", "--agent-command", project.command)


def test_a_brief_that_is_missing_is_said_before_anything_else(project: Project) -> None:
    project.write("PRD.json", "{}")
    done = project.ralph("plan", "nofile.md")
    assert done.code == 2
    assert "nofile.md does not exist." in done.err


def test_a_draft_is_checked_shown_and_written(project: Project) -> None:
    fenced = f"Here it is:\n```json\n{document(FIRST, SECOND)}\n```\nTask done.\n"

    done = project.ralph(*drafts(project, fenced), "--yes")

    assert done.code == 0, done.err
    assert "  1  US-001 List notes" in done.out
    assert "  2  US-002 Search notes  ← US-001" in done.out
    assert "$ ./search-works" in done.out
    assert "US-002: criterion 1 cannot be checked" in done.out
    assert project.passed() == [], "nothing is done before it was proven"
    assert project.stories()["US-002"]["depends_on"] == ["US-001"]
    assert "for $5 a month" in project.prompt(1)
    assert "## The last draft" not in project.prompt(1)
    assert project.read("README.md") == "# Journey\n", "the agent worked in a copy"
    assert project.git("status", "--porcelain") == "?? PRD.json"
    again = project.ralph(*drafts(project, fenced), "--yes")
    assert again.code == 2
    assert "PRD.json exists already" in again.err
    assert len(project.calls()) == 1, "it is said before an agent costs money"


@pytest.mark.parametrize("walls", [True, False])
def test_who_drafts_is_confined(project: Project, walls: bool) -> None:
    words = drafts(project, document(FIRST))
    reach = f"echo x > {project.root}/planted 2>/dev/null; echo x > ~/planted 2>/dev/null\n"
    project.agent(f'{reach}cat "$state/draft-$n"\n')
    project.walls = walls
    assert project.ralph(*words, "--yes").code == 0
    found = [(project.root / "planted").exists(), Path(os.environ["HOME"], "planted").exists()]
    assert found == [not walls] * 2


def test_a_broken_draft_goes_back_once_with_the_error(project: Project) -> None:
    broken = document(FIRST, {**SECOND, "dependsOn": ["US-009"]})

    done = project.ralph(*drafts(project, broken, document(FIRST, SECOND)), "--yes", "--json")

    assert done.code == 0, done.err
    told = done.json()
    assert [task["id"] for task in told["tasks"]] == ["US-001", "US-002"]
    assert {(one["task"], one["severity"]) for one in told["findings"]} == {
        ("US-001", "error"),
        ("US-002", "warning"),
    }
    assert told["written"] == str(project.root / "PRD.json")
    assert "US-009, which is not there" in project.prompt(2)
    assert '"US-009"' in project.prompt(2), "it sees its own draft"


def test_a_hopeless_draft_is_kept_and_is_an_error(project: Project) -> None:
    done = project.ralph(*drafts(project, "I would rather not.", '{"userStories": [}'), "--yes")

    assert done.code == 1
    assert "did not draft a usable plan" in done.err
    assert ".ralph/drafts/unusable.txt" in done.err
    assert project.read(".ralph/drafts/unusable.txt") == '{"userStories": [}'
    assert not (project.root / "PRD.json").exists()


def test_without_a_terminal_the_draft_waits(project: Project) -> None:
    done = project.ralph(*drafts(project, document(FIRST)), "--out", "NEW.json")

    assert done.code == 5
    assert "The draft is in .ralph/drafts/NEW.json" in done.out
    assert json.loads(project.read(".ralph/drafts/NEW.json"))["project"] == "Notes"
    assert not (project.root / "NEW.json").exists()


def test_a_person_says_what_should_be_different(project: Project) -> None:
    project.write("PRD.json", '{"old": true}')
    arguments = drafts(project, document(FIRST), document(FIRST, SECOND))

    with Terminal(project, *arguments) as terminal:
        terminal.wait_for("Keep it?")
        terminal.type("and a search command, please")
        terminal.wait_for("US-002")
        terminal.type("y")
        terminal.wait_for("Replace it?")
        terminal.type("y")
        assert terminal.end() == 0

    assert "and a search command, please" in project.prompt(2)
    assert "List notes" in project.prompt(2)
    assert list(project.stories()) == ["US-001", "US-002"]
    assert project.read(".ralph/drafts/before-PRD.json") == '{"old": true}'


def test_the_real_claude_code_writes_its_draft_into_the_file(tmp_path: Path) -> None:
    writes = call("Write", file_path="ralph-plan.json", content=document(FIRST))
    turns = (writes, say("The plan is written."))
    known = Script(NO_TASK, conversations={"# Draft a plan": turns})
    with Endpoint({"main": known}) as endpoint:
        project = ClaudeProject(tmp_path, endpoint)
        project.write("BRIEF.md", BRIEF)
        done = project.ralph("plan", "BRIEF.md", "--out", "NEW.json", "--yes")

    assert done.code == 0, done.err
    assert project.view("NEW.json")["userStories"][0]["title"] == "List notes"


def test_an_import_says_what_is_lost_and_can_be_run_and_repeated(project: Project) -> None:
    source = str(FILES / "issues.jsonl")

    done = project.ralph("import", source)

    assert done.code == 0, done.err
    assert "PRD.json: 3 new, 0 updated." in done.out
    assert "    1  comments of an issue (shop-a1.2)" in done.out
    assert "Imported, but not used by Ralph: updated_at, close_reason, assignee." in done.out
    project.commit("imported")
    assert project.run().code == 0
    again = project.ralph("import", source, "--json").json()
    assert (again["new"], again["updated"], again["kept"]) == (0, 3, 0)
    assert project.passed() == ["shop-a1.1", "shop-a1.2", "shop-b2"]
    itself = project.ralph("import", "PRD.json")
    assert itself.code == 2


def test_issues_of_github_are_imported_through_gh(project: Project, tmp_path: Path) -> None:
    github = GitHub(tmp_path / "github")
    github.add(1, "First", "- [ ] it exits 0", "bug")
    github.add(2, "Second", "Blocked by #1 and #3", "bug")
    github.add(3, "Elsewhere", "", "later")

    done = project.ralph("import", "github:ada/shop?label=bug", env=github.env)

    assert "2 new" in done.out
    assert "the dependency on GH-3, which is not among the issues (GH-2)" in done.out
    assert project.stories()["GH-2"]["depends_on"] == ["GH-1"]
    assert project.stories()["GH-1"]["criteria"] == ["it exits 0"]

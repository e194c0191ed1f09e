"""The morning after: a page, Markdown and the text of a pull request, from a run as it happened."""

from __future__ import annotations

import os
import re
import signal
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.project import BLOCK, PATIENCE, Project, story, wait_until
from tests.support.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

CHECK = f"{sys.executable} -B -m pytest -q -p no:cacheprovider"
QUICK = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
"""Our own plugins make every start of pytest five times as long."""
AGENT = f"""\
case $RALPH_TASK_ID in
A) printf 'def add(a, b):\\n    return a + b\\n' > add.py
   printf 'from add import add\\n\\n\\ndef test_add():\\n    assert add(1, 2) == 3\\n' > test_add.py
   more='<follow-up>\\\\n<title>Subtract as well</title>\\\\n</follow-up>\\\\n' ;;
B) printf 'def sub(a, b):\\n    return a - b\\n' > sub.py ;;
C) {BLOCK}
   exit 0 ;;
D) printf '\\n\\ndef test_more():\\n    assert False\\n' >> test_start.py ;;
esac
cost='"total_cost_usd": 0.25, "usage": {{"input_tokens": 10, "output_tokens": 5}}'
printf '{{"type": "result", "subtype": "success", "is_error": false, %s, ' "$cost"
printf "\\"result\\": \\"${{more}}Task $RALPH_TASK_ID complete\\"}}"
"""
TITLE = "Add <b>two</b> numbers & more"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """One task proven, one unproven, one that waits for a person, one that failed and was kept."""
    stories = [
        story("A", title=TITLE, criteria=["it adds"]),
        story("B", title="Subtract", criteria=["it subtracts"]),
        story("C"),
        story("D"),
    ]
    made = Project(
        tmp_path_factory.mktemp("morning"),
        stories,
        agent=AGENT,
        verify=CHECK,
        settings={
            "verification": {"env": [QUICK]},
            "loop": {"gutter": {"max_same_failure": 1}},
            "prompts": {"max_files": 1},  # that the ledger names; the page shows all of a change
        },
    )
    made.write("test_start.py", "def test_start():\n    assert True\n")
    made.commit("a test")
    done = made.run("--on-escalation", "park", env={QUICK: "1"})
    assert done.code == 5, done.out + done.err
    return made


def words(page: str) -> str:
    """The page's text, as its reader has it."""
    bare = re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL)
    return re.sub(r" ([,;])", r"\1", " ".join(bare.split()))


def test_the_page_tells_the_night(project: Project) -> None:
    done = [project.ralph("report", "--html") for _ in range(2)][-1]
    [name] = [line for line in done.out.split() if line.endswith(".html.")]
    page = project.read(name.removesuffix("."))
    told = words(page)

    run = project.ralph("report", "--json").json()["run"]
    assert name == f"{project.root}/.ralph/report-{run}.html."
    assert project.git("status", "--porcelain") == "", "it is no file of the project"
    for expected in (
        "Waiting for you. 2 of 4 tasks done: 1 proven, 1 unproven; 2 questions wait for you; took",
        "ralph answer Q1 2 Use v1 anyway",
        "Look at B (Subtract): no test covers it",
        "git switch main &amp;&amp; git merge ralph/journey",
        "A: Add &lt;b&gt;two&lt;/b&gt; numbers &amp; more ✓ proven",
        "fails without the change: test_add.py::test_add",
        "B it subtracts: nobody looked no test covers it",
        "+def sub(a, b):",
        "The changes: 2 files, +7 -0 (add.py, test_add.py) git diff",
        "+def test_add():",
        "Subtract as well",
        "ralph revert --iteration 1",
    ):
        assert expected in told, expected
    [ref] = [one["ref"] for one in project.ralph("report", "--json").json()["salvage"]]
    restore = f"ralph salvage restore {ref.removeprefix('refs/ralph/salvage/')}"
    assert restore in told
    assert project.ralph(*restore.split()[1:3], restore.split()[3]).code == 0
    project.git("checkout", "-q", "-f", "HEAD")


def test_the_commands_of_the_page_are_right(project: Project) -> None:
    told = words(project.ralph("report", "--html", "-").out)
    first = re.findall(r"git (diff \w{10} \w{10})", told)[0]
    assert "sub.py" in project.git(*first.split(), "--name-only")


def test_markdown_has_the_same(project: Project) -> None:
    told = project.ralph("report", "--md").out
    assert told == project.ralph("report", "--md", "-").out
    wrote = project.ralph("report", "--md", str(project.folder / "report.md"))
    assert (project.folder / "report.md").read_text().count("\n## ") == told.count("\n## ")
    assert "report.md" in wrote.out
    assert project.ralph("report", "--md", str(project.folder / "report.md")).code == 0
    for option, name in (("--html", "PRD.json"), ("--md", "README.md")):
        before = project.read(name)
        refused = project.ralph("report", option, name)
        assert (refused.code, "is no report of Ralph's" in refused.err) == (2, True)
        assert project.read(name) == before
    for expected in (
        "**Waiting for you.** 2 of 4 tasks done: 1 proven, 1 unproven; 2 questions wait for you",
        "   - Use v1 anyway: `ralph answer Q1 2`",
        r"**A** Add \<b\>two\</b\> numbers & more: proven",
        "   `git diff ",
        "## Set aside",
    ):
        assert expected in told, expected


def test_the_text_of_a_pull_request(project: Project) -> None:
    told = project.ralph("report", "--pr").out
    assert len(told) < 4_000
    for expected in (
        "- `B` Subtract: unproven",
        "- not done, and not part of this: C, D",
        "| `A` | a test fails without the change | ✓ `test_add.py::test_add` |",
        "| `B` | it subtracts | ? nobody looked |",
        "1. **B**: no test covers it",
        "## Not verified",
        f"- `{CHECK}`",
    ):
        assert expected in told, expected


def test_the_text_says_what_to_look_at_first(project: Project) -> None:
    told = project.ralph("report").out
    assert "\nLook first\n  B: no test covers it" in told
    assert "cost: at least $" in told, "one agent told nothing"


def test_a_narrow_terminal_breaks_no_word(project: Project) -> None:
    with Terminal(project, "report", prefix=("env", "COLUMNS=60")) as terminal:
        assert terminal.end() == 0
        lines = terminal.shown.replace("\r", "").split("\n")
    wide = [line for line in lines if len(line) >= 60]
    assert [line for line in wide if " " in line.strip()] == [], "only a word alone may be longer"
    told = " ".join(" ".join(lines).split())
    assert " ".join(project.ralph("report").out.split()) == told


def test_all_runs_together(project: Project) -> None:
    told = words(project.ralph("report", "--html", "-", "--all").out)
    assert "Report of all runs of Ralph here: 1" in told
    assert "2 of 4 tasks done" in told
    assert "Decided by people" not in told


def test_before_anything_has_run(tmp_path: Path) -> None:
    project = Project(tmp_path)
    told = project.ralph("report").out
    assert told == (
        "Nothing has run here yet.\n"
        "Start with `ralph run`. Without a plan, `ralph init` writes one.\n"
    )
    for option in ("--html", "--md", "--pr"):
        refused = project.ralph("report", option)
        assert (refused.code, "Nothing has run here yet." in refused.err) == (1, True)
    assert not (project.root / ".ralph").exists()
    assert project.ralph("report", "--html", "--pr").code == 2


def test_a_run_that_goes_on_and_one_that_was_killed(tmp_path: Path) -> None:
    project = Project(tmp_path, agent='touch "$state/there"\nsleep 60\n')
    run = project.start()
    wait_until((project.state / "there").exists, "the agent")
    running = words(project.ralph("report", "--html", "-").out)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate(timeout=PATIENCE)
    killed = words(project.ralph("report", "--html", "-").out)

    assert "Still running. 0 of 1 task done; no question waits for you; so far" in running
    assert "Ralph is still working." in running
    assert "Interrupted. 0 of 1 task done; no question waits for you; took" in killed
    assert "continue from the last recorded step. ralph run" in killed
    assert "There is nothing to merge: this run committed no work." in killed
    assert "cost unknown" in killed

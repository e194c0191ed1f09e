"""`ralph review`: findings merged, refuted, fixed, verified, reviewed again; and every way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from tests.support.reviewers import DROP, KEEP, Court, finding, says

from ralph.ui.cli.main import enter

if TYPE_CHECKING:
    from pathlib import Path

MATHS = """\
def mean(numbers):
    return sum(numbers) / len(numbers)


def clamp(value, low, high):
    return max(high, min(low, value))
"""
TEST = """\
import unittest

import maths


class Maths(unittest.TestCase):
    def test_mean(self):
        self.assertEqual(maths.mean([1, 3]), 2)
"""
FIXED = MATHS.replace(
    "    return sum", "    if not numbers:\n        return 0\n    return sum"
).replace("max(high, min(low, value))", "max(low, min(high, value))")
BROKEN = FIXED.replace("/ len(numbers)", "/ 0")
EMPTY = finding("`mean` fails for an empty list", "maths.py", 2, failing_input="mean([])")
CODE = {"maths.py": MATHS, "test_maths.py": TEST}
CHECK = "python3 -m unittest -q"
FOUND = {
    "correctness-reviewer@1": says(EMPTY, finding("The bounds are swapped", "./maths.py", 6)),
    "security-reviewer@1": says(finding("Mean fails for the empty list!", "maths.py", 1)),
    "test-reviewer@1": says(finding("Nothing limits the numbers", "maths.py", 2, "critical")),
    "refuter": KEEP,
    "refuter-F3": DROP,
}


def only_one(court: Court) -> None:
    """The correctness reviewer alone, with words of the project's own."""
    own = ".ralph/review/roles"
    court.write(f"{own}/correctness-reviewer.md", "---\nworkflow: code\n---\nBe kind.\n")
    court.write(f"{own}/security-reviewer.md", "")
    court.write(f"{own}/test-reviewer.md", "")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Court:
    return Court(tmp_path_factory.mktemp("shop") / "shop", CODE, {})


@pytest.fixture
def shop(made: Court, monkeypatch: pytest.MonkeyPatch) -> Court:
    """A project to stand in, for what needs no process of its own."""
    monkeypatch.chdir(made.root)
    return made


def test_seeded_defects_are_merged_refuted_fixed_and_closed(tmp_path: Path) -> None:
    turns = {
        **FOUND,
        "fixer@1#1": {"write": {"maths.py": BROKEN}, "say": "Done."},
        "fixer@1#2": {"write": {"maths.py": FIXED}, "say": "Done."},
    }
    court = Court(tmp_path, CODE, turns, verify=CHECK)
    before = court.git("rev-parse", "main")
    done = court.run("maths.py")

    assert done.code == 0, done.out + done.err
    assert "<review-complete>ALL_ISSUES_RESOLVED</review-complete>" in done.out
    # the same finding of two roles is one; the refuted one stays away
    assert court.standings() == {"F1": "fixed", "F2": "fixed", "F3": "refuted"}
    first = court.report()["findings"][0]
    assert first["roles"] == ["correctness-reviewer", "security-reviewer"]
    assert first["remark"]["symbol"] == "mean"
    # the red fix was undone and kept, and the next try was told why
    [kept] = court.refs("refs/ralph/salvage/")
    assert court.git("show", f"{kept}:maths.py") + "\n" == BROKEN
    assert "ZeroDivisionError" in court.told("fixer", 1, 2)
    assert "Nothing limits the numbers" not in court.told("fixer", 1, 1)
    # the green one landed on a branch of its own, and the person's branch is where it was
    report = court.report()
    assert court.git("rev-parse", "main") == before
    assert court.git("rev-parse", report["branch"]) == report["commits"][0]
    assert court.read("maths.py") == FIXED
    assert court.git("status", "--porcelain") == ""
    # the second round saw the fix and what it was for, and nothing else
    told = court.told("test-reviewer", 2)
    assert "+    if not numbers:" in told
    assert "- F1: `mean` fails for an empty list" in told
    assert report["metrics"] == report["metrics"] | {
        "review_rounds": 2,
        "fix_iterations": 2,
        "total_issues_found": 2,
        "total_issues_fixed": 2,
        "total_issues_refuted": 1,
        "subagent_invocations": 11,
        "failures": 1,
        "success_rate": 1.0,
    }
    assert not (court.root / ".ralph/review/follow-ups.md").exists()


def test_a_document_and_what_only_a_person_can_decide(tmp_path: Path) -> None:
    prd = "# Shop\n\n## Summary\n\nFast.\n\n## Payment\n\nCards or not.\n"
    turns = {
        "adversarial-reviewer@1": says(finding("Fast is not testable", "docs/prd.md", 5)),
        "elicitation-expert@1": says(finding("Which cards?", "docs/prd.md", 9, "critical")),
        "refuter": KEEP,
        "fixer": {
            "write": {"docs/prd.md": prd.replace("Fast.", "Pages load within a second.")},
            "say": {"cannot_fix": [{"id": "F2", "why": "The owner must choose."}]},
        },
    }
    court = Court(tmp_path, {"docs/prd.md": prd}, turns, verify="")
    done = court.run("docs/prd.md", "--section", "summary")

    assert done.code == 5, done.out + done.err
    assert "<review-blocked>MANUAL_INTERVENTION_REQUIRED</review-blocked>" in done.out
    assert court.standings() == {"F1": "fixed", "F2": "blocked"}
    assert [one["remark"]["symbol"] for one in court.report()["findings"]] == ["Summary", "Payment"]
    assert "within a second" in court.read("docs/prd.md")
    roles = {line.split()[0] for line in court.asked() if "refuter" not in line}
    assert roles == {"adversarial-reviewer", "elicitation-expert", "party-facilitator", "fixer"}
    assert "Only the section `summary` counts" in court.told("party-facilitator")
    assert "no check is configured or detected" in done.out
    # what is left is a plan, and the state has the fields that others know
    assert court.ralph("lint", ".ralph/review/follow-ups.md", "--json").code in (0, 1)
    assert "Which cards?" in court.ralph("status", ".ralph/review/follow-ups.md").out
    state = yaml.safe_load(court.read(".ralph/review-loop-state.yaml").split("---\n")[1])
    assert state["active"] is False
    assert (state["workflow_name"], state["section_name"]) == ("document", "summary")
    assert (state["current_round"], state["max_rounds"], state["blocked_count"]) == (2, 3, 1)
    assert (state["initial_confidence"], state["current_confidence"]) == (58, 70)


def test_a_reviewer_that_always_finds_something_new_is_stopped(tmp_path: Path) -> None:
    names = ("swaps its bounds", "ignores overflow", "forgets rounding")
    turns = {
        "refuter": KEEP,
        **{
            f"correctness-reviewer@{n}": says(finding(f"Clamp {name}", "maths.py", 6))
            for n, name in enumerate(names, 1)
        },
        **{f"fixer@{n}": {"write": {"maths.py": MATHS + "#\n" * n}} for n in (1, 2)},
    }
    court = Court(tmp_path, CODE, turns, verify=CHECK)
    only_one(court)
    done = court.run("maths.py")

    assert done.code == 4, done.out + done.err
    assert "<review-timeout>MAX_ITERATIONS_REACHED</review-timeout>" in done.out
    assert court.report()["ending"] == "rounds"
    assert court.standings() == {"F1": "fixed", "F2": "fixed", "F3": "pending"}
    assert "Clamp forgets rounding" in court.read(".ralph/review/follow-ups.md")


def test_a_fix_that_leads_back_is_noticed(tmp_path: Path) -> None:
    turns = {
        "refuter": KEEP,
        "correctness-reviewer@1": says(finding("Clamp swaps its bounds", "maths.py", 6)),
        "correctness-reviewer@2": says(finding("The comment is wrong", "maths.py", 6)),
        "fixer@1": {"write": {"maths.py": MATHS + "# better\n"}},
        "fixer@2": {"write": {"maths.py": MATHS}},
    }
    court = Court(tmp_path, CODE, turns, verify=CHECK)
    only_one(court)
    assert court.run("maths.py").code == 5
    assert court.report()["ending"] == "circles"
    assert court.asked()[-1] == "fixer 2 1"


def test_looking_only_leaves_uncommitted_work_alone(tmp_path: Path) -> None:
    turns = {
        "correctness-reviewer": {**says(EMPTY), "write": {"maths.py": "", "new.py": ""}},
        "security-reviewer@1#1": {"say": "I like it."},
        "test-reviewer": {"say": "No JSON from me, ever."},
        "refuter": KEEP,
    }
    court = Court(tmp_path, CODE, turns, verify=CHECK)
    court.write("maths.py", MATHS + "# mine, uncommitted\n")
    court.write("notes.txt", "untracked\n")
    refused = court.run("maths.py")
    assert refused.code == 1
    assert "uncommitted changes" in refused.err
    assert "--no-fix" in refused.err

    done = court.run("--diff", "main", "--no-fix", "--json")
    assert done.code == 5, done.err
    assert court.read("maths.py").endswith("# mine, uncommitted\n")
    assert court.git("status", "--porcelain").split() == ["M", "maths.py", "??", "notes.txt"]
    assert court.git("branch", "--format=%(refname:short)").split() == ["main"]
    assert "+# mine, uncommitted" in court.told("correctness-reviewer")
    report = done.json()
    assert report["ending"] == "needs_person"
    assert report["findings"][0]["standing"] == "pending"
    notes = "\n".join(report["notes"])
    assert "correctness-reviewer changed maths.py and 1 more in its copy" in notes
    assert "test-reviewer gave no usable answer in round 1" in notes
    assert report["metrics"]["failures"] == 1
    assert "security-reviewer 1 2" in court.asked()


def test_roles_of_your_own(tmp_path: Path) -> None:
    court = Court(tmp_path, CODE, {"refuter": KEEP}, verify=CHECK)
    only_one(court)
    assert court.run(".").code == 0
    assert court.asked() == ["correctness-reviewer 1 1"]
    assert court.told("correctness-reviewer").startswith("Be kind.")
    court.write(".ralph/review/roles/api-reviewer.md", "---\nworkflow: api\n---\nThe API.\n")
    assert court.run("maths.py", "--workflow", "api").code == 0
    assert court.asked()[1:] == ["api-reviewer 1 1"]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("", "There is nothing to review"),
        ("maths.py --workflow none", "No role belongs to the workflow none"),
        ("../elsewhere", "not a file or folder of"),
        ("--diff main", "Nothing differs from main"),
        ("--diff nowhere", "There is no commit nowhere"),
        ("--diff --output=x", "There is no commit --output=x"),
        ("README.md --section Nothing", "There is no heading Nothing in README.md"),
        ("--section Nothing --diff main", "--section needs a document"),
        ("--resume", "There is no unfinished review here"),
        ("--resume maths.py", "--resume takes no paths"),
    ],
)
def test_words_that_make_no_sense(
    shop: Court, capsys: pytest.CaptureFixture[str], words: str, error: str
) -> None:
    assert enter(["review", "--agent-command", "true", *words.split()]) == 2
    assert error in capsys.readouterr().err


def test_a_file_that_is_not_committed_is_only_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    court = Court(tmp_path, CODE, {})
    monkeypatch.chdir(court.root)
    court.write("new.md", "# New\n")
    assert enter(["review", "--agent-command", "true", "new.md"]) == 1
    assert "new.md is not committed" in capsys.readouterr().err
    court.write(".ralph/review/roles/broken.md", "Be kind.")
    assert enter(["review", "--agent-command", "true", "maths.py"]) == 1
    assert "broken.md is not a role" in capsys.readouterr().err


def test_it_leaves_nothing_for_git_to_see(tmp_path: Path) -> None:
    court = Court(tmp_path, CODE, FOUND)
    court.write(".gitignore", "")
    court.commit("nothing is ignored")
    assert court.run("maths.py").code in {0, 5}
    assert (court.root / ".ralph/review/report.md").exists()
    assert court.git("status", "--porcelain") == ""

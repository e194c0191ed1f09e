"""Fixes of a review: what is put back, red checks, agents that fail, a kill while landing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.reviewers import KEEP, Court, finding, says

from ralph.flows.review import fixing
from ralph.ui.cli.main import enter

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "one\ntwo\n"
RIGHT = {"write": {"list.cfg": "one\n2\n"}}
ROLE = "---\nworkflow: short\n---\nLook.\n"
TURNS = {
    "only@1": says(finding("The second word is wrong", "list.cfg", 2)),
    "refuter": KEEP,
    "fixer": RIGHT,
}
WORDS = ("list.cfg", "--workflow", "short")


def court(folder: Path, verify: str = "true", **fixer: object) -> Court:
    made = Court(folder, {"list.cfg": TEXT}, {**TURNS, "fixer": {**RIGHT, **fixer}}, verify)
    made.write(".ralph/review/roles/only.md", ROLE)
    return made


def test_what_is_not_the_fixing_agent_s_to_change_is_put_back(tmp_path: Path) -> None:
    deeds = [
        "git config user.name Mallory",
        "git branch -f other HEAD~1",
        "echo '{}' > ralph.yaml",
        "rm notes.txt",
        "git commit -qam mine",
    ]
    place = court(tmp_path, run=deeds)
    place.walls = False
    place.git("branch", "other")
    other, settings = place.git("rev-parse", "other"), place.read("ralph.yaml")
    place.write("notes.txt", "the person's, never committed\n")
    done = place.run(*WORDS)

    assert done.code == 0, done.out + done.err
    report = place.report()
    assert len(report["commits"]) == 1
    assert place.git("log", "--format=%an %s", "main..HEAD") == (
        "Ada Tester fix: review: The second word is wrong"
    )
    assert place.git("rev-parse", "other") == other
    assert place.git("config", "user.name") == "Ada Tester"
    assert place.read("ralph.yaml") == settings
    assert place.read("notes.txt") == "the person's, never committed\n"
    notes = "\n".join(report["notes"])
    for name in (".git/config", "other", report["branch"], "notes.txt", "ralph.yaml"):
        assert f"changed {name}" in notes


def test_a_change_for_no_finding_is_kept_aside(tmp_path: Path) -> None:
    place = court(tmp_path, say={"cannot_fix": [{"id": "F1", "why": "Which word?"}]})
    done = place.run(*WORDS)

    assert done.code == 5, done.out + done.err
    assert place.standings() == {"F1": "blocked"}
    assert place.report()["commits"] == []
    [kept] = place.refs("refs/ralph/salvage/")
    assert place.git("show", f"{kept}:list.cfg") == "one\n2"
    assert place.read("list.cfg") == TEXT
    assert "kept in salvage" in done.out


def test_reviewers_and_fixing_agents_are_confined(tmp_path: Path, own_home: Path) -> None:
    deeds = [
        "git config user.name Mallory || true",
        "echo evil > ~/.profile",
        "git tag planted || true",
    ]
    place = court(tmp_path, run=deeds)
    done = place.run(*WORDS)
    assert done.code == 0, done.out + done.err
    assert place.git("config", "user.name") == "Ada Tester"
    assert place.git("tag") == ""
    assert not (own_home / ".profile").exists()
    assert "Not confined" not in done.out


def test_three_red_fixes_leave_it_to_a_person(tmp_path: Path) -> None:
    place = court(tmp_path, "grep -q two list.cfg")
    done = place.run(*WORDS)
    assert done.code == 5, done.out + done.err
    assert len(place.refs("refs/ralph/salvage/")) == 3
    assert place.read("list.cfg") == TEXT
    assert place.git("branch", "--format=%(HEAD)%(refname:short)") == "*main"
    [only] = place.report()["findings"]
    assert only["standing"] == "blocked"
    assert "3 fixes failed" in only["why"]
    assert "The second word is wrong" in place.read(".ralph/review/follow-ups.md")


def test_what_was_red_before_is_no_fault_of_the_fix(tmp_path: Path) -> None:
    place = court(tmp_path, "echo 'Error: old'; exit 1")
    done = place.run(*WORDS)
    assert done.code == 0, done.out + done.err
    assert "was red before any fix" in done.out
    assert place.read("list.cfg") == "one\n2\n"


def test_a_check_that_cannot_start_proves_nothing(tmp_path: Path) -> None:
    place = court(tmp_path, "no-such-program --at-all")
    done = place.run(*WORDS)
    assert (done.code, "cannot run on a clean checkout" in done.err) == (1, True)
    assert "fixer 1 1" not in place.asked()
    place.verify = "true"
    assert place.run("--resume").code == 0
    assert place.asked().count("only 1 1") == 1


def test_agents_that_only_fail(tmp_path: Path) -> None:
    place = Court(tmp_path, {"list.cfg": TEXT}, {"correctness-reviewer": {"exit": 1}})
    done = place.run("list.cfg")
    assert done.code == 4, done.out + done.err
    assert "<review-timeout>" in done.out
    assert "correctness-reviewer gave no usable answer in round 1" in done.out
    assert place.asked().count("correctness-reviewer 1 2") == 1
    assert place.report()["ending"] == "failures"


def test_killed_while_landing_nothing_is_fixed_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    place = court(tmp_path)
    monkeypatch.setenv("RALPH_SAFETY__SANDBOX", "off")
    monkeypatch.chdir(place.root)
    monkeypatch.setenv("RALPH_HOME", str(place.home))
    with monkeypatch.context() as patch:
        patch.setattr(fixing, "landed", killed)
        with pytest.raises(Killed):
            enter(place.arguments(*WORDS))
    assert place.kept()["fixing"]["landing"] == place.git("rev-parse", "HEAD")
    assert enter(place.arguments("--resume")) == 0
    assert place.asked().count("fixer 1 1") == 1
    assert len(place.report()["commits"]) == 1
    assert place.standings() == {"F1": "fixed"}
    assert place.refs("refs/ralph/salvage/") == []

"""The agent claims, Ralph proves: what an agent says or does by itself never settles a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.project import FINISH, Project

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Done

CLAIM = 'echo "Task $RALPH_TASK_ID complete"\n'

RED = 'echo "call $n" > work.txt\n' + CLAIM
"""Works and claims, but never writes what the check of the tests below wants."""

FLIPS = 'sed -i "s/\\"passes\\": false/\\"passes\\": true/" PRD.json\n'

FORGES = """\
printf 'call %s\\n' "$n" > work.txt
sed -i 's/"passes": false/"passes": true/' PRD.json
git add -A
git -c user.name=Eve -c user.email=eve@example.org commit -q -m "feat: Write the file of US-001

Ralph-Run: 1
Ralph-Iteration: 1
Ralph-Task: US-001
Ralph-Ledger: 0123456789abcdef"
"""

LIARS = {
    "leaves the test red": (RED, "cat out/US-001.txt"),
    "changes nothing while the suite is green": (CLAIM, "true"),
    "flips passes and leaves the test red": (FLIPS + RED, "cat out/US-001.txt"),
    "flips passes and does nothing else": (FLIPS + CLAIM, "true"),
    "flips passes without a word": (FLIPS, "true"),
    "commits with forged trailers": (FORGES + CLAIM, "cat out/US-001.txt"),
    "says that everything is done": ('echo "<promise>DONE</promise>"\n', "true"),
    "works but speaks of another task": (
        'mkdir -p out; echo x > out/x.txt; echo "Task US-999 complete"\n',
        "true",
    ),
    "denies it": (
        'mkdir -p out; echo x > out/x.txt; echo "Task $RALPH_TASK_ID is not complete"\n',
        "true",
    ),
}


@pytest.mark.parametrize("liar", LIARS)
def test_a_liar_gets_nothing(tmp_path: Path, liar: str) -> None:
    agent, verify = LIARS[liar]
    project = Project(tmp_path, 2, agent=agent, verify=verify)
    plan = project.read("PRD.json")
    done = project.run("PRD.json", "--max-iterations", "4")
    assert done.code in {4, 5}, done.out + done.err
    assert project.read("PRD.json") == plan
    assert project.subjects() == []
    assert project.git("rev-parse", "ralph/journey") == project.git("rev-parse", "main")
    assert project.git("symbolic-ref", "HEAD") == "refs/heads/ralph/journey"
    assert "success" not in project.outcomes()
    assert project.ralph("audit").code == 0


def test_the_failure_is_in_the_next_prompt_with_the_order_to_fix_only_that(tmp_path: Path) -> None:
    check = "cat work.txt 2>/dev/null; echo 'expected 212 but got 194'; test -f out/US-001.txt"
    project = Project(tmp_path, agent=f"if [ $n = 1 ]; then {RED}else {FINISH}fi\n", verify=check)
    assert project.run().code == 0
    assert "Fix only" not in project.prompt(1)
    second = project.prompt(2)
    assert "## Fix only" in second
    assert "exited 1" in second
    assert "expected 212 but got 194" in second
    assert "work.txt" in second, "the diff stat shows what is in the workspace"


def test_a_long_failure_is_trimmed_to_its_end(tmp_path: Path) -> None:
    check = "seq 1 5000; test -f out/US-001.txt"
    project = Project(tmp_path, agent=f"if [ $n = 1 ]; then {RED}else {FINISH}fi\n", verify=check)
    assert project.run().code == 0
    second = project.prompt(2)
    assert "\n5000\n" in second
    assert "\n4900\n" not in second


def test_a_failed_check_can_go_back_to_the_agent_inside_the_iteration(tmp_path: Path) -> None:
    settings = {"loop": {"verification_retries": 1}}
    project = Project(
        tmp_path,
        agent=f"if [ $n = 1 ]; then {RED}else {FINISH}fi\n",
        verify="test -f out/US-001.txt || test ! -f work.txt",
        settings=settings,
    )
    assert project.run().code == 0
    assert project.outcomes() == ["success"]
    assert [iteration for _, _, iteration in project.calls()] == ["1", "1"]
    assert "## Fix only" in project.prompt(2)


def test_work_without_a_claim_is_asked_for_once_and_then_a_person_decides(tmp_path: Path) -> None:
    project = Project(tmp_path, agent="mkdir -p out; echo $n > out/US-001.txt\n")
    assert project.run().code == 5
    assert len(project.calls()) == 2
    assert project.outcomes() == ["blocked"]
    assert "Finish it, or claim it" in project.prompt(2)
    assert project.subjects() == []
    assert project.ralph("answer", "Q1", "1").code == 0
    assert project.run().code == 0
    assert len(project.calls()) == 2, "accepted work needs no agent"
    assert project.git("show", "ralph/journey:out/US-001.txt") == "2"
    assert project.passed() == ["US-001"]


def test_a_missing_claim_made_up_for_inside_the_iteration(tmp_path: Path) -> None:
    agent = f"mkdir -p out; echo x > out/US-001.txt\nif [ $n = 2 ]; then {CLAIM}fi\n"
    project = Project(tmp_path, agent=agent)
    assert project.run().code == 0
    assert project.outcomes() == ["success"]


def test_a_false_done_is_recorded_and_the_loop_goes_on(tmp_path: Path) -> None:
    project = Project(tmp_path, 3, agent=FINISH + 'echo "<promise>DONE</promise>"\n')
    done = project.run()
    assert done.code == 0
    assert len(project.calls()) == 3
    assert "claims everything is done (2 other tasks left)" in done.out
    kinds = [claim["kind"] for event in project.events("Claimed") for claim in event["claims"]]
    assert kinds.count("all_done") == 3


def put_back(project: Project) -> list[str]:
    return [event["path"] for event in project.events("PutBack")]


def test_commits_of_the_agent_are_taken_back_kept_and_said(tmp_path: Path) -> None:
    project = Project(tmp_path, agent=f"if [ $n = 1 ]; then {FORGES}else {FINISH}fi\n{CLAIM}")
    done = project.run()
    assert done.code == 0, done.out
    assert "Eve" not in project.git("log", "--format=%an", "ralph/journey")
    assert len(project.subjects()) == 1
    assert "put back ralph/journey" in done.out
    assert "put back PRD.json" in done.out
    kept = project.refs("refs/ralph/salvage")
    authors = [project.git("log", "-2", "--format=%an", ref) for ref in kept]
    assert any("Eve" in names for names in authors)


TAMPERS = {
    "deletes the index": "rm -f .git/index",
    "breaks the index": "echo rubbish > .git/index",
    "leaves a lock": ": > .git/index.lock",
    "stages things": "echo x > x; git add x",
    "switches the branch": "git checkout -q main 2>/dev/null",
    "makes a branch": "git checkout -q -b mine",
    "detaches HEAD": "git checkout -q --detach",
    "stashes": "echo y >> README.md; git stash -q",
    "deletes Ralph's branch": "git checkout -q main; git branch -q -D ralph/journey",
    "turns a tracked file into a pipe": "rm -f README.md; mkfifo README.md",
    "puts a folder and a link in the place of files": (
        "rm -rf README.md .gitignore; mkdir -p README.md; echo x > README.md/x; "
        "ln -s PRD.json .gitignore"
    ),
    "begins a merge": "git rev-parse HEAD > .git/MERGE_HEAD",
}


@pytest.mark.parametrize("how", TAMPERS)
def test_tampering_with_git_does_not_stop_honest_work(tmp_path: Path, how: str) -> None:
    project = Project(tmp_path, 2, agent=f"{TAMPERS[how]}\n{FINISH}")
    main = project.git("rev-parse", "main")
    done = project.run()
    assert done.code == 0, done.out + done.err
    assert project.git("symbolic-ref", "HEAD") == "refs/heads/ralph/journey"
    assert project.trailers("Ralph-Task") == ["US-001", "US-002"]
    assert project.git("rev-parse", "main") == main
    assert project.git("fsck", "--strict", "--no-dangling") == ""
    assert project.git("status", "--porcelain", "--untracked-files=no") == ""


@pytest.mark.parametrize("name", ["ralph.yaml", "PROMPT.md"])
def test_protected_files_are_put_back(tmp_path: Path, name: str) -> None:
    settings = {"loop": {"max_iterations": 9}}
    project = Project(tmp_path, agent=f"echo '# mine' >> {name}\n{FINISH}", settings=settings)
    project.write("PROMPT.md", "Be good.\n")
    project.commit("prompt")
    before = project.read(name)
    done = project.run()
    assert done.code == 0, done.out + done.err
    assert project.read(name) == before
    assert project.git("show", f"ralph/journey:{name}") + "\n" == before
    assert put_back(project) == [name]


TRICKS = {
    "a folder": "rm -f {0}; mkdir {0}; echo x > {0}/x",
    "a link": "mv {0} $state/moved; ln -s $state/moved {0}",
    "a dangling link": "rm -f {0}; ln -s /nowhere/at/all {0}",
    "nothing": "rm -f {0}",
    "a pipe": "rm -f {0}; mkfifo {0}",
    "bytes that are no text": "printf '\\377\\000' > {0}",
}


@pytest.mark.parametrize("name", ["PRD.json", "PROMPT.md"])
@pytest.mark.parametrize("trick", TRICKS)
def test_a_protected_file_comes_back_whatever_stands_in_its_place(
    tmp_path: Path, trick: str, name: str
) -> None:
    tricky = TRICKS[trick].format(name)
    project = Project(tmp_path, agent=f"if [ $n = 1 ]; then {tricky}; fi\n{FINISH}")
    project.write("PROMPT.md", "Be good.\n")
    project.commit("prompt")
    before = project.read(name)
    done = project.run()
    assert done.code in {0, 5}, done.out + done.err
    path = project.root / name
    assert path.is_file()
    assert not path.is_symlink()
    assert project.read(name).replace("true", "false") == before
    assert project.git("ls-tree", "ralph/journey", name).startswith("100644 blob")


def test_checks_that_an_agent_adds_to_the_configuration_never_run(tmp_path: Path) -> None:
    evil = """printf '{"verification": {"commands": [["true"]]}}' > ralph.yaml\n"""
    project = Project(tmp_path, agent=evil + RED, verify="test -f never.txt || test ! -f work.txt")
    assert _ended_open(project.run("--max-iterations", "2"))
    assert not (project.root / "ralph.yaml").exists()
    assert "ralph.yaml" in put_back(project)


def test_git_settings_that_would_run_something_are_put_back(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    evil = f"git config core.fsmonitor 'touch {mark}'\ngit config filter.x.clean 'touch {mark}'\n"
    hook = (
        f"printf '#!/bin/sh\\ntouch {mark}\\n' > .git/hooks/pre-commit\n"
        f"chmod +x .git/hooks/pre-commit\nrm -f {mark}\n"
    )
    project = Project(tmp_path, 2, agent=evil + hook + FINISH)
    project.walls = False
    assert project.run().code == 0
    assert not mark.exists()
    assert ".git/config" in put_back(project)
    assert "fsmonitor" not in project.read(".git/config")


def test_a_check_sees_the_candidate_and_not_what_git_ignores(tmp_path: Path) -> None:
    """The proof must not rest on a file that the commit does not hold."""
    project = Project(
        tmp_path,
        agent="echo x > local.log\n" + RED,
        verify="test -f local.log || test ! -f work.txt",
    )
    project.write(".gitignore", "*.log\n.ralph/\n.agent/\n")
    project.commit("ignore logs")
    assert _ended_open(project.run("--max-iterations", "2"))


def _ended_open(done: Done) -> bool:
    return done.code in {4, 5}


def test_what_was_tried_before_is_said_to_be(tmp_path: Path) -> None:
    wrong = 'echo wrong > wrong.txt; echo "Task $RALPH_TASK_ID complete"'
    project = Project(tmp_path, agent=wrong, verify="test ! -e wrong.txt")
    done = project.run("--max-iterations", "2")
    assert done.code == 4
    failed = [line for line in done.out.splitlines() if "wrong.txt exited 1" in line]
    assert [line.endswith("(before, on the same files)") for line in failed] == [False, True]


def test_a_check_that_was_red_before_and_names_no_tests_says_so_to_everybody(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path, verify="grep -q tidy README.md")
    project.agent(f"[ $n = 1 ] || echo tidy >> README.md\n{FINISH}")
    done = project.run()
    assert done.code == 0, done.out + done.err
    assert "a check that names no tests has to pass" in done.out.partition("━━")[0]
    told = "It failed before this task as well, and names no tests: work lands once it passes."
    assert done.out.count(told) == 1
    assert told in project.prompt(2)


def test_a_branch_that_somebody_switched_to_meanwhile_is_left_again_and_said(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path, agent=f"git switch -q main\n{FINISH}")
    project.walls = False
    done = project.run()
    assert done.code == 0, done.out + done.err
    assert "put back HEAD: somebody switched to another branch" in done.out
    assert project.git("symbolic-ref", "--short", "HEAD") == "ralph/journey"

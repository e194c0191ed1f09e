"""Whose files are whose: the user's own work is never touched, committed or lost."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
from tests.support.project import FINISH, Project, wait_until


def photograph(root: Path) -> dict[str, str]:
    """Every file of the checkout, and what git knows of it, with mode and hash."""
    paths = [root / ".git" / name for name in ("index", "HEAD", "config")]
    ours = (root / ".git", root / ".ralph")
    paths += [
        path
        for path in root.rglob("*")
        if (path.is_symlink() or path.is_file()) and not any(path.is_relative_to(o) for o in ours)
    ]
    return {str(path.relative_to(root)): _fingerprint(path) for path in paths}


def _fingerprint(path: Path) -> str:
    data = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
    return f"{path.lstat().st_mode:o} {hashlib.sha256(data).hexdigest()}"


def dirty(project: Project) -> None:
    """Everything a checkout in the middle of work may have."""
    project.write("staged.txt", "staged\n")
    project.git("add", "staged.txt")
    project.write("staged.txt", "staged, then changed\n")
    project.write("README.md", "# Changed by the user\n")
    project.write("untracked.txt", "mine\n")
    project.write("notes/deep/untracked.md", "mine too\n")
    (project.root / "link").symlink_to("README.md")
    script = project.write("run.sh", "#!/bin/sh\n")
    script.chmod(0o755)


def test_a_dirty_checkout_is_left_byte_for_byte_as_it_was(tmp_path: Path) -> None:
    project = Project(tmp_path, 3, agent="echo changed >> README.md\n" + FINISH)
    dirty(project)
    before, status = photograph(project.root), project.git("status", "--porcelain=v2", "--branch")
    done = project.run("--worktree")
    assert done.code == 0, done.out + done.err
    assert photograph(project.root) == before
    assert project.git("status", "--porcelain=v2", "--branch") == status
    assert project.trailers("Ralph-Task") == ["US-001", "US-002", "US-003"]
    landed = project.git("ls-tree", "-r", "--name-only", "ralph/journey").splitlines()
    assert not {"untracked.txt", "notes/deep/untracked.md", "staged.txt", "run.sh"} & set(landed)
    plan = project.git("show", "ralph/journey:PRD.json")
    assert plan.count('"passes": true') == 3
    assert project.stories()["US-001"]["passes"] is False, "the user's copy is the user's"
    assert project.ralph("status", "--json").json()["counts"]["done"] == 3


def test_a_failing_agent_leaves_a_dirty_checkout_alone_too(tmp_path: Path) -> None:
    project = Project(tmp_path, agent="git add -A; rm -f README.md; exit 1\n")
    dirty(project)
    before = photograph(project.root)
    settings = {"RALPH_LOOP__BACKOFF_CAP_SECONDS": "0"}
    assert project.run("--worktree", env=settings).code in {4, 5}
    assert photograph(project.root) == before


def test_in_place_a_dirty_tree_is_an_error_and_nothing_happens(tmp_path: Path) -> None:
    project = Project(tmp_path)
    dirty(project)
    before = photograph(project.root)
    done = project.run()
    assert done.code == 1
    assert "README.md" in done.err
    assert "--worktree" in done.err
    assert photograph(project.root) == before
    assert project.git("symbolic-ref", "HEAD") == "refs/heads/main"


def test_edits_of_the_users_plan_are_merged_by_id_in_worktree_mode(tmp_path: Path) -> None:
    edit = (
        "python3 -S -E -c '\n"
        "import json\n"
        'path = "{root}/PRD.json"\n'
        "plan = json.load(open(path))\n"
        'first = plan["userStories"][0]\n'
        'plan["userStories"].insert(0, {{**first, "id": "NEW", "title": "Added meanwhile"}})\n'
        'plan["userStories"][2]["title"] = "Renamed meanwhile"\n'
        'json.dump(plan, open(path, "w"), indent=2)\'\n'
    )
    project = Project(tmp_path, 2)
    project.walls = False
    project.agent(f"if [ $n = 1 ]; then\n{edit.format(root=project.root)}fi\n{FINISH}")
    assert project.run("--worktree").code == 0
    assert [task for _, task, _ in project.calls()] == ["US-001", "NEW", "US-002"]
    assert project.subjects()[-1] == "feat: Renamed meanwhile"
    plan = project.git("show", "ralph/journey:PRD.json")
    assert "Added meanwhile" in plan
    assert plan.count('"passes": true') == 3
    assert project.ralph("inbox", "--json").json() == []


def test_files_that_were_untracked_are_never_committed(tmp_path: Path) -> None:
    """In place: ignored or not, what the user had not added stays out and stays as it is."""
    project = Project(tmp_path, 2, agent="echo new > agents-own.txt\n" + FINISH)
    project.write("secrets.env", "KEY=1\n")
    project.write("drafts/letter.md", "Dear all\n")
    done = project.run()
    assert done.code == 0, done.out + done.err
    landed = project.git("ls-tree", "-r", "--name-only", "ralph/journey").splitlines()
    assert "agents-own.txt" in landed
    assert "secrets.env" not in landed
    assert "drafts/letter.md" not in landed
    assert project.read("secrets.env") == "KEY=1\n"
    assert project.read("drafts/letter.md") == "Dear all\n"


def test_untracked_files_survive_a_rollback(tmp_path: Path) -> None:
    agent = 'echo "$n" > secrets.env\necho "try $n" > try.txt\necho "Task US-001 complete"\n'
    project = Project(tmp_path, agent=agent, verify="test ! -f try.txt")
    project.write("secrets.env", "KEY=1\n")
    assert project.run().code == 5
    assert not (project.root / "try.txt").exists()
    assert project.read("secrets.env") == "KEY=1\n"


def test_what_init_writes_is_no_dirt(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert project.ralph("init").code == 0
    assert project.git("status", "--porcelain") != ""
    done = project.run()
    assert done.code == 0, done.out + done.err


def test_edits_of_the_user_are_no_work_of_an_agent(tmp_path: Path) -> None:
    """What may be uncommitted when a run begins: it neither counts nor gets lost."""
    project = Project(tmp_path, agent='echo "Task $RALPH_TASK_ID complete"', settings={})
    project.write(".gitignore", project.read(".gitignore") + "*.log\n")
    project.write("ralph.yaml", '{"loop": {"max_attempts": 9}}\n')
    idle = project.run("--max-iterations", "2")
    assert idle.code == 4
    assert project.outcomes() == ["failed", "failed"]
    assert "claimed, but nothing was changed" in idle.out
    assert project.subjects() == []
    project.agent(FINISH)
    done = project.run()
    assert done.code == 0, done.out + done.err
    assert project.subjects() == [
        "chore: commit .gitignore, ralph.yaml as it is",
        "feat: Write the file of US-001",
    ]
    landed = project.git("show", "--format=", "--name-only", "ralph/journey").splitlines()
    assert landed == ["PRD.json", "out/US-001.txt"]
    assert "*.log" in project.read(".gitignore")
    assert project.ralph("audit").code == 0


@pytest.mark.parametrize("worktree", [False, True])
def test_a_plan_that_is_not_committed_does_not_slip_into_the_first_feature(
    tmp_path: Path, *, worktree: bool
) -> None:
    project = Project(tmp_path)
    plan = project.view("PRD.json")
    plan["description"] = "Edited, and not committed."
    project.write("PRD.json", json.dumps(plan, indent=2) + "\n")
    done = project.run(*(["--worktree"] if worktree else []))
    assert done.code == 0, done.out + done.err
    assert project.subjects() == [
        "chore: commit PRD.json as it is",
        "feat: Write the file of US-001",
    ]
    changed = project.git("show", "--format=", "ralph/journey", "--", "PRD.json")
    assert '"passes": true' in changed
    assert "Edited" not in [line for line in changed.splitlines() if line[:1] in "+-"]


def test_a_new_plan_that_git_does_not_know_is_a_commit_of_its_own(tmp_path: Path) -> None:
    project = Project(tmp_path)
    text = project.read("PRD.json")
    project.git("rm", "-q", "--cached", "PRD.json")
    project.git("commit", "-q", "-m", "no plan yet")
    assert project.read("PRD.json") == text
    assert project.run().code == 0
    assert project.subjects()[0] == "chore: commit PRD.json as it is"
    assert len(project.subjects()) == 2


def test_the_working_folder_is_kept_out_of_git(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write(".gitignore", "")
    project.commit("nothing is ignored")
    project.agent("mkdir -p .agent; echo note > .agent/scratchpad.md\n" + FINISH)
    assert project.run().code == 0
    landed = project.git("ls-tree", "-r", "--name-only", "ralph/journey").splitlines()
    assert not [name for name in landed if name.startswith((".ralph/", ".agent/"))]
    assert (project.root / ".ralph" / "status.json").exists()


def test_a_person_may_commit_to_their_own_branch_meanwhile(tmp_path: Path) -> None:
    project = Project(tmp_path, 2)
    project.walls = False
    project.agent(
        f"if [ $n = 1 ]; then cd {project.root} && echo x > own.txt && git add own.txt"
        " && git commit -q -m own; cd - >/dev/null; fi\n" + FINISH
    )
    assert project.run("--worktree").code == 0
    assert project.git("log", "-1", "--format=%s", "main") == "own"
    assert project.trailers("Ralph-Task") == ["US-001", "US-002"]


def test_no_agent_outlives_its_iteration(tmp_path: Path) -> None:
    stray = (
        '(sleep 600 & echo $! > "$state/stray") >/dev/null 2>&1 </dev/null\n'
        'setsid sleep 601 >/dev/null 2>&1 &\necho $! > "$state/setsid"\n'
    )
    project = Project(tmp_path, agent=stray + FINISH)
    project.walls = False
    assert project.run().code == 0
    for name in ("stray", "setsid"):
        process = Path("/proc", (project.state / name).read_text().strip())
        wait_until(lambda process=process: not process.exists(), name)  # type: ignore[misc]


def test_a_finished_task_is_tried_again_although_the_users_copy_says_done(tmp_path: Path) -> None:
    project = Project(tmp_path, 2)
    assert project.run("--worktree", "--task", "US-001").code == 0
    project.git("merge", "-q", "--ff-only", "ralph/journey")
    assert project.passed() == ["US-001"]
    assert project.ralph("retry", "US-001", "--feedback", "Use a loop").code == 0
    project.agent('echo "again $n" > "again-$n.txt"\n' + FINISH)
    done = project.run("--worktree")
    assert done.code == 0, done.out + done.err
    assert [task for _, task, _ in project.calls()] == ["US-001", "US-001", "US-002"]
    assert "Use a loop" in project.prompt(2)
    assert project.subjects() == [
        "chore: reopen US-001",
        "feat: Write the file of US-001",
        "feat: Write the file of US-002",
    ]
    assert project.ralph("status", "--json").json()["counts"]["done"] == 2


def test_the_plan_is_shown_as_it_is_on_the_branch(tmp_path: Path) -> None:
    project = Project(tmp_path, 2)
    assert project.run("--once").code == 0
    project.git("switch", "-q", "main")
    assert "1/2 complete" in project.ralph("status").out
    assert "Done: 1/2" in project.ralph("report").out


@pytest.mark.parametrize("worktree", [False, True])
def test_a_plan_that_is_saved_half_way_ends_nothing(tmp_path: Path, *, worktree: bool) -> None:
    """In a worktree while an agent works; in the checkout itself between two tasks."""
    project = Project(tmp_path, 2)
    whole = project.read("PRD.json")
    half = f"printf '{{\"broken' > {project.root}/PRD.json\n"
    if worktree:
        project.walls = False
        project.agent(f"[ $n != 1 ] || {half}{FINISH}")
    else:
        # the checks run when the agent's edits have been put back already
        once = f"[ -e {tmp_path}/half ] || {{ touch {tmp_path}/half; {half.strip()}; }}"
        project.verify = f"[ ! -e {project.state}/n ] || {{ {once}; }}"
        project.walls = False
        project.configure({"safety": {"sandbox": "off"}})
    done = project.run(*(["--worktree"] if worktree else []))
    assert done.code == 0, done.out + done.err
    assert "Going on with the plan as it was committed last: PRD.json" in done.out
    assert [task for _, task, _ in project.calls()] == ["US-001", "US-002"]
    assert project.read("PRD.json").startswith('{"broken'), "it is theirs to finish"
    landed = json.loads(project.git("show", "ralph/journey:PRD.json"))
    assert [one["passes"] for one in landed["userStories"]] == [True, True]
    assert json.loads(whole)["userStories"][0]["id"] == "US-001"


def test_a_run_does_not_need_the_plan_in_a_checkout_that_is_used_otherwise(tmp_path: Path) -> None:
    project = Project(tmp_path, 2)
    project.walls = False
    project.git("branch", "other")
    project.git("rm", "-q", "PRD.json")
    project.git("commit", "-q", "-m", "There is no plan here")
    project.git("switch", "-q", "other")
    project.agent(f"[ $n != 1 ] || git -C {project.root} switch -q main\n{FINISH}")
    done = project.run("--worktree")
    assert done.code == 0, done.out + done.err
    assert "Going on with the plan as it was committed last: PRD.json" in done.out
    assert [task for _, task, _ in project.calls()] == ["US-001", "US-002"]
    landed = json.loads(project.git("show", "ralph/journey:PRD.json"))
    assert [one["passes"] for one in landed["userStories"]] == [True, True]
    assert not (project.root / "PRD.json").exists()


def test_dependencies_that_nobody_told_git_to_ignore_are_nobodys_change(tmp_path: Path) -> None:
    """Before Python 3.13 a virtual environment did not do that itself."""
    project = Project(tmp_path, 2, verify="test -e .venv/bin/tool")
    project.write(".venv/bin/tool", "installed\n")
    for most in (1, 2):
        done = project.run("--worktree", "--max-iterations", "1")
        assert done.code == (0 if most == 2 else 4), done.out + done.err
    landed = project.git("ls-tree", "-r", "--name-only", "ralph/journey").splitlines()
    assert "out/US-002.txt" in landed
    assert not [name for name in landed if name.startswith(".venv")]

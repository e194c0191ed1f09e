"""Task trees below a parent, where settings come from, and what the linter says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.document_h import DOCUMENT_H
from tests.support.project import FINISH, Project, story

if TYPE_CHECKING:
    from pathlib import Path


def task(name: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "title": f"Write the file of {name}",
        "description": f"out/{name}.txt must be there when this is done.",
        "dependsOn": [],
        "status": "open",
        "acceptance": [f"out/{name}.txt exists"],
        "verify": ["true"],
        "createdAt": "2026-01-01T00:00:00Z",
        **more,
    }


TREE = [
    task("login", title="Login feature"),
    task("form", parentId="login", labels=["area=ui"], createdAt="2026-01-02T00:00:00Z"),
    task("api", parentId="login", labels=["area=api"], createdAt="2026-01-01T00:00:00Z"),
    task("style", parentId="login", labels=["area=ui"], createdAt="2026-01-09T00:00:00Z"),
    task("docs", parentId="login", createdAt="2026-01-03T00:00:00Z"),
    task("tests", parentId="login", dependsOn=["api"], labels=["area=api"],
         createdAt="2026-01-08T00:00:00Z"),
    task("billing", title="Billing feature"),
    task("invoice", parentId="billing"),
]  # fmt: skip


def tree(tmp_path: Path) -> Project:
    project = Project(tmp_path, verify=None)
    project.git("rm", "-q", "PRD.json")
    for one in TREE:
        project.write(f".ralph/tasks/{one['id']}.json", json.dumps(one, indent=2) + "\n")
    project.commit("a tree")
    return project


def test_only_ready_leaves_below_the_parent_run_in_the_same_area_first(tmp_path: Path) -> None:
    project = tree(tmp_path)
    done = project.ralph("init", "--parent", "login")
    assert done.code == 0, done.err
    assert project.read(".ralph/parent-task-id") == "login\n"
    done = project.run()
    assert done.code == 0, done.out + done.err
    ran = [name for _, name, _ in project.calls()]
    assert ran == ["api", "tests", "form", "style", "docs"]
    statuses = {one["id"]: project.view(f".ralph/tasks/{one['id']}.json")["status"] for one in TREE}
    assert statuses["tests"] == "completed"
    assert statuses["invoice"] == "open"
    assert project.git("symbolic-ref", "--short", "HEAD") == "ralph/login-feature"
    assert "login" in project.read(".ralph/progress.md").partition("\n## ")[0], "its header"
    landed = project.git("show", "ralph/login-feature:.ralph/tasks/api.json")
    assert json.loads(landed)["status"] == "completed"


def test_a_feature_is_found_by_its_title(tmp_path: Path) -> None:
    project = tree(tmp_path)
    assert project.ralph("init", "--search", "billing").code == 0
    assert project.run().code == 0
    assert [name for _, name, _ in project.calls()] == ["invoice"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--parent", "nobody"], "nobody"),
        (["--parent", "docs"], "docs"),
        (["--search", "feature"], "2 titles"),
    ],
)
def test_a_parent_that_cannot_be_worked_on(tmp_path: Path, arguments: list[str], says: str) -> None:
    project = tree(tmp_path)
    done = project.ralph("init", *arguments)
    assert done.code == 1
    assert says in done.err
    assert not (project.root / ".ralph/parent-task-id").exists()


def test_a_circle_in_the_tree_is_refused(tmp_path: Path) -> None:
    project = tree(tmp_path)
    project.write(
        ".ralph/tasks/api.json", json.dumps(task("api", parentId="login", dependsOn=["tests"]))
    )
    done = project.ralph("init", "--parent", "login")
    assert done.code == 1
    assert "api" in done.err
    assert "tests" in done.err


def test_tasks_may_be_written_in_yaml_and_keep_their_comments(tmp_path: Path) -> None:
    project = Project(tmp_path, verify=None)
    project.git("rm", "-q", "PRD.json")
    text = (
        "# why: the customers asked\n"
        "id: T-1\n"
        "title: Write it\n"
        "description: |\n"
        "  Two lines\n"
        "  of text.\n"
        "status: open   # set by Ralph\n"
        "acceptance: [it is there]\n"
        "verify:\n"
        "  - test -f out/T-1.txt\n"
    )
    project.write(".ralph/tasks/t1.yaml", text)
    project.commit("yaml")
    assert project.run().code == 0
    assert project.read(".ralph/tasks/t1.yaml") == text.replace("status: open", "status: completed")


def test_a_tasks_own_checks_take_the_place_of_the_projects(tmp_path: Path) -> None:
    stories = [story("A", verify=["test -f out/A.txt"]), story("B")]
    project = Project(tmp_path, stories, verify="echo the projects own")
    assert project.run().code == 0
    records = [project.view(f".ralph/logs/iteration-{n}.json") for n in (1, 2)]
    commands = [[check["command"] for check in one["verification"]] for one in records]
    assert commands == [["test -f out/A.txt"], ["echo the projects own"]]
    assert "test -f out/A.txt" in project.prompt(1)


SOURCES: list[tuple[dict[str, int], dict[str, str], int, str]] = [
    ({}, {}, 50, "default"),
    ({"max_iterations": 7}, {}, 7, "ralph.yaml:3"),
    ({"max_iterations": 7}, {"MAX_ITERATIONS": "8"}, 8, "MAX_ITERATIONS"),
    (
        {"max_iterations": 7},
        {"MAX_ITERATIONS": "8", "RALPH_LOOP__MAX_ITERATIONS": "9"},
        9,
        "RALPH_LOOP__MAX_ITERATIONS",
    ),
]


@pytest.mark.parametrize(("file", "env", "value", "source"), SOURCES)
def test_where_a_setting_comes_from(
    tmp_path: Path,
    file: dict[str, int],
    env: dict[str, str],
    value: int,
    source: str,
) -> None:
    project = Project(tmp_path, settings={"loop": file} if file else None)
    shown = project.ralph("config", "--json", env=env).json()["loop.max_iterations"]
    assert shown["value"] == value
    assert source in shown["from"]
    assert f"loop.max_iterations = {value}" in project.ralph("config", env=env).out


def test_a_flag_beats_environment_and_file(tmp_path: Path) -> None:
    project = Project(tmp_path, 5, settings={"loop": {"max_iterations": 1}})
    done = project.run("--max-iterations", "3", env={"MAX_ITERATIONS": "2"})
    assert done.code == 4
    assert len(project.calls()) == 3


def test_the_agent_and_the_checks_from_the_file(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.configure(
        {
            "agent": "mine",
            "agents": {"mine": {"command": ["/bin/sh", str(project.script)], "env": ["MY_KEY"]}},
            "verification": {"commands": [["test", "-d", "out"]], "base": False},
        }
    )
    project.agent('test "$MY_KEY" = 42 || exit 1\ntest -z "$NOT_MINE" || exit 1\n' + FINISH)
    project.commit("settings")
    done = project.ralph("run", env={"MY_KEY": "42", "NOT_MINE": "secret"})
    assert done.code == 0, done.out + done.err
    assert "agent mine" in done.out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("loop:\n  max_iteration: 3\n", ["ralph.yaml:2", "max_iterations"]),
        ("loop:\n  max_iterations: many\n", ["ralph.yaml:2", "max_iterations"]),
        ("loop: [\n", ["ralph.yaml:"]),
    ],
)
def test_a_wrong_setting_names_its_line(tmp_path: Path, text: str, says: list[str]) -> None:
    project = Project(tmp_path)
    project.write("ralph.yaml", text)
    done = project.run()
    assert done.code == 1
    assert all(part in done.err for part in says), done.err
    assert len(done.err.splitlines()) <= 3
    assert project.calls() == []


def test_the_example_of_the_harness_document_loads_as_it_is(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write(
        "ralph.yaml",
        DOCUMENT_H,
    )
    shown = project.ralph("config", "--json").json()
    assert shown["loop.max_minutes_per_iteration"]["value"] == 20
    assert shown["safety.allowed_commands"]["value"] == ["npm", "go", "git"]


UNFIT = {
    "no acceptance": (story("A", criteria=[]), "no acceptance criteria"),
    "missing dependency": (story("A", depends_on=["Z"]), "depends on Z, which does not exist"),
    "circle": (story("A", depends_on=["A"]), "is in a cycle"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_the_linter_names_what_makes_a_task_unfit(tmp_path: Path, name: str) -> None:
    unfit, says = UNFIT[name]
    project = Project(tmp_path, [unfit], settings={"verification": {"commands": [["true"]]}})
    done = project.ralph("lint")
    assert done.code == 1
    assert says in done.out
    findings = project.ralph("lint", "--json").json()
    assert ["A", "error"] in [[one["task"], one["severity"]] for one in findings]


def test_the_linter_misses_checks_and_warns_of_vague_words(tmp_path: Path) -> None:
    vague = story("A", criteria=["It works properly and is user-friendly"])
    vague["description"] = "Add a modern page that lists every note."
    project = Project(tmp_path, [vague])
    done = project.ralph("lint")
    assert done.code == 1
    heads = [line.partition(": ")[::2] for line in done.out.splitlines() if " · A: " in line]
    assert [(head, problem.partition(":")[0]) for head, problem in heads] == [
        ("error · A", "has no verification, and the project has none either"),
        ("warning · A", "criterion 1 cannot be checked"),
        ("warning · A", "has a vague description"),
    ]
    assert "1 task: 1 error, 2 warnings." in done.out


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("ralph ret", "retry"),
        ("ralph retry US-00", "US-001\nUS-002"),
        ("ralph run --task US-002", "US-002"),
        ("ralph run --agent sc", "scripted"),
        ("ralph run --max-it", "--max-iterations"),
    ],
)
def test_the_shell_completes_commands_options_tasks_and_agents(
    tmp_path: Path, typed: str, completed: str
) -> None:
    project = Project(tmp_path, 2)
    asks = {
        "_RALPH_COMPLETE": "bash_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(typed.count(" ")),
    }
    assert project.ralph(env=asks).out == "".join(f"plain,{one}\n" for one in completed.split())
    assert "_RALPH_COMPLETE=bash_complete" in project.ralph("completion", "bash").out


def test_looking_leaves_nothing_behind(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write(".gitignore", "")
    project.commit("nothing is ignored")
    for words in (
        *("status", "report", "lint", "health", "cost", "tokens", "inbox", "config", "audit"),
        *("logs", "salvage list", "checkpoint list", "gc --dry-run", "run --dry-run"),
    ):
        project.ralph(*words.split())
    assert project.git("status", "--porcelain", "--ignored") == ""


def test_a_mistyped_command_is_guessed(tmp_path: Path) -> None:
    done = Project(tmp_path).ralph("staus")
    assert done.code == 2
    assert "There is no command 'staus'. Did you mean `ralph status`" in done.err


def test_a_task_is_named_as_an_argument(tmp_path: Path) -> None:
    project = Project(tmp_path, 2)
    assert (
        "US-002 is skipped. Undo this with `ralph retry US-002`"
        in project.ralph("skip", "US-002").out
    )
    assert project.ralph("retry", "US-002").code == 0
    assert project.ralph("retry").code == 2
    assert project.ralph("retry", "US-001", "--task", "US-002").code == 2


def test_a_fit_plan_has_nothing_to_say(tmp_path: Path) -> None:
    project = Project(tmp_path, 2, settings={"verification": {"commands": [["true"]]}})
    done = project.ralph("lint", "PRD.json")
    assert done.code == 0
    assert "2 tasks: nothing to complain about." in done.out


@pytest.mark.parametrize(
    "command", ["init", "run", "status", "pause", "resume", "retry", "skip", "revert", "logs",
                "report", "lint", "stop", "salvage", "inbox", "answer", "config", "demo", "squash",
                "audit"],
)  # fmt: skip
def test_every_command_explains_itself(tmp_path: Path, command: str) -> None:
    done = Project(tmp_path).ralph(command, "--help")
    assert done.code == 0
    assert done.out.startswith(f"Usage: ralph {command}")


def test_another_folder_as_in_git(tmp_path: Path) -> None:
    project = Project(tmp_path)
    inner = project.root / "deep" / "er"
    inner.mkdir(parents=True)
    assert project.ralph("-C", str(inner), "status").code == 0
    assert project.ralph("-C", str(tmp_path / "nowhere"), "status").code == 2


def test_an_agent_that_nobody_defined_is_told_before_a_run(tmp_path: Path) -> None:
    project = Project(tmp_path, settings={"agent": "mine"})
    for words in (("run", "--dry-run"), ("config",)):
        done = project.ralph(*words)
        assert done.code == 0
        assert "There is no agent `mine`." in done.err
    assert "repo.protected = [ralph.yaml, PROMPT.md]  (default)" in done.out
    assert "tasks.github_close = true  (default)" in done.out
    assert "fallback = []  (default)" in done.out


def test_a_task_that_nobody_knows_has_no_history(tmp_path: Path) -> None:
    project = Project(tmp_path)
    done = project.ralph("audit", "--task", "NOPE")
    assert done.code == 1
    assert "knows a task NOPE" in done.err
    assert project.ralph("audit", "--task", "US-001").code == 0


def test_a_mistake_in_the_settings_takes_no_brake_away(tmp_path: Path) -> None:
    """It may be made while a run goes on, which has the settings that it began with."""
    project = Project(tmp_path)
    project.run()
    project.write("ralph.yaml", "lopp: 1\n")
    shown = project.ralph("status")
    assert (shown.code, "ralph.yaml:1: lopp is not a setting" in shown.err) == (0, True)
    assert "1/1 complete" in shown.out
    for command in ("stop", "pause"):
        told = project.ralph(command)
        assert "ralph.yaml is left out here." in told.err
        assert "No loop is running" in told.err
    assert project.run().code == 1, "nothing is begun with it"

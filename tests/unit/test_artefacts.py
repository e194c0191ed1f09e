"""The files that agents share: whatever an agent writes, no history is lost and no lie is kept."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.artefacts import task
from tests.support.chance import examples

import ralph
from ralph.domain.errors import ConfigError, PlanError, UsageError
from ralph.domain.task import Status
from ralph.flows.artefacts import history
from ralph.flows.artefacts.folder import DONE, OBSTACLES, SPEC, STATE, Folder, make
from ralph.flows.artefacts.parse import blank_spec, parse_execute, parse_init, parse_interview
from ralph.flows.artefacts.shelf import IterationEnd, Shelf
from ralph.plans.artefacts import TASKS, Artefacts, Effort

if TYPE_CHECKING:
    from ralph.flows.artefacts.history import Item

TEXT = st.text(max_size=8)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
ENTRY = st.fixed_dictionaries(
    {"iteration": st.integers(1, 9), "task_id": st.sampled_from(["T1", "T2"]), "summary": TEXT},
    optional={"status": ANY, "files_modified": ANY, "obstacles": ANY, "more": ANY},
)
OBSTACLE = st.fixed_dictionaries(
    {"id": st.sampled_from(["O1", "O2", "O3", ""]), "message": TEXT},
    optional={"resolved": ANY, "task_id": ANY, "iteration": ANY},
)


def encoded(value: object) -> bytes:
    return json.dumps(value).encode()


GARBAGE = st.binary(max_size=20) | ANY.map(encoded)
STATES = GARBAGE | st.lists(ENTRY | ANY, max_size=5).map(encoded) | st.none()
OBSTACLES_ = (
    GARBAGE
    | st.lists(OBSTACLE | ANY, max_size=5).map(lambda found: encoded({"obstacles": found}))
    | st.none()
)


@given(st.lists(ENTRY, max_size=4), STATES, st.booleans())
def test_entries_are_only_ever_added(good: list[Item], data: bytes | None, keeps: bool) -> None:
    found = history.read_state(data)
    if keeps and found is not None:
        data = encoded([*good, *found])
    added = history.added_entries(good, data)
    assert all(isinstance(one["summary"], str) for one in added.items)
    if keeps and found is not None:
        fit = [one for one in found if isinstance(one.get("summary"), str)]
        assert list(added.items) == fit
    assert added.wrong or keeps or found is not None


FIRST, SECOND, NEW = ({"iteration": n, "summary": f"the {n}."} for n in (1, 2, 3))


@pytest.mark.parametrize(
    "left", [[NEW], [SECOND, FIRST, NEW], [FIRST | {"summary": "other"}, SECOND, NEW]]
)
def test_a_changed_history_is_seen_and_what_is_new_in_it_kept(left: list[Item]) -> None:
    added = history.added_entries([FIRST, SECOND], encoded(left))
    assert added.items == (NEW,)
    assert added.wrong == "what was there before was changed"


@given(st.lists(OBSTACLE, max_size=4, unique_by=lambda one: str(one["id"])), OBSTACLES_)
def test_obstacles_are_only_ever_added_or_resolved(good: list[Item], data: bytes | None) -> None:
    added = history.added_obstacles(good, data)
    assert set(added.resolved) <= {one["id"] for one in good if one.get("resolved") is not True}
    taken = frozenset(one["id"] for one in good)
    for one in added.items:
        new = history.obstacle(one, 5, "T1", taken)
        assert new["id"] not in taken
        assert (new["iteration"], type(new["resolved"])) == (5, bool)


def shelf_in(root: Path, *tasks: dict[str, Any]) -> Shelf:
    folder = Folder.of(root, "demo")
    folder.write(TASKS, encoded({"project_name": "demo", "tasks": tasks}))
    shelf = Shelf(folder, root / "copies")
    shelf.open()
    return shelf


PLANS = GARBAGE | st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from(["T1", "T2", "T3"]), "title": st.just("x") | ANY},
        optional={"status": ANY | st.sampled_from(["completed", "blocked"]), "blocked": ANY},
    ),
    max_size=3,
).map(lambda found: encoded({"tasks": found}))


@settings(max_examples=examples(40), deadline=None)
@given(PLANS | st.none(), STATES, OBSTACLES_, st.booleans())
def test_whatever_an_agent_leaves(
    plan: bytes | None, state: bytes | None, obstacles: bytes | None, settled: bool
) -> None:
    """The history grows by what is known, and only the task at hand may change its status."""
    with tempfile.TemporaryDirectory() as place:
        shelf = shelf_in(Path(place), task("T1"), task("T2", status="completed"))
        shelf.begin("T1", 1)
        shelf.finish(IterationEnd("T1", 1, settled=False, why="the first"))
        before = shelf.folder.read(STATE), shelf.folder.read(OBSTACLES)
        first = history.read_state(before[0])
        shelf.begin("T1", 2)
        for name, data in ((TASKS, plan), (STATE, state), (OBSTACLES, obstacles)):
            shelf.folder.remove(name)
            if data is not None:
                shelf.folder.write(name, data)
        shelf.collect("T1", 2)
        assert (shelf.folder.read(STATE), shelf.folder.read(OBSTACLES)) == before
        shelf.finish(IterationEnd("T1", 2, settled=settled, why="the second", files=("a.py",)))
        entries = history.read_state(shelf.folder.read(STATE))
        assert entries is not None
        assert first is not None
        assert entries[: len(first)] == first
        assert len(entries) > len(first)
        assert history.read_obstacles(shelf.folder.read(OBSTACLES)) is not None
        now = shelf.plan.parse(shelf.plan.files(Path(place)))
        assert [one.id for one in now.tasks] == ["T1", "T2"]
        assert now.by_id["T2"].is_done
        assert now.by_id["T1"].is_done is settled
        assert shelf.plan.efforts(shelf.good[TASKS])["T1"] == Effort(2, 3)


def test_an_entry_says_completed_only_of_what_is(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path, task("T1"), task("T2"))
    shelf.begin("T1", 1)
    claims = [{"summary": "both", "task_id": name, "status": "completed"} for name in ("T1", "T2")]
    shelf.folder.write(STATE, encoded(claims))
    assert shelf.collect("T1", 1) == []
    shelf.finish(IterationEnd("T1", 1, settled=True, why="done", files=("a.py",)))
    entries = history.read_state(shelf.folder.read(STATE)) or []
    assert [(one["task_id"], one["status"]) for one in entries] == [
        ("T1", "completed"),
        ("T2", "attempted"),
    ]
    assert entries[0]["files_modified"] == ["a.py"]


def test_an_agent_that_could_not_work_used_no_attempt(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path, task("T1"))
    shelf.begin("T1", 1)
    assert shelf.plan.efforts(shelf.folder.read(TASKS) or b"")["T1"].attempts == 1
    shelf.finish(IterationEnd("T1", 1, settled=False, why="no login", counts=False))
    assert shelf.plan.efforts(shelf.folder.read(TASKS) or b"")["T1"].attempts == 0


def test_what_was_broken_between_two_runs_comes_from_the_copy(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path, task("T1"))
    shelf.folder.write(TASKS, "nonsense")
    shelf.folder.write(STATE, "{}")
    again = Shelf(shelf.folder, tmp_path / "copies")
    assert [one.path for one in again.open()] == [
        ".artefacts/demo/tasks.json",
        ".artefacts/demo/state.json",
    ]
    assert shelf.folder.read(TASKS) == shelf.good[TASKS]
    assert shelf.folder.read(STATE) == b"[]\n"


@pytest.mark.parametrize("recovers", [1, 0])
def test_what_a_killed_agent_wrote_is_no_edit_of_a_person(tmp_path: Path, recovers: int) -> None:
    """Whether the loop still has to close its iteration, or another run has done that."""
    shelf = shelf_in(tmp_path, task("T1"))
    shelf.begin("T1", 1)
    shelf.folder.write(TASKS, encoded({"tasks": [task("T1", status="completed", attempts=1)]}))
    shelf.folder.write(STATE, encoded([{"summary": "all done"}]))
    again = Shelf(shelf.folder, tmp_path / "copies")
    assert again.open(recovers) == []
    again.finish(IterationEnd("T1", 1, settled=False, why="killed"))
    assert again.plan.parse(again.plan.files(tmp_path)).tasks[0].status is Status.OPEN
    [entry] = history.read_state(again.folder.read(STATE)) or []
    assert (entry["summary"], entry["status"]) == ("all done", "attempted")
    third = Shelf(shelf.folder, tmp_path / "copies")
    third.folder.write(TASKS, encoded({"tasks": [task("T1", status="completed")]}))
    third.open()
    assert third.plan.parse(third.plan.files(tmp_path)).tasks[0].is_done, "a person says so"


def test_an_edit_between_two_agents_is_honoured(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path, task("T1"))
    shelf.folder.write(TASKS, encoded({"tasks": [task("T1", max_attempts=9), task("T4")]}))
    shelf.begin("T1", 1)
    assert shelf.plan.efforts(shelf.good[TASKS]) == {"T1": Effort(1, 9), "T4": Effort(0, 3)}


def test_first_bytes_that_came_back_are_no_edit(tmp_path: Path) -> None:
    """Taking work away restores what git does not know as the run found it."""
    shelf = shelf_in(tmp_path, task("T1"))
    found = shelf.good[TASKS]
    shelf.begin("T1", 1)
    shelf.finish(IterationEnd("T1", 1, settled=False, why="red"))
    shelf.folder.write(TASKS, found)
    shelf.plan.files(tmp_path)
    assert shelf.folder.read(TASKS) == shelf.good[TASKS] != found


# The plan


@pytest.mark.parametrize(
    ("members", "status"),
    [
        ({}, Status.OPEN),
        ({"status": "in_progress"}, Status.IN_PROGRESS),
        ({"status": "blocked"}, Status.BLOCKED),
        ({"blocked": True}, Status.BLOCKED),
        ({"status": "completed", "blocked": True}, Status.COMPLETED),
        ({"status": "in_progress", "skipped": True}, Status.SKIPPED),
    ],
)
def test_statuses(members: dict[str, Any], status: Status) -> None:
    form = Artefacts("tasks.json", "tasks.json")
    data = encoded({"tasks": [{"id": "T1", "title": "x", **members}]})
    assert form.parse({"tasks.json": data}).tasks[0].status is status


def test_a_mark_changes_nothing_else() -> None:
    text = '{ "tasks":[{"id" :"T1","title":"x",  "status":"pending","blocked":false, "n": 1.50}] }'
    form = Artefacts("tasks.json", "tasks.json")
    marked = form.mark({"tasks.json": text.encode()}, {"T1": Status.BLOCKED})["tasks.json"]
    expected = text.replace("pending", "blocked").replace("false", "true")
    assert marked.decode() == expected
    counted = form.with_attempts(text.encode(), "T1", 2).decode()
    assert counted == text.replace("1.50", '1.50, "attempts": 2')


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ([], "must be an object"),
        ({"tasks": {}}, "tasks is missing"),
        ({"tasks": [{"id": "T1"}]}, "T1: title is missing"),
        ({"tasks": [task("T1", status="done")]}, "unknown status 'done'"),
        ({"tasks": [task("T1", attempts="2")]}, "attempts must be a whole number"),
        ({"tasks": [task("T1", max_attempts=0)]}, "at least 1"),
        ({"tasks": [task("T1", attempts=-1)]}, "below 0"),
        ({"tasks": [task("T1"), task("T1")]}, "used twice"),
    ],
)
def test_what_is_wrong_is_named(document: object, why: str) -> None:
    with pytest.raises(PlanError, match=why):
        Artefacts("tasks.json", "tasks.json").parse({"tasks.json": encoded(document)})


# The folder and the prompts


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "/etc", "-x", "a..b", "x" * 65])
def test_a_name_cannot_lead_elsewhere(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name"):
        Folder.of(tmp_path, name)


def test_a_link_cannot_lead_elsewhere(tmp_path: Path) -> None:
    (tmp_path / ".artefacts").mkdir()
    (tmp_path / ".artefacts/demo").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="link"):
        Folder.of(tmp_path, "demo")


def test_a_spec_that_is_there_is_kept(tmp_path: Path) -> None:
    folder = Folder.of(tmp_path, "demo")
    [made] = make(folder, blank_spec(folder))
    assert made.path == ".artefacts/demo/spec.md"
    assert folder.text(SPEC).startswith("# demo\n")
    folder.write(SPEC, "mine")
    assert [made.what for made in make(folder, "blank")] == ["kept as it is"]
    assert folder.text(SPEC) == "mine"


def test_whatever_done_md_is_it_goes(tmp_path: Path) -> None:
    folder = Folder.of(tmp_path, "demo")
    assert not folder.remove(DONE)
    (folder.path / DONE).mkdir(parents=True)
    (folder.path / DONE / "x").touch()
    assert folder.remove(DONE)
    (folder.path / DONE).symlink_to("nowhere")
    assert folder.remove(DONE)
    assert not folder.remove(DONE)


def test_the_prompts_of_the_three_phases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert ralph.parse_init is parse_init
    assert ralph.parse_interview is parse_interview
    assert ralph.parse_execute is parse_execute
    Folder.of(tmp_path, "demo").write(
        OBSTACLES,
        encoded(
            {
                "obstacles": [
                    {"id": "O1", "task_id": "T1", "message": "no\nrope", "resolved": False},
                    {"id": "O2", "task_id": "T1", "message": "gone", "resolved": True},
                ]
            }
        ),
    )
    every = (parse_init("demo"), parse_interview("demo", 1, 2), parse_execute("demo", 3, 9))
    assert all(".artefacts/demo/done.md" in prompt for prompt in every)
    assert "round 1 of 2" in every[1]
    assert "do not write any tasks yet" in every[1]
    assert "also write the tasks" in parse_interview("demo", 2, 2)
    assert "iteration 3; the run has at most 9" in every[2]
    assert "- O1 (T1): no rope" in every[2]
    assert "gone" not in every[2]


def test_a_template_of_the_user_comes_first(tmp_path: Path) -> None:
    own = tmp_path / ".ralph/templates/execute.md"
    own.parent.mkdir(parents=True)
    own.write_text("Go on with $name ($$ $iteration of ${iterations}), $known")
    prompt = parse_execute("demo", 2, 5, root=tmp_path)
    assert prompt == "Go on with demo ($ 2 of 5), None so far."
    own.write_text("$nothing")
    with pytest.raises(ConfigError, match=r"execute.md: unknown variable \$nothing"):
        parse_execute("demo", 2, 5, root=tmp_path)
    own.write_text("5 $")
    with pytest.raises(ConfigError, match="lone"):
        parse_execute("demo", 2, 5, root=tmp_path)


def test_a_plan_without_a_name_is_called_after_its_folder() -> None:
    key = ".artefacts/notes/tasks.json"
    for told, title in ((b'{"tasks": []}', "notes"), (b'{"project_name": "N", "tasks": []}', "N")):
        assert Artefacts(key, key).read({key: told}).title == title

"""Plans of other tools: what arrives, what is named as lost, what a second import leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.errors import PlanError
from ralph.domain.plan import check_graph
from ralph.domain.task import Kind, Status
from ralph.flows.importing import bring
from ralph.flows.importing.documents import read_document
from ralph.flows.importing.writing import write_prd, write_tree
from ralph.plans.prd_json import PrdJson
from ralph.plans.task_tree import TaskTree

if TYPE_CHECKING:
    from ralph.domain.plan import Plan
    from ralph.flows.importing.brought import Brought, Lost

FILES = Path(__file__).parent / "imports"


def as_prd(brought: Brought, before: bytes | None = None) -> Plan:
    data = write_prd(brought, before, "PRD.json").data
    return PrdJson("PRD.json", "PRD.json").parse({"PRD.json": data})


def lost_of(lost: tuple[Lost, ...]) -> dict[str, int]:
    return {one.what: one.count for one in lost}


def test_a_prd_with_other_names_arrives_whole() -> None:
    brought = bring("prd.json", FILES)
    plan = as_prd(brought)

    assert (plan.title, plan.branch) == ("Bookshelf", "ralph/bookshelf")
    assert [task.id for task in plan.tasks] == ["US-001", "US-002", "US-3-b"]
    first, second, third = plan.tasks
    assert first.status is Status.COMPLETED
    assert first.criteria == ("`shelf add X` exits 0", "X is listed")
    assert first.bound[0].command[-1] == "./listed X"
    assert "done by hand" in first.description
    assert second.criteria == ("prints one line per book", "exits 0")
    assert (second.priority, second.depends_on) == (1, ("US-001",))
    assert third.depends_on == ("US-002",)
    assert lost_of(brought.lost) == {
        "the spelling of an id": 1,
        "the status 'someday': imported as open": 1,
        "a record without a title": 1,
        "a record that is not an object": 1,
        "the dependency on US-099, which is not there": 1,
    }
    assert brought.unread == ("storyPoints",)
    document = json.loads(write_prd(brought, None, "x").data)
    assert document["qualityGates"] == ["npm test"]
    assert document["userStories"][0]["storyPoints"] == 3


def test_stories_with_numbers_as_ids_and_other_words() -> None:
    brought = bring("stories.json", FILES)
    plan = as_prd(brought)

    assert plan.title == "Shop"
    assert [(task.id, task.title, task.is_done) for task in plan.tasks] == [
        ("1", "Cart", True),
        ("2", "Pay", False),
    ]
    assert plan.tasks[1].depends_on == ("1",)
    assert plan.tasks[1].area == "pay"
    assert lost_of(brought.lost) == {"a label that is not text": 1}


def test_tasks_json_arrives_with_its_attempts_and_says_which_statuses_prd_lacks() -> None:
    brought = bring("tasks.json", FILES)
    written = write_prd(brought, None, "PRD.json")
    plan = as_prd(brought)

    assert plan.title == "example-project"
    assert [task.status for task in plan.tasks] == [Status.COMPLETED, Status.OPEN, Status.OPEN]
    assert plan.tasks[1].depends_on == ("T1",)
    assert lost_of(written.lost) == {
        "the status blocked: it is open in PRD.json": 1,
        "the status in_progress: it is open in PRD.json": 1,
    }
    assert brought.unread == ("attempts", "max_attempts")
    tree = json.loads(write_tree(brought, None, "x.json").data)
    assert [task["status"] for task in tree] == ["completed", "blocked", "in_progress"]


def test_beads_arrive_with_their_graph_and_the_rest_is_named() -> None:
    brought = bring("issues.jsonl", FILES)
    written = write_prd(brought, None, "PRD.json")
    plan = as_prd(brought)

    assert [task.id for task in plan.tasks] == ["shop-a1.1", "shop-a1.2", "shop-b2"]
    cards, receipts, crash = plan.tasks
    assert (cards.status, cards.priority) == (Status.COMPLETED, 0)
    assert cards.criteria == ("a test card pays", "a wrong card is refused")
    assert "Design: Use the hosted form" in cards.description
    assert receipts.depends_on == ("shop-a1.1",)
    assert "ask Bob" in receipts.description
    assert crash.kind is Kind.FIX
    assert crash.depends_on == ("shop-a1.1", "shop-a1.2"), "of the epic, its parts"
    assert lost_of(written.lost) == {
        "an issue that was deleted (tombstone)": 1,
        "an issue of the type message": 1,
        "a link of the type discovered-from": 1,
        "comments of an issue": 1,
        "a task that only groups others (those are kept)": 1,
        "the status in_progress: it is open in PRD.json": 1,
    }
    assert set(brought.unread) == {"updated_at", "close_reason", "assignee"}


def test_beads_are_found_in_their_folder(tmp_path: Path) -> None:
    (tmp_path / ".beads").mkdir()
    (tmp_path / ".beads/issues.jsonl").write_bytes((FILES / "issues.jsonl").read_bytes())

    assert bring(".", tmp_path) == bring(".beads", tmp_path) == bring("issues.jsonl", FILES)


def test_a_checklist_arrives_and_loose_text_is_counted() -> None:
    brought = bring("todo.md", FILES)
    plan = as_prd(brought)

    assert plan.title == "Notes"
    assert [(task.id, task.status) for task in plan.tasks] == [
        ("N-1", Status.COMPLETED),
        ("N-2", Status.OPEN),
        ("N-3", Status.SKIPPED),
    ]
    assert plan.tasks[0].verify[0][-1] == "test -f list.txt"
    assert plan.tasks[1].depends_on == ("N-1",)
    assert lost_of(brought.lost) == {
        "a line of text outside the tasks": 1,
        "a line of fenced code": 3,
        "a heading": 1,
    }


def test_a_task_tree_arrives_in_both_formats() -> None:
    brought = bring("tree", FILES)
    plan = as_prd(brought)

    assert [(task.id, task.depends_on) for task in plan.tasks] == [
        ("base", ()),
        ("notes-list", ("base",)),
    ]
    assert plan.by_id["notes-list"].status is Status.SKIPPED
    assert plan.by_id["notes-list"].area == "cli"
    assert lost_of(brought.lost) == {"a check that is not a command": 1}
    data = write_tree(brought, None, "x.json").data
    tree = TaskTree("x", "x").parse({"x.json": data})
    assert {(task.id, task.parent) for task in tree.tasks} == {
        ("notes", None),
        ("base", None),
        ("notes-list", "notes"),
    }
    assert tree.by_id["base"].status is Status.FAILED


def test_a_second_import_updates_by_id_and_forgets_nothing() -> None:
    first = json.loads(write_prd(bring("stories.json", FILES), None, "x").data)
    pay = first["userStories"][1]
    pay.update(passes=True, title="old words", mine="kept")
    first["userStories"].append({"id": "own", "title": "Mine", "passes": False})

    again = write_prd(bring("stories.json", FILES), json.dumps(first).encode(), "x")

    document = json.loads(again.data)
    assert (again.new, again.updated, again.kept) == (0, 2, 1)
    assert [story["id"] for story in document["userStories"]] == ["1", "2", "own"]
    assert document["userStories"][1]["passes"] is True
    assert document["userStories"][1]["title"] == "Pay"
    assert document["userStories"][1]["mine"] == "kept"
    assert write_prd(bring("stories.json", FILES), again.data, "x").data == again.data


def test_a_second_import_into_a_tree_keeps_what_is_finished() -> None:
    tree = json.loads(write_tree(bring("tasks.json", FILES), None, "x").data)
    tree[2]["status"] = "completed"

    again = json.loads(write_tree(bring("tasks.json", FILES), json.dumps(tree).encode(), "x").data)

    assert [task["status"] for task in again] == ["completed", "blocked", "completed"]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("x.json", b'{"rows": []}', "holds no list of tasks"),
        ("x.json", b"{", "line 1"),
        ("x.jsonl", b"\n", "holds no issues"),
        ("x.jsonl", b'{"id": "a", "title": "A"}\n[]', "line 2"),
        ("x.md", b"# Nothing\n", "holds no tasks"),
        ("x.csv", b"a,b", "'.csv'"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_the_place(
    tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(data)

    with pytest.raises(PlanError) as caught:
        bring(name, tmp_path)

    assert said in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 3


IDS = st.lists(st.from_regex(r"[A-Z]{1,3}-[0-9]{1,3}", fullmatch=True), unique=True, max_size=8)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """PRD documents as Ralph itself writes them: each task may wait for earlier ones."""
    stories: list[dict[str, Any]] = []
    for name in draw(IDS):
        story = {"id": name, "title": draw(st.text(min_size=1).filter(str.strip))}
        earlier = [one["id"] for one in stories]
        after = draw(st.lists(st.sampled_from(earlier), unique=True)) if earlier else []
        status = draw(st.sampled_from(["open", "passes", "skipped"]))
        flags = {"passes": status == "passes", "skipped": status == "skipped"}
        stories.append({**story, "depends_on": after, **flags})
    return {"project": "P", "userStories": stories}


@given(documents())
def test_a_plan_of_ralph_s_own_keeps_ids_titles_links_and_statuses(
    document: dict[str, Any],
) -> None:
    data = json.dumps(document).encode()
    before = PrdJson("x", "x").parse({"x": data})
    after = as_prd(read_document(data, "x"))

    check_graph(after)
    kept = [(task.id, task.title, task.depends_on, task.status) for task in after.tasks]
    assert kept == [(task.id, task.title, task.depends_on, task.status) for task in before.tasks]
    assert read_document(data, "x").lost == ()
    written = write_tree(read_document(data, "x"), None, "x").data
    tree = TaskTree("x", "x").parse({"x.json": written})
    kept = [(task.id, task.title, task.depends_on, task.status) for task in tree.tasks]
    assert kept == [(task.id, task.title, task.depends_on, task.status) for task in before.tasks]


SCALARS = st.none() | st.booleans() | st.integers() | st.text()
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["id", "text"]), inner)
)
FIELDS = "id status passes criteria depends_on labels verify priority parent description kind notes"
RECORDS = st.fixed_dictionaries(
    {"title": st.text(min_size=1)}, optional=dict.fromkeys(FIELDS.split(), ANYTHING)
)


@given(st.lists(RECORDS | ANYTHING))
def test_whatever_stands_in_the_records_ralph_reads_what_it_wrote(records: list[object]) -> None:
    brought = read_document(json.dumps({"tasks": records}).encode(), "x")

    PrdJson("x", "x").read({"x": write_prd(brought, None, "x").data})
    TaskTree("x", "x").read({"x.json": write_tree(brought, None, "x").data})

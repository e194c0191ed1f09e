from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.errors import PlanError
from ralph.domain.task import Kind, Status, shell
from ralph.plans.prd_json import PrdJson

if TYPE_CHECKING:
    from ralph.domain.plan import Plan


def _parse(document: object) -> Plan:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return PrdJson("PRD.json", "PRD.json").parse({"PRD.json": data})


def _story(**more: Any) -> dict[str, Any]:
    return {"id": "US-001", "title": "One", **more}


def _one(**more: Any) -> Plan:
    return _parse({"userStories": [_story(**more)]})


def _mark(data: bytes, **statuses: Status) -> bytes:
    wanted = {name.replace("_", "-"): status for name, status in statuses.items()}
    form = PrdJson("PRD.json", "PRD.json")
    return form.mark({"PRD.json": data}, wanted).get("PRD.json", data)


def test_the_document_of_the_specification() -> None:
    plan = _parse(
        {
            "project": "project-name",
            "description": "Brief",
            "userStories": [
                _story(description="Full", criteria=["First", "Second"], passes=False),
                {"id": "US-002", "title": "Two", "passes": True, "depends_on": ["US-001"]},
                {"id": "US-003", "title": "Three", "passes": False, "skipped": True},
            ],
        }
    )
    assert (plan.title, plan.description) == ("project-name", "Brief")
    first, second, third = plan.tasks
    assert first.criteria == ("First", "Second")
    assert first.description == "Full"
    assert second.depends_on == ("US-001",)
    assert [t.status for t in plan.tasks] == [Status.OPEN, Status.COMPLETED, Status.SKIPPED]
    assert third.kind is Kind.FEATURE


@pytest.mark.parametrize("name", ["acceptanceCriteria", "acceptance_criteria", "acceptance"])
def test_other_names_for_criteria(name: str) -> None:
    plan = _one(**{name: ["a", {"text": "b"}, {"description": "c"}]})
    assert plan.tasks[0].criteria == ("a", "b", "c")


@pytest.mark.parametrize("stories", ["userStories", "stories", "tasks"])
@pytest.mark.parametrize("depends", ["depends_on", "dependsOn", "dependencies"])
@pytest.mark.parametrize("title", ["project", "name", "title"])
def test_other_names(stories: str, depends: str, title: str) -> None:
    second = {"id": "US-002", "title": "Two", depends: ["US-001", "US-001"]}
    plan = _parse({title: "Demo", "branchName": "ralph/demo", stories: [_story(), second]})
    assert plan.title == "Demo"
    assert plan.branch == "ralph/demo"
    assert plan.tasks[1].depends_on == ("US-001",)


def test_commands_are_text_for_the_shell_or_arguments() -> None:
    assert _one(verify=["npm test", ["go", "test"]]).tasks[0].verify == (
        shell("npm test"),
        ("go", "test"),
    )
    assert _one(verify="make").tasks[0].verify == (shell("make"),)


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({"type": "bug"}, Kind.FIX),
        ({"kind": "refactor"}, Kind.REFACTOR),
        ({"labels": ["area=ui", "type:docs"]}, Kind.DOCS),
        ({"type": "chore", "labels": ["bug"]}, Kind.CHORE),
        ({"type": "epic"}, Kind.FEATURE),
        ({}, Kind.FEATURE),
        ({"title": "v2.1.0"}, Kind.CHORE),
        ({"title": "Release 2.1.0 reads old files"}, Kind.FEATURE),
    ],
)
def test_kind_from_the_type_or_the_labels(more: dict[str, Any], kind: Kind) -> None:
    assert _one(**more).tasks[0].kind is kind


def test_notes_reach_the_agent_and_null_means_absent() -> None:
    task = _one(description="What", notes="Mind the gap", passes=None, priority=None).tasks[0]
    assert task.description == "What\n\nNotes: Mind the gap"
    assert task.status is Status.OPEN
    assert _one(priority=3, labels=["area=ui"]).tasks[0].area == "ui"


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"title": 3}, "title"),
        ({"title": " "}, "title"),
        ({"description": []}, "description"),
        ({"criteria": "all"}, "criteria"),
        ({"criteria": ["fine", 3]}, "criteria, item 2"),
        ({"acceptance": [{"x": 1}]}, "acceptance, item 1"),
        ({"passes": "yes"}, "passes"),
        ({"skipped": 1}, "skipped"),
        ({"depends_on": "US-002"}, "depends_on"),
        ({"dependsOn": [None]}, "dependsOn, item 1"),
        ({"priority": True}, "priority"),
        ({"priority": "high"}, "priority"),
        ({"verify": [[]]}, "verify, item 1"),
        ({"verify": {"a": 1}}, "verify"),
        ({"labels": [1]}, "labels, item 1"),
    ],
)
def test_a_wrong_type_names_file_story_and_field(more: dict[str, Any], field: str) -> None:
    with pytest.raises(PlanError) as caught:
        _one(**more)
    assert caught.value.what.startswith(f"PRD.json, US-001: {field}")


@pytest.mark.parametrize(
    "name", ["", "-a", "a b", "a/b", "..", "a..b", "a.lock", "a.", "ä", "x" * 65, None, [], True]
)
def test_ids_that_cannot_be_names_are_refused(name: object) -> None:
    with pytest.raises(PlanError, match=r"PRD\.json, story 2"):
        _parse({"userStories": [_story(), {"id": name, "title": "Two"}]})


@pytest.mark.parametrize("name", ["a", "US-001", "1.2_b-c", "x" * 64, 12])
def test_ids_that_can_be_names(name: object) -> None:
    assert _parse({"userStories": [{"id": name, "title": "x"}]}).tasks[0].id == str(name)


def test_broken_json_gives_line_and_column() -> None:
    with pytest.raises(PlanError, match=r"^PRD\.json, line 3, column 1: "):
        _parse(b'{"project": "x",\n  "userStories": []\n')
    with pytest.raises(PlanError, match=r"^PRD\.json, line 1, column 16: not UTF-8"):
        _parse(b'{"userStories":\xff[]}')


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"3", b"{}", b'{"userStories": {}}', b'{"tasks": [NaN]}', b"[" * 9999]
)
def test_what_is_no_plan_is_a_plan_error(data: bytes) -> None:
    with pytest.raises(PlanError, match=r"PRD\.json"):
        _parse(data)


@given(st.binary(max_size=60))
def test_no_bytes_crash_it(noise: bytes) -> None:
    for data in (noise, b'{"userStories": [{"id": "a", "title": ' + noise + b"}]}"):
        with contextlib.suppress(PlanError):
            _parse(data)


def test_the_graph_is_checked() -> None:
    with pytest.raises(PlanError, match=r"US-001 depends on US-9, which does not exist"):
        _one(depends_on=["US-9"])
    with pytest.raises(PlanError, match="used twice"):
        _parse({"userStories": [_story(), _story()]})


def test_only_the_value_changes() -> None:
    data = (
        b'\xef\xbb\xbf{ "tasks" :[\r\n\t{"id":"a","title":"\\u00e9 \xc3\xa9",'
        b' "passes" :  false  , "x":1.50}]}'
    )
    assert _mark(data, a=Status.COMPLETED) == data.replace(b"false", b"true")
    assert _mark(_mark(data, a=Status.COMPLETED), a=Status.OPEN) == data


def test_a_missing_key_is_added_in_the_style_of_its_story() -> None:
    data = b'{"stories": [\n  {\n    "id": "a",\n    "title" : "A"\n  }\n]}\n'
    assert _mark(data, a=Status.COMPLETED) == data.replace(b'"A"', b'"A",\n    "passes" : true')
    assert _mark(data, a=Status.SKIPPED) == data.replace(b'"A"', b'"A",\n    "skipped" : true')
    tight = b'{"stories":[{"id":"a","title":"A"}]}'
    assert _mark(tight, a=Status.COMPLETED) == tight.replace(b'"A"', b'"A","passes":true')


def test_reopening_clears_both_flags_and_adds_nothing() -> None:
    data = b'{"stories": [{"id": "a", "title": "A", "skipped": true}]}'
    assert _mark(data, a=Status.OPEN) == data.replace(b"true", b"false")
    assert _mark(data, a=Status.COMPLETED).endswith(b'"skipped": false, "passes": true}]}')
    done = b'{"stories": [{"id": "a", "title": "A", "passes": true}]}'
    assert _mark(done, a=Status.SKIPPED) == done.replace(b"true}", b'false, "skipped": true}')
    assert _mark(done, a=Status.FAILED) == done.replace(b"true", b"false")


def test_lookalikes_in_texts_copies_and_doubled_keys_are_left_alone() -> None:
    story = '{"id": "a", "title": "\\"passes\\": false", "x": {"passes": false}, "passes": false}'
    data = f'{{"old": [{story}], "userStories": 1, "n": "userStories", "userStories": [{story}]}}'
    marked = _mark(data.encode(), a=Status.COMPLETED).decode()
    assert marked == data[: data.rindex("false")] + "true" + data[data.rindex("false") + 5 :]
    twice = b'{"tasks": [{"id": "a", "title": "A", "passes": true, "passes": false}]}'
    assert _mark(twice, a=Status.COMPLETED) == twice.replace(b"false", b"true")


_space = st.sampled_from(["", " ", "\n", "\r\n  ", "\t", "  \n"])
_scalar = st.one_of(st.text(max_size=8), st.integers(), st.booleans(), st.none())
_extra = st.dictionaries(
    st.text(min_size=1, max_size=4).map(lambda key: f"x{key}"),
    st.one_of(_scalar, st.lists(_scalar, max_size=3), st.dictionaries(st.text(), _scalar)),
    max_size=3,
)


@st.composite
def _written(draw: st.DrawFn, value: object) -> str:
    """The value as JSON with spaces, breaks and escapes in all the places that allow them."""

    def gap() -> str:
        return draw(_space)

    if isinstance(value, dict):
        parts = [
            f"{gap()}{json.dumps(k)}{gap()}:{gap()}{draw(_written(v))}{gap()}"
            for k, v in value.items()
        ]
        return "{" + ",".join(parts) + ("" if parts else gap()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(f"{gap()}{draw(_written(v))}{gap()}" for v in value) + "]"
    plain = isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)
    return json.dumps(value, ensure_ascii=not plain or draw(st.booleans()))


@st.composite
def _prds(draw: st.DrawFn) -> tuple[bytes, list[bool]]:
    stories = []
    keyed = []
    for number in range(draw(st.integers(1, 5))):
        flags: dict[str, Any] = {}
        for flag in ("passes", "skipped"):
            if draw(st.booleans()):
                flags[flag] = draw(st.booleans())
        if flags.get("passes") and flags.get("skipped"):
            flags["skipped"] = False
        keyed.append(len(flags) == 2)
        members = {"id": f"s{number}", "title": "T", **draw(_extra), **flags}
        order = draw(st.permutations(list(members)))
        stories.append({key: members[key] for key in order})
    document = {**draw(_extra), "userStories": stories, **draw(_extra)}
    text = draw(_space) + draw(_written(document)) + draw(_space)
    bom = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    return bom + text.encode("utf-8"), keyed


_kept = st.sampled_from([Status.OPEN, Status.COMPLETED, Status.SKIPPED])


@given(_prds(), st.data())
def test_marks_are_exact_and_can_be_undone(
    prd: tuple[bytes, list[bool]], data: st.DataObject
) -> None:
    first, keyed = prd
    form = PrdJson("PRD.json", "PRD.json")
    before = form.parse({"PRD.json": first})
    names = st.sampled_from(list(before.by_id))
    wanted = data.draw(st.dictionaries(names, _kept, min_size=1))
    new = form.mark({"PRD.json": first}, wanted).get("PRD.json", first)
    assert form.parse({"PRD.json": new}) == before.with_statuses(wanted)
    assert _parse(new) == before.with_statuses(wanted)
    assert _without_flags(new) == _without_flags(first)
    if all(keyed):
        back = {task.id: task.status for task in before.tasks}
        assert form.mark({"PRD.json": new}, back).get("PRD.json", new) == first


def _without_flags(data: bytes) -> Any:
    document = json.loads(data.decode("utf-8-sig"))
    for story in document["userStories"]:
        story.pop("passes", None)
        story.pop("skipped", None)
    return document


def test_marks_one_after_another_find_their_places() -> None:
    story = '{{"id": "{0}", "title": "{0}", "passes": false}}'
    first = f'{{"tasks": [{", ".join(story.format(name) for name in "abcd")}]}}'.encode()
    form = PrdJson("PRD.json", "PRD.json")
    files = {"PRD.json": first}
    for names in ("ac", "c", "bd", "d", "ab"):
        known = form.parse(files).by_id
        wanted = {n: Status.OPEN if known[n].is_done else Status.COMPLETED for n in names}
        files = {**form.mark(files, wanted)}
        fresh = _parse(files["PRD.json"])
        assert {name: fresh.by_id[name].status for name in names} == wanted
        assert fresh == form.parse(files)
    assert files["PRD.json"] == first


def test_a_plan_that_was_marked_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    form = PrdJson("PRD.json", "PRD.json")
    files = {"PRD.json": b'{"tasks": [{"id": "a", "title": "A", "passes": false}]}'}
    form.parse(files)
    monkeypatch.setattr(PrdJson, "read", lambda *_: pytest.fail("read again"))
    changed = form.mark(files, {"a": Status.COMPLETED})
    assert form.parse({"PRD.json": bytes(bytearray(changed["PRD.json"]))}).tasks[0].is_done
    assert not form.parse(files).tasks[0].is_done

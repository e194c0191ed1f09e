from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.errors import PlanError
from ralph.domain.task import Status, shell
from ralph.plans.markdown import Checklist

if TYPE_CHECKING:
    from ralph.domain.plan import Plan


def _parse(text: str) -> Plan:
    return Checklist("TODO.md", "TODO.md").parse({"TODO.md": text.encode()})


def _mark(text: str, **statuses: Status) -> str:
    form = Checklist("TODO.md", "TODO.md")
    wanted = {name.replace("_", "-"): status for name, status in statuses.items()}
    files = {"TODO.md": text.encode()}
    changed = {**files, **form.mark(files, wanted)}
    assert form.parse(changed) == Checklist("TODO.md", "TODO.md").parse(changed)
    return changed["TODO.md"].decode()


@pytest.mark.parametrize("sign", ["-", "*", "+", "1.", "12)"])
@pytest.mark.parametrize(
    "text", ["**US-1**: Text", "**US-1:** Text", "US-1: Text", "[US-1] Text", "[US-1]: Text"]
)
def test_ways_to_write_an_item_with_an_id(sign: str, text: str) -> None:
    (task,) = _parse(f"{sign} [ ] {text}\n").tasks
    assert (task.id, task.title, task.status) == ("US-1", "Text", Status.OPEN)


@pytest.mark.parametrize(
    ("text", "name", "title"),
    [
        ("Add a login form", "T-add-a-login-form", "Add a login form"),
        ("Note: add it", "T-note-add-it", "Note: add it"),
        ("**Important** thing", "T-important-thing", "**Important** thing"),
        ("[docs](x1.md) fix", "T-docs-x1-md-fix", "[docs](x1.md) fix"),
        ("a " * 40, "T-" + "-".join("a" * 20), ("a " * 40).strip()),
    ],
)
def test_other_items_get_an_id_from_their_text(text: str, name: str, title: str) -> None:
    (task,) = _parse(f"- [ ] {text}").tasks
    assert (task.id, task.title) == (name, title)


def test_made_ids_are_usable_stable_and_different() -> None:
    plan = _parse("- [ ] same\n- [x] same\n- [ ] ログイン\n- [ ] **T-same-2**: own\n")
    names = [task.id for task in plan.tasks]
    assert names[:2] == ["T-same", "T-same-3"]
    assert names[3] == "T-same-2"
    assert names[2].isascii()
    again = _parse("- [ ] ログイン\n- [ ] same\n")
    assert [task.id for task in again.tasks] == [names[2], "T-same"]


def test_what_is_indented_belongs_to_the_item() -> None:
    plan = _parse(
        "# Demo #\n\nIntro\n- not a task\n\n"
        "- [ ] A1: One\n"
        "  Some prose\n"
        "  - first criterion\n"
        "\n"
        "  * second one\n"
        "  - Depends on: B2 and C3\n"
        "  - Verify: `make test`\n"
        "- a plain point ends it\n"
        "  - so this is nobody's\n"
        "## Part\n"
        "- [ ] B2: Two\n"
        "\t- [x] C3: Three\n"
        "\t\t- deep\n"
        "    - [-] D4: Four\n"
    )
    one, two, three, four = plan.tasks
    assert plan.title == "Demo"
    assert one.criteria == ("first criterion", "second one")
    assert one.description == "Some prose"
    assert one.depends_on == ("B2", "C3")
    assert one.verify == (shell("make test"),)
    assert (two.parent, three.parent, four.parent) == (None, "B2", "B2")
    assert three.criteria == ("deep",)
    assert [task.id for task in plan.leaves()] == ["A1", "C3", "D4"]


def test_code_and_comments_hold_no_tasks() -> None:
    text = (
        "```\n- [ ] no\n~~~\n- [ ] no\n```\n- [ ] A1: yes\n  ~~~~ md\n  - [ ] no\n  ```\n  ~~~~\n"
        "<!-- - [ ] no\n- [ ] no\n-->\n- [ ] B2: yes <!-- note -->\n"
    )
    plan = _parse(text)
    assert [task.id for task in plan.tasks] == ["A1", "B2"]
    assert plan.by_id["A1"].description == ""
    assert [t.id for t in _parse("<!--\n- [ ] no -->\n- [ ] A1: yes\n").tasks] == ["A1"]


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("- [ ] A1: x", Status.OPEN),
        ("- [x] A1: x", Status.COMPLETED),
        ("- [X] A1: x", Status.COMPLETED),
        ("- [-] A1: x", Status.SKIPPED),
        ("- [ ] ~~A1: x~~", Status.SKIPPED),
        ("- [ ] A1: ~~x~~", Status.SKIPPED),
        ("- [x] ~~A1: x~~", Status.COMPLETED),
    ],
)
def test_signs(line: str, status: Status) -> None:
    (task,) = _parse(line).tasks
    assert (task.id, task.title, task.status) == ("A1", "x", status)


def test_one_character_changes() -> None:
    text = "\ufeff# é\r\n\r\n1. [ ]  A1: x [ ] y  \r\n- [X] B2: z"
    assert _mark(text, A1=Status.COMPLETED) == text.replace("1. [ ]", "1. [x]")
    assert _mark(text, A1=Status.SKIPPED) == text.replace("1. [ ]", "1. [-]")
    assert _mark(text, B2=Status.OPEN) == text.replace("[X]", "[ ]")
    assert _mark(text, A1=Status.FAILED) == text


def test_reopening_takes_the_strokes_away() -> None:
    assert _mark("- [ ] ~~A1: é~~\n- [ ] B2: x\n", A1=Status.OPEN) == "- [ ] A1: é\n- [ ] B2: x\n"
    assert _mark("- [-] A1: ~~x~~", A1=Status.OPEN) == "- [ ] A1: x"
    assert _mark("- [ ] ~~A1: x~~", A1=Status.COMPLETED) == "- [x] ~~A1: x~~"


def test_a_text_without_tasks_is_an_error() -> None:
    with pytest.raises(PlanError, match=r"TODO\.md holds no tasks"):
        _parse("# Nothing\n- to do\n")


_lines = st.sampled_from(
    [
        "- [ ] A1: one",
        "  - [x] two",
        "    1. [-] two",
        "* [ ] ~~three~~",
        "  - a point",
        "prose",
        "```",
        "<!--",
        "-->",
        "## head",
        "",
        "\t- [X] é",
        "- [ ] A2: last",
    ]
)


@given(st.lists(_lines, min_size=1, max_size=12), st.sampled_from(["\n", "\r\n"]), st.data())
def test_marks_are_exact(lines: list[str], end: str, data: st.DataObject) -> None:
    text = end.join(lines)
    try:
        before = _parse(text)
    except PlanError:
        return
    name = data.draw(st.sampled_from(list(before.by_id)))
    status = data.draw(st.sampled_from([Status.OPEN, Status.COMPLETED, Status.SKIPPED]))
    form = Checklist("TODO.md", "TODO.md")
    files = {"TODO.md": text.encode()}
    after = {**files, **form.mark(files, {name: status})}["TODO.md"].decode()
    assert _parse(after) == before.with_statuses({name: status})
    changed = [(a, b) for a, b in zip(text.split("\n"), after.split("\n"), strict=True) if a != b]
    assert len(changed) <= 1

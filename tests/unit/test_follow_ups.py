"""Follow-up tasks: bounds, and what they leave as it was. What counts is in the corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.histories import recorded

from ralph.domain import event as e
from ralph.domain.claim import MOST_FOLLOW_UPS, Claim, ClaimKind, FollowUp, title_key
from ralph.domain.settings import PromptSettings
from ralph.domain.state import CollectedFollowUp
from ralph.domain.task import Task
from ralph.prompts import template
from ralph.prompts.compose import Bundle, compose
from ralph.reading.analyse import analyse
from ralph.reading.follow_ups import EXAMPLES, MOST_CHARS
from ralph.views.collected import KEPT_FOLLOW_UPS
from ralph.views.fold import fold

if TYPE_CHECKING:
    from ralph.domain.state import RunState

FORMS = (
    "FOLLOW-UP: {}",
    "- **Follow-up:** {}",
    "<follow-up>{}</follow-up>",
    "<follow-up>\n{}\nwith a reason\n</follow-up>",
    "## Follow-up tasks\n\n- {}\n",
    "Follow-ups:\n* {}\n",
)
TEMPLATES = template.Templates(
    {name: template.built_in(name) for name in (template.PROMPT, *template.KNOWN)}
)
words = st.text("bghjkquvwxyz", min_size=2, max_size=8)
titles = st.lists(words, min_size=1, max_size=9).map(lambda found: " ".join(found).title())
others = st.sampled_from(
    (
        "Task US-1 complete",
        "US-1 is not done.",
        "<promise>DONE</promise>",
        "BLOCKED: no key",
        "",
        "-",
    )
)
talk = st.lists(others, max_size=4).map("\n".join)


def suggested(text: str) -> list[FollowUp]:
    return [claim.follow_up for claim in analyse(text, "US-1").all if claim.follow_up is not None]


def claimed(iteration: int, *names: str, task: str = "A") -> e.Claimed:
    found = [FollowUp(name, f"why {name}") for name in names]
    return e.Claimed(
        iteration, tuple(Claim(ClaimKind.FOLLOW_UP, task, f.title, follow_up=f) for f in found)
    )


def after(*events: e.Event) -> RunState:
    return fold(recorded(events))


@given(title=titles, form=st.sampled_from(FORMS), before=talk, behind=talk)
def test_a_follow_up_is_found_in_any_text(title: str, form: str, before: str, behind: str) -> None:
    text = f"{before}\n\n{form.format(title)}\n\n{behind}"
    assert [one.title for one in suggested(text)] == [title]


@given(
    title=st.sampled_from(
        ("Task US-1 complete", "US-1 is not done", "<promise>DONE</promise> now")
    ),
    form=st.sampled_from(FORMS),
    before=talk,
    behind=talk,
)
def test_a_follow_up_changes_no_other_claim(
    title: str, form: str, before: str, behind: str
) -> None:
    without = analyse(f"{before}\n\n\n{behind}", "US-1")
    claims = analyse(f"{before}\n\n{form.format(title)}\n{behind}", "US-1")
    rest = tuple(claim for claim in claims.all if claim.kind is not ClaimKind.FOLLOW_UP)
    assert rest == without.all
    assert claims.says_done("US-1") == without.says_done("US-1")


def test_a_claim_of_it_names_task_title_and_text() -> None:
    text = "<follow-up>\nCache it\n\nIt is\nslow.\n</follow-up>"
    assert analyse(text, "US-1").all == (
        Claim(
            ClaimKind.FOLLOW_UP, "US-1", "Cache it", follow_up=FollowUp("Cache it", "It is slow.")
        ),
    )


def test_the_forms_of_the_agent_contract_count() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "agent-contract.md"
    section = page.read_text(encoding="utf-8").partition("### Follow-up tasks")[2]
    example = section.partition("```text\n")[2].partition("```")[0]
    assert suggested(example) == [
        FollowUp("Cache the list of users"),
        FollowUp("Index the table of orders", "Beyond 10,000 rows the report takes a minute."),
        FollowUp("Document the flag `--fast`"),
        FollowUp("Drop the old parser", "nothing calls it any more"),
    ]


def test_no_more_than_the_first_twenty_count() -> None:
    text = "\n".join(f"FOLLOW-UP: Cache number {n}" for n in range(100))
    assert [one.title for one in suggested(text)] == [f"Cache number {n}" for n in range(20)]


def test_titles_and_texts_are_cut() -> None:
    [line] = suggested("FOLLOW-UP: " + "cache " * 500)
    [block] = suggested("<follow-up>\nCache it\n" + "because " * 500 + "</follow-up>")
    assert (len(line.title), len(block.text)) == (MOST_CHARS, MOST_CHARS)
    assert line.title.endswith("…")


pieces = st.sampled_from(
    (
        *(
            "<follow-up>",
            "</follow-up>",
            "< / follow_up >",
            "FOLLOW-UP:",
            "## Follow-ups",
            "\n",
            " ",
        ),
        *("- ", "  - ", "[x] ", "**", "```", ">", "Cache it", "none", "print:\n", "…", "<title>"),
    )
)


@given(st.lists(pieces, max_size=40).map("".join))
def test_broken_forms_are_read(text: str) -> None:
    found = suggested(text)
    assert len({title_key(one.title) for one in found}) == len(found) <= MOST_FOLLOW_UPS
    assert all(one.title and "\n" not in one.title + one.text for one in found)


def test_the_whole_prompt_repeated_suggests_nothing() -> None:
    """Some programs print what they were told."""
    task = Task("US-1", "Add a login", "Let people log in.", ("A form is shown",))
    prompt = compose(Bundle(task), PromptSettings(), TEMPLATES)
    bare = prompt.replace("`", "\n")
    assert "FOLLOW-UP: " in prompt
    assert "\nFOLLOW-UP: " in bare
    assert suggested(prompt) == suggested(bare) == []


@pytest.mark.parametrize("example", sorted(EXAMPLES))
def test_words_of_an_instruction_are_no_title(example: str) -> None:
    assert suggested(f"FOLLOW-UP: {example}") == []
    assert suggested(f"FOLLOW-UP: {example} in the cellar") != []


@pytest.mark.parametrize(
    "title",
    ["No error is shown for a wrong key", "None of the flags has a test", "Nothing is logged"],
)
def test_a_title_may_begin_with_no(title: str) -> None:
    assert [one.title for one in suggested(f"FOLLOW-UP: {title}")] == [title]


def test_titles_are_compared_by_their_words() -> None:
    assert title_key(" Cache **the** `List`. ") == title_key("cache the  list")
    assert title_key("Support C#") != title_key("Support C")


def test_they_are_collected_with_where_they_come_from() -> None:
    state = after(claimed(1, "Cache"), claimed(2, "Index", task="B"))
    assert state.follow_ups == [
        CollectedFollowUp(1, "A", "Cache", "why Cache"),
        CollectedFollowUp(2, "B", "Index", "why Index"),
    ]


def test_each_title_is_collected_once() -> None:
    state = after(claimed(1, "Cache the list"), claimed(2, "cache the **list**.", "Index"))
    assert [(one.iteration, one.title) for one in state.follow_ups] == [
        (1, "Cache the list"),
        (2, "Index"),
    ]


def test_an_agent_asked_again_does_not_get_twenty_more() -> None:
    first, second = ([f"{name} {n}" for n in range(15)] for name in ("Cache", "Index"))
    state = after(claimed(1, *first), claimed(1, *second), claimed(2, "Move"))
    counts = [sum(one.iteration == n for one in state.follow_ups) for n in (1, 2)]
    assert counts == [MOST_FOLLOW_UPS, 1]


def test_the_newest_are_kept() -> None:
    state = after(*(claimed(n, f"Cache {n}") for n in range(KEPT_FOLLOW_UPS + 5)))
    assert len(state.follow_ups) == KEPT_FOLLOW_UPS
    assert state.follow_ups[-1].title == f"Cache {KEPT_FOLLOW_UPS + 4}"


def test_they_stay_with_their_branch() -> None:
    def begin(branch: str) -> e.RunStarted:
        return e.RunStarted("PRD.json", "Goal", branch, "base", "agent", "/w", False, 1, "h", "1")

    one: list[e.Event] = [begin("ralph/one"), claimed(1, "Cache")]
    two = [*one, begin("ralph/two"), claimed(2, "Index")]
    assert [f.title for f in after(*two).follow_ups] == ["Index"]
    assert [f.title for f in after(*two, begin("ralph/one")).follow_ups] == ["Cache"]


def test_a_claim_without_one_changes_nothing() -> None:
    done = e.Claimed(1, (Claim(ClaimKind.TASK_DONE, "A", "Task A complete"),))
    assert after(done).follow_ups == []

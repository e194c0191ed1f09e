"""What an agent says for the next one, in the forms that agents write."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.checkpoint import BlockedItem, Contribution, ExecutionPhase
from ralph.domain.claim import ClaimKind
from ralph.prompts.template import PROMPT, built_in
from ralph.reading import contribution
from ralph.reading.analyse import analyse
from ralph.reading.contribution import EXAMPLES, ITEM_CHARS, MOST_ITEMS, take

PLAIN = """I got half way.

<checkpoint>
phase: testing
completed:
- quoted fields are read
- US-1 is done as far as parsing goes
pending:
- files with a byte order mark
blocked:
- the upload test: no network here
decisions:
- one pass over the bytes, for speed
assumptions:
- UTF-8 throughout
constraints:
- the public function keeps its name
next steps:
- run the slow tests
</checkpoint>
"""
WHOLE = Contribution(
    ExecutionPhase.TESTING,
    ("quoted fields are read", "US-1 is done as far as parsing goes"),
    ("files with a byte order mark",),
    (BlockedItem("the upload test", "no network here"),),
    ("one pass over the bytes, for speed",),
    ("UTF-8 throughout",),
    ("the public function keeps its name",),
    ("run the slow tests",),
)

FORMS = {
    "as the instructions say": (PLAIN, WHOLE),
    "headings": (
        "<checkpoint>\n## Decisions\n- a\n\n### Next steps\n1. b\n2) c\n</checkpoint>",
        Contribution(decisions=("a",), next_steps=("b", "c")),
    ),
    "bold labels and bullets of another kind": (
        "<checkpoint>\n**Completed:**\n* a\n- **Key decisions**: b; c\n</checkpoint>",
        Contribution(completed=("a",), decisions=("b", "c")),
    ),
    "tags inside": (
        "<checkpoint><phase>reviewing</phase><decisions>\n- a\n</decisions></checkpoint>",
        Contribution(ExecutionPhase.REVIEWING, decisions=("a",)),
    ),
    "ticked boxes and wrapped lines": (
        "<CHECKPOINT>\nDone:\n- [x] a\n  and more of it\n- [ ] b\n</CHECKPOINT>",
        Contribution(completed=("a and more of it", "b")),
    ),
    "one entry per line without bullets": (
        "<checkpoint>\npending:\nfirst\nsecond\n</checkpoint>",
        Contribution(pending=("first", "second")),
    ),
    "none": (
        "<checkpoint>\ncompleted: a\nblocked: none\npending:\n- N/A\n</checkpoint>",
        Contribution(completed=("a",)),
    ),
    "cut off at the end": (
        "<checkpoint>\ncompleted:\n- a\n- b",
        Contribution(completed=("a", "b")),
    ),
    "never closed, and more is said": (
        "<checkpoint>\ncompleted:\n- a\n\nThat is all there is.",
        Contribution(completed=("a",)),
    ),
    "the last one counts": (
        "<checkpoint>\ncompleted: a\n</checkpoint>\n<checkpoint>\ncompleted: b\n</checkpoint>",
        Contribution(completed=("b",)),
    ),
    "an empty one does not undo it": (
        "<checkpoint>\ncompleted: a\n</checkpoint>\n<checkpoint>\n</checkpoint>",
        Contribution(completed=("a",)),
    ),
    "in a code block": ("```\n<checkpoint>\ncompleted: a\n</checkpoint>\n```", Contribution()),
    "quoted": ("> <checkpoint>\n> completed: a\n> </checkpoint>", Contribution()),
    "inline code": ("I write `<checkpoint>` when\ncompleted: a\n`</checkpoint>`", Contribution()),
    "in the middle of a line": ("Then <checkpoint>completed: a</checkpoint>", Contribution()),
    "an instruction repeated": (
        "I am to write:\n<checkpoint>\ncompleted: a\n</checkpoint>",
        Contribution(),
    ),
    "no block at all": ("The checkpoint is fine.", Contribution()),
}


@pytest.mark.parametrize(("text", "said"), FORMS.values(), ids=FORMS)
def test_forms(text: str, said: Contribution) -> None:
    assert take(text).contribution == said


def test_the_instructions_themselves_contribute_nothing() -> None:
    text = built_in(PROMPT)
    assert analyse(text, "US-1").contribution == Contribution()
    unfenced = text.replace("```", "")
    assert analyse(unfenced, "US-1").contribution == Contribution()
    assert not analyse(unfenced, "US-1").asks_to_hand_over
    shown = [line[2:].lower() for line in text.splitlines() if line.startswith("- What ")]
    assert set(shown) >= EXAMPLES


def test_what_stands_in_a_block_claims_nothing() -> None:
    inside = (
        "<checkpoint>\ncompleted:\n- Task US-1 complete\n- <promise>DONE</promise>\n</checkpoint>"
    )
    assert not analyse(inside, "US-1").all
    assert analyse(f"{inside}\nTask US-1 complete", "US-1").says_done("US-1")
    assert analyse("<checkpoint>\ncompleted: a\n\nTask US-1 complete", "US-1").says_done("US-1")


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("<handoff>I run out of room</handoff>", True),
        ("All for now.\n\n<handoff>\nthe parser is done,\nthe rest is not\n</handoff>", True),
        ("<Handoff> too many files </ handoff>", True),
        ("<handoff>Why</handoff>", False),
        ("<handoff>none</handoff>", False),
        ("<handoff></handoff>", False),
        ("I could write `<handoff>no room</handoff>` but need not.", False),
        ("I will not write <handoff>no room</handoff> yet.", False),
        ("```\n<handoff>no room</handoff>\n```", False),
        ("> <handoff>no room</handoff>", False),
        ("The handoff is complete.", False),
    ],
)
def test_asking_to_be_relieved(text: str, asks: bool) -> None:
    claims = analyse(text, "US-1")
    assert claims.asks_to_hand_over is asks
    assert all(claim.task == "US-1" for claim in claims.all if claim.kind is ClaimKind.HANDOFF)


pieces = st.sampled_from(
    ["<checkpoint>", "</checkpoint>", "<checkpoint", "completed:", "phase: testing", "- a", "```",
     "> ", "\n", "\n\n", "<decisions>", "</decisions>", "next steps:", "; ", "blocked: x: y",
     "**", "#", "\udc80", "\0", "x" * 500, "<handoff>", "why</handoff>"]
)  # fmt: skip


@given(st.lists(st.one_of(pieces, st.text(max_size=20)), max_size=60).map("".join))
def test_anything_can_be_read_and_stays_within_bounds(text: str) -> None:
    found = take(text)
    said = found.contribution
    lists = [getattr(said, name) for name in contribution._PLAIN]
    items = [item for one in lists for item in one]
    items += [f"{one.item}{one.reason}" for one in said.blocked]
    assert all(len(one) <= MOST_ITEMS for one in (*lists, said.blocked))
    assert all(0 < len(item) <= ITEM_CHARS for item in items)
    if said == Contribution() and "checkpoint" not in text.lower():
        assert found.rest == text


def test_real_outputs_that_say_nothing_of_it_lose_no_word() -> None:
    for path in (Path(__file__).parent / "outputs").rglob("*.*"):
        text = path.read_text("utf-8", "replace")
        if "<checkpoint" not in text:
            assert take(text).contribution == Contribution()

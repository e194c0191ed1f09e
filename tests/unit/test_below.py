from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ralph.ui.below import Moment, told
from ralph.ui.width import cut, width, wrapped

WORKING = Moment(
    6,
    30,
    task="INV-07",
    phase="checking",
    elapsed=134,
    spent=1.2,
    limit=10,
    upcoming="INV-08",
    questions=2,
)
AT_WORK = replace(WORKING, phase="agent at work", doing="Bash: npm test -- --watch=false")


def test_the_run_in_a_line() -> None:
    assert told(WORKING, 100) == (
        "INV-07 · checking · 2:14 · ▓░░░░ 6/30 · $1.20 of $10 · next INV-08 · 2 questions"
    )


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (
            150,
            (
                "INV-07 · agent at work · 2:14 · ▓░░░░ 6/30 · $1.20 of $10 · next INV-08"
                " · 2 questions · Bash: npm test -- --watch=false"
            ),
        ),
        (78, "INV-07 · agent at work · 2:14 · ▓░░░░ 6/30 · $1.20 of $10 · 2 questions"),
        (38, "INV-07 · at work · 2:14 · 6/30 · 2?"),
        (24, "INV-07 · at work · 2?"),
        (9, "INV-07 ·…"),
    ],
)
def test_what_a_person_may_have_to_act_on_stays(columns: int, expected: str) -> None:
    assert told(AT_WORK, columns) == expected


def test_a_countdown_says_what_it_waits_for() -> None:
    waits = Moment(6, 30, countdown="‖ 43 s left", doing="the usage limit", spent=1.2)
    assert told(waits, 78) == "‖ 43 s left · ▓░░░░ 6/30 · $1.20 · the usage limit"
    assert told(waits, 14) == "‖ 43 s left"


def test_what_is_not_known_is_not_said() -> None:
    assert told(replace(WORKING, spent=None, limit=0, upcoming="", questions=0), 78) == (
        "INV-07 · checking · 2:14 · ▓░░░░ 6/30"
    )


@given(st.text(alphabet="a漢 e\u0301"), st.integers(1, 30), st.integers(0, 200))
def test_it_always_fits(task: str, questions: int, columns: int) -> None:
    assert width(told(replace(AT_WORK, task=task, questions=questions), columns)) <= columns


def test_characters_take_the_room_that_they_take() -> None:
    assert [width(one) for one in ("abc", "漢字", "e\u0301", "✓ a")] == [3, 4, 1, 3]
    assert cut("漢字漢字", 6) == "漢字…"
    assert cut("漢字", 4) == "漢字"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  ✓ short", "  ✓ short"),
        (
            "  ✓ one two three four five six seven eight",
            "  ✓ one two three four five six\n    seven eight",
        ),
        (
            "━━ Iteration 1: A title that is rather long",
            "━━ Iteration 1: A title that is\n   rather long",
        ),
        ("plain words, and no sign in front of them", "plain words, and no sign in\nfront of them"),
        (
            "    kept refs/ralph/salvage/01a1f544-ae46-7236-aa93-f98989d6aaa5",
            "    kept\n    refs/ralph/salvage/01a1f544-ae46-7236-aa93-f98989d6aaa5",
        ),
    ],
)
def test_lines_are_broken_between_words(text: str, expected: str) -> None:
    assert wrapped(text, 32) == expected


def test_lines_stay_whole_where_breaking_them_helps_nobody() -> None:
    assert wrapped("  ✓ one two three four five", 20) == "  ✓ one two three four five"


def test_a_stamp_takes_room() -> None:
    text = "12:00:00 " + wrapped("  ✓ one two three four five six", 40, stamp=9)
    assert text == "12:00:00   ✓ one two three four five six"
    text = "12:00:00 " + wrapped("  ✓ one two three four five sixth", 40, stamp=9)
    assert text == "12:00:00   ✓ one two three four five\n             sixth"


@given(st.text(alphabet="ab 漢✓"), st.integers(20, 60))
def test_nothing_is_lost_by_breaking(text: str, columns: int) -> None:
    assert wrapped(text, columns).replace("\n", "").replace(" ", "") == text.replace(" ", "")

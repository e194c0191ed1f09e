from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.policy.tool_loop import LONGEST, Called, Circle, ToolLoop, circle

TIMES = 5


def calls(letters: str, tool: str = "Bash", about: str = "") -> list[Called]:
    return [Called(letter, tool, about) for letter in letters]


def found(letters: str) -> str:
    """The round that the calls repeat, by their letters."""
    seen = circle(calls(letters), TIMES)
    return "" if seen is None else "".join(one.digest for one in seen.calls)


@pytest.mark.parametrize(
    ("letters", "round_"),
    [
        ("aaaa", ""),
        ("aaaaa", "a"),
        ("xyzaaaaa", "a"),
        ("aaaaab", ""),
        ("abababab", ""),
        ("ababababab", "ab"),
        ("zababababab", "ab"),
        ("abcabcabcabcabc", "abc"),
        ("abcde" * 5, "abcde"),
        ("abcdef" * 5, ""),  # longer rounds are work, as far as anyone can tell
        ("aabaabaabaabaab", "aab"),
        ("abcabcabcabdabc", ""),
    ],
)
def test_the_same_calls_with_the_same_results(letters: str, round_: str) -> None:
    assert found(letters) == round_


@pytest.mark.parametrize(
    ("tool", "about"),
    [
        ("Bash", "sleep 30"),
        ("Bash", "sleep 5; curl localhost"),
        ("Bash", "until test -e done; do sleep 1; done"),
        ("Bash", "tail -f log"),
        ("Bash", "gh run watch 12"),
        ("BashOutput", "shell-1"),
    ],
)
def test_waiting_for_something_is_no_circle(tool: str, about: str) -> None:
    assert circle(calls("aaaaaaa", tool, about), TIMES) is None
    assert circle(calls("aaaaaaa", "Bash", "cat sleep.txt"), TIMES) is not None


def test_the_rule_can_be_turned_off() -> None:
    assert circle(calls("a" * 50), 0) is None


def test_a_circle_is_told_to_people() -> None:
    seen = Circle((Called("a", "Bash", "make test"), Called("b", "Read", "x.py")), 5)
    assert seen.text == (
        "the same calls with the same results 5 times in a row: Bash make test, Read x.py"
    )


def test_what_an_agent_has_not_seen_before_is_news() -> None:
    loop = ToolLoop(TIMES)
    assert [loop.add(one) for one in calls("abacb")] == [True, True, False, True, False]


@given(st.text("abc", max_size=30), st.text("abcd", min_size=1, max_size=LONGEST))
def test_every_round_that_is_repeated_often_enough_is_found(before: str, repeated: str) -> None:
    loop = ToolLoop(TIMES)
    for one in calls(before + repeated * TIMES):
        loop.add(one)
    assert loop.circle is not None
    assert len(loop.circle.calls) <= len(repeated)

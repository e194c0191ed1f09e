"""A program that is started again and again gets the turns for what it was told."""

from __future__ import annotations

import pytest
from tests.edges.test_endpoint import post, words

from ralph.testing import BadModelScript, Endpoint, Script, say

SCRIPT = Script(
    (say("something else"),),
    conversations={"# Task A:": (say("A first"), say("A second")), "# Task B:": (say("B"),)},
)


def told(endpoint: Endpoint, text: str) -> str:
    answer = post(endpoint.port, words(text))
    return str(answer.body["content"][0]["text"]) if answer.status == 200 else ""


def test_each_opening_has_turns_of_its_own() -> None:
    with Endpoint({"main": SCRIPT}) as endpoint:
        openings = ("Do # Task A: x", "Do # Task B: y", "Do # Task A: x", "Do what you like")
        answers = [told(endpoint, text) for text in openings]
        assert answers == ["A first", "B", "A second", "something else"]
        markers = [one.marker for one in endpoint.requests]
        assert markers == ["# Task A:", "# Task B:", "# Task A:", ""]
        assert endpoint.left("main") == 0


def test_a_conversation_that_has_had_its_turns_gets_none_of_another() -> None:
    with Endpoint({"main": SCRIPT}) as endpoint:
        assert [told(endpoint, "# Task B: y") for _ in range(2)] == ["B", ""]
        assert endpoint.problems() == ["All 1 turns are taken; this request is one more."]
        assert endpoint.left("main") == 3


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            Script((say("x"),), conversations={"": (say("y"),)}),
            "conversations` has an empty marker",
        ),
        (Script((say("x"),), conversations={"M": ()}), "conversations.M` must hold"),
    ],
)
def test_a_wrong_script_is_refused(script: Script, message: str) -> None:
    with pytest.raises(BadModelScript, match=message):
        Endpoint({"main": script})

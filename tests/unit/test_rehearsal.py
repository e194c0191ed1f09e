"""What the model says in the demo with Claude Code is what the scripted agent does."""

from __future__ import annotations

from ralph.flows.demo import (
    CELSIUS,
    FAHRENHEIT,
    KELVIN,
    QUESTION,
    SCRIPT,
    TEST_CELSIUS,
    TEST_FAHRENHEIT,
    WRONG,
)
from ralph.flows.rehearsal import script
from ralph.testing import Text, ToolUse


def calls(task: str) -> list[ToolUse]:
    turns = script().conversations[f"# Task {task}:"]
    return [block for turn in turns for block in turn.content if isinstance(block, ToolUse)]


def words(task: str) -> list[str]:
    turns = script().conversations[f"# Task {task}:"]
    return [block.text for turn in turns for block in turn.content if isinstance(block, Text)]


def test_every_task_has_its_words_in_the_order_of_its_attempts() -> None:
    for task, turns in SCRIPT["tasks"].items():
        assert words(task) == [turn["say"] for turn in turns]
    assert words("US-003")[0] == QUESTION


def test_files_are_read_before_they_are_written() -> None:
    assert [(call.name, call.input.get("content")) for call in calls("US-001")] == [
        ("Read", None),
        ("Write", FAHRENHEIT),
        ("Read", None),
        ("Write", TEST_FAHRENHEIT),
    ]


def test_a_wrong_attempt_comes_before_the_right_one() -> None:
    [_, before, wrong, _, right, _, after] = calls("US-002")
    assert wrong.name == "Bash"
    assert WRONG in wrong.input["command"]
    assert right.input["content"] == FAHRENHEIT + CELSIUS
    assert before.input["content"] == after.input["content"] == TEST_CELSIUS


def test_nothing_is_done_before_the_question_is_answered() -> None:
    turns = script().conversations["# Task US-003:"]
    assert [type(block) for block in turns[0].content] == [Text]
    assert KELVIN in calls("US-003")[-1].input["command"]

"""Checkpoints: what they are made of, and that no change of them goes unnoticed."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from ralph.domain.attended import CheckpointSaved
from ralph.domain.checkpoint import (
    BlockedItem,
    Checkpoint,
    CheckpointMetadata,
    CheckpointMetrics,
    Contribution,
    ExecutionPhase,
)
from ralph.domain.state import RunState, TaskState
from ralph.domain.usage import Usage
from ralph.ledger import codec
from ralph.policy.checkpoint import (
    ITEM_CHARS,
    MOST_ITEMS,
    Stamp,
    Work,
    canonical,
    derive,
    is_valid,
    seal,
    untold,
)

STAMP = Stamp("0199", "p", 5.0)
SAID = Contribution(
    ExecutionPhase.TESTING,
    ("a",),
    ("b",),
    (BlockedItem("c", "d"),),
    ("e",),
    ("f",),
    ("g",),
    ("h",),
)
WORK = Work("US-1", 3, 2, agent="claude", why="it stopped", criteria=("first", "second"))


def made(work: Work = WORK, before: Checkpoint | None = None, **known: Any) -> Checkpoint:
    state = RunState(tasks={"US-1": TaskState(**known)}, verified="abc", commits={2: "abc"})
    state.run.branch, state.run.id = "ralph/x", "r"
    return derive(work, state, before, STAMP)


# What it says


def test_the_agents_own_words_count() -> None:
    found = made(replace(WORK, said=SAID))
    assert found.state.phase is ExecutionPhase.TESTING
    assert (found.state.completed, found.state.pending) == (("a",), ("b",))
    assert found.state.blocked == (BlockedItem("c", "d"),)
    assert (found.context.decisions, found.context.assumptions) == (("e",), ("f",))
    assert found.context.constraints == ("g",)
    assert found.recovery.next_steps == ("h",)
    assert (found.recovery.branch, found.recovery.commit) == ("ralph/x", "abc")
    assert found.recovery.rollback == "ralph revert --iteration 2"
    assert "- h" in found.recovery.continuation_prompt


def test_without_them_ralph_says_what_it_knows() -> None:
    found = made(guidance=["use the old parser"])
    assert found.state.pending == ("first", "second")
    assert found.state.phase is ExecutionPhase.IMPLEMENTING
    assert found.context.decisions == ("A person decided: use the old parser",)
    assert found.recovery.next_steps == ("Look at what is there already, then continue with US-1.",)


def test_what_holds_of_the_last_one_is_taken_over() -> None:
    first = made(replace(WORK, said=SAID))
    more = Contribution(completed=("b",), decisions=("e2",))
    second = made(replace(WORK, said=more), first)
    assert second.state.completed == ("a", "b")
    assert second.state.pending == ()  # b was all that was left
    assert second.context.decisions == ("e", "e2")
    assert second.context.constraints == ("g",)
    assert second.recovery.next_steps == ("h",)
    assert second.state.phase is ExecutionPhase.TESTING


@pytest.mark.parametrize(
    ("work", "phase", "step"),
    [
        (replace(WORK, failing="3 tests fail"), ExecutionPhase.TESTING, "3 tests fail"),
        (replace(WORK, handed_over=True), ExecutionPhase.HANDOFF, "continue with US-1"),
        (replace(WORK, question="left or right?"), ExecutionPhase.IMPLEMENTING, "left or right?"),
        (
            replace(WORK, said=Contribution(phase=ExecutionPhase.COMPLETE)),
            ExecutionPhase.IMPLEMENTING,  # only a verdict completes it
            "continue with",
        ),
    ],
)
def test_the_phase_and_the_next_step(work: Work, phase: ExecutionPhase, step: str) -> None:
    found = made(work)
    assert found.state.phase is phase
    assert step in found.recovery.next_steps[0]


def test_the_next_agent_is_not_told_twice() -> None:
    criteria, guidance = WORK.criteria, ("Use option 2",)
    work = replace(WORK, said=Contribution(), failing="the tests fail")
    silent = made(work, guidance=list(guidance))
    assert untold(silent, criteria, guidance, failing=True) is None
    assert untold(silent, criteria, (), failing=False) is not None
    half = made(replace(work, said=Contribution(pending=criteria[:1], next_steps=("Go on",))))
    left = untold(half, criteria, (), failing=True)
    assert left is not None
    assert (left.state.pending, left.recovery.next_steps) == (criteria[:1], ("Go on",))
    assert left.metadata.id == ""


def test_a_finished_task_has_nothing_left_to_do() -> None:
    found = made(replace(WORK, done=True, commit="def", said=SAID))
    assert found.state.phase is ExecutionPhase.COMPLETE
    assert found.state.completed == ("a", "first", "second")
    assert not found.state.pending
    assert not found.state.blocked
    assert not found.recovery.next_steps
    assert not found.recovery.continuation_prompt
    assert (found.recovery.commit, found.recovery.rollback) == (
        "def",
        "ralph revert --iteration 3",
    )


def test_it_does_not_grow_without_end() -> None:
    before = None
    for number in range(60):
        words = tuple(f"{number} {entry} {'x' * 400}" for entry in range(10))
        before = made(replace(WORK, said=Contribution(completed=words, decisions=words)), before)
    assert before is not None
    assert len(before.context.decisions) == MOST_ITEMS
    assert before.context.decisions[-1].startswith("59 9 ")
    assert all(len(item) <= ITEM_CHARS for item in before.context.decisions)
    assert len(msgspec.json.encode(before)) < 32_000


# That it is what was written


texts = st.text(max_size=30)
lists = st.lists(texts, max_size=4).map(tuple)
checkpoints = st.builds(
    Checkpoint,
    metadata=st.builds(CheckpointMetadata, at=st.floats(0, 1e10) | st.integers(0, 10**9)),
    metrics=st.builds(
        CheckpointMetrics,
        usage=st.builds(Usage, cost_usd=st.none() | st.floats(0, 99)),
        seconds=st.floats(0, 1e6) | st.integers(0, 1000),
    ),
    sha256=st.just(""),
)


@given(checkpoints)
def test_it_is_valid_after_a_way_through_the_ledger(checkpoint: Checkpoint) -> None:
    sealed = seal(checkpoint)
    assert is_valid(sealed)
    event = CheckpointSaved(1, "US-1", sealed)
    assert codec.decode("CheckpointSaved", codec.encode(event)) == event


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [leaf for name, one in value.items() for leaf in leaves(one, (*path, name))]
    if isinstance(value, list):
        return [path, *(leaf for n, one in enumerate(value) for leaf in leaves(one, (*path, n)))]
    return [path]


def changed(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, list):
        return [value[:-1]] if value else []
    if isinstance(value, str):
        return [value + "x", value[:-1]]
    return [value + 1, None] if value is not None else [0.0]


def test_a_change_of_any_field_is_noticed() -> None:
    metrics = CheckpointMetrics(Usage(1, 2, 3, 4, 5.5, estimated=True), 6, 7, 8, 9, 10.5)
    before = made(replace(WORK, said=SAID, metrics=metrics, salvage="refs/ralph/salvage/x"))
    plain = json.loads(msgspec.json.encode(before))
    paths = leaves(plain)
    assert len(paths) > 30
    for path in paths:
        target = json.loads(json.dumps(plain))
        *way, last = path
        inner = target
        for step in way:
            inner = inner[step]
        for other in changed(inner[last]):
            assert other != inner[last]
            inner[last] = other
            try:
                found = msgspec.json.decode(json.dumps(target), type=Checkpoint)
            except msgspec.ValidationError:
                continue  # what cannot be read is passed over as well
            assert not is_valid(found), path


@given(checkpoints, checkpoints)
def test_no_two_share_a_hash(one: Checkpoint, other: Checkpoint) -> None:
    one, other = seal(one), seal(other)
    assume(replace(one, sha256="") != replace(other, sha256=""))
    assert one.sha256 != other.sha256
    assert not is_valid(replace(one, sha256=other.sha256))


def test_unknown_cost_and_no_cost_are_different_things() -> None:
    free = seal(replace(made(), metrics=CheckpointMetrics(Usage(cost_usd=0.0))))
    unknown = replace(free, metrics=CheckpointMetrics(Usage()))
    assert not is_valid(unknown)


def test_a_field_that_is_added_later_changes_no_old_hash() -> None:
    """A field with its default is not part of what is hashed: nor is one that is yet to come."""
    plain = json.loads(canonical(Checkpoint(made().metadata, sha256="x" * 64)))
    assert plain.keys() == {"metadata", "state", "context", "metrics", "recovery"}
    assert plain["metrics"] == {"usage": {}}
    assert plain["state"] == plain["context"] == plain["recovery"] == {}


def test_half_a_character_does_not_stop_the_work() -> None:
    found = made(replace(WORK, why="bad \udc80 byte"))
    assert is_valid(found)
    assert found.metadata.why == "bad ? byte"

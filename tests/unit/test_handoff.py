"""When a task is handed over, and what the next agent is told."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ralph.domain.checkpoint import (
    BlockedItem,
    Checkpoint,
    CheckpointMetadata,
    ContextSummary,
    ExecutionPhase,
    ExecutionState,
    HandoffTrigger,
    RecoveryInfo,
)
from ralph.domain.settings import HandoffSettings, PromptSettings
from ralph.domain.state import TaskState
from ralph.domain.task import Task
from ralph.policy.handoff import (
    MOST_CHARS,
    MOST_HANDOFFS,
    HandoffFacts,
    HandoffProtocol,
    endless,
)
from ralph.prompts.compose import Bundle, compose
from ralph.prompts.template import load

if TYPE_CHECKING:
    from pathlib import Path

T = HandoffTrigger


@pytest.mark.parametrize(
    ("facts", "trigger"),
    [
        (HandoffFacts(), None),
        (HandoffFacts(context=0.7), None),
        (HandoffFacts(context=0.71), T.CONTEXT_THRESHOLD),
        (HandoffFacts(errors=2), None),
        (HandoffFacts(errors=3), T.ERROR_THRESHOLD),
        (HandoffFacts(budget=0.8), None),
        (HandoffFacts(budget=0.81), T.TOKEN_BUDGET),
        (HandoffFacts(minutes=1e6), None),  # off by default
        (HandoffFacts(requested=True), T.EXPLICIT_REQUEST),
        (HandoffFacts(requested=True, phase_complete=True), T.PHASE_COMPLETE),
        (
            HandoffFacts(context=0.9, errors=5, fired=frozenset({T.CONTEXT_THRESHOLD})),
            T("error_threshold"),
        ),
    ],
)
def test_the_triggers_and_their_thresholds(
    facts: HandoffFacts, trigger: HandoffTrigger | None
) -> None:
    assert HandoffProtocol().should_handoff(facts) is trigger


def test_thresholds_come_from_the_settings_and_zero_turns_a_rule_off() -> None:
    off = HandoffProtocol(HandoffSettings(context=0, errors=0, budget=0, minutes=0))
    assert off.should_handoff(HandoffFacts(context=1, errors=99, budget=2, minutes=999)) is None
    timed = HandoffProtocol(HandoffSettings(minutes=30))
    crossing = timed.crossing(HandoffFacts(minutes=31))
    assert crossing is not None
    assert (crossing.trigger, crossing.value, crossing.threshold) == (T.TIMEOUT, 31, 30)
    assert "31 minutes" in crossing.why


shares = st.floats(0, 1.2)


@given(
    st.lists(
        st.builds(
            HandoffFacts,
            context=shares,
            errors=st.integers(0, 6),
            budget=shares,
            minutes=st.floats(0, 90),
            requested=st.booleans(),
        ),
        max_size=30,
    )
)
def test_each_trigger_fires_once_per_crossing(seen: list[HandoffFacts]) -> None:
    protocol = HandoffProtocol(HandoffSettings(minutes=60))
    fired: frozenset[HandoffTrigger] = frozenset()
    before: frozenset[HandoffTrigger] = frozenset()
    asked, crossed = Counter[HandoffTrigger](), Counter[HandoffTrigger]()
    for facts in seen:
        crossed.update(protocol.holding(facts) - before)
        before = protocol.holding(facts)
        fires = True
        while fires:
            now = replace(facts, fired=fired)
            trigger = protocol.should_handoff(now)
            asked.update([trigger] if trigger else [])
            fired, fires = protocol.fired(now, trigger), trigger is not None
    assert asked == crossed


def test_handoffs_without_a_change_or_without_end_count_as_failures() -> None:
    assert not endless(TaskState(), "t1")
    assert not endless(TaskState(handoffs=2, handoff_trees=["t1", "t2"]), "t2")
    assert not endless(TaskState(handoffs=2, handoff_trees=["t1", "t1"]), "t2")
    assert "without a change" in endless(TaskState(handoffs=2, handoff_trees=["t1", "t1"]), "t1")
    many = [f"t{n}" for n in range(MOST_HANDOFFS - 1)]
    assert not endless(TaskState(handoffs=len(many) - 1, handoff_trees=many[1:]), "new")
    assert "10 times in a row" in endless(TaskState(handoffs=len(many), handoff_trees=many), "new")


GOLDEN = """\
Last agent: claude, iteration 7, attempt 2.
Why it stopped: Handed over to a fresh agent: the agent's context is nearly full.
Phase: testing.
Checkpoint: 0199-abc

### Completed

- quoted fields are read
- empty lines are skipped

### Pending

- files with a byte order mark

### Blocked

- the upload test: no network here

### Key decisions

- one pass over the bytes, for speed

### Assumptions

- UTF-8 throughout

### Constraints

- the public function keeps its name

### Next steps

- run the slow tests"""


def checkpoint(**lists: tuple[str, ...]) -> Checkpoint:
    return Checkpoint(
        CheckpointMetadata(
            id="0199-abc",
            project="p",
            run="r",
            task="US-1",
            agent="claude",
            iteration=7,
            attempt=2,
            at=1.0,
            why="Handed over to a fresh agent: the agent's context is nearly full.",
        ),
        ExecutionState(
            ExecutionPhase.TESTING,
            lists.get("completed", ("quoted fields are read", "empty lines are skipped")),
            ("files with a byte order mark",),
            (BlockedItem("the upload test", "no network here"),),
        ),
        ContextSummary(
            lists.get("decisions", ("one pass over the bytes, for speed",)),
            ("UTF-8 throughout",),
            ("the public function keeps its name",),
        ),
        recovery=RecoveryInfo(next_steps=("run the slow tests",)),
    )


def test_the_continuation_prompt() -> None:
    assert HandoffProtocol().generate_continuation_prompt(checkpoint()) == GOLDEN


def test_empty_lists_are_left_out() -> None:
    bare = Checkpoint(checkpoint().metadata)
    assert "###" not in HandoffProtocol().generate_continuation_prompt(bare)


def test_long_lists_are_cut_and_keep_what_matters() -> None:
    many = tuple(f"decision {n} " + "x" * 200 for n in range(20))
    told = HandoffProtocol().generate_continuation_prompt(checkpoint(decisions=many))
    assert "decision 19" in told
    assert "decision 0 " not in told
    assert "(and 17 earlier)" in told


@given(st.lists(st.text(max_size=400), max_size=25), st.lists(st.text(max_size=400), max_size=25))
def test_it_is_bounded_whatever_it_is_made_of(one: list[str], other: list[str]) -> None:
    told = HandoffProtocol().generate_continuation_prompt(
        checkpoint(completed=tuple(one), decisions=tuple(other))
    )
    assert len(told) <= MOST_CHARS
    assert told.endswith("- run the slow tests")


def test_the_prompt_has_it_in_a_section_of_its_own_and_cuts_nothing_else(tmp_path: Path) -> None:
    task = Task("US-1", "Read orders", "d" * 9_000, criteria=("c" * 9_000,))
    bundle = Bundle(task, checks=(("make", "x" * 2_000),), continuation="n" * 20_000)
    prompt = compose(bundle, PromptSettings(), load(tmp_path, PromptSettings()))
    section = prompt.partition("## Where the last agent stopped")[2].partition("\n## ")[0]
    assert 5_000 < len(section) < 7_000
    assert "(cut)" in section
    for whole in ("d" * 9_000, "c" * 9_000, "x" * 2_000):
        assert whole in prompt
    without = compose(
        replace(bundle, continuation=""), PromptSettings(), load(tmp_path, PromptSettings())
    )
    assert "## Where the last agent stopped" not in without

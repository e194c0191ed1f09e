from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.settings import PromptSettings
from ralph.domain.state import RunState
from ralph.prompts.context import Context, fit

ENTRIES = st.lists(st.text(max_size=40) | st.just("word " * 300), max_size=8).map(tuple)


def test_the_newest_five_outputs_five_errors_and_three_successes_are_taken() -> None:
    state = RunState(
        outputs=[f"o{n}" for n in range(9)],
        errors=[f"e{n}" for n in range(9)],
        successes=[f"s{n}" for n in range(9)],
    )
    context = Context.of(state, PromptSettings(), "stable")
    assert context.prefix == "stable"
    assert context.outputs == ("o4", "o5", "o6", "o7", "o8")
    assert context.errors == ("e4", "e5", "e6", "e7", "e8")
    assert context.successes == ("s6", "s7", "s8")


def test_entries_are_cut_where_they_are_gathered_and_say_so() -> None:
    state = RunState(outputs=["x" * 10_000])
    (entry,) = Context.of(state, PromptSettings(entry_chars=100)).outputs
    assert len(entry) == 100
    assert entry.endswith("(cut)")


def test_what_was_said_to_ralph_is_not_quoted_to_others() -> None:
    said = (
        "I looked around.\n<escalate type='stuck'><summary>No login</summary>\n</escalate>\n"
        "It is slow.\nTask US-001 complete\nFOLLOW-UP: cache it\n<promise>DONE</promise>"
    )
    context = Context.of(RunState(outputs=[said, "Task US-002 complete"]), PromptSettings())
    assert context.outputs == ("I looked around. It is slow.",)


def test_nothing_is_told_twice() -> None:
    long = "First words. " * 100 + "The parser works."
    state = RunState(outputs=["It failed.", long], successes=[long[-500:]])
    context = Context.of(state, PromptSettings())
    assert context.outputs == ("It failed.",)
    assert context.successes[0].startswith(long[-500:].strip()[:50])


def test_an_entry_is_one_line_of_a_list() -> None:
    layers = fit(Context(errors=("first\n\n  line", "second")), total=5_000, entry=500)
    assert layers.errors == "- first line\n- second"


def test_no_layer_pushes_out_the_newest_entry_of_another() -> None:
    long = tuple(letter * 490 for letter in "abcde")
    layers = fit(Context("p" * 5_000, long, long, ("short",)), total=5_000, entry=500)
    assert layers.successes == "- short"
    assert layers.errors.endswith("e" * 490)
    assert layers.outputs.endswith("e" * 490)
    assert layers.outputs.startswith("- (older ones left out)\n")
    assert len(layers.prefix) == 1_250


def test_all_of_it_is_shown_when_there_is_room() -> None:
    layers = fit(Context("p", ("o1", "o2"), ("e",), ("s",)), total=5_000, entry=500)
    assert (layers.prefix, layers.outputs) == ("p", "- o1\n- o2")
    assert (layers.errors, layers.successes) == ("- e", "- s")


@given(
    st.builds(Context, st.text() | st.just("p" * 9_000), ENTRIES, ENTRIES, ENTRIES),
    st.integers(0, 6_000),
    st.integers(0, 600),
)
def test_the_four_layers_never_exceed_their_bound(context: Context, total: int, entry: int) -> None:
    layers = fit(context, total=total, entry=entry)
    assert len(layers) <= total
    for shown in (layers.outputs, layers.errors, layers.successes):
        assert all(len(line) <= max(entry + 2, 23) for line in shown.split("\n"))

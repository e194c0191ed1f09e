"""The Stop hook as Claude Code starts it: by path, with nothing but the standard library."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from ralph.flows.hooks import HOOK

if TYPE_CHECKING:
    from pathlib import Path

SESSION = "5e55"
PROMPT = "Make it green.\n---\nkeep the rules: `a` --- b\n---"


class Said(NamedTuple):
    code: int
    out: dict[str, Any]
    text: str
    error: str


class Place:
    """A project with a loop in it, and the hook at work there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.state = root / ".claude" / "ralph-loop.local.md"
        self.review = root / ".claude" / "review-loop-state.yaml"

    def call(self, deed: str, given: bytes, **variables: str) -> Said:
        done = subprocess.run(
            [sys.executable, "-I", "-S", HOOK, deed],
            input=given,
            capture_output=True,
            env={"PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": str(self.root), **variables},
            check=False,
        )
        text = done.stdout.decode()
        out = json.loads(text) if text.startswith("{") else {}
        return Said(done.returncode, out, text, done.stderr.decode())

    def start(self, text: str, session: str = SESSION) -> Said:
        return self.call("start", text.encode(), CLAUDE_CODE_SESSION_ID=session)

    def stop(self, said: str | None = "Not yet.", **fields: Any) -> Said:
        event = {"session_id": SESSION, "hook_event_name": "Stop", **fields}
        if said is not None:
            event["last_assistant_message"] = said
        return self.call("stop", json.dumps(event).encode())

    def transcript(self, *lines: object) -> str:
        path = self.root / "transcript.jsonl"
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        return str(path)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.start(f"{PROMPT} --max-iterations 3 --completion-promise 'ALL [a-z]* GREEN'")
    return made


def answer(text: str, name: str = "m1", **fields: object) -> dict[str, object]:
    content = [{"type": "text", "text": text}] if text else [{"type": "tool_use", "name": "Bash"}]
    return {"type": "assistant", "message": {"id": name, "content": content}, **fields}


def freed(place: Place, said: Said) -> None:
    """The person may go, and nothing of the loop is left."""
    assert (said.code, said.out.get("decision")) == (0, None)
    assert not place.state.exists()


def test_it_comes_back_until_the_limit(place: Place) -> None:
    for number in (2, 3):
        said = place.stop()
        assert said.out["decision"] == "block"
        assert said.out["reason"].startswith(f"{PROMPT}\n")
        assert f"iteration {number} of 3" in said.out["reason"]
        assert f"iteration: {number}\n" in place.state.read_text(encoding="utf-8")
    freed(place, place.stop())


def test_the_promise_is_compared_word_for_word(place: Place) -> None:
    assert place.stop("<promise>ALL xyz GREEN</promise>").out["decision"] == "block"
    assert place.stop("I will say ALL [a-z]* GREEN.").out["decision"] == "block"
    freed(place, place.stop("Done.\n<promise> ALL\n [a-z]*  GREEN </promise>"))


def test_the_last_promise_counts(place: Place) -> None:
    text = "not <promise>ALL [a-z]* GREEN</promise> but <promise>half</promise>"
    assert place.stop(text).out["decision"] == "block"


def test_the_prompt_warns_of_false_promises(place: Place) -> None:
    reason = place.stop().out["reason"]
    assert "<promise>ALL [a-z]* GREEN</promise>" in reason
    assert "a false promise is worse than an unfinished task" in reason


def test_another_session_is_not_held(place: Place) -> None:
    before = place.state.read_bytes()
    said = place.stop(session_id="another")
    assert (said.code, said.text, place.state.read_bytes()) == (0, "", before)


def test_without_a_loop_nothing_is_said(tmp_path: Path) -> None:
    said = Place(tmp_path).call("stop", b"")
    assert (said.code, said.text, said.error) == (0, "", "")


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\xff\xfe",
        b"no front matter",
        b"---\nactive: true\n---\n\nx\n",
        b"---\nactive: true\niteration: -1\nmax_iterations: 3\n---\n\nx\n",
        b"---\nactive: true\niteration: two\nmax_iterations: 3\n---\n\nx\n",
        b'---\nactive: true\niteration: 1\nmax_iterations: 3\ncompletion_promise: "\n---\n\nx\n',
        b"---\nactive: true\niteration: 1\nmax_iterations: 3\n---\n\n\n",
    ],
)
def test_a_damaged_state_lets_go(place: Place, damage: bytes) -> None:
    place.state.write_bytes(damage)
    freed(place, place.stop())


def test_a_missing_transcript_lets_go(place: Place) -> None:
    freed(place, place.stop(None, transcript_path=str(place.root / "none")))


def test_an_invalid_transcript_lets_go(place: Place) -> None:
    path = place.root / "transcript.jsonl"
    path.write_text('{"type":"assistant", oops\n', encoding="utf-8")
    freed(place, place.stop(None, transcript_path=str(path)))


def test_no_answer_at_all_lets_go(place: Place) -> None:
    path = place.transcript({"type": "user", "message": {"content": "hi"}})
    freed(place, place.stop(None, transcript_path=path))


@pytest.mark.parametrize("said", ["", " \n"])
def test_an_empty_answer_lets_go(place: Place, said: str) -> None:
    freed(place, place.stop(said))


@pytest.mark.parametrize("given", [b"", b"{", b"[]", b"\xff"])
def test_input_that_is_no_event_lets_go(place: Place, given: bytes) -> None:
    freed(place, place.call("stop", given))


def test_a_file_that_cannot_be_written_lets_go(place: Place) -> None:
    elsewhere = place.root / "elsewhere"
    place.state.parent.rename(elsewhere)
    (place.root / ".claude").symlink_to(elsewhere)
    before = (elsewhere / place.state.name).read_bytes()
    said = place.stop()
    assert (said.code, said.out.get("decision")) == (0, None)
    assert "is a link" in said.out["systemMessage"]
    assert (elsewhere / place.state.name).read_bytes() == before


def test_a_linked_state_is_replaced_and_its_target_left_alone(place: Place) -> None:
    target = place.root / "precious"
    place.state.rename(target)
    before = target.read_bytes()
    place.state.symlink_to(target)
    assert place.stop().out["decision"] == "block"
    assert (target.read_bytes(), place.state.is_symlink()) == (before, False)


def test_the_transcript_is_read_from_its_end(place: Place) -> None:
    path = place.transcript(
        answer("<promise>ALL [a-z]* GREEN</promise>", "m0"),
        answer("Nearly", "m1"),
        answer("<promise>ALL [a-z]* GREEN</promise>", "m9", isSidechain=True),
        answer("", "m1"),
        {"type": "user", "message": {"content": "x" * 200_000}},
        {"type": "system", "subtype": "assistant"},
    )
    assert place.stop(None, transcript_path=path).out["decision"] == "block"
    path = place.transcript(
        answer("Yes.", "m2"), answer("<promise>ALL [a-z]* GREEN</promise>", "m2")
    )
    freed(place, place.stop(None, transcript_path=path))


def test_a_transcript_of_any_size(place: Place) -> None:
    path = place.root / "transcript.jsonl"
    with path.open("wb") as file:
        file.truncate(1 << 30)
        file.seek(0, os.SEEK_END)
        file.write(f"\n{json.dumps(answer('<promise>ALL [a-z]* GREEN</promise>'))}\n".encode())
    freed(place, place.stop(None, transcript_path=str(path)))


def test_the_cap_of_claude_code_is_explained(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.start("Go on. --max-iterations 20")
    said = [place.stop().out["systemMessage"] for _ in range(8)]
    assert "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=N" in said[-1]
    assert "CAP" not in said[0]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "There is no task"),
        ("--max-iterations 3", "There is no task"),
        ("Do it --max-iterations many", "takes a number, not many"),
    ],
)
def test_words_that_start_nothing(tmp_path: Path, text: str, error: str) -> None:
    said = Place(tmp_path).start(text)
    assert (said.code, error in said.error) == (1, True)
    assert not (tmp_path / ".claude").exists()


def test_one_loop_at_a_time(place: Place) -> None:
    said = place.start("Something else")
    assert (said.code, "End it with /cancel-ralph." in said.error) == (1, True)
    assert PROMPT in place.state.read_text(encoding="utf-8")


def test_words_reach_the_state_as_they_were_typed(tmp_path: Path) -> None:
    place = Place(tmp_path)
    said = place.start("""It's "so" `tricky` $(id) $HOME --completion-promise="A  B" \\n é""")
    assert said.code == 0
    text = place.state.read_text(encoding="utf-8")
    assert """It's "so" `tricky` $(id) $HOME \\n é""" in text
    assert 'completion_promise: "A B"' in text
    assert f'session_id: "{SESSION}"' in text


def test_cancel(place: Place) -> None:
    assert place.call("cancel", b"").text == "The Ralph loop was cancelled at iteration 1.\n"
    assert not place.state.exists()
    assert place.call("cancel", b"").text == "No Ralph loop is active here.\n"


def test_an_unknown_word_is_a_usage_error(tmp_path: Path) -> None:
    assert Place(tmp_path).call("begin", b"").code == 2


COMPLETE = "<review-complete>ALL_ISSUES_RESOLVED</review-complete>"
BLOCKED = "<review-blocked>MANUAL_INTERVENTION_REQUIRED</review-blocked>"
TIMEOUT = "<review-timeout>MAX_ITERATIONS_REACHED</review-timeout>"


def let_go(place: Place, said: Said, why: str) -> None:
    assert (said.code, said.out.get("decision")) == (0, None)
    assert not place.review.exists()
    assert why in said.out["systemMessage"]


def has(place: Place, **fields: object) -> None:
    """What the agent, or whoever made the state, wrote there."""
    text = place.review.read_text(encoding="utf-8")
    for name, value in fields.items():
        text = re.sub(rf"(?m)^{name}: .*$", f"{name}: {value}", text)
    place.review.write_text(text, encoding="utf-8")


@pytest.fixture
def reviewing(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    begun = made.start("--review --max-iterations 3 Review this, and fix it: a.md\n\nOne round:")
    assert (begun.code, all(one in begun.text for one in (COMPLETE, BLOCKED, TIMEOUT))) == (0, True)
    assert 'content_path: "a.md"' in made.review.read_text(encoding="utf-8")
    return made


@pytest.mark.parametrize("signal", [COMPLETE, BLOCKED, TIMEOUT])
def test_a_review_ends_by_its_signals(reviewing: Place, signal: str) -> None:
    for text in ("All good.", "<review-complete>NEARLY</review-complete>", "review-complete"):
        before = reviewing.review.read_text(encoding="utf-8")
        assert reviewing.stop(text).out["decision"] == "block", text
        reviewing.review.write_text(before, encoding="utf-8")
    assert COMPLETE in reviewing.stop("More.").out["reason"]
    said = reviewing.stop(f"First I thought {COMPLETE}, but:\n{signal}\n")
    let_go(reviewing, said, "Ralph review: round 2, ")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"total_issues": 8, "fixed_count": 8}, "no issue is pending"),
        ({"current_confidence": 96, "pending_count": 1}, "the confidence is 96, 95 was wanted"),
        ({"current_round": 3}, "the limit of 3 rounds is reached"),
        ({"consecutive_failures": 5}, "the limit of 5 failures in a row is reached"),
        ({"started_at": '"2026-01-15T10:30:00Z"'}, "the limit of 30 minutes is reached"),
        (
            {"max_runtime_seconds": 60, "started_at": "2026-01-15T10:30:00"},
            "the limit of 1 minute is reached",
        ),
    ],
)
def test_a_review_ends_by_its_counts_and_limits(
    reviewing: Place, fields: dict[str, object], why: str
) -> None:
    assert reviewing.stop("On it.").out["decision"] == "block"
    has(reviewing, **fields)
    let_go(reviewing, reviewing.stop("On it."), why)


def test_pending_issues_hold_the_session_and_are_named(reviewing: Place) -> None:
    has(reviewing, total_issues=8, pending_count=5, current_confidence=72)
    said = reviewing.stop("On it.")
    assert said.out["decision"] == "block"
    assert said.out["systemMessage"].startswith("Ralph review: round 2 of 3. 5 issues pending.")
    assert said.out["reason"].startswith("Review this, and fix it: a.md")
    text = reviewing.review.read_text(encoding="utf-8")
    assert "current_round: 2\n" in text
    assert "pending_count: 5\n" in text, "what others wrote stays"


OF_THE_SOURCE = """\
---
active: true
workflow_name: "create-prd"

# Iteration tracking
current_round: 1
max_rounds: 3     # as agreed
target_confidence: 95
current_confidence: 72
total_issues: 8
pending_count: 5
error_history:
  - first
  - second: no field of ours
notes: >
  Two lines
  in one.
started_at: '{started}'
---
# Original Prompt
Review the section.
---
Output the line when done.
"""


def test_a_state_that_another_tool_wrote_holds_the_session_too(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.review.parent.mkdir()
    text = OF_THE_SOURCE.format(started=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    place.review.write_text(text.replace("\n", "\r\n"), encoding="utf-8")
    said = place.stop()
    assert said.out["decision"] == "block"
    assert "Review the section.\n---\nOutput the line when done." in said.out["reason"].replace(
        "\r", ""
    )
    kept = place.review.read_text(encoding="utf-8")
    assert "current_round: 2\n" in kept
    assert "# Iteration tracking" in kept
    has(place, active="false")
    assert place.stop().text == ""


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("active", "True  # on"),
        ("iteration", "2 # two"),
        ("completion_promise", "'it''s DONE'"),
        ("completion_promise", '"it\'s DONE"   # quoted'),
        ("completion_promise", "it's DONE"),
        ("session_id", "~"),
    ],
)
def test_the_front_matter_is_yaml(place: Place, field: str, value: str) -> None:
    text = place.state.read_text(encoding="utf-8")
    promise = "completion_promise: it's DONE\n" if field != "completion_promise" else ""
    text = re.sub(r"completion_promise: .*\n", promise, text)
    if field == "completion_promise":
        text = text.replace("---\n", f"---\n{field}: {value}\n", 1)
    else:
        text = re.sub(rf"(?m)^{field}: .*$", f'"{field}":   {value}', text)
    place.state.write_text(text.replace("\n---\n", "\n\n# a comment\n---\n", 1), encoding="utf-8")
    assert place.stop().out["decision"] == "block"
    freed(place, place.stop("<promise>it's DONE</promise>"))


def test_cancel_ends_a_review_too(reviewing: Place) -> None:
    assert reviewing.start("another loop").code == 1
    said = reviewing.call("cancel", b"")
    assert said.text == "The Ralph loop was cancelled at iteration 1.\n"
    assert not reviewing.review.exists()


def test_a_review_has_its_limit_and_a_loop_has_no_signals(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.start("--review --max-iterations 3 Review a.md --max-iterations 1")
    let_go(place, place.stop("Not yet."), "the limit of 1 round is reached")
    place.start("Use ralph review --review --max-iterations 3")
    assert "ralph review --review" in place.state.read_text(encoding="utf-8")
    assert place.stop(COMPLETE).out["decision"] == "block"

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.claim import Claim, ClaimKind, EscalationKind
from ralph.reading.analyse import EVIDENCE_CHARS, analyse, ticked

OUTPUTS = sorted((Path(__file__).parent / "outputs").glob("*.md"))

CLAIMS = (
    "Task {} complete",
    "Task [{}] done",
    "{} is complete",
    "✅ Task {}: complete",
    "Completed task {}",
    "**Task {} complete**",
    "Task {} has been completed.",
    "Task `{}` is done!",
)
DENIALS = (
    "Task {} is not complete",
    "Task {} isn't done",
    "Task {} isn’t done",  # noqa: RUF001 - as agents write it
    "Task {} is not yet finished.",
    "I could not complete Task {}",
    "I have not completed task {}.",
    "I don't think that Task {} is complete.",
    "Task {} is incomplete",
    "Task {} complete: no",
    "Task {} is only partially complete",
    "**Task {} is not complete**",
)
NEITHER = (
    "Once Task {} is complete, we can deploy.",
    "When Task {} is done I will say so.",
    "If Task {} is complete then stop.",
    "Nothing is merged until Task {} is complete.",
    "All this comes before Task {} is complete.",
    "Task {} will be complete tomorrow.",
    "Task {} should be complete",
    "Task {} complete?",
    "I must say Task {} complete",
    'I must say "Task {} complete" at the end',
    "> Task {} complete",
    "`Task {} complete`",
    "say: Task {} complete",
    "- [ ] Task {} complete",
    "Do not write Task {} complete yet.",
    "{}: Complete the form",
    "I will mark {} as complete",
)

ids = st.from_regex(r"[A-Z]{2,4}-[0-9]{1,4}", fullmatch=True)
# Letters without the words that mean something here, and no mark-up that could open a fence.
words = st.text("bghjkquvwxyz", min_size=1, max_size=8)
lines = st.lists(words, min_size=1, max_size=12).map(lambda found: " ".join(found).title() + ".")
paragraphs = st.lists(lines | st.just(""), max_size=8).map("\n".join)


def _fields(path: Path) -> tuple[dict[str, str], str]:
    _, head, text = path.read_text(encoding="utf-8").split("---\n", 2)
    pairs = (line.partition(":") for line in head.splitlines())
    return {key: value.strip() for key, _, value in pairs}, text


def _shown(claim: Claim) -> str:
    if claim.kind is ClaimKind.TASK_DONE:
        return f"done:{claim.task}"
    if claim.escalation is not None:
        return f"escalate:{claim.escalation.kind}"
    kinds = (ClaimKind.ALL_DONE, ClaimKind.BLOCKED, ClaimKind.FOLLOW_UP)
    return dict(zip(kinds, ("all", "blocked", "follow-up"), strict=True))[claim.kind]


def test_corpus_is_large() -> None:
    assert len(OUTPUTS) >= 60


@pytest.mark.parametrize("path", OUTPUTS, ids=lambda path: path.stem)
def test_corpus(path: Path) -> None:
    fields, text = _fields(path)
    claims = analyse(
        text,
        fields["task"],
        promise=fields.get("promise", "LOOP_COMPLETE"),
        known=fields.get("known", "").split(),
    )
    expected = [word for word in fields["expect"].split() if word != "nothing"]
    assert sorted(_shown(claim) for claim in claims.all) == sorted(expected)
    suggested = [claim.follow_up for claim in claims.all if claim.follow_up is not None]
    for name, found in (
        ("titles", [one.title for one in suggested]),
        ("texts", [one.text for one in suggested]),
    ):
        if name in fields:
            assert found == [one.strip() for one in fields[name].split("|")]
    asked = claims.escalation
    if "summary" in fields:
        assert asked is not None
        assert asked.summary == fields["summary"]
    if "options" in fields:
        assert asked is not None
        assert asked.options == tuple(o.strip() for o in fields["options"].split("|") if o.strip())
    if "question" in fields:
        assert asked is not None
        assert asked.question == fields["question"]


@given(task=ids, claim=st.sampled_from(CLAIMS), before=paragraphs, after=paragraphs)
def test_a_claim_is_found_in_any_text(task: str, claim: str, before: str, after: str) -> None:
    said = claim.format(task)
    claims = analyse(f"{before}\n{said}\n\n{after}", task)
    assert claims.all == (Claim(ClaimKind.TASK_DONE, task, said),)


@given(task=ids, denial=st.sampled_from(DENIALS), before=paragraphs, after=paragraphs)
def test_a_denial_claims_nothing(task: str, denial: str, before: str, after: str) -> None:
    assert analyse(f"{before}\n{denial.format(task)}\n\n{after}", task).all == ()


@given(task=ids, claim=st.sampled_from(CLAIMS), denial=st.sampled_from(DENIALS), between=paragraphs)
def test_the_last_clear_statement_counts(task: str, claim: str, denial: str, between: str) -> None:
    yes, no = claim.format(task), denial.format(task)
    assert analyse(f"{yes}\n{between}\n\n{no}", task).all == ()
    assert analyse(f"{no}\n{between}\n\n{yes}", task).says_done(task)


@given(task=ids, line=st.sampled_from(NEITHER), before=paragraphs)
def test_what_is_not_stated_changes_nothing(task: str, line: str, before: str) -> None:
    said = line.format(task)
    assert analyse(f"{before}\n\n{said}", task).all == ()
    assert analyse(f"Task {task} complete\n{before}\n\n{said}", task).says_done(task)


@given(task=ids, other=ids, claim=st.sampled_from(CLAIMS))
def test_another_task_is_another_task(task: str, other: str, claim: str) -> None:
    said = analyse(claim.format(other), task).says_done(task)
    assert said == (task == other)


@given(task=ids, claim=st.sampled_from(CLAIMS), fence=st.sampled_from(["```", "~~~", "````md"]))
def test_code_claims_nothing(task: str, claim: str, fence: str) -> None:
    closing = fence.removesuffix("md")
    assert analyse(f"Look:\n\n{fence}\n{claim.format(task)}\n{closing}\n", task).all == ()


@given(text=st.text(max_size=400), task=ids)
def test_any_text_is_read(text: str, task: str) -> None:
    for claim in analyse(text, task, known=[task]).all:
        assert len(claim.evidence) <= EVIDENCE_CHARS


tags = st.sampled_from(
    (
        *("<escalate", ">", "</escalate>", "<summary>", "</summary>", "<options>", "<option>"),
        *("```", '"', " type='stuck'", "<question>", "Why?", "1. a\n", "&lt;escalate&gt;", "|"),
        "x y\n",
    )
)


@given(st.lists(tags, max_size=30).map("".join))
def test_broken_tags_are_read(text: str) -> None:
    asked = analyse(text, "US-001").escalation
    assert asked is None or (asked.summary and asked.kind in EscalationKind)


def test_evidence_is_the_line_and_bounded() -> None:
    claim = analyse("So far so good.\n\n  Task US-1 complete, " + "and well " * 99, "US-1").all[0]
    assert claim.evidence.startswith("Task US-1 complete, and well")
    assert len(claim.evidence) == EVIDENCE_CHARS


def test_an_escalation_keeps_its_context() -> None:
    text = (
        '<escalate type="stuck"><summary>No key</summary>\n<context>\nOne &amp; two.\n\nThree.\n'
        "</context>\n</escalate>"
    )
    asked = analyse(text, "US-001").escalation
    assert asked is not None
    assert asked.context == "One & two.\n\nThree."
    assert asked.question == ""


@pytest.mark.parametrize(
    "text",
    [
        "<escalate" * 100_000,
        "<escalate>" * 100_000,
        "<escalate></escalate>" * 30_000,
        "<escalate>" + "<summary>" * 100_000,
        "[" * 500_000 + "US-001 done",
        "(" * 500_000 + "US-001 done" + ")" * 500_000,
        "` " * 300_000,
        "<promise>" * 100_000,
        "I will not <promise>DONE</promise> " * 10_000,
        "US-001 not " * 100_000 + "done",
        "US-001, " * 100_000,
        "done when\n" * 30_000,
        "```\n" * 100_000,
        " " * 1_000_000 + "\n" * 100_000,
        "&lt;escalate&gt;" * 30_000,
        "<follow-up>\n" * 100_000,
        "<follow-up></follow-up>\n" * 50_000,
        "<follow-up>" * 100_000 + "</follow-up>",
        "FOLLOW-UP: the same\n" * 50_000,
        "FOLLOW-UP: " + "**a" * 300_000,
        "Follow-ups:\n- a b\n" + "  more\n" * 100_000,
        "## Follow-ups\n" * 50_000 + "- [ ] " * 100_000,
    ],
    ids=range(22),
)
@pytest.mark.timeout(20)
def test_no_input_takes_more_than_linear_time(text: str) -> None:
    """Each takes well under a second; anything quadratic would meet the time limit."""
    analyse(text, "US-001")


@pytest.mark.parametrize(
    "text",
    [
        "# Goal\n\n- [x] TASK_COMPLETE\n",
        "[x] TASK_COMPLETE",
        "* [X]  **TASK_COMPLETE**",
        "- [ ] first\n- [x] TASK_COMPLETE\n- more",
    ],
)
def test_ticked(text: str) -> None:
    assert ticked(text)


@pytest.mark.parametrize(
    "text",
    [
        "- [ ] TASK_COMPLETE",
        "TASK_COMPLETE",
        "```\n- [x] TASK_COMPLETE\n```",
        "> - [x] TASK_COMPLETE",
        "When done, add `- [x] TASK_COMPLETE`.",
        "- [x] TASK_COMPLETED",
        "- [x] NOT TASK_COMPLETE",
        "When it is done, write:\n- [x] TASK_COMPLETE",
        "",
    ],
)
def test_not_ticked(text: str) -> None:
    assert not ticked(text)


def test_every_output_of_the_corpus_expects_something() -> None:
    for path in OUTPUTS:
        fields, _ = _fields(path)
        assert re.fullmatch(
            r"(nothing|((done|escalate):\S+|all|blocked|follow-up)( |$))+", fields["expect"]
        )

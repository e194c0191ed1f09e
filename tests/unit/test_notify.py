"""When a message goes out, and what is in it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.histories import PARTS, recorded

from ralph.domain import event as e
from ralph.domain.attended import BudgetNoticed, HealthChanged
from ralph.domain.budget import BudgetAction, Scope
from ralph.domain.decision import Action, StopReason
from ralph.domain.health import HealthState
from ralph.domain.notify import News, Occasion, Parcel
from ralph.domain.question import Question, QuestionKind
from ralph.domain.verdict import Level
from ralph.policy.notify import HOUR, MOST, Outbox
from ralph.ui.news import MOST_CHARACTERS, NewsReader, letter

ROOT = Path("/home/ada/acme")
ASKED = News((Occasion.QUESTION,), "question Q1: A: Which way?", ("1. left",), "A", "Q1", ("left",))
ENDED = News((Occasion.END,), "Done", ("1 proven",))
QUESTION = Question(
    "Q1", "A", QuestionKind.STUCK, "Which way?", options=("left", "right"), question="Well?"
)
RUN = e.RunStarted(
    "PRD.json", "Plan", "ralph/plan", "base", "agent", "/w", False, 7, "h", "1", came_from="main"
)
SETTLED = e.Settled(1, "A", "c" * 40, Level.GREEN)
EVIL = "\x1b[2J\x1b]0;title\x07evil\u202e\udc80"


def outbox(group: float = 10, per_hour: int = 2) -> Outbox:
    return Outbox(group, per_hour)


def news(number: int) -> News:
    return News((Occasion.FAILURE,), f"news {number}")


# When


def test_what_comes_together_is_one_message() -> None:
    box = outbox()
    box.put(news(1), 100)
    box.put(news(2), 105)
    assert box.due(105) == 110
    assert box.take(110) == Parcel((news(1), news(2)))
    assert box.due(110) == math.inf


def test_the_group_begins_with_its_first_news() -> None:
    box = outbox()
    for second in range(100, 120, 4):
        box.put(news(second), second)
    assert box.due(120) == 120


def test_beyond_the_rate_news_wait_for_the_next_message() -> None:
    box = outbox(group=0)
    for second in (0, 1):
        box.put(news(second), second)
        assert box.due(second) == second
        box.take(second)
    box.put(news(2), 2)
    box.put(news(3), 3)
    assert box.due(3) == HOUR
    assert box.take(HOUR).news == (news(2), news(3))


def test_no_limit_is_none() -> None:
    box = outbox(group=0, per_hour=0)
    for second in range(100):
        box.put(news(second), second)
        assert box.due(second) == second
        box.take(second)


def test_the_end_is_told_at_once_whatever_the_rate_says() -> None:
    box = outbox(per_hour=1)
    box.put(news(1), 0)
    box.take(0)
    box.put(news(2), 1)
    box.put(ENDED, 2)
    assert box.due(2) == 2
    assert box.take(2).news == (news(2), ENDED)


def test_what_did_not_arrive_goes_with_the_next_news() -> None:
    box = outbox(group=0, per_hour=0)
    box.put(news(1), 0)
    box.give_back(box.take(0))
    assert box.due(1) == math.inf
    box.put(news(2), 2)
    assert box.due(2) == 2
    assert box.take(2).news == (news(1), news(2))


def test_at_the_close_what_did_not_arrive_is_tried_once_more() -> None:
    box = outbox()
    box.put(news(1), 0)
    box.give_back(box.take(10))
    box.close()
    assert box.due(11) == 11
    box.give_back(box.take(11))
    assert box.due(12) == math.inf


def test_the_last_message_is_tried_once() -> None:
    box = outbox()
    box.put(ENDED, 0)
    box.give_back(box.take(0))
    box.close()
    assert box.due(1) == math.inf


def test_a_question_that_was_answered_is_no_news() -> None:
    box = outbox()
    for one in (ASKED, news(1)):
        box.put(one, 0)
    box.forget_answered({"Q2"}.__contains__)
    assert box.take(10).news == (news(1),)


_STEPS = st.lists(
    st.tuples(st.sampled_from(("put", "end", "send", "fail", "wait")), st.floats(0, 2 * HOUR)),
    max_size=60,
)


@given(_STEPS, st.integers(1, 4), st.floats(0, 100))
def test_no_news_is_lost_or_told_twice_and_the_rate_holds(
    steps: list[tuple[str, float]], per_hour: int, group: float
) -> None:
    box, now, count = Outbox(group, per_hour), 0.0, 0
    told: list[News] = []
    left_out = 0
    times: list[float] = []
    for step, passes in steps:
        now += passes
        if step in {"put", "end"}:
            count += 1
            one = news(count)
            box.put(replace(one, occasions=(Occasion.END,)) if step == "end" else one, now)
        elif step in {"send", "fail"} and box.due(now) <= now:
            is_last = any(one.is_last for one in box.waiting)
            parcel = box.take(now)
            if not is_last:
                assert len([at for at in times if at > now - HOUR]) < per_hour
            times.append(now)
            if step == "fail":
                box.give_back(parcel)
            else:
                told += parcel.news
                left_out += parcel.left_out
        assert len(box.waiting) <= MOST
    assert len(told) + left_out + len(box.waiting) + box.left_out == count
    assert len({one.what for one in told}) == len(told)


def test_of_very_many_the_oldest_are_only_counted() -> None:
    box = outbox()
    for number in range(MOST + 7):
        box.put(news(number), 0)
    parcel = box.take(10)
    assert (len(parcel.news), parcel.left_out) == (MOST, 7)
    assert "no room: 7." in letter(parcel, ROOT).text


# What


def read(*events: e.Event, standing: str = "1 proven, 1 open") -> list[News]:
    reader = NewsReader(ROOT, lambda: standing)
    return [one for each in recorded(events) if (one := reader(each)) is not None]


def test_a_question_comes_with_its_options_and_how_to_answer() -> None:
    [one] = read(RUN, e.Escalated(QUESTION))
    assert one.occasions == (Occasion.QUESTION,)
    assert one.what == "question Q1: A: Which way?"
    assert one.lines == (
        "Well?",
        "1. left",
        "2. right",
        "Answer: ralph -C /home/ada/acme answer Q1 N",
    )
    assert letter(Parcel((one,)), ROOT).title == "acme: question Q1: A: Which way?"


def test_a_question_of_very_many_words_still_says_how_to_answer() -> None:
    long = Question("Q1", "A", QuestionKind.STUCK, *("word " * 99,) * 2, ("word " * 99,) * 40)
    [one] = read(e.Escalated(replace(long, question="word " * 99)))
    assert one.lines[-2:] == (
        "… 31 more: `ralph inbox`",
        "Answer: ralph -C /home/ada/acme answer Q1 N",
    )
    assert letter(Parcel((one,)), ROOT).text.endswith("answer Q1 N")


def test_a_task_that_was_given_up_is_a_failure_and_a_question_but_one_message() -> None:
    kept = "refs/ralph/salvage/x"
    given_up = replace(
        QUESTION, kind=QuestionKind.FAILED, summary="A is stuck: it fails.", salvage=kept
    )
    [one] = read(e.RolledBack("A", "base", "why", kept), e.Escalated(given_up))
    assert one.occasions == (Occasion.QUESTION, Occasion.FAILURE)
    assert one.what == "question Q1: A is stuck: it fails."
    assert f"The work is kept in {kept}." in one.lines


def test_the_end_says_why_how_well_and_how_to_take_it_over() -> None:
    ended = e.RunEnded(StopReason.MAX_DURATION, "240 minutes of run time", 4)
    [one] = read(RUN, SETTLED, ended)
    assert one.occasions == (Occasion.END, Occasion.LIMIT)
    assert one.what == "Stopped: the time is up"
    assert one.lines == (
        "1 proven, 1 open",
        "240 minutes of run time",
        "Take it over: `git switch main`, then `git merge ralph/plan`.",
        "Continue with `ralph run`.",
    )


@pytest.mark.parametrize("reason", StopReason)
def test_every_end_is_told(reason: StopReason) -> None:
    [one] = read(RUN, e.RunEnded(reason, "why", 1))
    assert one.is_last
    broke = {StopReason.ERROR, StopReason.CIRCUIT_BREAKER_OPEN, StopReason.AGENT_UNAVAILABLE}
    assert (Occasion.FAILURE in one.occasions) >= (reason in broke)


def test_a_long_wait_is_told_once() -> None:
    long = e.Decided(1, Action.WAIT, "usage limit reached", until=10_000_000)
    found = read(long, long, e.Decided(1, Action.WAIT, "a moment", until=3))
    assert [one.occasions for one in found] == [(Occasion.LIMIT,)]
    assert "usage limit reached" in found[0].what


def test_an_agent_that_fails_is_told() -> None:
    found = read(
        e.AgentSwitched(1, "claude", "codex", "not logged in"),
        HealthChanged(1, "A", HealthState.STUCK, HealthState.TERMINATED, "silent for 30 minutes"),
        HealthChanged(1, "A", HealthState.HEALTHY, HealthState.DEGRADED, "slow"),
    )
    assert [one.what for one in found] == [
        "codex takes over from claude: not logged in",
        "A: its agent was ended: silent for 30 minutes",
    ]


def test_a_budget_is_told_unless_it_ends_the_run_which_says_so_itself() -> None:
    noticed = BudgetNoticed(Scope.DAY, BudgetAction.ALERT_ONLY, 9, 8, "all projects have spent $9")
    assert [one.what for one in read(noticed)] == ["budget: all projects have spent $9"]
    assert read(replace(noticed, action=BudgetAction.DENY)) == []
    slower = replace(noticed, action=BudgetAction.THROTTLE, used=7, why="88% of it")
    told = read(slower, replace(slower, why="90% of it"), noticed)
    assert [one.what for one in told] == ["budget: 88% of it", "budget: all projects have spent $9"]


def test_a_run_that_breaks_off_without_an_end_is_told() -> None:
    reader = NewsReader(ROOT, lambda: "")
    for one in recorded([RUN]):
        reader(one)
    broken = reader.broken_off()
    assert broken is not None
    assert broken.is_last
    for one in recorded([e.RunEnded(StopReason.ONCE, "why", 0)]):
        reader(one)
    assert reader.broken_off() is None


def test_several_news_are_one_message_the_end_first() -> None:
    both = letter(Parcel((ASKED, ENDED)), ROOT, "https://ralph.example")
    assert both.title == "acme: Done"
    assert both.text == "1 proven\n\nquestion Q1: A: Which way?\n1. left\nhttps://ralph.example"
    assert both.occasions == ("end", "question")
    assert letter(Parcel((ASKED, news(1), news(2))), ROOT).title == "acme: 1 question, 2 failures"


def test_a_message_has_an_end() -> None:
    long = replace(ASKED, lines=("word " * 60,) * 30)
    assert len(letter(Parcel((long,) * 30), ROOT, "https://ralph.example").text) < (
        MOST_CHARACTERS + 50
    )


def test_the_words_of_agents_control_nothing() -> None:
    question = Question("Q1", EVIL, QuestionKind.STUCK, EVIL, EVIL, (EVIL,), EVIL, salvage=EVIL)
    every = read(RUN, e.Escalated(question), e.RunEnded(StopReason.ERROR, EVIL, 1))
    text = letter(Parcel(tuple(every)), ROOT).whole
    assert "evil" in text
    assert all(char.isprintable() or char == "\n" for char in text)


@given(st.lists(st.one_of(*PARTS.values()), max_size=12))
def test_whatever_happens_becomes_words(events: list[e.Event]) -> None:
    for one in read(*events):
        assert one.what
        assert set(one.occasions) <= set(Occasion)

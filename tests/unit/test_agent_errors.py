"""One classification of trouble for all agents."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from ralph.agents.claude import WHO
from ralph.agents.errors import Ending, classify, how
from ralph.agents.until import until
from ralph.domain.answer import Ended
from ralph.domain.trouble import TroubleKind as K

STACK = "\n".join(f"    at step{n} (node:internal/vm:{n})" for n in range(80))
NOW = datetime(2026, 11, 14, 20, 30, tzinfo=UTC).timestamp()
E = Ended.EXITED


def api(text: str = "", status: int = 0, *words: str) -> Ending:
    """An error that the agent's protocol tells of."""
    words = ("api_error", "success", *words)
    return Ending(E, 1, failed=True, status=status, words=words, text=text)


def said(text: str, code: int = 1) -> Ending:
    """A plain program's last words."""
    return Ending(E, code, text=text)


TABLE: list[tuple[Ending, K]] = [
    (Ending(Ended.NOT_STARTED, 127, "`x` was not found."), K.NOT_STARTED),
    (Ending(Ended.TIMEOUT, 137, wall_seconds=5400), K.TIMEOUT),
    (Ending(Ended.IDLE, 143, idle_seconds=1800), K.IDLE),
    (Ending(Ended.EXCESS, 137, "it had 9000 processes, too many."), K.EXCESS),
    (Ending(Ended.KILLED, 137), K.KILLED),
    (Ending(Ended.KILLED, 139), K.KILLED),
    (Ending(E, 137), K.KILLED),
    (said(""), K.EXIT),
    (said("error: unknown option '--nope'\n(Did you mean --name?)"), K.EXIT),
    (said("segmentation fault", 139), K.EXIT),
    # as Claude Code tells it
    (api("Invalid API key · Fix external API key", 401, "authentication_failed"), K.AUTHENTICATION),
    (api("Failed to authenticate. API Error: 403 …", 403, "permission_error"), K.PERMISSION),
    (api("There's an issue with the selected model", 404, "not_found_error"), K.MODEL_NOT_FOUND),
    (api("API Error: Request rejected (429) · …", 429, "rate_limit_error"), K.RATE_LIMIT),
    (api("You've hit your 5-hour limit", 429, "usage_limit_reached", "rate_limit"), K.USAGE_LIMIT),
    (api("You've hit your weekly limit · resets 3am", 429, "rate_limit_error"), K.USAGE_LIMIT),
    (api("API Error: 500 Internal server error.", 500, "api_error", "server_error"), K.OVERLOAD),
    (api("API Error: Repeated 529 Overloaded errors.", 529, "overloaded_error"), K.OVERLOAD),
    (api("Credit balance is too low", 400, "billing_error"), K.BILLING),
    (api("Credit balance is too low", 400), K.BILLING),
    (api("Prompt is too long · …", 400, "prompt_too_long"), K.PROMPT_TOO_LONG),
    (api("Request too large (max 32MB).", 413, "image_error"), K.PROMPT_TOO_LONG),
    (api("API Error: 400 something", 400, "invalid_request_error", "unknown"), K.EXIT),
    (api("API Error: JSON Parse error: Unrecognized token '<'", 0, "unknown"), K.GARBAGE),
    (api("… was lost (ECONNRESET)", 0, "connection_failed", "server_error"), K.CONNECTION),
    (api("Connection refused (ECONNREFUSED)", 0, "server_error"), K.CONNECTION),
    (api("Request timed out", 0, "server_error"), K.CONNECTION),
    (api("Opus 5.5's safeguards flagged this message", 0, "refusal"), K.REFUSAL),
    (api("… exceeded the 128000 output token maximum", 0, "max_output_tokens"), K.TURNS),
    (api("Reached maximum number of turns (1)", 0, "max_turns"), K.TURNS),
    (api("Reached maximum budget ($0.5)", 0, "budget_exhausted"), K.BUDGET),
    (api("Not logged in · Please run /login", 0, "authentication_failed"), K.AUTHENTICATION),
    (said("PermissionError: [Errno 13] Permission denied: '/srv/model'"), K.PERMISSION),
    (said("Error: EACCES: permission denied, open '/srv/model'"), K.PERMISSION),
    (said("--dangerously-skip-permissions cannot be used with root/sudo privileges"), K.PERMISSION),
    # what only the runner can say
    (Ending(E, 0, failed=True, words=("empty_answer",)), K.EMPTY),
    (Ending(E, 0, failed=True, words=("garbage",)), K.GARBAGE),
    (Ending(Ended.STOPPED, 130, failed=True, words=("budget",)), K.BUDGET),
    # as others say it
    (said("stream error: 401 Unauthorized"), K.AUTHENTICATION),
    (said("Please set an Auth method in your settings.json"), K.AUTHENTICATION),
    (said("Error: API key not valid. Please pass a valid API key."), K.AUTHENTICATION),
    (said("unexpected status 403 Forbidden: no"), K.PERMISSION),
    (said("ModelNotFoundError: status 404"), K.MODEL_NOT_FOUND),
    (said("The model `gpt-9` does not exist or you do not have access to it."), K.MODEL_NOT_FOUND),
    (said("exceeded retry limit, last status: 429 Too Many Requests"), K.RATE_LIMIT),
    (said("Rate limit reached for requests"), K.RATE_LIMIT),
    (said("You've hit your usage limit. Try again in 3 hours 12 minutes."), K.USAGE_LIMIT),
    (
        said("You have exhausted your capacity on this model. Your quota will reset after 2h26m."),
        K.USAGE_LIMIT,
    ),
    (
        said("You exceeded your current quota, please check your plan and billing details."),
        K.BILLING,
    ),
    (said("HTTP 503 Service Unavailable"), K.OVERLOAD),
    (said("[API Error: got status: 500]"), K.OVERLOAD),
    (said("connect ECONNREFUSED 127.0.0.1:9"), K.CONNECTION),
    (said("TypeError: fetch failed"), K.CONNECTION),
    (said("Your input exceeds the context window of this model."), K.PROMPT_TOO_LONG),
    (said("This model's maximum context length is 128000 tokens."), K.PROMPT_TOO_LONG),
    (said("SyntaxError: Unexpected token '<', \"<html>\" is not valid JSON"), K.GARBAGE),
]


@pytest.mark.parametrize(
    ("ending", "kind"), TABLE, ids=lambda one: one if isinstance(one, K) else ""
)
def test_each_trouble_has_its_kind_and_a_message(ending: Ending, kind: K) -> None:
    trouble = classify(ending, NOW, WHO)
    assert trouble is not None
    assert trouble.kind is kind
    assert "Claude Code" in trouble.message
    assert not {"{", "}", "\n", "!"} & set(trouble.message)
    assert 20 < len(trouble.message) < 600


def test_every_kind_is_in_the_table() -> None:
    # these are not told by its end: the loop saw them, and ended it for that
    assert {kind for _, kind in TABLE} == set(K) - {K.STUCK, K.DISK}


@pytest.mark.parametrize(
    "ending",
    [
        Ending(E, 0),
        Ending(E, 0, text="Rate limit reached. 401 Unauthorized. Not logged in."),
        Ending(E, 0, status=429, words=("rate_limit",)),
        Ending(E, 143),
        Ending(E, 130, text="401 Unauthorized"),
        Ending(Ended.KILLED, 143),
        Ending(Ended.STOPPED, 137),
        Ending(Ended.STOPPED, None, text="ECONNREFUSED"),
    ],
)
def test_success_and_intended_stops_are_no_trouble(ending: Ending) -> None:
    assert classify(ending, NOW) is None


@pytest.mark.parametrize(
    "text",
    [
        "I added a rate limit of 5.\n\n1\n2\n3\n4\n5",
        "We handle 401 and 403.\n" + "x\n" * 5,
        "usage limit\n" + "y" * 5000,
    ],
)
def test_only_the_last_lines_of_a_failed_agent_count(text: str) -> None:
    trouble = classify(said(text), NOW)
    assert trouble is not None
    assert trouble.kind is K.EXIT


@pytest.mark.parametrize(
    "text",
    ["line 404 of file.py", "took 500 ms", "rm: permission denied", "port 4290", "assert 429 == 3"],
)
def test_numbers_and_denials_of_other_things_are_not_the_services(text: str) -> None:
    trouble = classify(said(text), NOW)
    assert trouble is not None
    assert trouble.kind is K.EXIT


def test_the_protocol_counts_more_than_the_words() -> None:
    trouble = classify(api("API Error: 500 not logged in", 500), NOW)
    assert trouble is not None
    assert trouble.kind is K.OVERLOAD


@pytest.mark.parametrize(
    ("ending", "message"),
    [
        (said("a\nno login", 3), "The agent exited 3: no login"),
        (said(f"Error: no plan\n{STACK}\n\nNode.js v20.1.0"), "The agent exited 1: Error: no plan"),
        (said("  \n", 3), "The agent exited 3 without any output."),
        (
            Ending(Ended.KILLED, 137),
            "The agent was killed by signal 9 (SIGKILL); the machine may be out of memory.",
        ),
        (Ending(Ended.KILLED, 128 + 250), "The agent was killed by signal 250 (a signal)."),
        (
            Ending(Ended.TIMEOUT, 0, wall_seconds=5400),
            "The agent was stopped: it worked longer than 90 minutes.",
        ),
        (
            Ending(Ended.IDLE, 0, idle_seconds=0.2),
            "The agent was stopped: it was silent for 0.2 seconds.",
        ),
        (
            said("error: unknown option '--nope'\n(Did you mean --name?)"),
            (
                "The agent exited 1: error: unknown option '--nope' (Did you mean --name?)"
                " Look at its command in ralph.yaml."
            ),
        ),
        (api("No conversation found"), "The agent reported an error: No conversation found"),
    ],
)
def test_messages_in_plain_cases(ending: Ending, message: str) -> None:
    trouble = classify(ending, NOW)
    assert trouble is not None
    assert trouble.message == message


def test_the_message_says_what_to_do() -> None:
    trouble = classify(api("Not logged in · Please run /login"), NOW, WHO)
    assert trouble is not None
    assert trouble.message == (
        "Claude Code is not logged in, or its login was rejected"
        " (“Not logged in · Please run /login”): run `claude` once and log in,"
        " or set ANTHROPIC_API_KEY and name it in claude.env."
    )


def test_a_reset_that_the_protocol_gives_counts() -> None:
    limit = Ending(
        E, 1, failed=True, words=("usage_limit_reached",), until=NOW + 60, text="resets 3am"
    )
    trouble = classify(limit, NOW)
    assert trouble is not None
    assert trouble.until == NOW + 60
    assert "until 2026-11-14 20:31 UTC" in trouble.message


def test_a_reset_in_the_text_is_read() -> None:
    trouble = classify(api("You've hit your 5-hour limit · resets 3:43am (UTC)", 429), NOW)
    assert trouble is not None
    assert (trouble.kind, trouble.until) == (K.USAGE_LIMIT, NOW + (7 * 60 + 13) * 60)


def test_only_limits_are_lifted() -> None:
    trouble = classify(Ending(E, 1, failed=True, status=500, until=NOW), NOW)
    assert trouble is not None
    assert trouble.until == 0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("try again in 20 minutes", 1200),
        ("Try again in 1 day 2 hours, 3 minutes and 4 seconds.", 93784),
        ("retry after 30 seconds", 30),
        ("Retry-After: 17", 17),
        ('"retryDelay": "38s"', 38),
        ("Please retry in 12.5s.", 12.5),
        ("Your quota will reset after 5h26m.", 19560),
        ("Please wait 2 mins", 120),
        ("resets 3:43am (UTC)", (7 * 60 + 13) * 60),
        ("resets at 9pm (UTC)", 1800),
        ("resets 8pm (UTC)", 23.5 * 3600),
        ("resets 12am (UTC)", 3.5 * 3600),
        ("resets 10pm (Europe/Berlin)", 1800),
        ("resets 21:00 (UTC)", 1800),
        ("resets Nov 16, 8:30pm (UTC)", 2 * 86400),
        ("resets Nov 16 at 8:30 p.m. (UTC)", 2 * 86400),
        ("try again at Nov 16th, 2026 8:30 PM (UTC)", 2 * 86400),
        ("resets Jan 1, 12am (UTC)", (47 * 24 + 3.5) * 3600),
        ("available at 2026-11-14T20:31:00Z", 60),
        ("usage limit reached|" + str(int(NOW) + 99), 99),
        ('"resets_at":' + str(int(NOW) + 98), 98),
    ],
)
def test_forms_of_a_time(text: str, seconds: float) -> None:
    assert until(f"Limit reached. {text}", NOW) == pytest.approx(NOW + seconds, abs=0.01)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "try again later",
        "resets soon",
        "resets 5 things",
        "resets 25:99 (UTC)",
        "resets Feb 31, 3pm (UTC)",
        "available at 2026-99-99T20:31:00Z",
        "in a minute",
    ],
)
def test_no_time_is_no_time(text: str) -> None:
    assert until(text, NOW) == 0


def test_a_time_without_a_zone_is_ours() -> None:
    moment = datetime.fromtimestamp(until("resets 3:43am", NOW)).astimezone()
    assert (moment.hour, moment.minute) == (3, 43)
    assert 0 < moment.timestamp() - NOW <= 86400


@pytest.mark.parametrize(
    ("ended", "code", "expected"),
    [
        (E, 143, Ended.STOPPED),
        (Ended.KILLED, 130, Ended.STOPPED),
        (E, 0, E),
        (E, 1, E),
        (Ended.TIMEOUT, 143, Ended.TIMEOUT),
    ],
)
def test_a_stop_on_purpose_is_told_from_an_end(ended: Ended, code: int, expected: Ended) -> None:
    assert how(ended, code) is expected


@pytest.mark.parametrize("unit", ["resets ", "1 h ", "in 1 h and ", "exceeds context ", "model "])
def test_hostile_text_takes_no_time(unit: str) -> None:
    begun = time.perf_counter()
    assert classify(said(unit * 50_000), NOW) is not None
    until((unit * 1000)[:1200], NOW)
    assert time.perf_counter() - begun < 0.5

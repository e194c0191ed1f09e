from __future__ import annotations

import asyncio
import os
import pty
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.question import Choice, Question, QuestionKind, Reply
from ralph.people.terminal import Inbox, Terminal
from ralph.people.wording import escalation, parse_reply, plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ralph.loop.ports import People

OPTIONS = ("Use v2", "Use v1 anyway")
QUESTION = Question(
    id="q1",
    task="US-002",
    kind=QuestionKind.DEVIATION,
    summary="The endpoint is deprecated",
    context="v1 is marked deprecated.\nv2 exists.",
    options=OPTIONS,
    question="Which version?",
)


PARKED = "q1 is parked. It waits in `ralph inbox`."


@contextmanager
def opened() -> Iterator[tuple[int, int]]:
    master, slave = pty.openpty()
    try:
        yield master, slave
    finally:
        for fd in (master, slave):
            try:
                os.close(fd)
            except OSError:
                continue


class Person:
    """Types the next line each time something is shown, as one at a real terminal would."""

    def __init__(self, fd: int, *lines: bytes) -> None:
        self.fd = fd
        self.lines = list(lines)
        self.seen: list[str] = []

    def show(self, text: str) -> None:
        self.seen.append(text)
        if self.lines:
            os.write(self.fd, self.lines.pop(0))


def answer(*lines: bytes, seconds: float = 20) -> tuple[Reply | None, list[str]]:
    with opened() as (master, slave):
        person = Person(master, *lines)
        people: People = Terminal(person.show, timeout=seconds, fd=slave)
        return asyncio.run(people.ask(QUESTION)), person.seen


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"1\n", Reply(Choice.OPTION, 1, "Use v2")),
        (b" [2] \n", Reply(Choice.OPTION, 2, "Use v1 anyway")),
        (b"s\n", Reply(Choice.SKIP)),
        (b"R\n", Reply(Choice.RETRY)),
        (b"abort\n", Reply(Choice.ABORT)),
        (b"c take v3\n", Reply(Choice.GUIDANCE, text="take v3")),
    ],
)
def test_a_line_at_a_real_terminal_is_the_answer(line: bytes, expected: Reply) -> None:
    reply, seen = answer(line)
    assert reply == expected
    assert len(seen) == 1


def test_the_question_is_shown_whole() -> None:
    _, [block] = answer(b"1\n")
    assert block == (
        "ESCALATION (deviation) US-002: The endpoint is deprecated\n"
        "\n"
        "v1 is marked deprecated.\nv2 exists.\n"
        "\n"
        "1. Use v2\n2. Use v1 anyway\n"
        "\n"
        "Which version?\n"
        "\n"
        "Not now? p (or Ctrl-D) parks the question. It is parked by itself after 20 seconds.\n"
        "\n"
        "Options: [1-2] Select option  [c] Custom  [s] Skip  [r] Retry  [a] Abort\n"
        "Choice:"
    )


def test_wrong_input_asks_again() -> None:
    reply, seen = answer(b"9\n", b"what?\n", b"2\n")
    assert reply == Reply(Choice.OPTION, 2, "Use v1 anyway")
    assert seen[1].startswith("'9' is not a choice. Type 1 to 2, c, s, r, a or p.")
    assert seen[2].startswith("'what?' is not a choice.")


def test_guidance_of_several_lines_ends_with_an_empty_one() -> None:
    reply, seen = answer(b"c\n", "Use v2,\nbut só.\n\n".encode())
    assert reply == Reply(Choice.GUIDANCE, text="Use v2,\nbut só.")
    assert seen[1] == "Your guidance (end with an empty line):"


def test_empty_guidance_asks_again() -> None:
    reply, seen = answer(b"c\n", b"\n", b"s\n")
    assert reply == Reply(Choice.SKIP)
    assert seen[2] == "No guidance given.\nChoice:"


def test_what_was_typed_before_the_question_is_no_answer() -> None:
    with opened() as (master, slave):
        os.write(master, b"a\n")
        person = Person(master, b"1\n")
        terminal = Terminal(person.show, timeout=20, fd=slave)
        assert asyncio.run(terminal.ask(QUESTION)) == Reply(Choice.OPTION, 1, "Use v2")


def test_nobody_answers_in_time() -> None:
    reply, seen = answer(seconds=0.05)
    assert reply is None
    assert seen[-1] == f"No answer in 0.05 seconds: {PARKED}"


def test_half_a_line_is_not_an_answer() -> None:
    reply, _ = answer(b"1", seconds=0.05)
    assert reply is None


def test_no_time_to_wait_means_not_asking() -> None:
    assert answer(b"1\n", seconds=0) == (None, [])


def test_the_end_of_the_input_is_no_answer() -> None:
    reply, [_, parked] = answer(b"\x04")
    assert reply is None
    assert parked == PARKED


def test_guidance_cut_off_by_the_end_of_the_input_is_no_answer() -> None:
    reply, seen = answer(b"c\n", b"half a th\n\x04")
    assert reply is None
    assert seen[2] == PARKED


def test_a_terminal_that_goes_away_is_no_answer() -> None:
    def show(_text: str) -> None:
        if not closed:
            closed.append(True)
            os.close(master)

    closed: list[bool] = []
    with opened() as (master, slave):
        assert asyncio.run(Terminal(show, timeout=20, fd=slave).ask(QUESTION)) is None


def test_the_loop_goes_on_while_a_person_thinks_and_two_questions_take_turns() -> None:
    async def both(terminal: Terminal) -> list[Reply | None]:
        first = asyncio.create_task(terminal.ask(QUESTION))
        second = asyncio.create_task(terminal.ask(QUESTION))
        return [await first, await second]

    with opened() as (master, slave):
        person = Person(master, b"1\n", b"2\n")
        terminal = Terminal(person.show, timeout=20, fd=slave)
        replies = asyncio.run(both(terminal))
    assert [reply and reply.option for reply in replies] == [1, 2]


def test_being_cancelled_leaves_no_reader_behind() -> None:
    async def cancelled(terminal: Terminal, fd: int) -> bool:
        asking = asyncio.create_task(terminal.ask(QUESTION))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        return asyncio.get_running_loop().remove_reader(fd)

    with opened() as (_master, slave):
        terminal = Terminal(lambda _text: None, timeout=20, fd=slave)
        assert asyncio.run(cancelled(terminal, slave)) is False


@pytest.mark.parametrize(("text", "expected"), [("x\ns\n", Reply(Choice.SKIP)), ("", None)])
def test_answers_may_come_from_a_file(tmp_path: Path, text: str, expected: Reply | None) -> None:
    path = tmp_path / "answers"
    path.write_text(text)
    with path.open("rb") as file:
        terminal = Terminal(lambda _text: None, timeout=20, fd=file.fileno())
        assert asyncio.run(terminal.ask(QUESTION)) == expected


def test_an_endless_line_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    path.write_bytes(b"1" * 300_000 + b"\nr\n")
    shown: list[str] = []
    with path.open("rb") as file:
        terminal = Terminal(shown.append, timeout=20, fd=file.fileno())
        assert asyncio.run(terminal.ask(QUESTION)) == Reply(Choice.RETRY)
    assert max(len(text) for text in shown) < 1000


BACKGROUND = """
import asyncio, os, sys
from ralph.domain.question import Question, QuestionKind
from ralph.people.terminal import Terminal
if os.fork() == 0:
    os.setpgid(0, 0)
    asked = Terminal(lambda text: None, timeout=60, fd=0)
    reply = asyncio.run(asked.ask(Question("q", "T", QuestionKind.STUCK, "s")))
    os._exit(7 if reply is None else 8)
_, status = os.waitpid(-1, os.WUNTRACED)
sys.exit(99 if os.WIFSTOPPED(status) else os.waitstatus_to_exitcode(status))
"""


def test_in_the_background_nobody_is_asked_and_nothing_stops() -> None:
    with opened() as (_master, slave):
        # A session of its own with the pty as its controlling terminal, as under a shell.
        controlled = (
            "import fcntl, os, sys, termios\n"
            "os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
            "os.execv(sys.executable, [sys.executable, '-c', sys.argv[1]])\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", controlled, BACKGROUND],
            stdin=slave,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=False,
            timeout=60,
        )
    assert done.returncode == 7


def test_the_inbox_asks_nobody() -> None:
    people: People = Inbox()
    assert asyncio.run(people.ask(QUESTION)) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2.", Reply(Choice.OPTION, 2, "Use v1 anyway")),
        ("Option 1", Reply(Choice.OPTION, 1, "Use v2")),
        ("custom: do this\nand that", Reply(Choice.GUIDANCE, text="do this\nand that")),
        ("c", None),
        ("custom", None),
        ("0", None),
        ("3", None),
        ("²", None),
        ("1" * 5000, None),
        ("", None),
        ("start over", None),
        ("come on", None),
    ],
)
def test_words_and_their_meaning(text: str, expected: Reply | None) -> None:
    assert parse_reply(text, OPTIONS) == expected


@given(st.text(), st.lists(st.text(), max_size=12).map(tuple))
def test_an_option_is_always_one_that_was_offered(text: str, options: tuple[str, ...]) -> None:
    reply = parse_reply(text, options)
    if reply and reply.choice is Choice.OPTION:
        assert options[reply.option - 1] == reply.text


def test_without_options_and_context_the_block_stays_short() -> None:
    block = escalation(Question("q", "T-1", QuestionKind.STUCK, "Same error 3 times"))
    assert block.splitlines()[0] == "ESCALATION (stuck) T-1: Same error 3 times"
    assert len(block.splitlines()) == 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link", "link"),
        ("a\x9b31mb\u202ec\u2066d", "a31mbcd"),
        ("two\r\nlines\tand\x00 more\r", "two\nlines\tand more"),
    ],
)
def test_agents_cannot_steer_the_terminal(text: str, expected: str) -> None:
    assert plain(text) == expected


@given(st.text(alphabet=st.sampled_from("\x1b[]P;m\x07\\a0\x9b\u202e\n")))
def test_nothing_unshown_is_left(text: str) -> None:
    assert not set(plain(text)) & set("\x1b\x07\x9b\u202e")

"""What holds for every way to reach a person: with real servers, programs and Apprise itself."""

from __future__ import annotations

import asyncio
import html
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from tests.support.hooks import hook_server
from tests.support.project import wait_until

from ralph.domain.notify import Letter, News, NotifySettings, Occasion
from ralph.domain.task import shell
from ralph.people.notify import channels, courier, look

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.support.hooks import HookServer

    from ralph.people.notify import Channel

SECRET = "s3cret-p4th-of-mine"  # noqa: S105 - made up
NEWS = News((Occasion.QUESTION,), "question Q1", ("1. left",), "A", "Q1", ("left", "<b>right"))
LETTER = Letter(
    "--acme: was möchtest du?",
    "1. left & <b>right</b> 🚀\nAnswer: ralph answer Q1 N",
    "/home/ada/acme",
    (NEWS,),
    "https://ralph.example",
)


class Way(Protocol):
    """One kind of channel, with somebody at its other end."""

    def channel(self) -> Channel: ...

    def got(self) -> list[tuple[str, str]]:
        """Title and text of all that arrived."""

    def behave(self, how: str) -> None:
        """From now on: `fail`, or `hang`."""

    def is_over(self) -> bool:
        """Whether nothing of the last delivery is left."""


def one(settings: NotifySettings, root: Path, **environ: str) -> Channel:
    [found] = channels(settings, root, {**os.environ, **environ})
    return found


class OfProgram:
    """A script that keeps what it is given."""

    name = "hear.sh"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.script = folder / "bin" / self.name
        self.script.parent.mkdir()
        self.write(self.hears)

    @property
    def hears(self) -> str:
        return f'cat > "{self.folder}/$$.part" && mv "{self.folder}/$$.part" "{self.folder}/$$.got"'

    def write(self, body: str) -> None:
        self.script.write_text(f"#!/bin/sh\necho $$ >> {self.folder}/pids\n{body}\n")
        self.script.chmod(0o755)

    def behave(self, how: str) -> None:
        self.write(
            "echo no luck; exit 3"
            if how == "fail"
            else f"sleep 100 & echo $! >> {self.folder}/pids; wait"
        )

    def is_over(self) -> bool:
        pids = (self.folder / "pids").read_text().split()
        return not any(Path(f"/proc/{pid}").exists() for pid in pids)

    def channel(self) -> Channel:
        return one(NotifySettings(command=(str(self.script),)), self.folder / "repository")

    def got(self) -> list[tuple[str, str]]:
        wholes = [path.read_text() for path in sorted(self.folder.glob("*.got"))]
        return [(head, text.rstrip("\n")) for head, _, text in (w.partition("\n") for w in wholes)]


class OfDesktop(OfProgram):
    name = "notify-send"

    @property
    def hears(self) -> str:
        return f'printf "%s\\n" "$@" > "{self.folder}/$$.got"'

    def channel(self) -> Channel:
        path = f"{self.script.parent}:{os.environ['PATH']}"
        return one(NotifySettings(desktop=True), self.folder / "repository", PATH=path)

    def got(self) -> list[tuple[str, str]]:
        found = []
        for path in sorted(self.folder.glob("*.got")):
            app, urgency, end, title, *text = path.read_text().splitlines()
            assert (app, urgency, end) == ("--app-name=Ralph", "--urgency=critical", "--")
            found.append((title, html.unescape("\n".join(text))))
            assert "<b>" not in "\n".join(text), "a desktop would read it as markup"
        return found


class OfHook:
    def __init__(self, folder: Path, hooks: HookServer) -> None:
        self.folder = folder
        self.hooks = hooks

    def behave(self, how: str) -> None:
        self.hooks.answer = 500 if how == "fail" else "hang"

    def is_over(self) -> bool:
        return True  # a thread that hangs is left to itself

    def channel(self) -> Channel:
        url = f"{self.hooks.url}/{SECRET}"
        return one(NotifySettings(webhook=url), self.folder)

    def got(self) -> list[tuple[str, str]]:
        return [
            (body["title"], body["text"].partition("\n")[2].rstrip("\n")) for body in self.hooks.got
        ]


class OfApprise(OfHook):
    def channel(self) -> Channel:
        url = f"json://127.0.0.1:{self.hooks.port}/${{HOOK}}"
        return one(NotifySettings(apprise=(url,)), self.folder, HOOK=SECRET)

    def got(self) -> list[tuple[str, str]]:
        return [(body["title"], body["message"].rstrip("\n")) for body in self.hooks.got]


@pytest.fixture
def hooks() -> Iterator[HookServer]:
    with hook_server() as served:
        yield served


@pytest.fixture(params=["command", "desktop", "webhook", "apprise"])
def way(request: pytest.FixtureRequest, tmp_path: Path) -> Way:
    match request.param:
        case "command":
            return OfProgram(tmp_path)
        case "desktop":
            return OfDesktop(tmp_path)
        case "webhook":
            return OfHook(tmp_path, request.getfixturevalue("hooks"))
        case _:
            return OfApprise(tmp_path, request.getfixturevalue("hooks"))


def delivered(channel: Channel, letter: Letter = LETTER) -> str:
    return asyncio.run(courier.deliver(channel, letter))


# Every channel


def test_a_message_arrives_as_it_is(way: Way) -> None:
    channel = way.channel()
    assert channel.lacks() == ""
    assert delivered(channel) == ""
    assert way.got() == [(LETTER.title, LETTER.text)]


def test_what_fails_is_said_in_a_line_without_the_address(way: Way) -> None:
    way.behave("fail")
    channel = way.channel()
    why = delivered(channel)
    assert why
    assert "\n" not in why
    assert SECRET not in why + channel.name


def test_what_hangs_is_given_up_and_leaves_nothing(
    way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courier, "SECONDS", 0.4)
    way.behave("hang")
    began = time.monotonic()
    assert delivered(way.channel()) == "no answer within 0.4 seconds"
    assert time.monotonic() - began < 3
    wait_until(way.is_over, "the end of what was started")


# A command


def test_a_command_sees_what_it_is_about_and_nothing_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = NotifySettings(command=shell("env > seen; pwd >> seen"), env=("CHAT_TOKEN",))
    root = tmp_path / "repository"
    given = {"CHAT_TOKEN": "mine", "OTHER_TOKEN": "not its"}
    channel = one(settings, root, PATH=f"{root}/bin:.:/usr/bin:/bin", **given)
    assert delivered(channel) == ""
    seen = (tmp_path / "seen").read_text().splitlines()
    assert "CHAT_TOKEN=mine" in seen
    assert f"RALPH_NOTIFY_TITLE={LETTER.title}" in seen
    assert {"RALPH_NOTIFY_ON=question", "RALPH_NOTIFY_QUESTIONS=Q1"} <= {*seen}
    assert "not its" not in "".join(seen)
    assert "PATH=/usr/bin:/bin" in seen, "nothing is taken from where agents write"
    assert seen[-1] == str(tmp_path), "it runs in the home"


def test_a_command_inside_the_repository_is_not_run(tmp_path: Path) -> None:
    way = OfProgram(tmp_path)
    channel = one(NotifySettings(command=(str(way.script),)), tmp_path)
    assert "it lies in the repository, where agents can change it" in delivered(channel)
    assert not way.got()
    beside = one(NotifySettings(command=(str(way.script),)), way.script.parent.with_name("bi"))
    assert delivered(beside) == ""


# A webhook


def test_a_webhook_gets_what_there_is_to_know_and_its_headers(
    tmp_path: Path, hooks: HookServer
) -> None:
    settings = NotifySettings(
        webhook="http://127.0.0.1:${PORT}/hook",
        headers=("Authorization: Bearer ${TOKEN}", "X-Team:  house  "),
    )
    channel = one(settings, tmp_path, PORT=str(hooks.port), TOKEN=SECRET)
    assert delivered(channel) == ""
    [got], [headers] = hooks.got, hooks.headers
    assert got == {
        "title": LETTER.title,
        "text": LETTER.whole,
        "project": "/home/ada/acme",
        "on": ["question"],
        "news": [
            {
                "on": ["question"],
                "what": "question Q1",
                "lines": ["1. left"],
                "task": "A",
                "question": "Q1",
                "options": ["left", "<b>right"],
            }
        ],
        "link": "https://ralph.example",
    }
    assert headers["Content-Type"] == "application/json"
    assert headers["Authorization"] == f"Bearer {SECRET}"
    assert headers["X-Team"] == "house"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(tmp_path: Path, hooks: HookServer, status: int) -> None:
    with hook_server() as elsewhere:
        hooks.answer, hooks.location = status, elsewhere.url
        why = delivered(one(NotifySettings(webhook=hooks.url), tmp_path))
        assert why == f"HTTP {status} (it points elsewhere: give that address)"
        assert (len(hooks.got), elsewhere.got) == (1, [])


@pytest.mark.parametrize(
    ("answer", "says"), [("close", "no answer that makes sense"), ("drip", "no answer within")]
)
def test_a_strange_server_is_given_up(
    tmp_path: Path, hooks: HookServer, monkeypatch: pytest.MonkeyPatch, answer: str, says: str
) -> None:
    monkeypatch.setattr(courier, "SECONDS", 0.4)
    hooks.answer = answer
    assert says in delivered(one(NotifySettings(webhook=hooks.url), tmp_path))


def test_a_server_that_is_not_there(tmp_path: Path, hooks: HookServer) -> None:
    settings = NotifySettings(webhook="http://127.0.0.1:9/hook")
    assert "refused" in delivered(one(settings, tmp_path))


# What cannot work is said before it is tried


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"webhook": "file:///etc/passwd"}, "begins with https:// or http://"),
        ({"webhook": "ftp://example.org/x"}, "begins with https:// or http://"),
        ({"webhook": "hooks.example.org"}, "begins with https:// or http://"),
        ({"webhook": "http://[::1/x"}, "begins with https:// or http://"),
        ({"webhook": "https://example.org/${NOBODY_SET_IT}"}, "no NOBODY_SET_IT"),
        ({"webhook": "https://example.org", "headers": ("X",)}, "not of the form"),
        ({"command": ("no-such-program", "-x")}, "there is no program no-such-program"),
        ({"desktop": True}, "there is no program notify-send"),
        ({"apprise": ("tgram://${NOBODY_SET_IT}/1",)}, "no NOBODY_SET_IT"),
    ],
)
def test_what_is_missing_is_said_by_the_doctor_too(
    tmp_path: Path, settings: Mapping[str, Any], says: str
) -> None:
    wanted = NotifySettings(**settings)
    channel = one(wanted, tmp_path, PATH="/nowhere")
    assert says in channel.lacks()
    assert delivered(channel) == channel.lacks()
    [found] = look(wanted, tmp_path, {"PATH": "/nowhere"})
    assert says in found.found


def test_what_apprise_says_of_an_address_is_left_out(tmp_path: Path) -> None:
    channel = one(NotifySettings(apprise=("json://127.0.0.1:9/",)), tmp_path)
    assert delivered(channel) == "A Connection error occurred sending JSON notification to …."


def test_an_address_that_apprise_does_not_know(tmp_path: Path) -> None:
    channel = one(NotifySettings(apprise=(f"nonsense://{SECRET}",)), tmp_path)
    assert delivered(channel) == "Apprise does not understand this address"


def test_channels_have_names_that_tell_no_secret(tmp_path: Path) -> None:
    settings = NotifySettings(
        command=shell("curl -d @- https://example.org/$TOKEN"),
        webhook=f"https://ada:{SECRET}@example.org:8443/{SECRET}?key={SECRET}",
        desktop=True,
        apprise=(f"tgram://{SECRET}/1", f"mailto://ada:{SECRET}@example.org"),
    )
    assert [way.name for way in channels(settings, tmp_path, {})] == [
        "command curl",
        "webhook example.org:8443",
        "desktop",
        "apprise 1: tgram",
        "apprise 2: mailto",
    ]

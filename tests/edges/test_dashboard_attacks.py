"""Everything that may be tried on the dashboard by another page, program or name."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.responses import PlainTextResponse
from tests.support.dashboard import Dashboard
from tests.support.project import ASKS_FIRST, Project

from ralph.ui.web import server
from ralph.ui.web.gate import HEADERS, MOST_BODY
from ralph.ui.web.stream import MOST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ANSWER = {"question": "Q1", "option": "1"}
HIDDEN = "only for its owner"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, shared_home: Path) -> Iterator[Dashboard]:
    """A repository with an open question, and its dashboard."""
    project = Project(tmp_path_factory.mktemp("attacked"), agent=ASKS_FIRST)
    assert project.run("--once").code == 5
    (project.folder / "secret.txt").write_text(HIDDEN, encoding="utf-8")
    logs = project.root / ".ralph" / "logs"
    (logs / "iteration-1-linked.log").symlink_to(project.folder / "secret.txt")
    with Dashboard(project) as dashboard:
        dashboard.sign_in()
        yield dashboard


@pytest.fixture(autouse=True)
def unchanged(served: Dashboard) -> Iterator[None]:
    """Whatever was tried: nobody answered, and nothing else was written."""
    before = served.project.events()
    yield
    assert served.project.events() == before


# Without the token


@pytest.mark.parametrize(
    "path", ["/", "{page}", "{page}/task?id=US-001", "{page}/logs?iteration=1", "/live?page=home"]
)
def test_without_the_token_nothing_is_shown(served: Dashboard, path: str) -> None:
    where = path.format(page=served.page)
    for given in ({}, {"Cookie": f"ralph-{served.port}=guess"}, {"Authorization": "Bearer no"}):
        status, _, text = served.ask(where, given)
        assert status == 401
        assert "US-001" not in text
        _, _, page = served.ask(where, {**given, "Accept": "text/html"})
        assert "Sign in" in page
        assert "journey" not in page.casefold()


def test_metrics_need_the_token_too(served: Dashboard) -> None:
    assert served.ask("/metrics")[0] == 401
    status, headers, text = served.ask("/metrics", {"Authorization": f"Bearer {served.token}"})
    assert (status, headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert "ralph_questions{" in text


def test_a_guessed_token_is_refused_and_guessing_is_slow(served: Dashboard) -> None:
    answers = [
        served.ask("/session", served.own({"Cookie": "", "X-Ralph-Key": ""}), b'{"token": "no"}')[0]
        for _ in range(25)
    ]
    assert set(answers) == {401, 429}


def test_the_token_is_in_no_page_and_on_no_disk(served: Dashboard) -> None:
    assert served.token not in served.get(served.page)[1]
    home = served.project.home
    files = [path for path in home.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if served.token.encode() in path.read_bytes()]
    process = Path("/proc") / str(served.pid)
    assert not [n for n in ("cmdline", "environ") if served.token in (process / n).read_text()]


def test_the_cookie_is_for_this_page_alone(served: Dashboard) -> None:
    _, headers, _ = served.ask(
        "/session", {"Authorization": f"Bearer {served.token}", "Content-Type": "application/json"},
        json.dumps({"token": served.token}).encode(),
    )  # fmt: skip
    cookie = headers.get("set-cookie", "")
    assert cookie == "" or {"HttpOnly", "SameSite=Strict"} <= set(cookie.split("; "))
    assert "expires" not in cookie.lower()


# Names


@pytest.mark.parametrize(
    "host",
    [
        *(
            "evil.example",
            "evil.example:{port}",
            "127.0.0.1",
            "127.0.0.1:1",
            "localhost.evil:{port}",
        ),
        *("127.0.0.1:{port}@evil", "0.0.0.0:{port}", "127.1:{port}", "", "[::2]:{port}"),
    ],
)
def test_another_name_for_this_machine_is_refused(served: Dashboard, host: str) -> None:
    """A page elsewhere whose name was bound to 127.0.0.1 afterwards has its own name in Host."""
    named = host.format(port=served.port)
    status, _, text = served.ask(served.page, {"Host": named, "Cookie": served.cookie})
    assert status in (400, 403)
    assert "US-001" not in text
    body = json.dumps(ANSWER).encode()
    told = served.own({"Host": named, "Origin": f"http://{named}"})
    assert served.ask(f"{served.page}/do/answer", told, body)[0] in (400, 403)


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"])
def test_its_own_names_are_known(served: Dashboard, name: str) -> None:
    assert served.get(served.page, {"Host": f"{name}:{served.port}"})[0] == 200


def test_two_hosts_are_one_too_many(served: Dashboard) -> None:
    request = f"GET / HTTP/1.1\r\nHost: {served.host}\r\nHost: evil.example\r\n\r\n"
    assert raw(served, request.encode()).startswith(b"HTTP/1.1 400")


# Other pages


@pytest.mark.parametrize(
    "more",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
        {"Origin": "http://{host}.evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "multipart/form-data; boundary=x"},
        {"X-Ralph-Key": ""},
        {"X-Ralph-Key": "0" * 64},
        {"Cookie": ""},
    ],
    ids=str,
)
def test_a_write_of_another_page_is_refused(served: Dashboard, more: Mapping[str, str]) -> None:
    given = {name: value.format(host=served.host) for name, value in more.items()}
    assert served.do("answer", given, **ANSWER) in (401, 403, 415)


def test_a_write_without_an_origin_needs_the_token_itself(served: Dashboard) -> None:
    body, path = b'{"question": "Q9", "option": "1"}', f"{served.page}/do/answer"
    own = {k: v for k, v in served.own({}).items() if k != "Origin"}
    assert served.ask(path, own, body)[0] == 403
    bearer = {"Authorization": f"Bearer {served.token}", "Content-Type": "application/json"}
    status, _, text = served.ask(path, bearer, body)
    assert (status, "no open question Q9" in text) == (409, True)


def test_a_cookie_alone_may_look_but_not_act(served: Dashboard) -> None:
    """Browsers send it to every port of a host, also to a server that an agent started."""
    assert served.get(served.page)[0] == 200
    assert served.do("answer", {"X-Ralph-Key": ""}, **ANSWER) == 401


@pytest.mark.parametrize(("mode", "aim"), [("no-cors", "image"), ("cors", "empty"),
                                           ("navigate", "iframe")])  # fmt: skip
def test_other_pages_may_not_load_anything(served: Dashboard, mode: str, aim: str) -> None:
    more = {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": aim}
    assert served.get(served.page, more)[0] == 403


def test_no_answer_lets_another_origin_read(served: Dashboard) -> None:
    more = {"Cookie": served.cookie, "Origin": "https://evil.example"}
    for path in ("/", served.page, "/static/ralph.js", "/nothing"):
        _, headers, _ = served.ask(path, more)
        assert not [name for name in headers if name.startswith("access-control")]
        assert HEADERS.items() <= headers.items()
    assert served.ask("/", more, method="OPTIONS")[0] == 405


def test_looking_changes_nothing(served: Dashboard) -> None:
    assert served.get(f"{served.page}/do/answer?question=Q1&option=1")[0] in (404, 405)
    for method in ("PUT", "DELETE", "PATCH", "TRACE"):
        assert served.ask(served.page, served.own({}), method=method)[0] == 405


# Paths and ids


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/static/../app.py",
            "/static/%2e%2e/app.py",
            "/static/..%2fapp.py",
            "/static//etc/passwd",
        ),
        *("/p/../../etc/passwd", "/p/..", "/p/%00", "/p/0000000000000000", "/p/ABCDEF0123456789"),
        *("//evil.example/", "/p/{project}/../../home", "/p/{project}/nothing"),
    ],
)
def test_paths_lead_nowhere(served: Dashboard, path: str) -> None:
    status, text = served.get(path.format(project=served.page[3:]))
    assert status in (404, 405)
    assert "Traceback" not in text
    assert str(served.project.folder) not in text


@pytest.mark.parametrize(
    "asked",
    ["task?id=../../secret", "task?id=%00", "logs?iteration=../1", "logs?iteration=-1",
     "logs?iteration=99999999999", "history?before=1%27--", "task?id=" + "x" * 1500],
)  # fmt: skip
def test_ids_are_looked_up_and_never_opened(served: Dashboard, asked: str) -> None:
    status, text = served.get(f"{served.page}/{asked}")
    assert status == 200
    assert HIDDEN not in text


def test_a_link_among_the_logs_is_not_followed(served: Dashboard) -> None:
    text = served.get(f"{served.page}/logs?iteration=1")[1]
    assert "iteration-1.txt" in text
    assert HIDDEN not in text
    assert HIDDEN not in served.get(f"{served.page}/logs?q=owner")[1].split("<h2")[-1]


# Too much


def test_what_is_sent_is_bounded(served: Dashboard) -> None:
    path = f"{served.page}/do/answer"
    assert served.ask(path, served.own({"Content-Length": str(MOST_BODY + 1)}), b"")[0] == 413
    assert served.ask(path, served.own({"Content-Length": "9" * 5000}), b"")[0] in (400, 413, 431)
    chunked = served.own({"Transfer-Encoding": "chunked"})
    chunked |= {"Content-Length": ""}
    assert served.ask(path, chunked, b"")[0] in (400, 411)
    assert served.ask("/?" + "x" * 5000, {"Cookie": served.cookie})[0] == 414
    assert raw(served, b"GET / HTTP/1.1\r\nX: " + b"x" * (1 << 20)).startswith(b"HTTP/1.1 4")


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"1", b'{"question": 1}', b"[" * 60_000, b"\xff\xfe", b'{"question":']
)
def test_a_body_that_is_none_is_refused(served: Dashboard, body: bytes) -> None:
    status, _, text = served.ask(f"{served.page}/do/answer", served.own({}), body)
    assert status == 400
    assert "Traceback" not in text


def test_streams_are_counted_and_strangers_shut_nobody_out(served: Dashboard) -> None:
    asked = (
        f"GET /live?page=home HTTP/1.1\r\nHost: {served.host}\r\nCookie: {served.cookie}\r\n\r\n"
    )
    open_ones = []
    try:
        for _ in range(MOST + 5):
            one = socket.create_connection(("127.0.0.1", served.port), timeout=20)
            one.sendall(asked.encode())
            open_ones.append((one, one.recv(12)))
        assert [answer[9:] for _, answer in open_ones].count(b"200") == MOST
        assert open_ones[-1][1][9:] == b"429"
    finally:
        for one, _ in open_ones:
            one.close()
    strangers = [served.ask("/")[0] for _ in range(150)]
    assert 429 in strangers
    assert served.get(served.page)[0] == 200


async def _silent(seconds: float) -> bytes:
    """What a server says to a connection that never asks."""
    listening = server.listen("127.0.0.1", 0)
    serving = server.Server(PlainTextResponse("never asked for"), lambda: None)
    with closing(listening):
        work = asyncio.create_task(serving._serve([listening]))
        reader, writer = await asyncio.open_connection(*listening.getsockname())
        writer.write(b"GET / HTTP/1.1\r\n")
        try:
            return await asyncio.wait_for(reader.read(), seconds)
        except ConnectionError:
            return b""
        finally:
            writer.close()
            serving.should_exit = True
            await work


def test_a_connection_that_says_nothing_does_not_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "SILENT_SECONDS", 0.1)
    assert asyncio.run(_silent(5)) == b""
    monkeypatch.setattr(server, "SILENT_SECONDS", 60)
    with pytest.raises(TimeoutError):
        asyncio.run(_silent(0.3))


def test_it_listens_on_this_machine_alone(served: Dashboard) -> None:
    tables = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
    listening = "".join(path.read_text() for path in tables if path.exists())
    mine = [line.split()[1] for line in listening.splitlines() if f":{served.port:04X} " in line]
    assert "0100007F:" + f"{served.port:04X}" in mine
    assert not [one for one in mine if one.startswith("00000000")]


def raw(served: Dashboard, data: bytes) -> bytes:
    with closing(socket.create_connection(("127.0.0.1", served.port), timeout=20)) as one:
        with suppress(ConnectionError):
            one.sendall(data)
        return one.recv(64)

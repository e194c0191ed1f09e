"""The scripted endpoint: an HTTP server on loopback, in threads of this process.

    with Endpoint({"main": Script((say("Done."),))}) as endpoint:
        subprocess.run(command, env=own | endpoint.environment("main"))
        assert not endpoint.problems()

`http://127.0.0.1:PORT/<name>` is the base URL of the script with that name, so that several agents
share a port without seeing each other's turns.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, Self

from msgspec import Struct
from msgspec.structs import replace

from ralph.testing.anthropic import Anthropic
from ralph.testing.dialect import HttpReply
from ralph.testing.gemini import Gemini
from ralph.testing.script import BadModelScript, Turn, check, choose
from ralph.testing.server import LOOPBACK, EndpointServer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ralph.testing.dialect import Body, Dialect
    from ralph.testing.script import Script

DIALECTS: dict[str, Dialect] = {"anthropic": Anthropic(), "gemini": Gemini()}
MASKED = "masked"
_SECRETS = {"authorization", "x-api-key", "x-goog-api-key", "cookie", "proxy-authorization"}
_POLL_SECONDS = 0.02
_NO_MARKER = "A subagent asks, and no marker of the script is in what it was told."


class Request(Struct, frozen=True):
    """What a program asked, and which turn it got."""

    time: float
    script: str
    path: str
    headers: dict[str, str]
    """Names in lower case; secrets are masked."""
    body: dict[str, Any]
    side: bool = False
    """No part of the conversation: it took no turn."""
    marker: str = ""
    """The marker of the turns it was answered from; empty: those of no marker."""
    turn: int | None = None
    """The turn it got, counted from 0."""
    problem: str = ""
    """Why the script has no answer for it; such a request takes no turn."""


class Endpoint:
    """Serves scripts while its `with` block lasts."""

    def __init__(
        self,
        scripts: Mapping[str, Script],
        *,
        port: int = 0,
        watch: Callable[[Request], None] | None = None,
    ) -> None:
        self.scripts = {name: check(script, name) for name, script in scripts.items()}
        self.requests: list[Request] = []
        self.port = port
        self._watch = watch
        self._taken: Counter[tuple[str, bool, str]] = Counter()
        self._lock = threading.Lock()
        self._closing = threading.Event()

    def __enter__(self) -> Self:
        self._server = EndpointServer(self._answer, self._closing, self.port)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(_POLL_SECONDS,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End every request, also those that hang, and stop serving."""
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.hang_up()
        self._server.server_close()

    def url(self, name: str) -> str:
        if name not in self.scripts:
            raise BadModelScript(f"There is no script `{name}`. Known: {', '.join(self.scripts)}.")
        return f"http://{LOOPBACK}:{self.port}/{name}"

    def environment(
        self, name: str, *, dialect: str = "anthropic", subscription: bool = False
    ) -> dict[str, str]:
        """The variables that make the vendor's program quiet, offline and pointed here."""
        return DIALECTS[dialect].environment(self.url(name), subscription=subscription)

    def problems(self) -> list[str]:
        """What the scripts had no answer for, once each; empty: all went as written."""
        with self._lock:
            return list(dict.fromkeys(one.problem for one in self.requests if one.problem))

    def left(self, name: str) -> int:
        """How many turns of the script, whoever they are for, nobody has asked for."""
        lists = self.scripts[name].lists()
        with self._lock:
            return sum(max(0, len(turns) - self._taken[name, *key]) for key, turns in lists.items())

    def _answer(self, path: str, headers: dict[str, str], body: Body) -> tuple[HttpReply, Turn]:
        """The reply to a request, and the turn that says how it is given."""
        name, _, rest = path.lstrip("/").partition("/")
        rest = "/" + rest.partition("?")[0]
        request = Request(time.time(), name, rest, _masked(headers), body)
        dialect = next((one for one in DIALECTS.values() if one.answers(rest)), None)
        if dialect is None or name not in self.scripts:
            problem = f"Nothing is scripted for {path}."
            self._note(replace(request, problem=problem))
            return HttpReply(404, (problem.encode(),), "text/plain"), Turn()
        side = dialect.side(rest, body)
        if side is not None:
            self._note(replace(request, side=True))
            return side, Turn()
        request, turn = self._take(dialect, request)
        self._note(request)
        if turn is None:
            return dialect.refuse(f"Scripted endpoint: {request.problem}"), Turn()
        return dialect.render(turn, body), turn

    def _take(self, dialect: Dialect, request: Request) -> tuple[Request, Turn | None]:
        """The next turn of the conversation that the request belongs to."""
        script = self.scripts[request.script]
        subagent = dialect.is_subagent(request.headers, request.body)
        marker = script.marker(dialect.opening(request.body), subagent=subagent)
        if subagent and not marker:
            return replace(request, problem=_NO_MARKER), None
        turns = script.lists()[subagent, marker]
        taken = (request.script, subagent, marker)
        words = json.dumps(request.body, ensure_ascii=False)
        with self._lock:
            number, problem = choose(turns, self._taken[taken], words)
            self._taken[taken] += not problem
        if problem:
            return replace(request, marker=marker, problem=problem), None
        return replace(request, marker=marker, turn=number), turns[number]

    def _note(self, request: Request) -> None:
        with self._lock:
            self.requests.append(request)
            if self._watch is not None:
                self._watch(request)


def _masked(headers: dict[str, str]) -> dict[str, str]:
    return {name: MASKED if name in _SECRETS else value for name, value in headers.items()}

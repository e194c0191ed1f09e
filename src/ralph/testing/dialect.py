"""The seam between the endpoint and a vendor's HTTP interface.

A script knows no vendor and the endpoint knows no protocol. A dialect is an object that

* `answers` a path (what follows the script's name in the URL),
* tells whether a subagent sent a request (`is_subagent`) and with which text its conversation was
  opened (`opening`),
* answers a `side` request, one that is no part of the conversation and takes no turn: titles,
  suggestions, counting tokens,
* renders a turn (`render`), and a refusal for which the script has no turn (`refuse`),
* names the `environment` that points the vendor's program at a URL, makes it quiet and keeps it
  from retrying for minutes; `subscription` asks for a dummy of a subscription's token instead of
  an API key, where the vendor tells the two apart.

A further vendor is a further file beside `anthropic.py` and a line in `DIALECTS` of `endpoint.py`.
Paths must not overlap: the first dialect that answers a path gets the request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from ralph.testing.script import Turn

    Body = dict[str, Any]


class HttpReply(Struct, frozen=True):
    """An HTTP answer. Each chunk is written on its own, so that it can be broken off between."""

    status: int
    chunks: tuple[bytes, ...]
    content_type: str = "application/json"
    headers: dict[str, str] = {}


class Dialect(Protocol):
    """How one vendor speaks HTTP. Names of headers come in lower case."""

    def answers(self, path: str) -> bool: ...

    def is_subagent(self, headers: dict[str, str], body: Body) -> bool: ...

    def opening(self, body: Body) -> str: ...

    def side(self, path: str, body: Body) -> HttpReply | None: ...

    def render(self, turn: Turn, body: Body) -> HttpReply: ...

    def refuse(self, message: str) -> HttpReply: ...

    def environment(self, url: str, *, subscription: bool) -> dict[str, str]: ...

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from ralph import masking
from ralph.domain.answer import Ended
from ralph.domain.walls import Walls

if TYPE_CHECKING:
    from collections.abc import Iterable

KEPT = 64 << 10

_SECRET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/=.~%"
_PARTS = range(8, 500)
"""How long a part of one may be that tells something."""

_NAMES = frozenset(
    (
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "COLORTERM", "NO_COLOR", "TMPDIR"),
        *("LANG", "LANGUAGE", "TZ", "CI", "VIRTUAL_ENV", "PYTHONPATH"),
        *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"),
        *("XDG_CONFIG_DIRS", "XDG_DATA_DIRS", "XDG_RUNTIME_DIR"),
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
        *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
        *("NODE_EXTRA_CA_CERTS",),
    )
)


class Pulse(Struct, frozen=True):
    """Signs of life of a child and what came from it."""

    silent: float
    """Seconds since it last wrote something, or since its start."""
    processor: float
    """Seconds of processor time, of all of them together."""
    children: int
    """How many live, besides the child itself."""


class Body(Protocol):
    """A running child, from outside."""

    def stop(self) -> None: ...

    def pulse(self) -> Pulse | None: ...


class Input(Body, Protocol):
    """A running child and its standard input."""

    def send(self, data: bytes) -> None: ...

    def end_input(self) -> None: ...


class Child(Struct, frozen=True):
    """A program to start, and the bounds it has to keep."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    stdin: bytes = b""
    log: Path | None = None
    log_cap: int = 64 << 20
    wall_seconds: float = 0
    """0 for no limit."""
    idle_seconds: float = 0
    """How long it may write nothing; 0 for no limit."""
    grace_seconds: float = 3
    """How long it has between the interrupt and the TERM signal."""
    on_output: Callable[[bytes], None] | None = None
    on_start: Callable[[Input], None] | None = None
    """Called with the running child, whose input then stays open until someone closes it."""
    attach: Callable[[Body], None] | None = None
    """Called with the running child as well; its input is not for the caller."""
    walls: Walls | None = None
    """What it is confined by; None where it has the rights of the user."""
    touches: tuple[Path, ...] = ()
    """Folders that it has to write to whatever confines it."""
    own: bool = False
    """Whether it is a tool of Ralph's, which no walls are needed for."""
    online: bool = False
    """Whether it has to reach others, or be reached."""
    head_bytes: int = KEPT
    tail_bytes: int = KEPT


class Finished(Struct, frozen=True):
    """How a child ended and what it wrote."""

    ended: Ended
    exit_code: int | None
    """128 + n for signal n; 126 and 127 as in a shell for what could not be started."""
    seconds: float
    output_bytes: int = 0
    head: bytes = b""
    """As it was written, secrets included: for reading, not for showing."""
    tail: bytes = b""
    """The end of what comes after the head."""
    sha256: str = ""
    """Of the whole output as it was written, also of what the log left out or masked."""
    log: str = ""
    """The file with the output; empty if there is none or it could not be written."""
    error: str = ""
    """Why it could not be started, or its log not be written."""

    def text(self, limit: int) -> str:
        """The output in at most about `limit` bytes: its beginning and, mostly, its end.

        It has no secrets in it: neither whole nor, where something is left out, half of one.
        """
        head, tail = self.head, self.tail
        if len(head) + len(tail) == self.output_bytes:
            head, tail = b"", head + tail
        if len(head) + len(tail) > limit:
            kept = max(limit - len(tail), limit // 4)
            head, tail = (head or tail)[:kept], tail[len(tail) - (limit - kept) :]
        left_out = self.output_bytes - len(head) - len(tail)
        if left_out <= 0:
            return masking.text((head + tail).decode("utf-8", "replace"))
        gap = f"\n[… {left_out} bytes left out …]\n"
        # what is cut there may be a part of a secret whose rest was left out
        head = _without_part(head, head.rstrip(_SECRET))
        tail = _without_part(tail, tail.lstrip(_SECRET))
        joined = head.decode("utf-8", "replace") + gap + tail.decode("utf-8", "replace")
        return masking.text(joined)


def _without_part(whole: bytes, cut: bytes) -> bytes:
    return cut if len(whole) - len(cut) in _PARTS else whole


def environment(
    base: Mapping[str, str],
    *,
    extra_names: Iterable[str] = (),
    add: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """What a child may see of `base`: the usual names and `extra_names`; then `add`."""
    allowed = _NAMES | frozenset(extra_names)
    seen = {k: v for k, v in base.items() if k in allowed or k.startswith("LC_")}
    return seen | dict(add or {})

"""The server around the pages: one socket, and an end that does not wait for open streams."""

from __future__ import annotations

import errno
import logging
import socket
from typing import TYPE_CHECKING

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ralph.domain.errors import RalphError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from types import FrameType

    from starlette.types import ASGIApp

SILENT_SECONDS = 10.0
"""How long a connection may stay without a request."""
MOST_CONNECTIONS = 400
END_SECONDS = 1


def listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise RalphError(
                f"Port {port} is taken, perhaps by another `ralph serve`.",
                fix=f"Choose another one: `ralph serve --port {port + 1}`.",
            ) from error
        if error.errno == errno.EACCES:
            raise RalphError(
                f"You may not listen on port {port}.", fix="Choose one above 1023 with `--port`."
            ) from error
        raise RalphError(
            f"Cannot listen on {host}, port {port}: {error.strerror}.",
            fix="Give an address of this machine with `--host`.",
        ) from error
    except OverflowError as error:
        raise RalphError(f"There is no port {port}.") from error


class _Connection(H11Protocol):
    """One that says nothing is closed; so is one too many."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
            return
        self.loop.call_later(SILENT_SECONDS, self._close_if_silent)

    @property
    def has_asked(self) -> bool:
        """Whether a whole request has come; uvicorn's attribute is None until then."""
        cycle: object = self.cycle
        return cycle is not None

    def _close_if_silent(self) -> None:
        if not self.has_asked:
            self.transport.abort()


class Server(uvicorn.Server):
    def __init__(self, app: ASGIApp, leaving: Callable[[], None]) -> None:
        logging.getLogger("uvicorn").setLevel(logging.CRITICAL)  # bugs have a file of their own
        config = uvicorn.Config(
            app,
            http=_Connection,
            ws="none",
            loop="asyncio",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=END_SECONDS,
            h11_max_incomplete_event_size=32 << 10,
        )
        super().__init__(config)
        self._leaving = leaving

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - uvicorn's
        # Nothing is captured, which would be raised again at the end: this is how one leaves.
        # Streams are told to end: uvicorn would wait for them.
        self._leaving()
        self.force_exit = self.should_exit
        self.should_exit = True

"""HTTP for the endpoint: reads requests, writes replies in chunks, breaks what should break."""

from __future__ import annotations

import contextlib
import json
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from ralph.testing.dialect import Body, HttpReply
    from ralph.testing.script import Turn

    Answer = Callable[[str, dict[str, str], Body], tuple[HttpReply, Turn]]

LOOPBACK = "127.0.0.1"


class EndpointServer(ThreadingHTTPServer):
    """A thread per connection; all of them end when the endpoint closes."""

    daemon_threads = False
    request_queue_size = 64

    def __init__(self, answer: Answer, closing: threading.Event, port: int) -> None:
        self.answer = answer
        self.closing = closing
        self.connections: set[socket.socket] = set()
        super().__init__((LOOPBACK, port), _Handler)

    def server_bind(self) -> None:
        # HTTPServer's own also asks the resolver for the host's name, which can take seconds.
        TCPServer.server_bind(self)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - socketserver's signature
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401 - socketserver's signature
        self.connections.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Wake the threads that wait for a further request on an open connection."""
        for connection in tuple(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server: EndpointServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def handle(self) -> None:
        # A program that goes away in the middle of an answer is the normal case here.
        with contextlib.suppress(ConnectionError):
            super().handle()

    def log_message(self, *_: object) -> None:
        """The endpoint keeps a log of its own."""

    def do_GET(self) -> None:
        self._reply({})

    def do_HEAD(self) -> None:
        self._reply({})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(raw)
        except ValueError:
            body = None
        if isinstance(body, dict):
            self._reply(body)
        else:
            self.send_error(400, "The body is not a JSON object")

    def _reply(self, body: Body) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply, turn = self.server.answer(self.path, headers, body)
        if turn.hang or self.server.closing.wait(turn.delay):
            self.server.closing.wait()
            self.close_connection = True
        elif turn.garbage is not None:
            self._write_whole(reply, turn.garbage.encode())
        elif len(reply.chunks) == 1 and turn.drop is None:
            self._write_whole(reply, reply.chunks[0])
        else:
            self._write_chunks(reply, turn)

    def _write_head(self, reply: HttpReply, name: str, value: str) -> None:
        self.send_response(reply.status)
        for pair in {"content-type": reply.content_type, **reply.headers, name: value}.items():
            self.send_header(*pair)
        self.end_headers()

    def _write_whole(self, reply: HttpReply, data: bytes) -> None:
        self._write_head(reply, "content-length", str(len(data)))
        if self.command != "HEAD":
            self.wfile.write(data)

    def _write_chunks(self, reply: HttpReply, turn: Turn) -> None:
        self._write_head(reply, "transfer-encoding", "chunked")
        for number, chunk in enumerate(reply.chunks[: turn.drop]):
            if number and self.server.closing.wait(turn.pace):
                break
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        if turn.drop is None and not self.server.closing.is_set():
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.close_connection = True

"""A server on the loopback that is sent messages, and answers as a test wants."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class HookServer:
    """`answer` is a status, or `close`, `hang` or `drip`."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.answer: int | str = 200
        self.location = ""
        self.got: list[Any] = []
        """Every body, read as JSON."""
        self.headers: list[dict[str, str]] = []
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"


@contextmanager
def hook_server() -> Iterator[HookServer]:
    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            hooks.got.append(json.loads(self.rfile.read(length)))
            hooks.headers.append(dict(self.headers))
            if hooks.answer == "hang":
                hooks.over.wait(30)
            if isinstance(hooks.answer, str):
                self._drip() if hooks.answer == "drip" else self.connection.close()
                return
            self.send_response(hooks.answer)
            if hooks.location:
                self.send_header("Location", hooks.location)
            self.end_headers()

        def do_GET(self) -> None:
            hooks.got.append("what a redirect was followed with")
            self.send_response(200)
            self.end_headers()

        def _drip(self) -> None:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while not hooks.over.wait(0.05):
                self.wfile.write(b"X-Wait: yes\r\n")
                self.wfile.flush()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    server.daemon_threads = True
    hooks = HookServer(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield hooks
    finally:
        hooks.over.set()
        server.shutdown()
        server.server_close()
        thread.join()

"""`ralph serve` as a process of its own, and requests to it as anybody could make them."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
from typing import TYPE_CHECKING, Any, Self

from tests.support.project import PATIENCE, RALPH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.support.project import Project


class Dashboard:
    def __init__(self, project: Project, *options: str) -> None:
        self.project = project
        self._process = subprocess.Popen(
            (str(RALPH), "serve", "--port", "0", "--json", *options),
            cwd=project.folder,
            env=project.env,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, self._process.communicate()[1]
        told = json.loads(line)
        self.address, self.token, self.link = told["address"], told["token"], told["link"]
        self.port = int(self.address.rstrip("/").rpartition(":")[2])
        self.host = f"127.0.0.1:{self.port}"
        self.key = self.cookie = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.end(signal.SIGTERM)

    def end(self, sign: int = signal.SIGINT) -> tuple[int, str, str]:
        """Its exit code, and what it said."""
        self._process.send_signal(sign)
        out, err = self._process.communicate(timeout=PATIENCE)
        return self._process.returncode, out, err

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(
        self,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        method: str = "",
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers and body. Nothing is added that a caller did not give, but a Host."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            method = method or ("GET" if body is None else "POST")
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            given = {"Host": self.host, **(headers or {})}
            if body is not None:
                given.setdefault("Content-Length", str(len(body)))
            for name, value in given.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, text
        finally:
            connection.close()

    def sign_in(self) -> None:
        """As the page does it."""
        status, headers, text = self.ask(
            "/session", self.own({}), json.dumps({"token": self.token}).encode()
        )
        assert status == 200, text
        self.key = json.loads(text)["key"]
        self.cookie = headers["set-cookie"].partition(";")[0]

    def own(self, more: Mapping[str, str]) -> dict[str, str]:
        """The headers of a write of our own page; None takes one away."""
        usual = {
            "Origin": f"http://{self.host}",
            "Sec-Fetch-Site": "same-origin",
            "Content-Type": "application/json",
            "Cookie": self.cookie,
            "X-Ralph-Key": self.key,
        }
        return {**usual, **more}

    def do(self, what: str, more: Mapping[str, str] | None = None, **given: Any) -> int:
        """What a control of the page does; the status."""
        path = f"{self.page}/do/{what}"
        return self.ask(path, self.own(more or {}), json.dumps(given).encode())[0]

    def get(self, path: str, more: Mapping[str, str] | None = None) -> tuple[int, str]:
        """What a page of ours asks for, signed in."""
        status, _, text = self.ask(path, {"Cookie": self.cookie, **(more or {})})
        return status, text

    @property
    def page(self) -> str:
        """Where the project's run is."""
        return f"/p/{self.project.project_id()}"

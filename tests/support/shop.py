"""A tiny web application for browser flows: a page with a counter that the server keeps.

    python shop.py PORT [FAULT…]

Each fault breaks one thing that a flow must notice: button, console, script, request, abroad,
layout, clock. The port it listens on is printed; 0 takes a free one.
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Shop</title>
<style>
body {{ font-family: sans-serif; margin: 40px; background: #fafafa; }}
h1 {{ color: #224; margin-top: {top}px; }}
button {{ background: #2962ff; color: white; border: 0; padding: 12px 24px; font-size: 16px; }}
#clock {{ color: #777; }}
</style></head><body>
<h1>Shop</h1>
<p id="clock">Served {number} times</p>
<label>Name <input id="name"></label>
<button id="buy">Buy</button>
<p id="message">Nothing bought yet</p>
<ul id="bought"></ul>
<script>
async function buy() {{
  const name = document.getElementById("name").value;
  const answer = await fetch("{action}", {{method: "POST", body: JSON.stringify({{name}})}});
  const told = await answer.json();
  document.getElementById("message").textContent = told.message;
  document.getElementById("bought").innerHTML = "<li>" + told.name + "</li>";
}}
document.getElementById("{wired}").addEventListener("click", buy);
{more}
</script></body></html>
"""
MORE = {
    "console": 'console.error("the basket is broken");',
    "script": 'setTimeout(() => { throw new Error("no such basket"); }, 1);',
    "abroad": 'fetch("http://shop.example/track").catch(() => {});',
}
served = count(1)


class Handler(BaseHTTPRequestHandler):
    faults: tuple[str, ...] = ()

    def do_GET(self) -> None:
        if self.path not in {"/", "/again"}:
            self._answer(404, "text/plain", "There is nothing here.")
            return
        page = PAGE.format(
            top=60 if "layout" in self.faults else 20,
            number=next(served) * (1_000_000 if "clock" in self.faults else 1),
            action="/nowhere" if "request" in self.faults else "/buy",
            wired="message" if "button" in self.faults else "buy",
            more=" ".join(MORE.get(fault, "") for fault in self.faults),
        )
        self._answer(200, "text/html", page)

    def do_POST(self) -> None:
        told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/buy":
            self._answer(500, "application/json", json.dumps({"message": "?", "name": "?"}))
            return
        answer = {"message": f"Thank you, {told['name']}", "name": told["name"]}
        self._answer(200, "application/json", json.dumps(answer))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""

    def _answer(self, status: int, kind: str, text: str) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def main() -> None:
    port, *faults = sys.argv[1:]
    Handler.faults = tuple(faults)
    server = ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()

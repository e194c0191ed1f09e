"""A collector of OpenTelemetry's on loopback, which keeps the spans and metrics it is sent."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

if TYPE_CHECKING:
    from collections.abc import Iterable


class Receiver:
    """Answers with `status`; with None it answers nothing until it is closed."""

    def __init__(self, status: int | None = 200) -> None:
        self.bodies: list[tuple[str, bytes]] = []
        self.headers: list[dict[str, str]] = []
        self._closing = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.headers.append({k.lower(): v for k, v in self.headers.items()})
                if status is None:
                    receiver._closing.wait()
                    return
                receiver.bodies.append((self.path, body))
                self.send_response(status)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def env(self) -> dict[str, str]:
        return {"RALPH_TELEMETRY__OTLP": self.address}

    def spans(self) -> list[Any]:
        """As they began; those that begin together as they ended, the last one first."""
        requests = (ExportTraceServiceRequest.FromString(b) for b in self._of("/v1/traces"))
        every = [
            span
            for request in requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        return sorted(every, key=lambda span: (span.start_time_unix_nano, -span.end_time_unix_nano))

    def figures(self) -> dict[str, dict[tuple[str, ...], float]]:
        """The last value of every metric by its attributes' values; of a histogram, how many."""
        found: dict[str, dict[tuple[str, ...], float]] = {}
        for body in self._of("/v1/metrics"):
            for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                for metric in (m for scope in resource.scope_metrics for m in scope.metrics):
                    found[metric.name] = _points(metric)
        return found

    def resource(self) -> dict[str, Any]:
        [body, *_] = self._of("/v1/traces")
        [resource] = ExportTraceServiceRequest.FromString(body).resource_spans
        return told(resource.resource.attributes)

    def _of(self, path: str) -> list[bytes]:
        return [body for where, body in self.bodies if where == path]


def _points(metric: Any) -> dict[tuple[str, ...], float]:
    kind = metric.WhichOneof("data")
    points = getattr(metric, kind).data_points
    if kind == "histogram":
        return {tuple(map(str, told(p.attributes).values())): p.count for p in points}
    return {
        tuple(map(str, told(p.attributes).values())): getattr(p, p.WhichOneof("value"))
        for p in points
    }


def told(attributes: Iterable[Any]) -> dict[str, Any]:
    """Attributes as plain values."""
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}

"""The way to the collector: threads of the library's own send, and the loop waits for none."""

from __future__ import annotations

import logging
import time
from threading import Thread
from typing import TYPE_CHECKING, Self

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

import ralph
from ralph.telemetry.spans import RunIds

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Tracer

    from ralph.telemetry.target import Target

_LIBRARY = "opentelemetry"


class Complaints(logging.Handler):
    """What the library has to say is kept here: on the terminal it would be in the way."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.first = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.first = self.first or _in_a_word(record)

    def __enter__(self) -> Self:
        logger = logging.getLogger(_LIBRARY)
        logger.addHandler(self)
        logger.propagate = False
        return self

    def __exit__(self, *_: object) -> None:
        logger = logging.getLogger(_LIBRARY)
        logger.removeHandler(self)
        logger.propagate = True


def _in_a_word(record: logging.LogRecord) -> str:
    """The library's sentences hold whole addresses and objects: the kind of trouble is enough."""
    given = record.args if isinstance(record.args, tuple) else ()
    for one in given:
        if isinstance(one, OSError):
            return f"no connection ({type(one).__name__})"
        if isinstance(one, int):
            return f"it answered {one}"
    return record.getMessage()


class Collector:
    """Sends what the tracer and the meter are told."""

    def __init__(self, target: Target, run: str) -> None:
        about = Resource(
            {
                "service.name": "ralph",
                "service.version": ralph.__version__,
                "service.instance.id": run,
            }
        ).merge(OTELResourceDetector().detect())
        self._traces = TracerProvider(
            resource=about, id_generator=RunIds(run), shutdown_on_exit=False
        )
        if target.traces:
            sender = BatchSpanProcessor(OTLPSpanExporter(target.traces))
            self._traces.add_span_processor(sender)
        wanted = [target.metrics] if target.metrics else []
        readers = [PeriodicExportingMetricReader(OTLPMetricExporter(one)) for one in wanted]
        self._metrics = MeterProvider(readers, resource=about, shutdown_on_exit=False)

    @property
    def tracer(self) -> Tracer:
        return self._traces.get_tracer("ralph", ralph.__version__)

    @property
    def meter(self) -> Meter:
        return self._metrics.get_meter("ralph", ralph.__version__)

    def end(self, seconds: float) -> bool:
        """Send what is left; whether that was done in time. The rest ends with the process."""
        ends = (self._traces.shutdown, self._metrics.shutdown)
        sending = [Thread(target=end, daemon=True) for end in ends]
        until = time.monotonic() + seconds
        for one in sending:
            one.start()
        for one in sending:
            one.join(max(0.0, until - time.monotonic()))
        return not any(one.is_alive() for one in sending)

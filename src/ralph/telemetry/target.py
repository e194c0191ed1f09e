"""Where spans and metrics go: only where a person says so."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec import Struct

from ralph.domain.errors import ConfigError
from ralph.policy.trust import without_password

if TYPE_CHECKING:
    from collections.abc import Mapping

SETTING = "telemetry.otlp"
ENVIRONMENT = "environment"
"""As the setting's value: what OpenTelemetry's own variables say."""
EXAMPLE = "http://127.0.0.1:4318"
_BASE = "OTEL_EXPORTER_OTLP_ENDPOINT"
_TRACES = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
_METRICS = "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"
_PROTOCOL = "OTEL_EXPORTER_OTLP_PROTOCOL"
_PROTOCOLS = ("", "http/protobuf")


class Target(Struct, frozen=True):
    traces: str
    """The whole address; empty where no spans are wanted."""
    metrics: str

    @property
    def shown(self) -> str:
        """The collector without paths and passwords."""
        parts = urlsplit(without_password(self.traces or self.metrics))
        return f"{parts.scheme}://{parts.netloc}"


def target(setting: str, environ: Mapping[str, str]) -> Target:
    """Where that is. The environment's variables count only where the setting says so."""
    if setting != ENVIRONMENT:
        return Target(_below(setting, "traces", SETTING), _below(setting, "metrics", SETTING))
    if (spoken := environ.get(_PROTOCOL, "")) not in _PROTOCOLS:
        what = f"{_PROTOCOL} is {spoken}; Ralph speaks http/protobuf."
        raise ConfigError(what, fix=f"Set {SETTING} to the collector's HTTP address: {EXAMPLE}.")
    base = environ.get(_BASE, "")
    found = Target(
        _checked(environ.get(_TRACES, ""), _TRACES) or _below(base, "traces", _BASE),
        _checked(environ.get(_METRICS, ""), _METRICS) or _below(base, "metrics", _BASE),
    )
    if not found.traces and not found.metrics:
        what = f"{SETTING} is `{ENVIRONMENT}`, but {_BASE} is not set."
        raise ConfigError(what, fix=f"Set it, or name the collector in {SETTING}: {EXAMPLE}.")
    return found


def _below(base: str, signal: str, where: str) -> str:
    return f"{_checked(base, where).removesuffix('/')}/v1/{signal}" if base else ""


def _checked(address: str, where: str) -> str:
    if not address:
        return ""
    try:
        parts = urlsplit(address)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is none
        sound = False
    if not sound:
        what = f"{where} is not the address of a collector: {without_password(address)[:80]!r}."
        raise ConfigError(what, fix=f"Write it as {EXAMPLE}.")
    return address

"""Events as they are stored: masked on the way in, and read as earlier versions wrote them."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from ralph import masking
from ralph.domain.attended import CheckpointSaved
from ralph.domain.errors import LedgerError
from ralph.domain.event import EVENTS, Escalated, Verified
from ralph.domain.state import RunState

if TYPE_CHECKING:
    from ralph.domain.event import Event

T = TypeVar("T")


class About(NamedTuple):
    """What an event is about, for looking it up."""

    iteration: int | None
    task: str | None


def place(event: Event) -> About:
    about = event.question if isinstance(event, Escalated) else event
    task = getattr(about, "task", "")
    return About(getattr(about, "iteration", 0) or None, storable(task) if task else None)


def storable(text: str) -> str:
    r"""The text with `\udc80` and the like spelled out: no database takes half a character."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def encode(event: Event) -> bytes:
    """Without the secrets that its strings may hold: nothing is stored or hashed before this."""
    if EVENTS.get(type(event).__name__) is not type(event):
        raise TypeError(f"{type(event).__name__} is not a kind of event")
    body = _dump(event)
    return resealed(type(event).__name__, body, masking.body(body))


def resealed(kind: str, body: bytes, masked: bytes) -> bytes:
    """The masked body of an event; a checkpoint's own hash is of what is stored."""
    if masked == body or kind != CheckpointSaved.__name__:
        return masked
    from ralph.policy.checkpoint import is_valid, seal

    with suppress(ValueError, RecursionError):
        before, after = _load(body, CheckpointSaved), _load(masked, CheckpointSaved)
        if is_valid(before.checkpoint):  # a damaged one must not look whole
            return _dump(replace(after, checkpoint=seal(after.checkpoint)))
    return masked


def decode(kind: str, body: bytes) -> Event | None:
    """The event, or None if only a newer Ralph knows its kind or it can be done without."""
    cls = EVENTS.get(kind)
    if cls is None:
        return None
    try:
        return _load(_as_now(kind, body), cls)
    except (ValueError, RecursionError) as error:
        if cls is CheckpointSaved:
            return None  # the one before it counts; the chain tells that this one was damaged
        raise LedgerError(
            f"An event of kind {kind} cannot be read: {error}.",
            fix="Update Ralph if a newer one wrote it; otherwise check the ledger's chain.",
        ) from error


def _as_now(kind: str, body: bytes) -> bytes:
    """The body as it is written now: at first a `Verified` had the parts of its verdict itself."""
    if kind != Verified.__name__ or b'"verdict":' in body:
        return body
    parts: Any = json.loads(body)
    if not isinstance(parts, dict) or "iteration" not in parts:
        return body  # damaged: the decoder says how
    return json.dumps({"iteration": parts.pop("iteration"), "verdict": parts}).encode("ascii")


def encode_state(state: RunState) -> bytes:
    return _dump(state)


def decode_state(body: bytes) -> RunState | None:
    """The state, or None if this version cannot read it."""
    try:
        return _load(body, RunState)
    except (ValueError, RecursionError):
        return None


def _dump(value: Event | RunState) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        # A file name or an agent's output may hold a lone surrogate. Escaped it survives, and a
        # name must: untracked files are compared with it.
        return json.dumps(msgspec.to_builtins(value, str_keys=True)).encode("ascii")


_decoders: dict[type[Any], msgspec.json.Decoder[Any]] = {}


def _load(body: bytes, cls: type[T]) -> T:
    decoder: msgspec.json.Decoder[T] | None = _decoders.get(cls)
    if decoder is None:
        decoder = _decoders[cls] = msgspec.json.Decoder(cls)
    try:
        return decoder.decode(body)
    except msgspec.DecodeError:
        if b"\\ud" not in body:
            raise
        return msgspec.convert(json.loads(body), cls, str_keys=True)

"""Text without its secrets: what is left says of which kind they were, and nothing else."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from ralph.policy.secrets import keys, quoted
from ralph.policy.secrets.finding import spans
from ralph.policy.secrets.judging import is_likely
from ralph.policy.secrets.keys import Inside
from ralph.policy.secrets.known import KnownSecrets
from ralph.policy.secrets.naming import Strength, strength
from ralph.policy.secrets.span import PRIVATE_KEY, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

ROUNDS = 5
"""What is masked may bring out something beside it."""
DEEPEST = 6
"""Texts within texts, each quoted as JSON in the one around it."""


class Masker:
    """Finds and replaces secrets. Of what it has seen it keeps counts, and nothing else."""

    def __init__(self, known: KnownSecrets | None = None, allowed: Iterable[str] = ()) -> None:
        self.counts: Counter[str] = Counter()
        """How many were replaced, by kind."""
        self._known = known or KnownSecrets()
        self._allowed = frozenset(one.encode() for one in allowed)

    def text(self, text: str) -> str:
        """The text without its secrets; itself if there are none."""
        from ralph.policy.secrets.stream import MaskedStream

        data = text.encode("utf-8", "surrogatepass")
        stream = MaskedStream(self)
        masked = stream.feed(data) + stream.close()
        if masked == data:
            return text
        try:
            return masked.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return masked.decode("utf-8", "replace")

    def body(self, body: bytes, spared: Collection[str] = ()) -> bytes:
        """A JSON value whose strings are masked; those under the names in `spared` stay."""
        found = self._found(body)
        if not found and not quoted.HIDDEN.search(body):
            return body
        return self._json(body, found, 0, spared)

    def lines(
        self, data: bytes, inside: Inside = Inside.NO, depth: int = 0
    ) -> tuple[bytes, Inside]:
        """Whole lines without their secrets, and whether the last one is within a private key."""
        if inside:
            start, inside = keys.lines(data, 0, inside)
            data = data[start:]
        found = self._found(data)
        has_key = any(span.kind == PRIVATE_KEY for span in found)
        gone, left = _lines_of_keys(data) if has_key else ([], Inside.NO)
        parts: list[bytes] = []
        done = 0
        for start, end, is_gone in _affected(data, found, gone):
            if start >= done:
                parts.append(data[done:start])
                if not is_gone:
                    parts.append(self._line(data[start:end], depth))
                done = end
        return b"".join((*parts, data[done:])) if parts else data, left or inside

    def _line(self, line: bytes, depth: int) -> bytes:
        if depth < DEEPEST and line.lstrip()[:1] in (b"{", b"[") and quoted.is_json(line):
            return self._json(line, self._found(line), depth)
        for _ in range(ROUNDS):
            found = self._found(line)
            if not found:
                break
            line = self._replaced(line, found)
        return line

    def _json(
        self, line: bytes, found: list[Span], depth: int, spared: Collection[str] = ()
    ) -> bytes:
        places = sorted(span.start for span in found)
        return quoted.replaced(line, places, partial(self._value, depth + 1), spared)

    def _value(self, depth: int, name: str, text: str) -> str:
        """One string of JSON, in a field of that name."""
        header = f"{name}: " if name.lower() in quoted.HEADERS else ""
        data = (header + text).encode("utf-8", "surrogatepass")
        masked, _ = self.lines(data, depth=depth)
        if masked != data:
            return masked.decode("utf-8", "replace")[len(header) :]
        told = strength(name)
        if not told or not is_likely(text, told) or data in self._allowed:
            return text
        return self._mask(_kind(told))

    def _found(self, data: bytes) -> list[Span]:
        found = spans(data, self._known)
        if not self._allowed:
            return found
        return [span for span in found if data[span.start : span.end] not in self._allowed]

    def _replaced(self, line: bytes, found: list[Span]) -> bytes:
        parts: list[bytes] = []
        done = 0
        for span in _apart(found):
            parts += (line[done : span.start], self._mask(span.kind).encode())
            done = span.end
        return b"".join((*parts, line[done:]))

    def _mask(self, kind: str) -> str:
        self.counts[kind] += 1
        return f"[masked: {kind}]"


def _affected(
    data: bytes, found: list[Span], gone: list[tuple[int, int]]
) -> list[tuple[int, int, bool]]:
    """The lines in which there is something, and those of which nothing is left; in order."""
    places = [span.start for span in found]
    if b"\\" in data:
        places += [hit.start() for hit in quoted.HIDDEN.finditer(data)]
    lines = [(start, end, True) for start, end in gone]
    end = -1
    for place in sorted(places):
        if place >= end:
            start = data.rfind(b"\n", 0, place) + 1
            end = data.find(b"\n", place)
            end = len(data) if end < 0 else end
            lines.append((start, end, False))
    return sorted(lines)


def _apart(found: list[Span]) -> Iterator[Span]:
    """The spans in order; those that overlap become one, called after the surest of them."""
    current: Span | None = None
    for span in sorted(found):
        if current is None or span.start >= current.end:
            if current is not None:
                yield current
            current = span
        else:
            best = min(current, span, key=lambda one: one.rank)
            end = max(current.end, span.end)
            current = Span(current.start, end, best.kind, best.rank)
    if current is not None:
        yield current


def _lines_of_keys(data: bytes) -> tuple[list[tuple[int, int]], Inside]:
    """The lines that belong to private keys, their first ones apart."""
    gone: list[tuple[int, int]] = []
    inside = Inside.NO
    done = 0
    for begin in keys.BEGIN.finditer(data):
        if begin.start() >= done:
            key = keys.key(data, begin)
            done = key.end
            inside = key.inside
            if key.end > key.next:
                gone.append((key.next, key.end))
    return gone, inside


def _kind(told: Strength) -> str:
    return "password" if told is Strength.MUCH else "secret"

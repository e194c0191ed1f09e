"""Names and messages that are safe whatever text they are made from."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.task import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SUBJECT = 72
SLUG = 50
_PREFIXES = {Kind.FEATURE: "feat", Kind.FIX: "fix"}
_BODY_KEEPS = frozenset("\n\t")


class OwnCommit(Struct, frozen=True):
    """What an agent said of a commit that it made itself."""

    message: str
    author: str
    """As git writes it: a name, an address and a moment."""


def as_told(own: Sequence[OwnCommit], title: str, trailers: Mapping[str, str]) -> str:
    """A message in an agent's own words; under `title`, if it made more than one commit."""
    words = [_clean(one.message, keep=_BODY_KEEPS).strip() for one in own]
    head = [] if len(own) == 1 else [_cut(one_line(title))]
    lines = [f"{name}: {one_line(value)}" for name, value in trailers.items()]
    return "\n\n".join([*head, *words, "\n".join(lines)]) + "\n"


def prefix(kind: Kind) -> str:
    """What the subject of a commit for this kind of task begins with."""
    return _PREFIXES.get(kind, "chore")


def message(
    kind: Kind | str, title: str, body: str = "", trailers: Mapping[str, str] | None = None
) -> str:
    """A commit message; `kind` is a task's kind or the prefix itself."""
    start = prefix(kind) if isinstance(kind, Kind) else kind
    parts = [_cut(f"{start}: {one_line(title) or 'work'}")]
    text = _clean(body, keep=_BODY_KEEPS).strip()
    if text:
        parts.append(text)
    lines = [
        f"{name}: {value}" for name, raw in (trailers or {}).items() if (value := one_line(raw))
    ]
    if lines:
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def one_line(text: str) -> str:
    """Printable, on one line, and nothing that a program could take for an option."""
    return " ".join(_clean(text).split()).lstrip("-").strip()


def slug(text: str) -> str:
    """A piece of a branch name: lower-case ASCII letters, digits and single hyphens."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    words = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:SLUG].strip("-")
    if words:
        return words
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"plan-{digest[:8]}"


def ref_path(name: str) -> str:
    """`name` with every part made fit for a ref; its slashes stay."""
    parts = [_ref_part(part) for part in name.split("/")]
    return "/".join(part for part in parts if part) or "work"


def trailers(text: str) -> dict[str, str]:
    """The trailers of a message: only its last paragraph counts."""
    last = text.strip().split("\n\n")[-1]
    pairs = (line.partition(": ") for line in last.splitlines())
    return {name: value for name, colon, value in pairs if colon}


def _ref_part(part: str) -> str:
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", part).strip(".-")
    safe = re.sub(r"\.\.+", ".", safe)[:80]
    return re.sub(r"(\.lock|[.-])+$", "", safe)


def _clean(text: str, keep: frozenset[str] = frozenset()) -> str:
    """Control, format and half characters become spaces."""
    return "".join(
        c if c in keep or unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} else " "
        for c in text
    )


def _cut(subject: str) -> str:
    return subject if len(subject) <= SUBJECT else subject[: SUBJECT - 1].rstrip() + "…"

"""Findings: read from an agent's words, named so that the same one is known again, merged."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.review import Finding, Notes, Opinion, Remark, Severity, Standing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MOST = 40
"""Findings of one answer; the first ones count."""
READ = 400_000
"""Characters of an answer that are read, from its end."""
PLACES = 200
"""Braces at which an object is looked for."""
ALIKE = 90
"""Of 100: titles about the same place that are this similar mean the same."""
TITLE, TEXT = 200, 2_000

_SEVERITIES = {
    **dict.fromkeys(("critical", "blocker", "fatal"), Severity.CRITICAL),
    **dict.fromkeys(("major", "high", "severe", "error"), Severity.MAJOR),
    **dict.fromkeys(("minor", "medium", "moderate", "low", "info", "nit"), Severity.MINOR),
}
_CODE = re.compile(
    r"^(\s*)(?:export\s+|default\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|pub\s+)*"
    r"(?:def|class|function|func|fn|interface|struct|enum|trait|impl|module)\s+(?:\([^)]*\)\s*)?"
    r"([A-Za-z_$][\w$]*)"
)
_DEEP = 1 << 10
_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
_WORDS = re.compile(r"[^\W\d_]+")
_SMALL = frozenset(
    (
        *("a", "an", "and", "are", "be", "by", "can", "does", "for", "from", "in", "is", "it"),
        *("its", "of", "on", "or", "the", "this", "to"),
    )
)
_DOCUMENT = (".md", ".markdown", ".txt", ".rst", ".adoc")


def is_document(path: str) -> bool:
    return path.lower().endswith(_DOCUMENT)


# ---- reading


def notes(text: str, shape: str = "") -> Notes | None:
    """What a reviewer answered; None if it cannot be read. To repeat the shape is no answer."""
    for value in _said(text, shape):
        if isinstance(value, dict) and isinstance(value.get("findings"), list):
            listed = value["findings"][:MOST]
            remarks = tuple(one for one in map(_remark, listed) if one is not None)
            if listed and not remarks:
                return None
            return Notes(remarks, dict(_still_open(value.get("still_open"))))
    return None


def opinion(text: str, shape: str = "") -> Opinion | None:
    """What a refuter answered; None if it cannot be read."""
    for value in _said(text, shape):
        sure = value.get("confidence") if isinstance(value, dict) else None
        if isinstance(value, dict) and isinstance(sure, int | float) and not isinstance(sure, bool):
            holds = value.get("holds", True) is not False
            # percentages are a common slip
            share = min(max(sure / 100 if sure > 1 else float(sure), 0.0), 1.0)
            return Opinion(
                share if holds else 0.0,
                _text(value.get("failing_input"), TEXT) if holds else "",
                _text(value.get("why"), TEXT),
            )
    return None


def cannot_fix(text: str, shape: str = "") -> dict[str, str]:
    """What the agent that fixes says a person has to decide: ids, each with its reason."""
    for value in _said(text, shape):
        if isinstance(value, dict) and "cannot_fix" in value:
            return dict(_still_open(value["cannot_fix"]))
    return {}


def _said(text: str, shape: str) -> Iterator[object]:
    """The objects of an answer that are its own, and not the shape that it was to have."""
    asked = list(_objects(shape))
    return (value for value in _objects(text) if value not in asked)


def _objects(text: str) -> Iterator[object]:
    """Every JSON object in the text, the last one first; those inside of others come after them."""
    text = text[-READ:]
    places = [found.start() for found in re.finditer(r"\{", text)]
    decoder = json.JSONDecoder()
    found: list[tuple[int, int, object]] = []
    end = -1
    # from the front, so that what lies inside an object that was read is passed over
    for place in places if len(places) <= PLACES else _outer(text, places):
        if place < end:
            continue
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            continue
        found.append((place, end, value))
    yield from (value for _, _, value in reversed(found))


def _outer(text: str, places: list[int]) -> list[int]:
    """Of very many braces those that begin a line: an answer stands by itself."""
    begin = [place for place in places if place == 0 or text[place - 1] in "\n`"]
    return begin[-PLACES:]


def _remark(value: object) -> Remark | None:
    if not isinstance(value, dict):
        return None
    title = " ".join(_text(value.get("title"), TITLE).split())
    if not _WORDS.search(title):
        return None
    line = value.get("line")
    return Remark(
        title=title,
        path=_path(value.get("path")),
        line=line if isinstance(line, int) and line > 0 else 0,
        symbol=" ".join(_text(value.get("symbol"), TITLE).split()),
        severity=_SEVERITIES.get(str(value.get("severity", "")).strip().lower(), Severity.MAJOR),
        detail=_text(value.get("detail"), TEXT),
        failing_input=_text(value.get("failing_input"), TEXT),
        suggestion=_text(value.get("suggestion"), TEXT),
    )


def _still_open(value: object) -> Iterator[tuple[str, str]]:
    for one in value[:MOST] if isinstance(value, list) else ():
        if isinstance(one, str):
            yield one, ""
        elif isinstance(one, dict) and isinstance(one.get("id"), str):
            yield one["id"], _text(one.get("why"), TEXT)


def _text(value: object, most: int) -> str:
    return value.strip()[:most] if isinstance(value, str) else ""


def _path(value: object) -> str:
    """Relative to the repository; empty if it leads elsewhere."""
    path = posixpath.normpath(_text(value, 500).replace("\\", "/") or ".")
    return "" if path == "." or path.startswith(("/", "../")) or path == ".." else path


# ---- naming


def fingerprint(remark: Remark) -> str:
    """Equal for the same finding wherever its lines have moved."""
    key = "\0".join((remark.path, remark.symbol.casefold(), _normal(remark.title)))
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _normal(title: str) -> str:
    """The telling words of a title: no numbers, no marks, no small words."""
    words = _WORDS.findall(title.casefold())
    return " ".join(word for word in words if word not in _SMALL) or " ".join(words)


def placed(remark: Remark, text: str | None) -> Remark:
    """With the symbol that encloses its line, which is more to be relied on than what was said."""
    found = enclosing(text, remark.line, remark.path) if text and remark.line else ""
    said = remark.symbol.split("(")[0].rpartition(".")[2].strip("`# ")
    return replace(remark, symbol=found or said)


def enclosing(text: str, line: int, path: str) -> str:
    """The function, class or heading that a line lies in; empty if there is none."""
    lines = text.splitlines()[:line]
    if is_document(path):
        heads = (_HEADING.match(one) for one in reversed(lines))
        return next((head[2] for head in heads if head), "")
    return _around(lines) if len(lines) == line else ""


def _around(lines: list[str]) -> str:
    """From the last line upwards, through whatever is indented less and less."""
    found = _CODE.match(lines[-1])
    if found:
        return found[2]
    depth = _depth(lines[-1])
    for one in reversed(lines[:-1]):
        here = _depth(one)
        if here >= depth:
            continue
        found = _CODE.match(one)
        if found:
            return found[2]
        depth = here
    return ""


def _depth(line: str) -> int:
    """How far it is indented. What is blank or only closes lies inside of what comes before it."""
    text = line.expandtabs()
    bare = text.lstrip()
    if not bare:
        return _DEEP
    return len(text) - len(bare) + bare.startswith(("}", ")", "]"))


# ---- merging


def merged(
    known: tuple[Finding, ...], answers: Mapping[str, Iterable[Remark]], number: int
) -> tuple[Finding, ...]:
    """All findings after a round: the same one is one, whoever said it; refuted ones stay so."""
    found = list(known)
    for role, remarks in answers.items():
        for remark in remarks:
            place = _same(found, remark)
            if place is None:
                name = f"F{len(found) + 1}"
                found.append(Finding(name, fingerprint(remark), remark, (role,), number))
            else:
                found[place] = _again(found[place], remark, role, number)
    return tuple(found)


def _same(found: list[Finding], remark: Remark) -> int | None:
    from rapidfuzz import fuzz

    mark = fingerprint(remark)
    for place, one in enumerate(found):
        if one.fingerprint == mark:
            return place
    for place, one in enumerate(found):
        other = one.remark
        there = (other.path, other.symbol.casefold()) == (remark.path, remark.symbol.casefold())
        if there and fuzz.token_sort_ratio(_normal(other.title), _normal(remark.title)) >= ALIKE:
            return place
    return None


def _again(one: Finding, remark: Remark, role: str, number: int) -> Finding:
    """Said once more: by another role, or in a later round although it was fixed."""
    roles = tuple(dict.fromkeys((*one.roles, role)))
    if one.standing in (Standing.FIXED, Standing.IN_PROGRESS):
        why = "it came up again after its fix"
        return replace(one, roles=roles, round=number, standing=Standing.PENDING, why=why)
    ranks = list(Severity)
    worst = min(one.remark.severity, remark.severity, key=ranks.index)
    example = one.remark.failing_input or remark.failing_input
    both = replace(one.remark, severity=worst, failing_input=example)
    return replace(one, roles=roles, remark=both)

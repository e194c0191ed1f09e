"""A failure without what changes from one run to the next, so that the same failure is equal."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LIMIT = 300
_LINES_READ = 4_000
_LINES_USED = 200
_LINE_READ = 4_000
_LINE_USED = 300
_LAST_LINES = 5
_LINE_SHOWN = 400

_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

_FAILURE = re.compile(
    r"""
      ^\s*(?:FAILED|FAIL|ERROR|FATAL|not\ ok)\b
    | ^\s*---\ FAIL
    | ^E\s{2,}\S
    | ^\s*[✗✘✖\u00d7●❌✕]\s
    | \bFAILED\b | \bFAILURE\b
    | (?:Error|Exception|Failure)\b(?:\s*[:\[(]|\s*$)
    | \b(?:error|fatal)(?:\[\w+\]|\ \w+)?\s*:
    | ^\s*(?:\S+:)?\d+:\d+\s+(?:error|✖)\b
    | \bnpm\ (?:ERR!|error)
    | \bpanic(?:ked)?\b
    | \bassert(?:ion)?\b
    | \bTraceback\b
    | \b(?:[Ee]xpected|[Aa]ctual|[Rr]eceived|got|want)\b.*:
    | \b(?:[Ss]egmentation\ fault|[Cc]ore\ dumped|[Oo]ut\ of\ memory)\b
    | \b(?:command\ not\ found|not\ found|[Nn]o\ such\ file|[Cc]annot\ find|[Uu]ndefined)\b
    | \b[Tt]imed\ out\b
    """,
    re.VERBOSE,
)
_RAISED = re.compile(r"E\s{2,}(?=\S)")
"""How pytest begins the lines of an error."""
# Counts and announcements: they say that something failed, never what.
_NOISE = re.compile(
    r"""
      ^[\W_]*\d+\ (?:passed|failed|error|errors|failures|warnings?|problems?|tests?)\b
    | ^[\W_]*(?:FAILURES|ERRORS|short\ test\ summary\ info|warnings\ summary)[\W_]*$
    | ^[\W_]*Found\ \d+\ errors?
    | \bTraceback\ \(most\ recent
    | \b0\ (?:errors?|failures?|failed)\b
    | (?:\bPASSED\b|\.\.\.\ ok$|^\s*ok\b|^\s*[✓✔]\s)
    | A\ complete\ log\ of\ this\ run
    """,
    re.VERBOSE,
)

_TEMPORARY = ("/tmp/", "/var/tmp/", "/var/folders/", "/private/", "/dev/shm/", "/run/user/")  # noqa: S108 - recognised, not used
_SOURCE_FILE = re.compile(
    r"(?!tmp|\.)[\w.+-]+\.(?:py|[cm]?[jt]sx?|go|rs|rb|java|kt|cs?|h|cc|cpp|hpp|php|swift|ex|exs|sh)"
)
_PATH = re.compile(r"(?<![\w./~-])(?:file://)?(?:/[\w.@+~%=-]+){2,}/?")
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_UNIT = r"(?:ns|[uµμ]s|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?|%|[kKMGT]?i?[bB]|bytes?)"
_DATE = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?"
_NUMBER = r"\d+(?:[.,:_]\d+)*(?:[eE][-+]?\d+)?"

_MASKS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), mask)
    for pattern, mask in (
        (r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", "#"),
        (r"\[gw\d+\]\s*", ""),
        (r"\b0[xX][0-9a-fA-F]+\b", "#"),
        (r"::h[0-9a-f]{16}\b", ""),
        (r"(?<![\w])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,}(?!\w)", "#"),
        (rf"\b(?:{_DAY},?\s+)?{_MONTH}\s+\d{{1,2}}(?:,?\s+\d{{4}})?(?=\W|$)", "#"),
        (rf"\b(?:{_DAY},?\s+)?\d{{1,2}}[\s/-]{_MONTH}[\s/-]\d{{4}}", "#"),
        (rf"{_DATE}\s*(?:Z|UTC|GMT|[+-]\d\d:?\d\d)?(?!\w)", "#"),
        (r"(?<!\w)\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?\s*(?:[AaPp][Mm]|Z|UTC)?(?!\w)", "#"),
        (rf"(?<!\w)(?:\d+(?:\.\d+)?\s?{_UNIT})+(?!\w)", "#"),
        (rf"(?<![A-Za-z_\d])[-+]?{_NUMBER}(?:\s?{_UNIT}(?!\w))?(?![A-Za-z_\d])", "#"),
        (r"#(?:[\s:,./+-]*#)+", "#"),
        (r"(?<=\w):#", ""),
        (r"\s+", " "),
    )
)
_TEST_NAME = re.compile(r"(::\w+)\[([^\]\s]{1,120})\]")


def signature(output: str, roots: Iterable[str] = ()) -> str:
    """What failed, without times, numbers, addresses and places; empty for empty output.

    `roots` are folders whose name says nothing: the paths below them count from there.
    """
    prefixes = sorted({root.rstrip("/") + "/" for root in roots if root.strip("/")}, key=len)[::-1]
    # Paths go first: a temporary folder may well be called "error".
    lines = [_without_places(line, prefixes) for line in _lines(output)[-_LINES_READ:]]
    telling = [line for line in lines if _FAILURE.search(line) and not _NOISE.search(line)]
    chosen = telling or [line for line in lines if line.strip()][-_LAST_LINES:]
    # Sorted, for tests that run side by side finish in any order.
    known = sorted({_normal(line) for line in chosen} - {"", "#"})[:_LINES_USED]
    text = " | ".join(known)
    if len(text) <= LIMIT:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{text[: LIMIT - len(digest) - 2]}… {digest}"


def tail(output: str, lines: int = 60, chars: int = 6_000) -> str:
    """The part of the output that a reader needs: the failures named early on, then the end."""
    every = [_shortened(line) for line in _lines(output)]
    while every and not every[-1].strip():
        every.pop()
    if len(every) <= lines and sum(len(line) + 1 for line in every) <= chars:
        return "\n".join(every)
    early = _early_failures(every, lines, chars)
    gap = ["[…]"] if early else []
    room = chars - sum(len(line) + 1 for line in early + gap)
    end = _last(every, lines - len(early) - len(gap), room)
    return "\n".join(early + gap + end)[-chars:]


def _early_failures(every: Sequence[str], lines: int, chars: int) -> list[str]:
    """Failures above what the end would show anyway, at most a third of the room."""
    shown = len(_last(every, lines - lines // 3 - 1, chars - chars // 3))
    above = every[: len(every) - shown]
    telling = [line for line in above if _FAILURE.search(line) and not _NOISE.search(line)]
    kept: list[str] = []
    room = chars // 3
    for line in dict.fromkeys(telling):
        room -= len(line) + 1
        if room < 0 or len(kept) >= lines // 3:
            break
        kept.append(line)
    return kept


def _last(every: Sequence[str], lines: int, chars: int) -> list[str]:
    kept: list[str] = []
    for line in reversed(every):
        chars -= len(line) + 1
        if len(kept) >= lines or (kept and chars < 0):
            break
        kept.append(line)
    return kept[::-1]


def assertion(output: str) -> str:
    """The line that says best what fails: what was expected and what came, or the first error."""
    lines = [line.strip() for line in _lines(output)[-_LINES_READ:]]
    telling = [line for line in lines if _FAILURE.search(line) and not _NOISE.search(line)]
    best = [line for line in telling if _RAISED.match(line)] or telling
    return _RAISED.sub("", best[0])[:LIMIT] if best else ""


def plain(text: str) -> str:
    """The text without terminal escapes and control characters."""
    return _CONTROL.sub("", _ANSI.sub("", text))


def _lines(output: str) -> list[str]:
    """Each line as a terminal would end up showing it: a carriage return starts it again."""
    return [
        plain(line.rstrip("\r").rpartition("\r")[2]).rstrip()
        for line in output.replace("\r\n", "\n").split("\n")
    ]


def _shortened(line: str) -> str:
    if len(line) <= _LINE_SHOWN:
        return line
    return f"{line[: _LINE_SHOWN - 40]} [… {len(line) - _LINE_SHOWN + 40} characters]"


def _without_places(line: str, prefixes: Sequence[str]) -> str:
    text = line[:_LINE_READ]
    for prefix in prefixes:
        text = text.replace(prefix, "")
    return _PATH.sub(_short_path, text) if "/" in text else text


def _normal(text: str) -> str:
    names: list[str] = []

    def keep(match: re.Match[str]) -> str:
        names.append(f"[{match[2]}]")
        return f"{match[1]}\x00"

    # The parameters of a test are part of its name, numbers or not.
    text = _TEST_NAME.sub(keep, text)
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    for name in names:
        text = text.replace("\x00", name, 1)
    return text.strip()[:_LINE_USED]


def _short_path(match: re.Match[str]) -> str:
    path = match[0].removeprefix("file://")
    name = path.rstrip("/").rpartition("/")[2]
    if _SOURCE_FILE.fullmatch(name):
        return name
    return "<tmp>" if path.startswith(_TEMPORARY) else "<path>"

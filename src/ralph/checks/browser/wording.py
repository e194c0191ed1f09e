"""What Playwright says, in words for someone who has only the flow file."""

from __future__ import annotations

import re

_CALL = re.compile(r"^\w+\.\w+: ")
_SEVERAL = re.compile(r"strict mode violation: .* resolved to (\d+) elements")
_FOUND = "resolved to"
_REASONS = re.compile(
    r"element is not (?:visible|enabled|editable|stable)|element is outside of the viewport"
    r"|.*intercepts pointer events"
)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_PREFIXES = re.compile(r"^(?:\[[^\]]*\] ?)+")
_TIMES = re.compile(r"^- +(?:\d+ \S )?")


def plain(message: str, seconds: float) -> str:
    """Why a step could not be done."""
    lines = [line.strip() for line in _COLOURS.sub("", message).splitlines() if line.strip()]
    first = _CALL.sub("", lines[0]) if lines else "no reason is given"
    if several := _SEVERAL.search(first):
        return f"{several[1]} elements fit the selector, and only one may"
    if not first.startswith("Timeout"):
        return first.removeprefix("Error: ")
    log = [_TIMES.sub("", line) for line in lines[1:]]
    reasons = [line for line in log if _REASONS.fullmatch(line)]
    if reasons:
        return f"not possible within {seconds:g} s: {reasons[-1]}"
    if any(_FOUND in line for line in log):
        return f"not possible within {seconds:g} s"
    return f"nothing was found within {seconds:g} s"


def last_words(message: str) -> str:
    """The line of a browser that could not start which says why."""
    lines = [line.strip(" -") for line in _COLOURS.sub("", message).splitlines()]
    telling = [line for line in lines if re.search(r"FATAL|ERROR|[Nn]o usable|ENOENT|EACCES", line)]
    said = (telling or [line for line in lines if line] or ["no reason is given"])[0]
    return _PREFIXES.sub("", said).rstrip(".")[:300]

"""The state file of a loop: a head of YAML, and the prompt below it."""

from __future__ import annotations

import os
from _json import encode_basestring_ascii as quoted
from _json import make_scanner

TYPE_CHECKING = False
"""As in `typing`, which would take longer to import than all of this."""
if TYPE_CHECKING:
    from typing import Any

    Fields = dict[str, Any]

MOST_SECONDS = 1800
"""Of a review, where its state does not say."""
PLAIN = {"true": True, "false": False, "null": None, "~": None, "": None}
FAILURES = "max_consecutive_failures"


class Wrong(Exception):
    """Something is not what it should be; the text tells the person what."""


class Usual:
    """What the scanner of `json` is told; the module takes as long to import as Python to start."""

    strict, object_hook, object_pairs_hook = True, None, None
    parse_float, parse_int, parse_constant = float, int, float
    memo: Fields = {}  # noqa: RUF012 - the scanner clears it


def parsed(text: str) -> Any:  # noqa: ANN401 - JSON is anything
    start = len(text) - len(text.lstrip())
    try:
        value, end = make_scanner(Usual)(text, start)  # type: ignore[arg-type] # any object will do
        if not text[end:].strip():
            return value
    except (StopIteration, SystemError, RecursionError):
        pass  # it is no JSON
    raise ValueError(text[:100])


def told_as_json(answer: dict[str, str]) -> str:
    return "{" + ", ".join(f"{quoted(name)}: {quoted(text)}" for name, text in answer.items()) + "}"


def written(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except ValueError:
        raise Wrong("its state is not text") from None


def fields_in(text: str) -> tuple[Fields, str]:
    """The front matter and the prompt below it."""
    first, _, rest = text.removeprefix("\ufeff").partition("\n")
    lines = rest.splitlines(keepends=True)
    end = next((n for n, line in enumerate(lines) if line.rstrip() == "---"), None)
    prompt = "".join(lines[end + 1 :]).strip("\r\n") if end is not None else ""
    if first.rstrip() != "---" or not prompt.strip():
        raise Wrong("its state file is damaged")
    try:
        return mapping(lines[:end]), prompt
    except ValueError:
        raise Wrong("its state file is damaged") from None


def mapping(lines: list[str]) -> Fields:
    """A flat mapping in YAML: names with texts, numbers, truths or nothing.

    What is nested is passed over: nothing here needs it.
    """
    fields: Fields = {}
    folded = ""
    for line in lines:
        bare = line.strip()
        if line[:1] in " \t" and bare:
            if folded:
                fields[folded] = f"{fields[folded]} {bare}".strip()
            continue
        folded = ""
        if not bare or bare.startswith(("#", "- ")):
            continue
        name, colon, value = bare.partition(":")
        if not colon or value[:1] not in ("", " ", "\t"):
            raise ValueError(line)
        name, value = name.strip("\"' "), value.strip()
        if value[:1] in ("|", ">") and value[1:] in ("", "-", "+"):
            folded, fields[name] = name, ""
        else:
            fields[name] = scalar(value)
    return fields


def scalar(text: str) -> Any:  # noqa: ANN401 - whatever YAML can say in a word
    if text[:1] == '"':
        end = len(text)
        while (end := text.rfind('"', 1, end)) > 0:
            if not text[end + 1 :].partition("#")[0].strip():
                return parsed(text[: end + 1])
        raise ValueError(text)
    if text[:1] == "'":
        inside, closed, rest = text[1:].replace("''", "\0").partition("'")
        if not closed or rest.partition("#")[0].strip():
            raise ValueError(text)
        return inside.replace("\0", "'")
    bare = "" if text.startswith("#") else text.partition(" #")[0].rstrip()
    if bare.lower() in PLAIN:
        return PLAIN[bare.lower()]
    return int(bare) if bare.lstrip("-").isdigit() else bare


def count(fields: Fields, name: str, usual: int) -> int:
    value = fields.get(name)
    if value is None:
        return usual
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Wrong(f"its state file is damaged ({name})")
    return value


def loop_in(text: str) -> Fields:
    fields, prompt = fields_in(text)
    if not {"active", "iteration", "max_iterations"} <= fields.keys():
        raise Wrong("its state file is damaged")
    return {
        "active": fields["active"] is True,
        "iteration": count(fields, "iteration", 0),
        "max_iterations": count(fields, "max_iterations", 0),
        "promise": str(fields.get("completion_promise") or ""),
        "session_id": str(fields.get("session_id") or ""),
        "review": False,
        "prompt": prompt,
    }


def with_field(text: str, name: str, value: object) -> str:
    """The same text with another value for one name of the front matter; all else stays."""
    lines = text.splitlines(keepends=True)
    for place, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            lines.insert(place, f"{name}: {value}\n")
            break
        if line.partition(":")[0].strip("\"' ") == name:
            lines[place] = f"{name}: {value}\n"
            break
    return "".join(lines)


def loop_text(state: Fields) -> str:
    return (
        "---\n"
        "active: true\n"
        "iteration: 1\n"
        f"max_iterations: {state['max_iterations']}\n"
        f"completion_promise: {quoted(state['promise']) if state['promise'] else 'null'}\n"
        f"started_at: {quoted(now())}\n"
        f"session_id: {quoted(state['session_id'])}\n"
        f"---\n\n{state['prompt']}\n"
    )


def review_text(state: Fields) -> str:
    """With the fields that programs know from other review loops."""
    began = quoted(now())
    return (
        "---\n"
        "active: true\n"
        'workflow_name: "session"\n'
        'section_name: ""\n'
        f"content_path: {quoted(state['about'])}\n"
        "current_round: 1\n"
        f"max_rounds: {state['max_iterations']}\n"
        "current_fix_iteration: 0\n"
        "max_fix_iterations: 3\n"
        "initial_confidence: 0\n"
        "current_confidence: 0\n"
        "target_confidence: 95\n"
        "total_issues: 0\n"
        "pending_count: 0\n"
        "in_progress_count: 0\n"
        "fixed_count: 0\n"
        "blocked_count: 0\n"
        "consecutive_failures: 0\n"
        "total_failures: 0\n"
        "error_history: []\n"
        f"{FAILURES}: 5\n"
        f"max_runtime_seconds: {MOST_SECONDS}\n"
        f"started_at: {began}\n"
        f"last_updated: {began}\n"
        'completion_promise: "ALL_ISSUES_RESOLVED"\n'
        f"session_id: {quoted(state['session_id'])}\n"
        f"---\n\n{state['prompt']}\n"
    )


def now() -> str:
    import time

    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def save(path: str, text: str) -> None:
    folder, name = os.path.split(path)
    if os.path.islink(folder):
        raise OSError(f"{folder} is a link, which is not followed")
    os.makedirs(folder, exist_ok=True)
    unfinished = os.path.join(folder, f".{name}.{os.getpid()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        with open(os.open(unfinished, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(unfinished, path)
    except OSError:
        remove(unfinished)
        raise


def remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return  # it is gone, or it stays: either way the person is free to go

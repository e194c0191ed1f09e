"""`ralph init` in a repository: what a first run needs, and nothing that was there is touched."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph import files
from ralph.checks.detect import detect
from ralph.domain.task import shown
from ralph.plans import likely, unreadable

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.checks.detect import Detected

KEPT = "kept as it is"

PLANS = ("PRD.json", "prd.json", ".ralph/tasks")
"""Where a plan may be already: an example beside it would be worked on instead of it."""

_IGNORED = (".ralph/*", "!.ralph/tasks/", "!.ralph/parent-task-id")
_NOTES = ".agent/"


class WrittenFile(Struct, frozen=True):
    path: str
    """Relative to the repository."""
    what: str
    changed: bool = True


def init_repository(
    root: Path, *, prompt_text: str, script: bool = False
) -> tuple[WrittenFile, ...]:
    """Write the files that are not there yet, and say of each what was done."""
    plan = _plan(root)
    settings = _settings(root, "" if plan.path in PLANS else plan.path)
    written = [plan, _new(root, "PROMPT.md", prompt_text), settings, _ignore(root)]
    if script:
        written.append(_script(root))
    return tuple(written)


def _plan(root: Path) -> WrittenFile:
    there = next((name for name in PLANS if _holds_something(root / name)), "")
    if there:
        return WrittenFile(there, KEPT, changed=False)
    if found := likely(root):
        path, tasks = next(iter(found.items()))
        others = f"; not {' or '.join([*found][1:])}" if len(found) > 1 else ""
        count = f"{tasks} open task{'s' * (tasks != 1)}"
        what = f"is your plan now: {count} (tasks.path){others}"
        settings = files.read(root / "ralph.yaml")  # kept, if it is there
        if settings is not None:
            asks = f"has {count}: to make it your plan, set tasks.path in ralph.yaml"
            what = KEPT if path.encode() in settings else asks
        return WrittenFile(path, what, changed=False)
    plan = json.loads(_template("PRD.json"))
    plan["project"] = _printable(root.resolve().name) or "project"
    text = json.dumps(plan, indent=2, ensure_ascii=False) + "\n"
    said = "written: replace its two example stories"
    if odd := unreadable(root):
        said += f"; {odd[0]} cannot be read as a plan, see `ralph lint {odd[0]}`"
    return _new(root, "PRD.json", text, said)


def _settings(root: Path, plan: str) -> WrittenFile:
    detected = detect(root)
    text = _template("ralph.yaml").replace("@COMMANDS@", _commands(detected))
    path = f"  path: {json.dumps(plan, ensure_ascii=False)}" if plan else '  # path: ""'
    text = text.replace("@PLAN@", path)
    checks = ", ".join(f"`{shown(command)}`" for command in detected.commands)
    found = (
        f"checks found: {checks}" if checks else "no checks found: fill in verification.commands"
    )
    return _new(root, "ralph.yaml", text, f"written, {found}")


def _commands(detected: Detected) -> str:
    """The detected commands as YAML, each with what it was found by."""
    if not detected.commands:
        return (
            "  # What proves a task. Nothing was detected: put your own in, one per line.\n"
            "  # commands: null"
        )
    lines = ["  # What proves a task, run by Ralph itself in a clean checkout.", "  commands:"]
    for command, why in zip(detected.commands, detected.why, strict=True):
        lines.append(f"    - {json.dumps(command, ensure_ascii=False)} # {_printable(why)}")
    return "\n".join(lines)


def _ignore(root: Path) -> WrittenFile:
    path = root / ".gitignore"
    if path.is_symlink():
        return WrittenFile(
            ".gitignore", "kept: it is a symbolic link, which git ignores", changed=False
        )
    before = files.read(path) or b""
    missing = _missing(before.decode("utf-8", "replace").splitlines())
    if not missing:
        return WrittenFile(".gitignore", KEPT, changed=False)
    end = b"\r\n" if b"\r\n" in before else b"\n"
    gap = b"" if not before or before.endswith(b"\n") else end
    files.write(path, before + gap + b"".join(line.encode() + end for line in missing))
    return WrittenFile(
        ".gitignore",
        f"{len(missing)} line{'s' * (len(missing) != 1)} added" if before else "written",
    )


def _missing(lines: list[str]) -> tuple[str, ...]:
    present = {line.strip() for line in lines}
    # An exception counts only after the rule it is an exception from.
    rules = (
        _IGNORED
        if _IGNORED[0] not in present
        else tuple(line for line in _IGNORED if line not in present)
    )
    return rules if _NOTES in present else (*rules, _NOTES)


def _script(root: Path) -> WrittenFile:
    text = _template("ralph.sh")
    written = _new(root, "ralph.sh", text, "written: the same as `ralph run PRD.json`")
    path = root / "ralph.sh"
    # Also after a start that died between the two steps.
    if not path.is_symlink() and files.read(path) == text.encode():
        path.chmod(path.stat().st_mode | 0o111)
    return written


def _holds_something(path: Path) -> bool:
    return any(path.iterdir()) if path.is_dir() else os.path.lexists(path)


def _printable(text: str) -> str:
    """A file's name may hold anything, a line of YAML or JSON may not."""
    return "".join(char if char.isprintable() else "?" for char in text)


def _new(root: Path, name: str, text: str, what: str = "written") -> WrittenFile:
    path = root / name
    if os.path.lexists(path):
        return WrittenFile(name, KEPT, changed=False)
    files.write(path, text)
    return WrittenFile(name, what)


def _template(name: str) -> str:
    from importlib.resources import files as package

    return (package("ralph.flows") / "templates" / name).read_text(encoding="utf-8")

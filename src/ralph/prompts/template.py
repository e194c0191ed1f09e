"""Templates are files: the built-in ones here, a user's file of the same name instead of them.

Placeholders are those of `string.Template`: `$id`, `${id}`, and `$$` for a dollar sign. What has
nothing to say is left out: a paragraph whose placeholders are all empty, and a section (from one
`# ` or `## ` heading to the next) whose placeholders are all empty. `prompt.md` is plain text
without placeholders, because `ralph init` writes it into the user's repository as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph import files
from ralph.domain.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.settings import PromptSettings

PROMPT = "prompt.md"
TASK = "task.md"
FIX_ONLY = "fix_only.md"
DIAGNOSTIC = "diagnostic.md"
CLAIM_MISSING = "claim_missing.md"
TEST_MISSING = "test_missing.md"
NO_CHANGE = "no_change.md"
CLOSING = "closing.md"
NUDGE = "nudge.md"
WRAP_UP = "wrap_up.md"

BASIC = frozenset(
    {"id", "title", "attempt", "claim", "salvage", "progress_file", "scratchpad_file"}
)
"""What every template may use."""
FULL = BASIC | {
    "standing", "description", "criteria", "directives", "guidance", "feedback", "checks",
    "unchecked", "continuation", "branch", "diff_stat", "changed", "allowed_commands", "project",
    "patterns", "agents_md", "scratchpad", "errors", "successes", "outputs",
    "last", "closing",
}  # fmt: skip
"""What `task.md` may use."""
NEEDED = ("id", "title", "description", "criteria", "directives", "guidance", "checks", "claim")
"""What `task.md` must use: without these an agent cannot do its work."""

KNOWN = {
    TASK: FULL,
    FIX_ONLY: BASIC,
    DIAGNOSTIC: BASIC,
    CLAIM_MISSING: BASIC,
    TEST_MISSING: BASIC,
    NO_CHANGE: BASIC,
    CLOSING: BASIC,
    NUDGE: frozenset({"id", "title", "why", "number", "most"}),
    WRAP_UP: frozenset({"id", "title", "why", "grace"}),
}

_BUILT_IN = Path(__file__).parent / "templates"


class Templates(Struct, frozen=True):
    texts: Mapping[str, str]

    @property
    def prompt(self) -> str:
        """The instructions for a project that has no PROMPT.md."""
        return self.texts[PROMPT]

    def render(self, name: str, values: Mapping[str, str]) -> str:
        sections = re.split(r"(?m)^(?=##? )", self.texts[name])
        shown = (_section(section, values) for section in sections)
        return "\n\n".join(section for section in shown if section)


def built_in(name: str) -> str:
    return (_BUILT_IN / name).read_text("utf-8")


def load(root: Path, settings: PromptSettings) -> Templates:
    """All templates, a user's own first; a ConfigError if one of those cannot work."""
    folder = root / settings.templates
    return Templates({name: _read(folder / name) for name in (PROMPT, *KNOWN)})


def _read(path: Path) -> str:
    try:
        data = files.read(path)
    except OSError as error:
        raise files.explain(error, path, "read") from error
    if data is None:
        return built_in(path.name)
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path}: not UTF-8 (byte {error.start}).", fix="Save it as UTF-8, or remove it."
        ) from error
    if path.name in KNOWN:
        _check(path, text)
    return text


def _check(path: Path, text: str) -> None:
    known = KNOWN[path.name]
    used = set()
    for name, start in _placeholders(text):
        line = text.count("\n", 0, start) + 1
        if name is None:
            raise ConfigError(
                f"{path}, line {line}: a lone `$`.", fix="Write `$$` for a dollar sign."
            )
        if name not in known:
            raise ConfigError(
                f"{path}, line {line}: unknown variable ${name}.",
                fix=f"Known variables: {', '.join(sorted(known))}. Write `$$` for a dollar sign.",
            )
        used.add(name)
    missing = [name for name in NEEDED if path.name == TASK and name not in used]
    if missing:
        last = text.count("\n") + 1
        raise ConfigError(
            f"{path}, line {last}: the file ends without ${missing[0]}.",
            fix="Agents need it. Add it, or remove the file to get the built-in one.",
        )


def _placeholders(text: str) -> Iterator[tuple[str | None, int]]:
    """Names and where they are; None stands for a dollar sign that begins nothing."""
    for found in Template.pattern.finditer(text):
        name = found["named"] or found["braced"]
        if name is not None or found["invalid"] is not None:
            yield name, found.start()


def _section(text: str, values: Mapping[str, str]) -> str:
    if _says_nothing(text, values):
        return ""
    blocks = re.split(r"\n{2,}", text.strip("\n"))
    shown = (
        Template(block).substitute(values) for block in blocks if not _says_nothing(block, values)
    )
    return "\n\n".join(shown)


def _says_nothing(text: str, values: Mapping[str, str]) -> bool:
    names = [name for name, _ in _placeholders(text) if name is not None]
    return bool(names) and not any(values[name].strip() for name in names)

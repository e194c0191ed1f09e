"""The languages that can be looked into. A new one is a file here and a line in this tuple."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.proof.languages.go import Go
from ralph.proof.languages.javascript import JavaScript
from ralph.proof.languages.python import Python
from ralph.proof.languages.typescript import TypeScript, TypeScriptWithTags

if TYPE_CHECKING:
    from ralph.proof.languages.language import Language

LANGUAGES: tuple[Language, ...] = (
    Python(),
    JavaScript(),
    TypeScript(),
    TypeScriptWithTags(),
    Go(),
)
ENDINGS = tuple(ending for one in LANGUAGES for ending in one.endings)
"""Files that are understood."""
_BY_ENDING = {ending: one for one in LANGUAGES for ending in one.endings}


def language_of(path: str) -> Language | None:
    """None if nobody can look into a file of this name."""
    return _BY_ENDING.get(path[path.rfind(".") :])

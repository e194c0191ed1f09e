"""The languages that can be looked into. A new one is a file here and a line in this tuple."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.proof.languages.go import Go
from ralph.proof.languages.javascript import JavaScript
from ralph.proof.languages.python import Python
from ralph.proof.languages.typescript import TypeScript, TypeScriptWithTags

if TYPE_CHECKING:
    from ralph.proof.languages.language import Language
    from ralph.proof.languages.shape import Part

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


def shape_of(path: str, text: str) -> Part | None:
    """What a file of this name does; None if nobody can say."""
    language = language_of(path)
    return language.shape(text) if language is not None and text else None

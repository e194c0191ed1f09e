"""JavaScript as text: no parser is at hand, so its strings and comments are found by patterns."""

from __future__ import annotations

import re

ENDINGS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
QUOTED = r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`"
STRING = re.compile(QUOTED)
_COMMENT = re.compile(rf"({QUOTED})|//[^\n]*|/\*.*?\*/", re.DOTALL)


def blank(text: str) -> str:
    """Blanks of the same shape, so that everything else stays where it is."""
    return re.sub(r"[^\n]", " ", text)


def without_comments(text: str) -> str:
    return _COMMENT.sub(lambda found: found[1] or blank(found[0]), text)


def without_strings(text: str) -> str:
    """With neither strings nor comments."""
    return _COMMENT.sub(lambda found: blank(found[0]), text)

"""Whether a value looks like a secret rather than like a word, a path, a number or code."""

from __future__ import annotations

import re
from itertools import pairwise

from ralph.policy.secrets.naming import Strength

SHORTEST = 8
LONGEST = 4096
_ENOUGH = 200
"""Characters that show whether something looks like chance."""

_NUMBER = re.compile(r"[0-9.,:_+/\s-]+|0x[0-9a-fA-F]{1,16}")
_VARIABLE = re.compile(
    r"\$[{(]?[A-Za-z_][\w.:>\[\]-]*[})]?|\$[({].*|%\(?\w*\)?[a-z]?|\{\{?.*|<.*|@\w+|&\w+"
)
_CODE = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*")
_WORDS = re.compile(r"[A-Za-z]*(?:[\s_./:,'-]+[A-Za-z]*)*[0-9]{0,2}")
_PATH = re.compile(r"(?:[A-Za-z]:)?[~.]{0,2}[/\\][^\s]*|(?:[\w.@-]+/)+[\w.@-]*\.[a-z]{1,5}")
_PLACEHOLDERS = (
    *("example", "placeholder", "changeme", "change_me", "change-me", "your_", "your-", "yourpass"),
    *("xxxx", "****", "....", "redacted", "dummy", "[masked", "insert_", "replace", "undefined"),
)
_SYMBOLS = frozenset("!@#$%^&*+=?~|")


def is_trivial(value: str) -> bool:
    """Whether it is too common to be a secret wherever it turns up."""
    if not SHORTEST <= len(value) <= LONGEST or _NUMBER.fullmatch(value):
        return True
    words = _WORDS.fullmatch(value) is not None and not _odd(value)
    return words or _is_common(value) or _is_path(value)


def is_likely(value: str, name: Strength, *, bare: bool = False) -> bool:
    """Whether this, assigned to such a name, is a secret; `bare` text may as well be code."""
    if not SHORTEST <= len(value) <= LONGEST or any(map(str.isspace, value)):
        return False
    value = value[:_ENOUGH]
    if _NUMBER.fullmatch(value) or _is_common(value) or _is_path(value):
        return False
    if bare and _CODE.fullmatch(value):
        return looks_random(value, _OFTEN)
    if looks_random(value):
        return True
    if name < Strength.MUCH:
        return False
    mixed = any(map(str.isdigit, value)) or not _SYMBOLS.isdisjoint(value)
    return mixed and any(map(str.isalpha, value)) and not _SNAKE.fullmatch(value)


_SNAKE = re.compile(r"[a-z]+(?:[_-][a-z]+)+[0-9]?|[A-Z]+(?:[_-][A-Z]+)+[0-9]?")


def looks_random(value: str, often: float = 0) -> bool:
    """Whether letters, cases and digits change as they do by chance, and at least so often."""
    if _VARIABLE.fullmatch(value):
        return False
    changes = digits = letters = 0
    last = ""
    for char in value:
        kind = _kind(char)
        if not kind:
            continue
        digits += kind == "d"
        letters += kind in "lU"
        # a capital letter begins a word
        changes += bool(last) and kind != last and (last, kind) != ("U", "l")
        last = kind
    if not digits:
        return letters >= _LETTERS and _odd(value, strict=bool(often))
    return letters > 1 and changes >= max(_CHANGES, often * len(value))


_LETTERS = 10
_CHANGES = 3
_OFTEN = 0.22
"""Of a random text every second or third character is of another kind than the one before."""
_CONSONANTS = re.compile(r"[b-df-hj-np-tv-xz]{5,}", re.IGNORECASE)


def _kind(char: str) -> str:
    if char.isdigit():
        return "d"
    if char.isalpha():
        return "U" if char.isupper() else "l"
    return "s" if char in _SYMBOLS else ""


def _odd(value: str, *, strict: bool = False) -> bool:
    """Whether capital and small letters take turns in a way that no name has."""
    odd = 0
    since = 0
    for before, char in pairwise(value):
        if char.isupper() and before.isalpha():
            odd += before.islower() and since < 3  # noqa: PLR2004 - the shortest words
            odd += before.isupper()
        since = 0 if char.isupper() else since + 1
    if not any(map(str.islower, value)) or (strict and not value.isalpha()):
        return False
    return odd * 5 >= len(value) or (odd > 1 and not strict and bool(_CONSONANTS.search(value)))


def says_that_it_is_none(value: str) -> bool:
    lower = value.lower()
    return any(word in lower for word in _PLACEHOLDERS)


def _is_common(value: str) -> bool:
    return says_that_it_is_none(value) or bool(_VARIABLE.fullmatch(value))


def _is_path(value: str) -> bool:
    if value.startswith(("http://", "https://", "file://", "www.")):
        return True
    return bool(_PATH.fullmatch(value)) and all(
        not looks_random(part) for part in re.split(r"[/\\]", value)
    )

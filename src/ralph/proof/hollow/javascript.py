"""JavaScript in which the functions that were changed do nothing; read by patterns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.proof.script import QUOTED, without_comments, without_strings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

NOTHING = "NaN", 'Symbol.for("something")'
"""First everything is false, then everything is true."""
_OF_TYPE = {
    "number": ("-98765.4321", "98765.4321"),
    "string": ('""', '"zqx zqx"'),
    "object": ("null", "{ zqx: 1 }"),
    "isArray": ("[]", '["zqx", "zqx"]'),
    "isInteger": ("-98765432", "98765432"),
    "isFinite": ("-98765.4321", "98765.4321"),
}
_TYPE = re.compile(
    r"\btypeof\b[^\n]*['\"](number|string|object)['\"]|\b(?:Array|Number)\.(isArray|isInteger|isFinite)\("
)
_BRACKET = re.compile(r"[{}]")
_HEAD = re.compile(
    r"(?:\bfunction\b\s*\*?\s*[\w$]*\s*\((?:[^()]|\([^()]*\))*\)|=>"
    r"|^[ \t]*(?:(?:static|async|get|set)[ \t]+)*\*?[#\w$]+\s*\((?:[^()]|\([^()]*\))*\))\s*\{",
    re.MULTILINE,
)
_CALLED = re.compile(
    r"(?:\bfunction\b\s*\*?\s*|^\s*(?:(?:static|async|get|set)\s+)*\*?)([#\w$]+)\s*\("
)
_NOT = re.compile(r"\s*(?:if|for|while|switch|catch|with|return|super)\b")
_MAKING = re.compile(r"\s*constructor\b")
_KEEPS = re.compile(
    rf"(?:\s*(?:this\.[#\w$]+\s*=\s*(?:[\w$.]+|{QUOTED}|\[\]|\{{\}}|new\s+[\w$.]+\(\))"
    r"|super\([\w$., ]*\))\s*;?)*\s*"
)
"""An object that is made this way only remembers what it was given."""
_ALLOWED = re.compile(
    r"import\b.*|export\s*(?:\{.*|\*.*|default\s+[\w$]+;?|default|async|const|)"
    r"|module\.exports\b.*|exports\.[\w$]+\s*=\s*[\w$]+;?|['\"]use strict['\"];?"
    r"|(?:const|let|var)\s*[\w$]*\s*(?:=|\{.*=\s*require\(.*)?\s*(?:async\s*)?(?:\(.*\))?"
    r"|(?:const|let|var)\s+[\w$]+\s*=\s*require\(.*|(?:export\s+)?(?:default\s+)?class\b.*|[\s{}();,]*"
)


_DOUBLE = re.compile(
    r"\bmock\.method\(\s*[\w$.]+,\s*[\"'](\w+)[\"']|\.(\w+)\s*=\s*(?:\w+\.)?mock\.fn\("
    r"|\b(?:jest|vi)\.spyOn\(\s*[\w$.]+,\s*[\"'](\w+)[\"']"
)
"""A test puts something in the place of what it names."""


class _Function(Struct, frozen=True):
    head: int
    inside: int
    """Right behind the bracket that opens it."""
    end: int


def values(tests: str) -> tuple[str, str]:
    """What the functions return instead: of a type, if that is what the tests ask for."""
    asked = _TYPE.search(tests)
    return _OF_TYPE[asked[1] or asked[2]] if asked else NOTHING


def hollowed(
    text: str, before: str, value: str, tests: str = "", only: Collection[str] = ()
) -> str | None:
    """The same text where no function was changed; None where more than functions was.

    A new constant that the tests do not name is a part of the functions. With `only` the functions
    of these names are emptied, and no others.
    """
    found, old = _functions(text), _functions(before)
    if found is None or old is None:
        return None
    words = frozenset(re.findall(r"[\w$]+", tests))
    if not set(_rest(text, found, words)) <= set(_rest(before, old, words)):
        return None
    every = _changed(text, found, before, old)
    changed = [one for one in every if not _MAKING.match(text, one.head)]
    making = (text[one.inside : one.end - 1] for one in every if one not in changed)
    if not all(_KEEPS.fullmatch(without_comments(one)) for one in making):
        return None
    mine = [one for one in changed if not only or _name(text, one) in only]
    return _emptied(text, mine, value)


def new(text: str, before: str) -> tuple[str, ...]:
    """The names of functions that were not there before."""
    found, old = _functions(text), _functions(before)
    known = {_name(before, one) for one in old or ()}
    names = (_name(text, one) for one in found or () if not _MAKING.match(text, one.head))
    return tuple(dict.fromkeys(name for name in names if name and name not in known))


def _name(text: str, function: _Function) -> str:
    """What a function is called, by itself or by what it is given to."""
    head = text[function.head : function.inside]
    if found := _CALLED.search(head):
        return found[1]
    line = text[text.rfind("\n", 0, function.head) + 1 : function.head]
    given = re.search(r"([\w$]+)\s*[=:]\s*(?:async\s*)?(?:\([^()]*\)\s*)?$", line)
    return given[1] if given else ""


def undoubled(text: str, before: str, value: str, tests: str) -> str:
    """Only the changed functions that the tests replace do nothing; all else is as it was."""
    found, old = _functions(text), _functions(before)
    names = [re.escape(name) for group in _DOUBLE.findall(tests) for name in group if name]
    if found is None or old is None or not names:
        return text
    head = re.compile(rf"[^({{=]*\b(?:{'|'.join(names)})\b")
    changed = [one for one in _changed(text, found, before, old) if head.match(text, one.head)]
    return _emptied(text, changed, value)


def _changed(
    text: str, found: list[_Function], before: str, old: list[_Function]
) -> list[_Function]:
    known = {before[one.head : one.end] for one in old}
    return [one for one in found if text[one.head : one.end] not in known]


def _emptied(text: str, functions: list[_Function], value: str) -> str:
    for one in reversed(functions):
        text = f"{text[: one.inside]} return {value};{text[one.inside :]}"
    return text


def _functions(text: str) -> list[_Function] | None:
    """The outermost ones; None if the brackets do not match."""
    seen = without_strings(text)
    found: list[_Function] = []
    for head in _HEAD.finditer(seen):
        if _NOT.match(head[0]) or (found and head.start() < found[-1].end):
            continue
        end = _end(seen, head.end())
        if end is None:
            return None
        found.append(_Function(head.start(), head.end(), end))
    return found


def _end(text: str, place: int) -> int | None:
    depth = 1
    for sign in _BRACKET.finditer(text, place):
        depth += 1 if sign[0] == "{" else -1
        if not depth:
            return sign.end()
    return None


def _rest(text: str, functions: list[_Function], words: frozenset[str]) -> Iterator[str]:
    """The lines outside functions that tests could see."""
    parts, place = [], 0
    for one in functions:
        parts.append(text[place : one.head])
        place = one.end
    for line in without_comments("\n".join([*parts, text[place:]])).split("\n"):
        constant = re.fullmatch(r"(?:export\s+)?const\s+([\w$]+)\s*=[^{(\[]*;?", line.strip())
        own = constant is not None and constant[1] not in words
        if not own and not _ALLOWED.fullmatch(line.strip()):
            yield line.strip()

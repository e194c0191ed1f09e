"""Source that looks as if it were written to deceive a test rather than to do the work.

A smell is a reason to ask, never a proof: each names what was seen, so that a person or the next
agent can say why it is there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MOST = 20


class Smell(Struct, frozen=True):
    what: str
    path: str
    line: str


_LEAVES = "leaves the process without a word"
_PYTHONS = (".py", ".pyi")
_HEAD = r"(?:async )?def \w+\([^)]*\)[^\n]*:\n(?:[ \t]+(?:#[^\n]*|\"{3}[^\"]*\"{3})\n)*"
"""How a function begins, with what is said about it."""
_LATER = r"(?:pass|\.\.\.|return(?: None)?)?[ \t]*#\s*(?:TODO|FIXME|XXX)\b[^\n]*"
_PYTHON = {
    "asks whether a test is running": (
        r"PYTEST_(?:CURRENT_TEST|VERSION|XDIST)",
        r"['\"]_?(?:pytest|unittest)['\"]\s+(?:not\s+)?in\s+(?:sys\.)?modules",
        r"(?:sys\.)?modules(?:\.get\(|\[)\s*['\"]_?(?:pytest|unittest)",
        r"['\"]_?(?:pytest|unittest)['\"]\s+in\s+(?:sys\.argv|os\.environ)",
        r"\bsys\.argv\b(?:.|\n){0,400}?(?:endswith|startswith|[!=]=|\bin\b)[\s(]*['\"][^'\"\n]*test",
    ),
    "imports the test runner into source": (
        r"^[ \t]*(?:import|from)\s+_?(?:pytest|pluggy|unittest|nose)\b",
    ),
    "looks at who calls it": (
        r"\bsys\._getframe\s*\(",
        r"\binspect\.(?:stack|currentframe|getouterframes)\s*\(",
        r"\btraceback\.(?:extract_stack|walk_stack|format_stack)\s*\(",
    ),
    _LEAVES: (
        r"\bos\._exit\b",
        r"\bos\.kill\s*\(\s*os\.getpid",
        r"\bos\.abort\s*\(",
    ),
    "acts when the process ends": (
        r"\bsys\.(?:excepthook|unraisablehook|settrace|setprofile|meta_path|path_hooks)\b",
    ),
    "is equal to everything": (
        r"def\s+__(?:eq|ne|lt|le|gt|ge|contains|instancecheck)__[^\n]*:\s*return\s+(?:True|False)\b",
        r"__(?:eq|ne|lt|le|gt|ge|contains|instancecheck)__\s*=\s*lambda\b[^\n]*:\s*(?:True|False)\b",
        r"class\s+\w+\((?:int|float|str|bytes|list|dict|set|tuple)\):(?:.|\n){0,800}?__(?:eq|ne)__\b",
    ),
    "changes what Python itself does": (
        r"\b(?:builtins|__builtins__)\s*(?:\.\s*\w+\s*=(?!=)|\[)",
        r"\bsetattr\s*\(\s*(?:builtins|sys|os|json|math|random|time)\b",
        r"\bsys\.modules\s*\[[^\]]+\]\s*=(?!=)",
        r"\bAssertionError\s*=(?!=)",
        r"\bctypes\.pythonapi\b",
        r"\bgc\.get_(?:objects|referrers)\b",
        r"\b(?:time|random|math|json|os)\.\w+\s*=(?!=)",
    ),
    "is left to be done": (
        rf"(?:\A|^(?![ \t]*@)[^\n]*\n){_HEAD}[ \t]+raise NotImplementedError\b",
        rf"^(?P<at>[ \t]*){_HEAD}[ \t]+{_LATER}(?!\s*\n(?P=at)[ \t]+\S)(?=\n|\Z)",
    ),
    "hears of no error": (r"\bexcept(?:\s+(?:Base)?Exception)?\s*:\s*(?:pass|\.\.\.)[ \t]*$",),
    "reads the tests": (
        r"['\"][^'\"\n]*\btests?/[^'\"\n]*['\"]",
        r"\btest_[\w*]+\.py\b|\*_test\.py\b",
    ),
}
_STILL = r"(?:(?!\+\+|--|[+-]=)[^}])*"
"""What is the same every time."""
_JAVASCRIPT = {
    "asks whether a test is running": (
        r"NODE_TEST_CONTEXT|JEST_WORKER_ID|\bVITEST\b",
        r"process\.env\.(?:NODE_ENV|TEST)\s*===?\s*['\"]test",
        r"process\.(?:argv|execArgv)\b[^\n]*(?:test|jest|vitest)",
        r"\bnpm_(?:lifecycle_event|lifecycle_script|command)\b",
    ),
    "imports the test runner into source": (
        r"(?:require\(|from\s+|import\(?\s*)['\"](?:node:)?(?:test|jest|vitest|@jest/globals)['\"]",
    ),
    "looks at who calls it": (
        r"new\s+Error\([^)]*\)\.stack",
        r"Error\.(?:captureStackTrace|prepareStackTrace)",
        r"arguments\.callee",
    ),
    _LEAVES: (
        r"\bprocess\.(?:reallyExit|abort)\s*\(",
        r"\bprocess\.exit\s*\(\s*0?\s*\)",
        r"\bprocess\.exitCode\s*=\s*0",
        r"\bprocess\.exit\s*=(?!=)",
    ),
    "acts when the process ends": (
        r"process\.(?:on|once|prependListener)\s*\(\s*['\"](?:exit|beforeExit)",
        r"process\.(?:on|once|prependListener)\s*\(\s*['\"]uncaughtException",
    ),
    "is equal to everything": (
        rf"\[\s*Symbol\.(?:toPrimitive|hasInstance)\s*\](?!\s*\([^)]*\)\s*\{{{_STILL}\bthis\b{_STILL}\}})",
        r"\bequals\s*\([^)]*\)\s*\{\s*return\s+true",
    ),
    "changes what JavaScript itself does": (
        r"\b(?:Object|Array|String|Number|Function|Promise|Error|Map|Set)\.prototype\.\w+\s*=(?!=)",
        r"\b(?:Object|Array|Number|Math|JSON|Date|console)\.\w+\s*=(?!=)",
        r"\bassert(?:\.\w+)+\s*=(?!=)",
        r"\brequire\.cache\b|\bModule\._(?:load|resolveFilename|extensions)",
        r"Object\.(?:defineProperty|assign)\s*\(\s*(?:Object|Array|String|global|globalThis|assert)",
    ),
    "is left to be done": (
        r"\bfunction\b[^\n]*\{\s*throw new Error\(\s*['\"`][^'\"`\n]*[Nn]ot (?:yet )?implemented",
        r"\)\s*\{\s*(?://|/\*+)\s*(?:TODO|FIXME|XXX)\b[^\n]*\s*(?:return;?\s*)?\}",
    ),
    "hears of no error": (r"\bcatch\s*(?:\([^)]*\)\s*)?\{\s*\}",),
    "reads the tests": (
        r"['\"`][^'\"`\n]*(?:\.test\.|\.spec\.|/tests?/|__tests__)[^'\"`\n]*['\"`]",
    ),
}
_COMMAND = re.compile(r"\A#!|\bprocess\.argv\b")
"""A program for the command line, which may end itself."""
_BY_ENDING = {
    **dict.fromkeys(_PYTHONS, _PYTHON),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"), _JAVASCRIPT),
}


def smells(
    added: Iterable[tuple[str, str]], before: Callable[[str], str] = lambda _: ""
) -> tuple[Smell, ...]:
    """What is suspicious in the text that was added; `before` tells what a file held."""
    found: list[Smell] = []
    for path, new in added:
        found.extend(_in_file(path, new, before))
    return tuple(found[:MOST])


def _in_file(path: str, new: str, before: Callable[[str], str]) -> Iterator[Smell]:
    ending = path[path.rfind(".") :]
    for what, patterns in _BY_ENDING.get(ending, {}).items():
        if what == _LEAVES and ending not in _PYTHONS and _COMMAND.search(new):
            continue
        found = (match for one in patterns if (match := re.search(one, new, re.MULTILINE)))
        match = next(found, None)
        # A program that did so before does nothing new.
        if match and not any(re.search(one, before(path), re.MULTILINE) for one in patterns):
            yield Smell(what, path, _line_at(new, match.start()))


def _line_at(text: str, place: int) -> str:
    start = text.rfind("\n", 0, place) + 1
    end = text.find("\n", start)
    return text[start : end if end >= 0 else None].strip()[:200]


_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|;|<!--|\"\"\"|\'\'\')|\s*$")


def has_code(lines: str) -> bool:
    """Whether there is more in these lines than comments and space."""
    return any(not _COMMENT.match(line) for line in lines.split("\n"))

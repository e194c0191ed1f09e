"""What a test asserts and is about, by its name and the text of its file."""

from __future__ import annotations

import re

from msgspec import Struct

from ralph.proof.languages import language_of

LINES = 3
"""Assertions of one test that are shown."""
_WIDE = 160
_BETWEEN = re.compile(r"::| \u203a ")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


class Rewritten(Struct, frozen=True):
    """The assertions of one test that differ: for a person who has ten seconds."""

    test: str
    was: tuple[str, ...] = ()
    now: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        lines = [self.test]
        lines += [f"    was:  {_cut(one)}" for one in self.was[:LINES]]
        lines += [f"    now:  {_cut(one)}" for one in self.now[:LINES]] or ["    now:  (gone)"]
        more = max(len(self.was), len(self.now)) - LINES
        return "\n".join([*lines, *([f"    and {more} more"] if more > 0 else [])])


def last_name(test: str) -> str:
    """The last part of a test's id: its own name or title."""
    return _BETWEEN.split(test)[-1]


def rewritten(test: str, path: str, before: str, after: str) -> Rewritten | None:
    """None if nothing that it asserts differs."""
    language, name = language_of(path), last_name(test)
    if language is None:
        return None
    old, new = list(language.asserted(before, name)), list(language.asserted(after, name))
    was = [line for line in old if line not in new]
    now = [line for line in new if line not in old]
    return Rewritten(test, tuple(was), tuple(now)) if was or (now and old) else None


def source_of(test: str, path: str, text: str) -> str:
    """The lines of one test."""
    language = language_of(path)
    return language.source_of(last_name(test), text) if language is not None else ""


def asserts(test: str, path: str, text: str) -> bool:
    """Whether a test looks at anything: itself, or by a function of its file. True if unknown."""
    language = language_of(path)
    return language is None or language.asserts(last_name(test), text)


def skips_itself(test: str, path: str, text: str) -> bool:
    """Whether a test is left out wherever it is run; not if it depends on what is there."""
    language = language_of(path)
    return language is not None and language.skips_itself(last_name(test), text)


def asserted(path: str, text: str, test: str = "") -> tuple[str, ...]:
    """Every assertion of a file, in whichever test; or those of one."""
    language = language_of(path)
    return tuple(language.asserted(text, last_name(test))) if language is not None else ()


def about_test(test: str, path: str, text: str) -> frozenset[str]:
    """What a test is about, whatever it is called: the values it holds and what it calls.

    The same values asked of the same functions under another name, in another file or as the rows
    of a table are the same test. Nothing if the test cannot be found.
    """
    language = language_of(path)
    source = source_of(test, path, text)
    return frozenset(language.content(source)) if language is not None and source else frozenset()


def functions(path: str, text: str) -> tuple[str, ...]:
    """The names of a file's own functions: what tests do there goes by another name elsewhere."""
    language = language_of(path)
    return language.new(text, "") if language is not None else ()


def about_fresh(path: str, text: str, before: str) -> frozenset[str]:
    """The same of what a file of tests has that it had not before."""
    language = language_of(path)
    return about_file(path, text if language is None else language.fresh(text, before))


def about_file(path: str, text: str) -> frozenset[str]:
    """The same of a whole file; a function that is only mentioned may be called by a table."""
    language = language_of(path)
    held = language.content(text) if language is not None else ()
    return frozenset((*held, *(f"{name}()" for name in _NAME.findall(text))))


def _cut(text: str) -> str:
    return text if len(text) <= _WIDE else f"{text[: _WIDE - 1]}…"
